// WebGL 2 without libraries: programs, meshes, one sun with a soft shadow, how bodies, grounds and marks look.
function program(gl, vertex, fragment, names = []) {
  const p = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const s = gl.createShader(kind);
    gl.shaderSource(s, "#version 300 es\nprecision highp float; precision highp sampler2DShadow;\n" + text);
    gl.compileShader(s);
    if (!gl.getShaderParameter(s, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(s));
    gl.attachShader(p, s);
  }
  ["position", "normal", ...names].forEach((name, k) => gl.bindAttribLocation(p, k, name));
  gl.linkProgram(p);
  const at = {};
  for (let k = gl.getProgramParameter(p, gl.ACTIVE_UNIFORMS) - 1; k >= 0; k--) {
    const name = gl.getActiveUniform(p, k).name;
    at[name] = gl.getUniformLocation(p, name);
  }
  return { p, at };
}
const SURFACE = `in vec3 position, normal; uniform mat4 camera, model; uniform mat3 turn; out vec3 x, n;
  void main() { vec4 w = model * vec4(position, 1.); x = w.xyz; n = turn * normal; gl_Position = camera * w; }`;
const SHADOW = `uniform sampler2DShadow map; uniform mat4 lamp; uniform vec3 sun; uniform float radius;
  float lit(vec3 x, vec3 n) {
    vec4 q = lamp * vec4(x + .006 * radius * n, 1.); vec3 s = q.xyz * .5 + .5; s.z -= .0015;
    if (any(lessThan(s, vec3(0.))) || any(greaterThan(s, vec3(1.)))) return 1.;
    float sum = 0.;
    for (int k = 0; k < 24; k++) { float a = 2.399963 * float(k), r = .012 * sqrt((float(k) + .5) / 24.);
      sum += texture(map, vec3(s.xy + r * vec2(cos(a), sin(a)), s.z)); }
    return sum / 24.; }`;
const SHADED = `vec3 shaded(vec3 x, vec3 m, vec3 v, vec3 paint, out float rim) {
    float light = lit(x, m), d = max(dot(m, sun), 0.) * light;
    float shine = .2 * pow(max(dot(m, normalize(v + sun)), 0.), 50.) * light; rim = pow(1. - max(dot(m, v), 0.), 3.);
    return min(paint * (.52 + .14 * m.z + .46 * d) + shine + .10 * rim, 1.); }`;
const GROUND = SHADOW + `in vec3 x, n; out vec4 color; uniform vec3 paint, back, middle, origin, along, across; uniform float grid, dark, strength, relief;
  void main() { vec2 u = vec2(dot(x - origin, along), dot(x - origin, across)) / grid, w = fwidth(u) * .9 + .004;
    vec2 near = smoothstep(w, vec2(0.), abs(u - round(u))); float line = max(near.x, near.y) * (1. - smoothstep(.15, .5, max(w.x, w.y)));
    float away = length(x - middle) / radius, fade = 1. - smoothstep(1.4, 2.45, away), light = lit(x, normalize(n));
    vec3 floor_ = mix(back, paint, dark > .5 ? .13 : .28) * mix(dark > .5 ? .45 : .7, 1., light);
    floor_ = mix(floor_, dark > .5 ? vec3(1.) : vec3(0.), line * (dark > .5 ? .09 : .07));
    floor_ *= 1. - relief * (1. - max(dot(normalize(n), sun), 0.));
    color = vec4(floor_, fade * strength); }`;
const MARK = `in vec3 x, n; out vec4 color; uniform vec3 paint, eye; uniform float alpha;
  void main() { float d = dot(normalize(n), normalize(eye - x)); color = vec4(paint * (.8 + .2 * d), alpha); }`;
const SUN = unit([0.42, -0.36, 0.83]);

function buffer(gl, kind, values) { const b = gl.createBuffer(); gl.bindBuffer(kind, b); gl.bufferData(kind, values, gl.STATIC_DRAW); return b; }
function mesh(gl, vertices, normals, triangles) {
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  for (const [at, source] of [[0, vertices], [1, normals]]) {
    if (source instanceof Float32Array) buffer(gl, gl.ARRAY_BUFFER, source); else gl.bindBuffer(gl.ARRAY_BUFFER, source);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, 3, gl.FLOAT, false, 0, 0);
  }
  if (triangles instanceof Uint16Array) buffer(gl, gl.ELEMENT_ARRAY_BUFFER, triangles); else gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, triangles.buffer);
  const count = triangles.length ?? triangles.count;
  gl.bindVertexArray(null);
  return { array, count };
}
function turnedMesh(gl, profile) { // [radius, height, normal outward, normal up] rings about z
  const v = [], n = [], t = [], m = 20;
  profile.forEach(([r, h, a, b], ring) => { for (let k = 0; k < m; k++) { const c = Math.cos(6.283185307 * k / m), s = Math.sin(6.283185307 * k / m);
    v.push(r * c, r * s, h); n.push(a * c, a * s, b);
    if (ring % 2) { const i = (ring - 1) * m + k, j = (ring - 1) * m + (k + 1) % m; t.push(i, j, i + m, j, j + m, i + m); } } });
  return mesh(gl, new Float32Array(v), new Float32Array(n), new Uint16Array(t));
}
const rodMesh = (gl) => turnedMesh(gl, [[1, 0, 1, 0], [1, 1, 1, 0]]);
const coneMesh = (gl) => turnedMesh(gl, [[1, 0, .94, .34], [0, 1, .94, .34], [0, 0, 0, -1], [1, 0, 0, -1]]);

// What the sun sees of a ball with the given centre and radius; `draw` draws all that throws a shadow.
const lampOf = (centre, R) => mul(parallel(1.06 * R, R, 7 * R), look(add(centre, SUN, 4 * R), centre, [0, 1, .2]));
function shadowMap(gl, size = 2048) {
  const map = gl.createTexture(), frame = gl.createFramebuffer();
  gl.bindTexture(gl.TEXTURE_2D, map);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, size, size);
  for (const [key, value] of [[gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR], [gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE],
    [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]]) gl.texParameteri(gl.TEXTURE_2D, key, value);
  gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, map, 0);
  gl.drawBuffers([gl.NONE]);
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  return (draw) => {
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.viewport(0, 0, size, size);
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.bindTexture(gl.TEXTURE_2D, null);
    draw();
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.bindTexture(gl.TEXTURE_2D, map);
  };
}
