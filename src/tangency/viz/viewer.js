// Viewer of one scene: bodies as shaded meshes, planes that fade out, contact points and normals.
// No library; everything it needs is in the page.
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const canvas = $("canvas");

// ---- the table works without a picture --------------------------------------------------------
const state = { hover: -1, kept: -1, which: "nearest", opacity: 1, dirty: true };
const body = document.querySelector("tbody");
const rows = [...body.rows];
const hint = $("detail").innerHTML;
const chosen = () => (state.hover >= 0 ? state.hover : state.kept);

function show() {
  const k = chosen();
  rows.forEach((row) => { const on = +row.dataset.pair === state.kept; row.classList.toggle("on", on); row.setAttribute("aria-selected", on); });
  if (k < 0) { $("detail").innerHTML = hint; state.dirty = true; return; }
  const pair = data.pairs[k], title = document.createElement("h2"), list = document.createElement("dl");
  title.className = "pair";
  for (const name of [pair.a, pair.b]) {
    const span = document.createElement("span"), dot = document.createElement("i");
    dot.style.background = colorOf(name);
    span.append(dot, name);
    title.append(span);
  }
  for (const [key, value] of pair.detail) {
    const dt = document.createElement("dt"), dd = document.createElement("dd");
    dt.textContent = key; dd.textContent = value; list.append(dt, dd);
  }
  $("detail").replaceChildren(title, list);
  state.dirty = true;
}
const colorOf = (name) => [...data.bodies, ...data.planes].find((b) => b.name === name).color;
for (const row of rows) {
  const k = +row.dataset.pair;
  row.addEventListener("pointerenter", () => { state.hover = k; show(); });
  row.addEventListener("pointerleave", () => { state.hover = -1; show(); });
  row.addEventListener("click", () => { state.kept = state.kept === k ? -1 : k; show(); });
  row.addEventListener("keydown", (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); row.click(); } });
}
document.addEventListener("keydown", (e) => { if (e.key === "Escape") { state.kept = -1; show(); } });
document.querySelectorAll("th").forEach((th, column) => th.firstChild.addEventListener("click", () => {
  const up = th.getAttribute("aria-sort") !== "ascending";
  document.querySelectorAll("th").forEach((other) => other.setAttribute("aria-sort", "none"));
  th.setAttribute("aria-sort", up ? "ascending" : "descending");
  const key = (row) => { const v = row.cells[column].dataset.value; return v === undefined ? row.cells[column].textContent : +v; };
  const order = (a, b) => { const p = key(a), q = key(b); return (p < q ? -1 : p > q ? 1 : 0) * (up ? 1 : -1); };
  body.append(...rows.sort(order));
}));
$("theme").addEventListener("click", () => {
  const root = document.documentElement, dark = getComputedStyle(root).colorScheme.includes("dark");
  root.dataset.theme = dark ? "light" : "dark";
  state.dirty = true;
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { state.dirty = true; });

// ---- WebGL -----------------------------------------------------------------------------------
const gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
if (!gl) { $("sorry").hidden = false; return; }
$("tools").hidden = false;

const solid = program(gl, SURFACE, SHADOW + SHADED + `in vec3 x, n; out vec4 color; uniform vec3 paint, eye; uniform float alpha;
  void main() { vec3 m = normalize(n) * (gl_FrontFacing ? 1. : -1.); float rim; vec3 c = shaded(x, m, normalize(eye - x), paint, rim);
    color = vec4(c, mix(alpha, min(1., alpha + .35 * rim), step(alpha, .999))); }`);
const ground = program(gl, SURFACE, GROUND), mark = program(gl, SURFACE, MARK), dark = program(gl, SURFACE, `in vec3 x, n; void main() {}`);

const sphereNormals = new Float32Array(bytes(data.sphere.normals));
const sphereIndex = new Uint16Array(bytes(data.sphere.triangles));
const shared = { normals: buffer(gl, gl.ARRAY_BUFFER, sphereNormals), index: { buffer: buffer(gl, gl.ELEMENT_ARRAY_BUFFER, sphereIndex), count: sphereIndex.length } };
for (const b of data.bodies) {
  b.vertices = new Float32Array(bytes(b.vertices));
  b.mesh = mesh(gl, b.vertices, shared.normals, shared.index);
  b.paint = rgb(b.color);
  b.middle = [0, 1, 2].map((i) => { let lo = Infinity, hi = -Infinity; for (let k = i; k < b.vertices.length; k += 3) { lo = Math.min(lo, b.vertices[k]); hi = Math.max(hi, b.vertices[k]); } return (lo + hi) / 2; });
}
for (const p of data.planes) {
  p.mesh = mesh(gl, new Float32Array(p.corners.flat()), new Float32Array([p.normal, p.normal, p.normal, p.normal].flat()), new Uint16Array([0, 1, 2, 0, 2, 3]));
  p.paint = rgb(p.color);
  p.along = unit(add(p.corners[1], p.corners[0], -1));
  p.across = unit(add(p.corners[3], p.corners[0], -1));
}
const rod = rodMesh(gl), cone = coneMesh(gl), ball = mesh(gl, sphereNormals, shared.normals, shared.index);
// ---- sun and its depth map, drawn once --------------------------------------------------------
const R = data.radius, lamp = lampOf(data.centre, R);
const identity = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]), identity3 = new Float32Array([1, 0, 0, 0, 1, 0, 0, 0, 1]);
shadowMap(gl)(() => {
  gl.useProgram(dark.p);
  gl.uniformMatrix4fv(dark.at.camera, false, lamp);
  gl.uniformMatrix4fv(dark.at.model, false, identity);
  for (const b of data.bodies) draw(b.mesh);
});
function draw(m) { gl.bindVertexArray(m.array); gl.drawElements(gl.TRIANGLES, m.count, gl.UNSIGNED_SHORT, 0); }

// ---- camera ----------------------------------------------------------------------------------
const cam = orbitCamera(canvas, data.centre, R, (include) => {
  for (const body of data.bodies) for (let k = 0; k < body.vertices.length; k += 9) include(body.vertices.slice(k, k + 3));
  for (const k of data.nearest) { include(data.pairs[k].point_a); include(data.pairs[k].point_b); }
}, () => { state.dirty = true; });
$("reset").addEventListener("click", cam.reset);
$("which").addEventListener("change", (e) => { state.which = e.target.value; state.dirty = true; });
$("opacity").addEventListener("input", (e) => { state.opacity = +e.target.value; state.dirty = true; });
$("labels").addEventListener("change", (e) => { $("names").hidden = !e.target.checked; state.dirty = true; });
canvas.addEventListener("webglcontextlost", () => { $("sorry").hidden = false; });

// ---- drawing ---------------------------------------------------------------------------------
const labels = data.bodies.map((b) => { const s = document.createElement("span"); s.textContent = b.name; $("names").append(s); return s; });

function use(pr, camera, eye, back) {
  gl.useProgram(pr.p);
  gl.uniformMatrix4fv(pr.at.camera, false, camera);
  gl.uniformMatrix4fv(pr.at.model, false, identity);
  gl.uniformMatrix3fv(pr.at.turn, false, identity3);
  const vectors = { eye, sun: SUN, back, middle: data.centre };
  for (const [name, v] of Object.entries(vectors)) if (pr.at[name]) gl.uniform3fv(pr.at[name], v);
  if (pr.at.lamp) { gl.uniformMatrix4fv(pr.at.lamp, false, lamp); gl.uniform1f(pr.at.radius, R); gl.uniform1i(pr.at.map, 0); }
}
function place(pr, at, along, thick, long) { // model matrix that carries z to `along`
  const z = unit(along), x = unit(cross(Math.abs(z[2]) < .9 ? [0, 0, 1] : [1, 0, 0], z)), y = cross(z, x);
  gl.uniformMatrix4fv(pr.at.model, false, new Float32Array([...x.map((v) => v * thick), 0, ...y.map((v) => v * thick), 0, ...z.map((v) => v * long), 0, ...at, 1]));
  gl.uniformMatrix3fv(pr.at.turn, false, new Float32Array([...x, ...y, ...z]));
}
function marks(pairs, camera, eye, strong, thin, pick) {
  use(mark, camera, eye);
  const [, , z] = cam.axes(), height = canvas.clientHeight;
  const pixel = (p) => 2 * Math.tan(FOV / 2) * Math.max(dot(add(eye, p, -1), z), 1e-9) / height;
  for (const [depth, alpha] of [[gl.LEQUAL, 1], [gl.GREATER, .38]]) {
    gl.depthFunc(depth);
    gl.depthMask(depth === gl.LEQUAL);
    for (const k of pairs) {
      const pair = data.pairs[k], full = pick === k || (pick < 0 && data.nearest.includes(k));
      const a = pair.point_a, b = pair.point_b, s = pixel(a), gap = add(b, a, -1), length = Math.hypot(...gap);
      gl.uniform3fv(mark.at.paint, full ? strong : thin);
      gl.uniform1f(mark.at.alpha, alpha * (full ? 1 : .55));
      if (length > 0) { place(mark, a, gap, (full ? 1.4 : .7) * s, length); draw(rod); }
      for (const p of [a, b]) { place(mark, p, [0, 0, 1], (full ? 4.2 : 2.2) * pixel(p), (full ? 4.2 : 2.2) * pixel(p)); draw(ball); }
      if (!full) continue;
      const long = pair.arrow, head = Math.min(13 * s, .5 * long), tip = add(a, pair.normal, long - head);
      place(mark, a, pair.normal, 1.3 * s, long - head); draw(rod);
      place(mark, tip, pair.normal, 4.5 * s, head); draw(cone);
    }
  }
  gl.depthFunc(gl.LEQUAL);
  gl.depthMask(true);
}
function frame() {
  requestAnimationFrame(frame);
  render();
}
function render() {
  const ratio = Math.min(devicePixelRatio || 1, 2), w = Math.round(canvas.clientWidth * ratio), h = Math.round(canvas.clientHeight * ratio);
  if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; state.dirty = true; }
  if (!state.dirty || !w || !h) return;
  state.dirty = false;
  const css = getComputedStyle(document.documentElement), night = css.colorScheme.includes("dark");
  const back = rgb(css.getPropertyValue("--back").trim()), strong = rgb(css.getPropertyValue("--mark").trim()), thin = rgb(css.getPropertyValue("--ink").trim());
  const eye = cam.eye(), z = cam.backward(), camera = cam.view(w, h);
  const k = chosen(), pair = k >= 0 ? data.pairs[k] : null;
  gl.viewport(0, 0, w, h);
  gl.clearColor(...back, 1);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  gl.enable(gl.DEPTH_TEST);
  gl.depthFunc(gl.LEQUAL);
  gl.enable(gl.CULL_FACE);
  gl.enable(gl.BLEND);
  gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);

  const alpha = (b) => (!pair ? state.opacity : b.name === pair.a || b.name === pair.b ? Math.min(state.opacity, .72) : .1);
  const solids = data.bodies.filter((b) => alpha(b) > .99), glassy = data.bodies.filter((b) => alpha(b) <= .99);
  use(solid, camera, eye);
  for (const b of solids) paint(b, 1);

  gl.disable(gl.CULL_FACE);
  use(ground, camera, eye, back);
  gl.uniform1f(ground.at.grid, data.grid);
  gl.uniform1f(ground.at.dark, night ? 1 : 0);
  gl.uniform1f(ground.at.strength, 1);
  gl.depthMask(false);
  for (const p of data.planes) {
    gl.uniform3fv(ground.at.paint, p.paint);
    gl.uniform3fv(ground.at.along, p.along);
    gl.uniform3fv(ground.at.across, p.across);
    draw(p.mesh);
  }
  gl.enable(gl.CULL_FACE);
  use(solid, camera, eye);
  glassy.sort((a, b) => dot(add(a.middle, b.middle, -1), z));
  for (const b of glassy) for (const side of [gl.FRONT, gl.BACK]) { gl.cullFace(side); paint(b, side === gl.FRONT ? alpha(b) * .5 : alpha(b)); }
  gl.cullFace(gl.BACK);
  gl.depthMask(true);
  const shown = pair ? [k] : state.which === "all" ? data.pairs.map((_, i) => i) : state.which === "nearest" ? data.nearest : [];
  marks(shown, camera, eye, strong, thin, k);
  document.body.dataset.drawn = gl.getError() === gl.NO_ERROR ? "yes" : "WebGL error";

  if ($("names").hidden) return;
  const [, up] = cam.axes();
  data.bodies.forEach((b, i) => {
    let best = -Infinity, at = 0;
    for (let j = 0; j < b.vertices.length; j += 3) { const v = b.vertices[j] * up[0] + b.vertices[j + 1] * up[1] + b.vertices[j + 2] * up[2]; if (v > best) { best = v; at = j; } }
    const p = [...b.vertices.slice(at, at + 3), 1], q = [0, 1, 3].map((r) => p.reduce((s, v, c) => s + camera[4 * c + r] * v, 0));
    labels[i].style.opacity = q[2] > 0 ? (pair && b.name !== pair.a && b.name !== pair.b ? .25 : 1) : 0;
    labels[i].style.left = (50 + 50 * q[0] / q[2]) + "%";
    labels[i].style.top = (50 - 50 * q[1] / q[2]) + "%";
  });
}
function paint(b, a) {
  gl.uniform3fv(solid.at.paint, b.paint);
  gl.uniform1f(solid.at.alpha, a);
  gl.uniformMatrix3fv(solid.at.turn, false, b.turn);
  draw(b.mesh);
}
cam.reset();
new ResizeObserver(() => { if (!cam.moved) cam.reset(); state.dirty = true; render(); }).observe(canvas);
requestAnimationFrame(frame);
})();
