// The page: two bodies that can be dragged, turned and reshaped; the contact is computed at every change.
(() => {
const $$ = (id) => document.getElementById(id);
const COLORS = ["#3f7cac", "#d98e32"], NAMES = ["A", "B"];
const START = () => [
  { radii: [.9, .6, .4], epsilon: [1, 1], angles: [20, 0, 30], position: [-.8, 0, 0] },
  { radii: [.5, .5, .8], epsilon: [.5, 1], angles: [50, 20, 0], position: [.8, .3, .2] },
].map((b) => ({ ...b, rotation: turned(b.angles) }));
const SLIDERS = [["a", "radii", 0, .1, 1.5], ["b", "radii", 1, .1, 1.5], ["c", "radii", 2, .1, 1.5], ["\u03b51", "epsilon", 0, .2, 1.8], ["\u03b52", "epsilon", 1, .2, 1.8]];

const product = (P, Q) => P.map((row) => [0, 1, 2].map((j) => row[0] * Q[0][j] + row[1] * Q[1][j] + row[2] * Q[2][j]));
function about(axis, angle) { // rotation by the angle about a unit vector (Rodrigues)
  const [x, y, z] = axis, c = Math.cos(angle), s = Math.sin(angle), d = 1 - c;
  return [[c + x * x * d, x * y * d - z * s, x * z * d + y * s], [y * x * d + z * s, c + y * y * d, y * z * d - x * s], [z * x * d - y * s, z * y * d + x * s, c + z * z * d]];
}
function turned([x, y, z]) { const r = Math.PI / 180; return product(about([0, 0, 1], z * r), product(about([0, 1, 0], y * r), about([1, 0, 0], x * r))); }

let bodies = START(), answer = null, dirty = true;
const meshes = [null, null];

// ---- controls --------------------------------------------------------------------------------
const outputs = [];
bodies.forEach((_, k) => {
  const title = document.createElement("h2"), dot_ = document.createElement("i"), set = document.createElement("fieldset");
  dot_.style.background = COLORS[k];
  title.append(dot_, `Body ${NAMES[k]}`);
  for (const [name, field, at, low, high] of SLIDERS) {
    const label = document.createElement("label"), input = document.createElement("input"), output = document.createElement("output");
    Object.assign(input, { type: "range", min: low, max: high, step: .01, id: `${NAMES[k]}-${name}` });
    label.htmlFor = input.id; label.textContent = field === "radii" ? `semi-axis ${name}` : name;
    input.addEventListener("input", () => { bodies[k][field][at] = +input.value; meshes[k] = null; update(); });
    outputs.push(() => { input.value = bodies[k][field][at]; output.textContent = bodies[k][field][at].toFixed(2); });
    set.append(label, input, output);
  }
  $$("bodies").append(title, set);
});
$$("start").addEventListener("click", () => { bodies = START(); meshes.fill(null); update(); cam?.reset(); });
$$("random").addEventListener("click", () => {
  const any = (low, high) => low + (high - low) * Math.random();
  bodies = [-1, 1].map((side) => ({ radii: [any(.3, 1), any(.3, 1), any(.3, 1)], epsilon: [any(.3, 1.6), any(.3, 1.6)], rotation: turned([any(0, 360), any(0, 360), any(0, 360)]), position: [side * any(.6, 1), any(-.4, .4), any(-.4, .4)] }));
  meshes.fill(null); update();
});
$$("theme").addEventListener("click", () => { const root = document.documentElement; root.dataset.theme = getComputedStyle(root).colorScheme.includes("dark") ? "light" : "dark"; dirty = true; drawBounds(); });
$$("copy").addEventListener("click", async () => {
  const text = asPython(), button = $$("copy");
  try { await navigator.clipboard.writeText(text); button.textContent = "copied"; } catch { prompt("Copy this:", text); }
  setTimeout(() => { button.textContent = "copy as Python"; }, 1500);
});
function asPython() {
  const list = (v) => `[${v.map((x) => (Array.isArray(x) ? list(x) : String(+x.toPrecision(17)))).join(", ")}]`;
  const lines = bodies.map((b, k) => `${"ab"[k]} = tg.Superellipsoid(${list(b.radii)}, epsilon=${list(b.epsilon)})`);
  const poses = bodies.map((b, k) => `pose_${"ab"[k]} = (np.array(${list(b.rotation)}), np.array(${list(b.position)}))`);
  return ["import numpy as np", "import tangency as tg", "", ...lines, ...poses, "c = tg.contact(a, b, pose_a, pose_b)", "print(c.distance, c.lower, c.upper, c.normal)", ""].join("\n");
}

// ---- numbers ---------------------------------------------------------------------------------
const digits = (x, n = 9) => (Object.is(x, -0) ? 0 : x).toFixed(n);
function update() {
  answer = contact(bodies[0], bodies[1]);
  const { distance, lower, upper, normal, pointA, pointB, curvatureA, curvatureB, steps } = answer;
  $$("distance").textContent = `${distance < 0 ? "depth" : "distance"} ${digits(Math.abs(distance), 12)} m`;
  $$("meaning").textContent = distance < 0 ? "Overlap: a translation of B by the depth along the normal separates the bodies." : "Apart: both bounds are proved by the direction found.";
  const rows = [["lower bound", digits(lower, 12)], ["upper bound", upper === null ? "not computed on this page" : digits(upper, 12)], ["normal", normal.map((v) => digits(v, 6)).join(", ")],
    ["point on A", pointA.map((v) => digits(v, 6)).join(", ")], ["point on B", pointB.map((v) => digits(v, 6)).join(", ")],
    ["curvatures A", curvatureA.map((v) => v.toPrecision(5)).join(", ") + " 1/m"], ["curvatures B", curvatureB.map((v) => v.toPrecision(5)).join(", ") + " 1/m"]];
  $$("numbers").replaceChildren(...rows.flatMap(([key, value]) => { const dt = document.createElement("dt"), dd = document.createElement("dd"); dt.textContent = key; dd.textContent = value; return [dt, dd]; }));
  $$("step").max = steps.length - 1; $$("step").value = steps.length - 1;
  for (const refresh of outputs) refresh();
  document.body.dataset.answer = JSON.stringify({ bodies, distance, lower, upper, normal, pointA, pointB });
  drawBounds();
  dirty = true;
}
$$("step").addEventListener("input", () => { dirty = true; drawBounds(); });

function drawBounds() { // gap between the bounds, on a logarithmic scale, and the step that is shown
  const canvas = $$("bounds"), ratio = devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight, css = getComputedStyle(document.documentElement);
  canvas.width = w * ratio; canvas.height = h * ratio;
  const c = canvas.getContext("2d"), steps = answer.steps, at = +$$("step").value, ink = css.getPropertyValue("--soft"), mark = css.getPropertyValue("--mark");
  c.scale(ratio, ratio); c.font = "11px system-ui"; c.fillStyle = ink; c.strokeStyle = css.getPropertyValue("--line");
  const best = answer.upper ?? answer.lower, gap = (s) => Math.max((s.upper > 0 ? s.upper : best) - s.lower, 1e-16);
  const x = (k) => 34 + (w - 44) * (steps.length > 1 ? k / (steps.length - 1) : 0), y = (v) => 8 + (h - 26) * (Math.log10(Math.max(v, 1e-16)) - 1) / -17;
  for (const power of [0, -4, -8, -12, -16]) { c.beginPath(); c.moveTo(34, y(10 ** power)); c.lineTo(w - 6, y(10 ** power)); c.stroke(); c.fillText(`1e${power}`, 2, y(10 ** power) + 4); }
  c.strokeStyle = mark; c.lineWidth = 1.6; c.beginPath();
  steps.forEach((s, k) => (k ? c.lineTo(x(k), y(gap(s))) : c.moveTo(x(k), y(gap(s))))); c.stroke();
  c.fillStyle = mark;
  steps.forEach((s, k) => { c.beginPath(); c.arc(x(k), y(gap(s)), k === at ? 4.5 : 2.2, 0, 7); c.fill(); });
  $$("stepName").textContent = `${at} of ${steps.length - 1}`;
}

// ---- picture ---------------------------------------------------------------------------------
const view = $$("canvas"), gl = view.getContext("webgl2", { antialias: true, alpha: false });
let cam = null;
update();
if (!gl) { $$("sorry").hidden = false; return; }
const solid = program(gl, SURFACE, `in vec3 x, n; out vec4 color; uniform vec3 paint, eye, sun; uniform float alpha;
  void main() { vec3 m = normalize(n) * (gl_FrontFacing ? 1. : -1.), v = normalize(eye - x); float d = max(dot(m, sun), 0.), rim = pow(1. - max(dot(m, v), 0.), 3.);
    color = vec4(min(paint * (.52 + .14 * m.z + .46 * d) + .2 * pow(max(dot(m, normalize(v + sun)), 0.), 50.) + .1 * rim, 1.), alpha); }`);
const mark = program(gl, SURFACE, MARK);
const sphere = geodesicSphere(20), normals = buffer(gl, gl.ARRAY_BUFFER, sphere.normals), index = { buffer: buffer(gl, gl.ELEMENT_ARRAY_BUFFER, sphere.triangles), count: sphere.triangles.length };
const rod = rodMesh(gl), cone = coneMesh(gl), ball = mesh(gl, sphere.normals, normals, index);
cam = orbitCamera(view, [0, 0, 0], 1.8, (include) => {
  for (const b of bodies) for (let k = 0; k < sphere.normals.length; k += 30) include(support(b, [...sphere.normals.slice(k, k + 3)]).x);
}, () => { dirty = true; });

function surfaceOf(k) {
  if (meshes[k]) return meshes[k];
  const v = new Float32Array(sphere.normals.length), { radii, epsilon } = bodies[k];
  for (let j = 0; j < v.length; j += 3) v.set(supportAtRest(radii, epsilon, sphere.normals.slice(j, j + 3)).x, j);
  return meshes[k] = mesh(gl, v, normals, index);
}
function draw(m) { gl.bindVertexArray(m.array); gl.drawElements(gl.TRIANGLES, m.count, gl.UNSIGNED_SHORT, 0); }
function place(pr, R, at, scale = [1, 1, 1]) { // R by rows
  gl.uniformMatrix4fv(pr.at.model, false, new Float32Array([0, 1, 2].flatMap((j) => [...R.map((row) => row[j] * scale[j]), 0]).concat(at, 1)));
  gl.uniformMatrix3fv(pr.at.turn, false, new Float32Array([0, 1, 2].flatMap((j) => R.map((row) => row[j]))));
}
function upright(z) { const [s, t] = tangents(z); return [0, 1, 2].map((i) => [s[i], t[i], z[i]]); } // carries e3 to z
function render() {
  requestAnimationFrame(render);
  const ratio = Math.min(devicePixelRatio || 1, 2), w = Math.round(view.clientWidth * ratio), h = Math.round(view.clientHeight * ratio);
  if (view.width !== w || view.height !== h) { view.width = w; view.height = h; dirty = true; }
  if (!dirty || !w || !h) return;
  dirty = false;
  const css = getComputedStyle(document.documentElement), ground = rgb(css.getPropertyValue("--back").trim()), eye = cam.eye(), camera = cam.view(w, h);
  gl.viewport(0, 0, w, h); gl.clearColor(...ground, 1); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  gl.enable(gl.DEPTH_TEST); gl.enable(gl.CULL_FACE); gl.enable(gl.BLEND);
  gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  gl.useProgram(mark.p);
  gl.uniformMatrix4fv(mark.at.camera, false, camera); gl.uniform3fv(mark.at.eye, eye); gl.uniform1f(mark.at.alpha, 1);
  const step = answer.steps[+$$("step").value], last = +$$("step").value === answer.steps.length - 1;
  const shown = last ? { n: answer.normal, pointA: answer.pointA, pointB: answer.pointB } : evaluate(bodies[0], bodies[1], step.n);
  const pixel = 2 * Math.tan(FOV / 2) * cam.distance / view.clientHeight, gap = add(shown.pointB, shown.pointA, -1), long = Math.hypot(...gap);
  gl.uniform3fv(mark.at.paint, rgb(css.getPropertyValue("--mark").trim()));
  for (const p of [shown.pointA, shown.pointB]) { place(mark, upright([0, 0, 1]), p, [4.5 * pixel, 4.5 * pixel, 4.5 * pixel]); draw(ball); }
  if (long > 1e-12) { place(mark, upright(unit(gap)), shown.pointA, [1.3 * pixel, 1.3 * pixel, long]); draw(rod); }
  place(mark, upright(shown.n), shown.pointA, [1.6 * pixel, 1.6 * pixel, .42]); draw(rod);
  place(mark, upright(shown.n), add(shown.pointA, shown.n, .42), [5.5 * pixel, 5.5 * pixel, 16 * pixel]); draw(cone);
  gl.useProgram(solid.p);
  gl.uniformMatrix4fv(solid.at.camera, false, camera); gl.uniform3fv(solid.at.eye, eye); gl.uniform3fv(solid.at.sun, SUN);
  const order = [0, 1].sort((i, j) => dot(add(bodies[i].position, bodies[j].position, -1), cam.backward()));
  gl.depthMask(false);
  for (const k of order) for (const side of [gl.FRONT, gl.BACK]) {
    gl.cullFace(side); gl.uniform3fv(solid.at.paint, rgb(COLORS[k])); gl.uniform1f(solid.at.alpha, side === gl.FRONT ? .35 : .72);
    place(solid, bodies[k].rotation, bodies[k].position); draw(surfaceOf(k));
  }
  gl.depthMask(true); gl.cullFace(gl.BACK);
  document.body.dataset.drawn = gl.getError() === gl.NO_ERROR ? "yes" : "WebGL error";
}

// ---- dragging --------------------------------------------------------------------------------
function hit(e) { // the body under the pointer, if any: the ray is sampled
  const box = view.getBoundingClientRect(), [x, y, z] = cam.axes(), tan = Math.tan(FOV / 2), eye = cam.eye();
  const u = (2 * (e.clientX - box.left) / box.width - 1) * tan * box.width / box.height, v = (1 - 2 * (e.clientY - box.top) / box.height) * tan;
  const ray = unit(add(add(z.map((c) => -c), x, u), y, v));
  for (let s = 0; s < 2 * cam.distance; s += cam.distance / 400) for (let k = 0; k < 2; k++) {
    const b = bodies[k], p = back(b.rotation, add(add(eye, ray, s), b.position, -1)).map((c, i) => Math.abs(c / b.radii[i])), [e1, e2] = b.epsilon;
    if (Math.pow(Math.pow(p[0], 2 / e2) + Math.pow(p[1], 2 / e2), e2 / e1) + Math.pow(p[2], 2 / e1) < 1) return k;
  }
  return -1;
}
let held = null;
view.addEventListener("pointerdown", (e) => {
  const k = e.button === 0 ? hit(e) : -1;
  if (k < 0) return;
  e.stopImmediatePropagation();
  try { view.setPointerCapture(e.pointerId); } catch { /* a pointer that is gone */ }
  held = { k, x: e.clientX, y: e.clientY };
}, { capture: true });
view.addEventListener("pointermove", (e) => {
  if (!held) return;
  e.stopImmediatePropagation();
  const dx = e.clientX - held.x, dy = e.clientY - held.y, [x, y] = cam.axes(), b = bodies[held.k], scale = 2 * Math.tan(FOV / 2) * cam.distance / view.clientHeight;
  held.x = e.clientX; held.y = e.clientY;
  if (e.shiftKey) b.rotation = product(about(y, dx * .01), product(about(x, dy * .01), b.rotation));
  else b.position = add(add(b.position, x, dx * scale), y, -dy * scale);
  update();
}, { capture: true });
for (const end of ["pointerup", "pointercancel"]) view.addEventListener(end, () => { held = null; }, { capture: true });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { dirty = true; drawBounds(); });
new ResizeObserver(() => { if (!cam.moved) cam.reset(); dirty = true; drawBounds(); }).observe(view);
cam.reset();
requestAnimationFrame(render);
})();
