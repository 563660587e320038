"use strict";
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

// ---- small vectors, matrices by columns ------------------------------------------------------
const add = (a, b, t = 1) => [a[0] + t * b[0], a[1] + t * b[1], a[2] + t * b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => { const l = Math.hypot(...a) || 1; return [a[0] / l, a[1] / l, a[2] / l]; };
const mul = (a, b) => { const c = new Float32Array(16); for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) for (let k = 0; k < 4; k++) c[4 * j + i] += a[4 * k + i] * b[4 * j + k]; return c; };
function look(eye, target, up) {
  const z = unit(add(eye, target, -1)), x = unit(cross(up, z)), y = cross(z, x);
  return new Float32Array([x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1]);
}
function perspective(fov, aspect, near, far) {
  const f = 1 / Math.tan(fov / 2), d = near - far;
  return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / d, -1, 0, 0, (2 * far * near) / d, 0]);
}
const parallel = (r, near, far) => new Float32Array([1 / r, 0, 0, 0, 0, 1 / r, 0, 0, 0, 0, -2 / (far - near), 0, 0, 0, -(far + near) / (far - near), 1]);
const rgb = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255);

// ---- WebGL -----------------------------------------------------------------------------------
const gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
if (!gl) { $("sorry").hidden = false; return; }
$("tools").hidden = false;

function program(vertex, fragment) {
  const p = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const s = gl.createShader(kind);
    gl.shaderSource(s, "#version 300 es\nprecision highp float; precision highp sampler2DShadow;\n" + text);
    gl.compileShader(s);
    if (!gl.getShaderParameter(s, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(s));
    gl.attachShader(p, s);
  }
  gl.bindAttribLocation(p, 0, "position");
  gl.bindAttribLocation(p, 1, "normal");
  gl.linkProgram(p);
  const at = {};
  for (let k = gl.getProgramParameter(p, gl.ACTIVE_UNIFORMS) - 1; k >= 0; k--) {
    const name = gl.getActiveUniform(p, k).name;
    at[name] = gl.getUniformLocation(p, name);
  }
  return { p, at };
}
const surface = `in vec3 position, normal; uniform mat4 camera, model; uniform mat3 turn; out vec3 x, n;
  void main() { vec4 w = model * vec4(position, 1.); x = w.xyz; n = turn * normal; gl_Position = camera * w; }`;
const shadow = `uniform sampler2DShadow map; uniform mat4 lamp; uniform vec3 sun; uniform float radius;
  float lit(vec3 x, vec3 n) {
    vec4 q = lamp * vec4(x + .006 * radius * n, 1.); vec3 s = q.xyz * .5 + .5; s.z -= .0015;
    if (any(lessThan(s, vec3(0.))) || any(greaterThan(s, vec3(1.)))) return 1.;
    float sum = 0.;
    for (int k = 0; k < 24; k++) { float a = 2.399963 * float(k), r = .012 * sqrt((float(k) + .5) / 24.);
      sum += texture(map, vec3(s.xy + r * vec2(cos(a), sin(a)), s.z)); }
    return sum / 24.; }`;
const solid = program(surface, shadow + `in vec3 x, n; out vec4 color; uniform vec3 paint, eye; uniform float alpha;
  void main() { vec3 m = normalize(n), v = normalize(eye - x); float face = gl_FrontFacing ? 1. : -1.; m *= face;
    float light = lit(x, m), d = max(dot(m, sun), 0.) * light;
    float shine = .2 * pow(max(dot(m, normalize(v + sun)), 0.), 50.) * light, rim = pow(1. - max(dot(m, v), 0.), 3.);
    vec3 c = paint * (.52 + .14 * m.z + .46 * d) + shine + .10 * rim;
    color = vec4(min(c, 1.), mix(alpha, min(1., alpha + .35 * rim), step(alpha, .999))); }`);
const ground = program(surface, shadow + `in vec3 x, n; out vec4 color; uniform vec3 paint, back, middle, along, across; uniform float grid, dark;
  void main() { vec2 u = vec2(dot(x, along), dot(x, across)) / grid, w = fwidth(u) * .9 + .004;
    vec2 near = smoothstep(w, vec2(0.), abs(u - round(u))); float line = max(near.x, near.y) * (1. - smoothstep(.15, .5, max(w.x, w.y)));
    float away = length(x - middle) / radius, fade = 1. - smoothstep(1.4, 2.45, away), light = lit(x, normalize(n));
    vec3 floor_ = mix(back, paint, dark > .5 ? .13 : .28) * mix(dark > .5 ? .45 : .7, 1., light);
    floor_ = mix(floor_, dark > .5 ? vec3(1.) : vec3(0.), line * (dark > .5 ? .09 : .07));
    color = vec4(floor_, fade); }`);
const mark = program(surface, `in vec3 x, n; out vec4 color; uniform vec3 paint, eye; uniform float alpha;
  void main() { float d = dot(normalize(n), normalize(eye - x)); color = vec4(paint * (.8 + .2 * d), alpha); }`);
const dark = program(surface, `in vec3 x, n; void main() {}`);

function bytes(text) { const raw = atob(text), out = new Uint8Array(raw.length); for (let k = 0; k < raw.length; k++) out[k] = raw.charCodeAt(k); return out.buffer; }
function buffer(kind, values) { const b = gl.createBuffer(); gl.bindBuffer(kind, b); gl.bufferData(kind, values, gl.STATIC_DRAW); return b; }
function mesh(vertices, normals, triangles) {
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  for (const [at, source] of [[0, vertices], [1, normals]]) {
    if (source instanceof Float32Array) buffer(gl.ARRAY_BUFFER, source); else gl.bindBuffer(gl.ARRAY_BUFFER, source);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, 3, gl.FLOAT, false, 0, 0);
  }
  if (triangles instanceof Uint16Array) buffer(gl.ELEMENT_ARRAY_BUFFER, triangles); else gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, triangles.buffer);
  const count = triangles.length ?? triangles.count;
  gl.bindVertexArray(null);
  return { array, count };
}
const sphereNormals = new Float32Array(bytes(data.sphere.normals));
const sphereIndex = new Uint16Array(bytes(data.sphere.triangles));
const shared = { normals: buffer(gl.ARRAY_BUFFER, sphereNormals), index: { buffer: buffer(gl.ELEMENT_ARRAY_BUFFER, sphereIndex), count: sphereIndex.length } };
for (const b of data.bodies) {
  b.vertices = new Float32Array(bytes(b.vertices));
  b.mesh = mesh(b.vertices, shared.normals, shared.index);
  b.paint = rgb(b.color);
  b.middle = [0, 1, 2].map((i) => { let lo = Infinity, hi = -Infinity; for (let k = i; k < b.vertices.length; k += 3) { lo = Math.min(lo, b.vertices[k]); hi = Math.max(hi, b.vertices[k]); } return (lo + hi) / 2; });
}
for (const p of data.planes) {
  p.mesh = mesh(new Float32Array(p.corners.flat()), new Float32Array([p.normal, p.normal, p.normal, p.normal].flat()), new Uint16Array([0, 1, 2, 0, 2, 3]));
  p.paint = rgb(p.color);
  p.along = unit(add(p.corners[1], p.corners[0], -1));
  p.across = unit(add(p.corners[3], p.corners[0], -1));
}
const ball = mesh(sphereNormals, shared.normals, shared.index);
function turned(profile) { // [radius, height, normal outward, normal up] rings about z
  const v = [], n = [], t = [], m = 20;
  profile.forEach(([r, h, a, b], ring) => { for (let k = 0; k < m; k++) { const c = Math.cos(6.283185307 * k / m), s = Math.sin(6.283185307 * k / m);
    v.push(r * c, r * s, h); n.push(a * c, a * s, b);
    if (ring % 2) { const i = (ring - 1) * m + k, j = (ring - 1) * m + (k + 1) % m; t.push(i, j, i + m, j, j + m, i + m); } } });
  return mesh(new Float32Array(v), new Float32Array(n), new Uint16Array(t));
}
const rod = turned([[1, 0, 1, 0], [1, 1, 1, 0]]);
const cone = turned([[1, 0, .94, .34], [0, 1, .94, .34], [0, 0, 0, -1], [1, 0, 0, -1]]);

// ---- sun and its depth map, drawn once --------------------------------------------------------
const sun = unit([0.42, -0.36, 0.83]), R = data.radius, size = 2048;
const lamp = mul(parallel(1.06 * R, R, 7 * R), look(add(data.centre, sun, 4 * R), data.centre, [0, 1, .2]));
const identity = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]), identity3 = new Float32Array([1, 0, 0, 0, 1, 0, 0, 0, 1]);
const map = gl.createTexture();
gl.bindTexture(gl.TEXTURE_2D, map);
gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, size, size);
gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
{
  const frame = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, map, 0);
  gl.drawBuffers([gl.NONE]);
  gl.viewport(0, 0, size, size);
  gl.clear(gl.DEPTH_BUFFER_BIT);
  gl.enable(gl.DEPTH_TEST);
  gl.useProgram(dark.p);
  gl.uniformMatrix4fv(dark.at.camera, false, lamp);
  gl.uniformMatrix4fv(dark.at.model, false, identity);
  for (const b of data.bodies) draw(b.mesh);
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
}
function draw(m) { gl.bindVertexArray(m.array); gl.drawElements(gl.TRIANGLES, m.count, gl.UNSIGNED_SHORT, 0); }

// ---- camera ----------------------------------------------------------------------------------
const FOV = 26 * Math.PI / 180, home = { yaw: -1.28, pitch: .42, distance: 4.6 * R, target: [...data.centre] };
let cam, moved;
function reset() { cam = { ...home, target: [...home.target] }; moved = false; frameAll(); state.dirty = true; }
const backward = () => [Math.cos(cam.pitch) * Math.cos(cam.yaw), Math.cos(cam.pitch) * Math.sin(cam.yaw), Math.sin(cam.pitch)];
const eyeOf = () => add(cam.target, backward(), cam.distance);
function axes() { const z = backward(), x = unit(cross([0, 0, 1], z)); return [x, cross(z, x), z]; }
function frameAll() { // all bodies in view, with some air
  const aspect = (canvas.clientWidth || 1) / (canvas.clientHeight || 1), tan = Math.tan(FOV / 2);
  for (let turn = 0; turn < 5; turn++) {
    const [x, y, z] = axes(), eye = eyeOf();
    let l = Infinity, r = -Infinity, b = Infinity, t = -Infinity;
    const include = (point) => {
      const p = add(point, eye, -1), d = -dot(p, z) * tan, u = dot(p, x) / d, v = dot(p, y) / d;
      l = Math.min(l, u); r = Math.max(r, u); b = Math.min(b, v); t = Math.max(t, v);
    };
    for (const body of data.bodies) for (let k = 0; k < body.vertices.length; k += 9) include(body.vertices.slice(k, k + 3));
    for (const k of data.nearest) { include(data.pairs[k].point_a); include(data.pairs[k].point_b); }
    const s = cam.distance * tan;
    cam.target = add(add(cam.target, x, s * (l + r) / 2), y, s * (b + t) / 2);
    cam.distance *= Math.max((r - l) / 2 / aspect / .86, (t - b) / 2 / .74);
  }
}
const orbit = (dx, dy) => { moved = true; cam.yaw -= dx * .007; cam.pitch = Math.min(1.55, Math.max(-1.55, cam.pitch + dy * .007)); state.dirty = true; };
const zoom = (f) => { moved = true; cam.distance = Math.min(60 * R, Math.max(.02 * R, cam.distance * f)); state.dirty = true; };
const pan = (dx, dy) => { moved = true; const [x, y] = axes(), s = 2 * cam.distance * Math.tan(FOV / 2) / canvas.clientHeight; cam.target = add(add(cam.target, x, -dx * s), y, dy * s); state.dirty = true; };

const fingers = new Map();
canvas.addEventListener("pointerdown", (e) => { canvas.setPointerCapture(e.pointerId); fingers.set(e.pointerId, { x: e.clientX, y: e.clientY, pan: e.button === 2 || e.button === 1 || e.shiftKey }); });
for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (e) => fingers.delete(e.pointerId));
canvas.addEventListener("pointermove", (e) => {
  const f = fingers.get(e.pointerId);
  if (!f) return;
  const dx = e.clientX - f.x, dy = e.clientY - f.y;
  if (fingers.size === 2) {
    const other = [...fingers].find(([id]) => id !== e.pointerId)[1];
    const before = Math.hypot(f.x - other.x, f.y - other.y), after = Math.hypot(e.clientX - other.x, e.clientY - other.y);
    if (after > 0) zoom(before / after);
    pan(dx / 2, dy / 2);
  } else if (f.pan) pan(dx, dy); else orbit(dx, dy);
  f.x = e.clientX; f.y = e.clientY;
});
canvas.addEventListener("wheel", (e) => { e.preventDefault(); zoom(Math.exp(Math.max(-80, Math.min(80, e.deltaY)) * (e.ctrlKey ? .01 : .0016))); }, { passive: false });
canvas.addEventListener("contextmenu", (e) => e.preventDefault());
canvas.addEventListener("dblclick", reset);
canvas.addEventListener("keydown", (e) => {
  const move = { ArrowLeft: () => orbit(-14, 0), ArrowRight: () => orbit(14, 0), ArrowUp: () => orbit(0, 14), ArrowDown: () => orbit(0, -14), "+": () => zoom(.88), "=": () => zoom(.88), "-": () => zoom(1.14) }[e.key];
  if (move) { e.preventDefault(); move(); }
});
$("reset").addEventListener("click", reset);
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
  const vectors = { eye, sun, back, middle: data.centre };
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
  const [, , z] = axes(), height = canvas.clientHeight;
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
  const eye = eyeOf(), z = backward(), away = dot(add(eye, data.centre, -1), z);
  const near = Math.max(cam.distance * .02, Math.min(cam.distance * .5, away - 4 * R)), camera = mul(perspective(FOV, w / h, near, Math.max(away, 0) + 5 * R), look(eye, cam.target, [0, 0, 1]));
  const k = chosen(), pair = k >= 0 ? data.pairs[k] : null;
  gl.viewport(0, 0, w, h);
  gl.clearColor(...back, 1);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  gl.bindTexture(gl.TEXTURE_2D, map);
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
  const [, up] = axes();
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
reset();
new ResizeObserver(() => { if (!moved) reset(); state.dirty = true; render(); }).observe(canvas);
requestAnimationFrame(frame);
})();
