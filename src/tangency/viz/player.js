// Player of one motion: instanced bodies that carry their surfaces, planes, hollows, contacts, time.
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const canvas = $("canvas"), when = $("when");
const floats = (text) => new Float32Array(bytes(text));

// ---- time ------------------------------------------------------------------------------------
const times = new Float64Array(bytes(data.time)), last = times.length - 1, span = times[last] - times[0];
const state = { now: 0, playing: false, dirty: true, before: null };
const changed = () => { state.dirty = true; };
function between(now) { // frames before and after, and how far from one to the other
  const t = times[0] + now;
  let low = 0, high = last;
  while (high - low > 1) { const middle = (low + high) >> 1; if (times[middle] <= t) low = middle; else high = middle; }
  if (t >= times[high]) low = high;
  const step = times[high] - times[low];
  return [low, high, step > 0 ? Math.min(Math.max((t - times[low]) / step, 0), 1) : 0];
}
const nearest = () => { const [low, high, part] = between(state.now); return part < .5 ? low : high; };
function seek(now) { state.now = Math.min(Math.max(now, 0), span); changed(); }
function toFrame(k) { run(false); seek(times[Math.min(Math.max(k, 0), last)] - times[0]); }
function run(on) {
  state.playing = on && span > 0;
  state.before = null;
  $("play").textContent = state.playing ? "pause" : "play";
  document.body.dataset.playing = state.playing ? "yes" : "no";
  changed();
}
const play = () => { if (!state.playing && state.now >= span) state.now = 0; run(!state.playing); };
$("play").addEventListener("click", play);
$("play").disabled = when.disabled = !(span > 0);
when.addEventListener("input", () => { run(false); seek(+when.value * span); });
addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.altKey || e.metaKey || e.target.tagName === "SELECT" || e.target.id === "long") return;
  const button = e.target.tagName === "BUTTON" || e.target.type === "checkbox", jump = e.shiftKey ? 10 : 1;
  const act = { " ": button ? null : play, Home: () => toFrame(0), End: () => toFrame(last) }[e.key]
    ?? (e.target === canvas ? null : { ArrowLeft: () => toFrame(nearest() - jump), ArrowRight: () => toFrame(nearest() + jump) }[e.key]);
  if (act) { e.preventDefault(); act(); }
});
const factor = () => data.pace * $("speed").value;
function showPace() {
  const f = factor();
  $("pace").textContent = Math.abs(f - 1) < 1e-9 ? "real time" : f < 1 ? `${+(1 / f).toPrecision(3)} times slower` : `${+f.toPrecision(3)} times faster`;
}
$("speed").addEventListener("change", showPace);
showPace();
const digits = span > 0 ? Math.min(Math.max(3 - Math.floor(Math.log10(span)), 0), 9) : 3;

// ---- poses -----------------------------------------------------------------------------------
const count = data.bodies.length, places = floats(data.start.position), turns = floats(data.start.quaternion);
const tracks = { place: floats(data.position), turn: new Int16Array(bytes(data.quaternion)) };
function pose() {
  const [low, high, part] = between(state.now), n = data.moving.length;
  data.moving.forEach((body, k) => {
    const a = 3 * (low * n + k), b = 3 * (high * n + k), p = 4 * (low * n + k), q = 4 * (high * n + k), t = tracks.turn;
    for (let i = 0; i < 3; i++) places[3 * body + i] = tracks.place[a + i] * (1 - part) + tracks.place[b + i] * part;
    let along = 0, size = 0;
    for (let i = 0; i < 4; i++) along += t[p + i] * t[q + i];
    for (let i = 0; i < 4; i++) { const v = t[p + i] * (1 - part) + t[q + i] * (along < 0 ? -part : part); turns[4 * body + i] = v; size += v * v; }
    for (let i = 0; i < 4; i++) turns[4 * body + i] /= Math.sqrt(size) || 1;
  });
}
function turned(body, v) {
  const q = turns.subarray(4 * body, 4 * body + 4), u = [q[0], q[1], q[2]], c = cross(u, v).map((x, i) => x + q[3] * v[i]), d = cross(u, c);
  return [v[0] + 2 * d[0], v[1] + 2 * d[1], v[2] + 2 * d[2]];
}
const carried = (body, v) => (body < 0 ? v : add(turned(body, v), places.subarray(3 * body, 3 * body + 3)));

// ---- what can be drawn -----------------------------------------------------------------------
const gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
if (!gl) { $("sorry").hidden = false; return; }
$("tools").hidden = false;
const CARRIED = `in vec3 position, normal, place, tint, size; in vec4 turn; uniform mat4 camera; uniform vec3 middle; out vec3 x, n, local, face, paint;
  vec3 by(vec4 q, vec3 v) { return v + 2. * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
  void main() { vec3 p = position * size, m = normalize(normal / size); x = place + by(turn, p); n = by(turn, m); local = p - middle; face = abs(m); paint = tint; gl_Position = camera * vec4(x, 1.); }`;
const names = ["place", "turn", "tint", "size"];
// Eighths of a body differ a little in tone, so that it is seen to turn.
const solid = program(gl, CARRIED, SHADOW + SHADED + `in vec3 x, n, local, face, paint; out vec4 color; uniform vec3 eye, back; uniform float veil;
  void main() { vec3 m = normalize(n), w = fwidth(local) + 1e-9, s = clamp(local / w, -1., 1.); float rim;
    color = vec4(mix(shaded(x, m, normalize(eye - x), paint * (.93 + .07 * s.x * s.y * s.z), rim), back, veil), 1.); }`, names);
const wall = program(gl, CARRIED, SHADOW + `in vec3 x, n, local, face, paint; out vec4 color; uniform vec3 eye, back; uniform float grid, dark, far;
  void main() { vec3 m = normalize(n) * far, v = normalize(eye - x), u = local / grid, w = fwidth(u) * .9 + .004;
    vec3 near = smoothstep(w, vec3(0.), abs(u - round(u))) * (1. - smoothstep(.15, .5, w)) * (1. - smoothstep(.93, .99, face));
    float line = max(near.x, max(near.y, near.z)), rim = pow(1. - abs(dot(m, v)), 3.), light = far < 0. ? mix(.72, 1., lit(x, m)) : 1.;
    vec3 c = mix(back, paint, dark > .5 ? .22 : .4) * light * (.86 + .14 * max(dot(m, sun), 0.));
    c = mix(c, dark > .5 ? vec3(1.) : vec3(0.), line * .12);
    color = far < 0. ? vec4(c, .82) : vec4(mix(c, paint, .6), min(.10 + .1 * line + .5 * rim, .5) * .5); }`, names);
const dark = program(gl, CARRIED, `in vec3 x, n, local, face, paint; void main() {}`, names);
const ground = program(gl, SURFACE, GROUND);
// Balls, shafts and tips of arrows: sizes in pixels, whatever the distance.
const mark = program(gl, `in vec3 position, normal, place, along; uniform mat4 camera; uniform vec3 eye, view; uniform float pixel, kind, scale; out vec3 x, n;
  void main() { float s = pixel * max(dot(eye - place, view), 1e-6); vec3 f = along * scale; float l = length(f); vec3 z = l > 0. ? f / l : vec3(0., 0., 1.);
    l = min(l, kind > 2.5 ? 1e9 : .9); float head = kind > 2.5 ? 0. : min(12. * s, .55 * l); bool shown = kind < .5 || l > 2. * s;
    vec3 a = normalize(cross(abs(z.z) < .9 ? vec3(0., 0., 1.) : vec3(1., 0., 0.), z)), b = cross(z, a), p = position;
    if (kind < .5) { x = place + 3.4 * s * p; n = normal; }
    else { float r = kind > 1.5 && kind < 2.5 ? 4.3 : kind > 2.5 ? 2.2 : 1.35; float h = kind > 1.5 && kind < 2.5 ? l - head + p.z * head : p.z * (l - head);
      x = place + (shown ? r * s * (a * p.x + b * p.y) + h * z : vec3(0.)); n = a * normal.x + b * normal.y + z * normal.z; }
    gl_Position = camera * vec4(x, 1.); }`, MARK, ["place", "along"]);

const spheres = {};
for (const [key, s] of Object.entries(data.spheres)) {
  const normals = floats(s.normals), index = new Uint16Array(bytes(s.triangles));
  spheres[key] = { normals, index: { buffer: buffer(gl, gl.ELEMENT_ARRAY_BUFFER, index), count: index.length } };
}
function instanced(m, sizes, source) { // numbers of one instance after the other, `sizes` of each attribute
  gl.bindVertexArray(m.array);
  gl.bindBuffer(gl.ARRAY_BUFFER, source);
  sizes.forEach((_, k) => { gl.enableVertexAttribArray(2 + k); gl.vertexAttribDivisor(2 + k, 1); });
  point(sizes, 0);
  gl.bindVertexArray(null);
  return m;
}
function point(sizes, start) {
  const stride = 4 * sizes.reduce((a, b) => a + b, 0);
  let at = start * stride;
  sizes.forEach((size, k) => { gl.vertexAttribPointer(2 + k, size, gl.FLOAT, false, stride, at); at += 4 * size; });
}
const BODY = [3, 4, 3, 3], ROW = 13, ARROW = [3, 3];
for (const s of data.surfaces) {
  const { normals, index } = spheres[s.sphere], steps = new Int16Array(bytes(s.vertices)), t = s.turn;
  const vertices = Float32Array.from(steps, (v, k) => s.middle[k % 3] + s.half[k % 3] * v / 32767), own = new Float32Array(normals.length);
  for (let k = 0; k < own.length; k += 3) for (let i = 0; i < 3; i++) own[k + i] = t[3 * i] * normals[k] + t[3 * i + 1] * normals[k + 1] + t[3 * i + 2] * normals[k + 2];
  const sizes = floats(s.sizes); // of bodies that share the mesh
  s.rows = new Float32Array(ROW * s.bodies.length);
  s.bodies.forEach((body, k) => { s.rows.set(rgb(data.bodies[body].color), ROW * k + 7); s.rows.set(sizes.subarray(3 * k, 3 * k + 3), ROW * k + 10); });
  s.source = gl.createBuffer();
  s.mesh = instanced(mesh(gl, vertices, own, index), BODY, s.source);
}
for (const g of data.grounds) {
  const n = g.corners.length, fan = [];
  for (let k = 1; k + 1 < n; k++) fan.push(0, k, k + 1);
  g.mesh = mesh(gl, new Float32Array(g.corners.flat()), new Float32Array(g.corners.flatMap(() => g.normal)), new Uint16Array(fan));
  g.along = unit(cross(Math.abs(g.normal[0]) < .7 ? [1, 0, 0] : [0, 1, 0], g.normal));
  g.across = cross(g.normal, g.along);
}
const contacts = { first: data.contacts.first, source: buffer(gl, gl.ARRAY_BUFFER, floats(data.contacts.table)) };
const ball = spheres[data.ball];
const shapes = [mesh(gl, ball.normals, ball.normals, ball.index), rodMesh(gl), coneMesh(gl)].map((m) => instanced(m, ARROW, contacts.source));
const strings = { rows: new Float32Array(6 * data.springs.length), source: gl.createBuffer() };
strings.mesh = instanced(rodMesh(gl), ARROW, strings.source);

data.hollows = new Set(data.surfaces.filter((s) => s.hollow).flatMap((s) => s.bodies));

// ---- camera, controls ------------------------------------------------------------------------
const framed = floats(data.framed);
const cam = orbitCamera(canvas, [0, 0, 0], 1, (include) => { for (let k = 0; k < framed.length; k += 3) include(framed.subarray(k, k + 3)); }, changed);
$("reset").addEventListener("click", cam.reset);
for (const id of ["marks", "veil", "long"]) $(id).addEventListener("input", changed);
const MOST_LABELS = 500;
$("labels").checked = count <= 12;
$("labels").addEventListener("input", changed);
const night = () => getComputedStyle(document.documentElement).colorScheme.includes("dark");
$("theme").addEventListener("click", () => { document.documentElement.dataset.theme = night() ? "light" : "dark"; changed(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
canvas.addEventListener("webglcontextlost", () => { $("sorry").hidden = false; });
$("labels").disabled = count > MOST_LABELS;
const labels = data.bodies.slice(0, count > MOST_LABELS ? 0 : count).map((b) => { const s = document.createElement("span"); s.textContent = b.name; s.hidden = true; $("names").append(s); return s; });
const energies = Object.fromEntries(Object.entries(data.energy.kinds).map(([name, text]) => [name, floats(text)]));
const strip = energyStrip($("strip"), new Float64Array(bytes(data.energy.time)), energies, (now) => { run(false); seek(now); });

// ---- drawing ---------------------------------------------------------------------------------
const lamp = lampOf([0, 0, 0], 1), shadows = shadowMap(gl, 1024);
function use(pr, camera, values = {}) {
  gl.useProgram(pr.p);
  gl.uniformMatrix4fv(pr.at.camera, false, camera);
  for (const [name, v] of Object.entries({ sun: SUN, radius: 1, grid: data.grid, middle: [0, 0, 0], ...values })) if (pr.at[name]) { if (v.length) gl.uniform3fv(pr.at[name], v); else gl.uniform1f(pr.at[name], v); }
  if (pr.at.lamp) { gl.uniformMatrix4fv(pr.at.lamp, false, lamp); gl.uniform1i(pr.at.map, 0); }
}
function draw(m, instances) {
  gl.bindVertexArray(m.array);
  if (instances === undefined) gl.drawElements(gl.TRIANGLES, m.count, gl.UNSIGNED_SHORT, 0); else gl.drawElementsInstanced(gl.TRIANGLES, m.count, gl.UNSIGNED_SHORT, 0, instances);
}
function surfaces(pr, hollow) {
  for (const s of data.surfaces) if (s.hollow === hollow) { if (pr.at.middle) gl.uniform3fv(pr.at.middle, s.middle); draw(s.mesh, s.bodies.length); }
}
function upload() {
  for (const s of data.surfaces) {
    s.bodies.forEach((body, k) => { // called for thousands of bodies in every frame
      for (let i = 0; i < 3; i++) s.rows[ROW * k + i] = places[3 * body + i];
      for (let i = 0; i < 4; i++) s.rows[ROW * k + 3 + i] = turns[4 * body + i];
    });
    gl.bindBuffer(gl.ARRAY_BUFFER, s.source); gl.bufferData(gl.ARRAY_BUFFER, s.rows, gl.DYNAMIC_DRAW);
  }
  data.springs.forEach((s, k) => { const a = carried(s.a, s.point_a), b = carried(s.b, s.point_b); strings.rows.set(a, 6 * k); strings.rows.set(add(b, a, -1), 6 * k + 3); });
  gl.bindBuffer(gl.ARRAY_BUFFER, strings.source); gl.bufferData(gl.ARRAY_BUFFER, strings.rows, gl.DYNAMIC_DRAW);
}
function grounds(camera, eye, back, black) {
  use(ground, camera, { back, origin: data.origin, dark: black, relief: data.grounds.length > 1 ? .16 : 0 });
  const seen = data.grounds.map((g) => {
    const n = turned(g.body, g.normal), x = carried(g.body, g.corners[0]);
    return { g, n, front: dot(n, add(eye, x, -1)) > 0 }; // from within the solid it is but a breath
  });
  for (const { g, front } of seen.sort((a, b) => a.front - b.front).reverse()) {
    const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((v) => turned(g.body, v)), at = places.subarray(3 * g.body, 3 * g.body + 3);
    gl.uniformMatrix4fv(ground.at.model, false, new Float32Array([...axes[0], 0, ...axes[1], 0, ...axes[2], 0, ...at, 1]));
    gl.uniformMatrix3fv(ground.at.turn, false, new Float32Array(axes.flat()));
    gl.uniform3fv(ground.at.paint, rgb(data.bodies[g.body].color));
    gl.uniform3fv(ground.at.along, turned(g.body, g.along));
    gl.uniform3fv(ground.at.across, turned(g.body, g.across));
    if (data.moving.includes(g.body)) gl.uniform3fv(ground.at.origin, at);
    gl.uniform1f(ground.at.strength, front ? 1 : .1);
    draw(g.mesh);
  }
}
function arrows(camera, eye, strong, ink) {
  const size = { eye, view: cam.backward(), pixel: 2 * Math.tan(FOV / 2) / canvas.clientHeight, scale: data.contacts.arrow * 2 ** $("long").value };
  use(mark, camera, size);
  const k = nearest(), first = contacts.first[k], n = contacts.first[k + 1] - first;
  document.body.dataset.contacts = $("marks").checked ? n : 0;
  for (const [depth, alpha] of [[gl.LEQUAL, 1], [gl.GREATER, $("veil").checked ? .8 : count > 40 ? 0 : .5]]) {
    if (!alpha) continue;
    gl.depthFunc(depth);
    gl.depthMask(depth === gl.LEQUAL);
    gl.uniform1f(mark.at.alpha, alpha);
    if (data.springs.length) {
      gl.uniform3fv(mark.at.paint, ink); gl.uniform1f(mark.at.kind, 3); gl.uniform1f(mark.at.scale, 1);
      draw(strings.mesh, data.springs.length);
    }
    if (!n || !$("marks").checked) continue;
    gl.uniform3fv(mark.at.paint, strong); gl.uniform1f(mark.at.scale, size.scale);
    shapes.forEach((m, kind) => {
      gl.uniform1f(mark.at.kind, kind);
      gl.bindVertexArray(m.array); gl.bindBuffer(gl.ARRAY_BUFFER, contacts.source); point(ARROW, first);
      draw(m, n);
    });
  }
  gl.depthFunc(gl.LEQUAL);
  gl.depthMask(true);
}
const forceText = () => `${+(data.contacts.usual * data.grid / (data.contacts.arrow * 2 ** $("long").value)).toPrecision(2)} N`;
function write(camera) {
  $("clock").value = `${(times[0] + state.now).toFixed(digits)} s of ${(+times[last].toPrecision(6)).toString()} s`;
  if (span > 0 && (document.activeElement !== when || state.playing || Math.abs(when.value * span - state.now) > 1e-9 * span)) when.value = state.now / span;
  const marked = $("marks").checked && contacts.first[last + 1] > 0, lines = [];
  if (marked) lines.push(`arrows: contact forces, ${forceText()} for the length of a square`);
  if (marked || data.grounds.length || data.hollows.size) lines.push(`squares of ${data.grid_text}`);
  $("legend").textContent = lines.join(" · ");
  strip(state.now);
  const up = cam.axes()[1];
  labels.forEach((_, k) => {
    const b = data.bodies[k];
    labels[k].hidden = !$("labels").checked || !(b.reach > 0) || data.hollows.has(k);
    if (labels[k].hidden) return;
    const p = [...add(carried(k, b.middle), up, b.reach), 1], q = [0, 1, 3].map((r) => p.reduce((s, v, c) => s + camera[4 * c + r] * v, 0));
    labels[k].style.opacity = q[2] > 0 ? 1 : 0;
    labels[k].style.left = (50 + 50 * q[0] / q[2]) + "%";
    labels[k].style.top = (50 - 50 * q[1] / q[2]) + "%";
  });
  document.body.dataset.time = times[0] + state.now;
}


function render() {
  const ratio = Math.min(devicePixelRatio || 1, 2), w = Math.round(canvas.clientWidth * ratio), h = Math.round(canvas.clientHeight * ratio);
  if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; changed(); }
  if (!state.dirty || !w || !h) return;
  state.dirty = false;
  const css = getComputedStyle(document.documentElement), black = night() ? 1 : 0;
  const [back, strong, ink] = ["--back", "--mark", "--ink"].map((name) => rgb(css.getPropertyValue(name).trim()));
  pose();
  upload();
  gl.disable(gl.CULL_FACE);
  gl.disable(gl.BLEND);
  shadows(() => { use(dark, lamp); surfaces(dark, false); });
  const eye = cam.eye(), camera = cam.view(w, h);
  gl.viewport(0, 0, w, h);
  gl.clearColor(...back, 1);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  gl.depthFunc(gl.LEQUAL);
  gl.enable(gl.CULL_FACE);
  gl.cullFace(gl.BACK);
  use(solid, camera, { eye, back, veil: $("veil").checked ? .72 : 0 });
  surfaces(solid, false);
  gl.enable(gl.BLEND);
  gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  gl.depthMask(false);
  gl.disable(gl.CULL_FACE);
  grounds(camera, eye, back, black);
  gl.enable(gl.CULL_FACE);
  for (const [side, far] of [[gl.FRONT, -1], [gl.BACK, 1]]) { gl.cullFace(side); use(wall, camera, { eye, back, dark: black, far }); surfaces(wall, true); }
  gl.cullFace(gl.BACK);
  gl.depthMask(true);
  arrows(camera, eye, strong, ink);
  document.body.dataset.drawn = gl.getError() === gl.NO_ERROR ? "yes" : "WebGL error";
  write(camera);
}
function frame(stamp) {
  requestAnimationFrame(frame);
  if (state.playing) {
    if (state.before !== null) state.now = (state.now + Math.min((stamp - state.before) / 1000, .25) * factor()) % span;
    state.before = stamp;
    changed();
  }
  render();
}
cam.reset();
new ResizeObserver(() => { if (!cam.moved) cam.reset(); changed(); render(); }).observe(canvas);
new ResizeObserver(changed).observe($("strip"));
// page.html#t=0.5 opens at that time and waits.
const asked = parseFloat((location.hash.match(/^#t=(.+)$/) || [])[1]);
if (Number.isFinite(asked)) seek(asked - times[0]);
run(!Number.isFinite(asked) && !matchMedia("(prefers-reduced-motion: reduce)").matches);
requestAnimationFrame(frame);
})();
