// Unit sphere as a divided icosahedron: normals and triangles.
function geodesicSphere(divisions) {
  const g = (1 + Math.sqrt(5)) / 2, corners = [], normals = [], triangles = [], known = new Map();
  for (const s of [-1, 1]) for (const t of [-g, g]) corners.push([0, s, t], [s, t, 0], [t, 0, s]);
  const near = (i, j) => Math.abs(Math.hypot(...add(corners[i], corners[j], -1)) - 2) < 1e-9;
  const vertex = (p) => {
    const n = unit(p), key = n.map((v) => Math.round(1e6 * v)).join();
    if (!known.has(key)) { known.set(key, normals.length / 3); normals.push(...n); }
    return known.get(key);
  };
  for (let i = 0; i < 12; i++) for (let j = i + 1; j < 12; j++) for (let k = j + 1; k < 12; k++) {
    if (!near(i, j) || !near(j, k) || !near(i, k)) continue;
    let [a, b, c] = [corners[i], corners[j], corners[k]];
    if (dot(cross(add(b, a, -1), add(c, a, -1)), a) < 0) [b, c] = [c, b];
    const at = (u, v) => vertex(add(add(a, add(b, a, -1), u / divisions), add(c, a, -1), v / divisions));
    for (let u = 0; u < divisions; u++) for (let v = 0; u + v < divisions; v++) {
      triangles.push(at(u, v), at(u + 1, v), at(u, v + 1));
      if (u + v < divisions - 1) triangles.push(at(u + 1, v), at(u + 1, v + 1), at(u, v + 1));
    }
  }
  return { normals: new Float32Array(normals), triangles: new Uint16Array(triangles) };
}
