// Signed distance of two superellipsoids in plain JavaScript, by their support functions; no library, no page.
//
// A body is { radii: [a, b, c], epsilon: [e1, e2], rotation: 3x3 by rows, position: [x, y, z] }; e1 = e2 = 1 is an
// ellipsoid.  F(n) = n.r - h_A(n) - h_B(-n) is a proved lower bound of the distance for every unit vector n, |w(n)| an
// upper bound if the bodies are apart.  Newton's method on the sphere maximises F; simplex steps (GJK) finish what flat
// places leave open.  In overlap the best of many starts is returned: F(n) still proves the lower bound, but this page
// does not prove that no shorter way out exists, as the library does.

// Support value, point and Hessian of a body at rest: h(n), x = grad h, W = Hess h, for any n != 0.
function supportAtRest(radii, epsilon, n) {
  const [q1, q2] = epsilon.map((e) => 2 / (2 - e)); // dual exponents of 2/e
  const m = radii.map((r, i) => r * Math.abs(n[i]));
  const plane = norm2(m[0], m[1], q2), whole = norm2(plane.value, m[2], q1);
  const first = [whole.first[0] * plane.first[0], whole.first[0] * plane.first[1], whole.first[1]];
  const x = first.map((g, i) => Math.sign(n[i]) * radii[i] * g);
  const [hss, hsz, hzz] = whole.second, [sxx, sxy, syy] = plane.second, [sx, sy] = plane.first, hs = whole.first[0];
  const second = [[hss * sx * sx + hs * sxx, hss * sx * sy + hs * sxy, hsz * sx], [0, hss * sy * sy + hs * syy, hsz * sy], [0, 0, hzz]];
  const W = [[0, 0, 0], [0, 0, 0], [0, 0, 0]];
  for (let i = 0; i < 3; i++) for (let j = i; j < 3; j++)
    W[i][j] = W[j][i] = second[i][j] * radii[i] * radii[j] * (i === j ? 1 : Math.sign(n[i]) * Math.sign(n[j]));
  return { h: whole.value, x, W };
}

// (u^q + v^q)^(1/q) of u, v >= 0 with its first and second derivatives; the largest number is taken out.
function norm2(u, v, q) {
  const top = Math.max(u, v);
  if (!(top > 0)) return { value: 0, first: [0, 0], second: [0, 0, 0] };
  const s = u / top, t = v / top, value = top * Math.pow(Math.pow(s, q) + Math.pow(t, q), 1 / q);
  const a = u / value, b = v / value, first = [Math.pow(a, q - 1), Math.pow(b, q - 1)];
  // d2/du2 = (q - 1)/value a^(q-2) b^q: bounded away from the axes only; near them the value is cut, the steps are safeguarded
  const c = (q - 1) / value, cut = (base, power) => Math.pow(Math.max(base, 1e-12), power);
  return { value, first, second: [c * cut(a, q - 2) * Math.pow(b, q), -c * first[0] * first[1], c * cut(b, q - 2) * Math.pow(a, q)] };
}

const apply = (R, v) => [dot(R[0], v), dot(R[1], v), dot(R[2], v)];
const back = (R, v) => [0, 1, 2].map((j) => R[0][j] * v[0] + R[1][j] * v[1] + R[2][j] * v[2]);

// The same for a placed body, in the world.
function support(body, n) {
  const { h, x, W } = supportAtRest(body.radii, body.epsilon, back(body.rotation, n)), R = body.rotation;
  const RW = R.map((row) => [0, 1, 2].map((j) => row[0] * W[0][j] + row[1] * W[1][j] + row[2] * W[2][j]));
  return { h: h + dot(body.position, n), x: add(apply(R, x), body.position), W: RW.map((row) => R.map((other) => dot(row, other))) };
}

// F, w, the points and the sum of the Hessians for one direction.
function evaluate(a, b, n) {
  const sa = support(a, n), sb = support(b, n.map((v) => -v)), w = add(sb.x, sa.x, -1);
  return { n, F: dot(n, w), w, pointA: sa.x, pointB: sb.x, K: sa.W.map((row, i) => row.map((v, j) => v + sb.W[i][j])), Wa: sa.W, Wb: sb.W };
}

function tangents(n) {
  const t = unit(cross(Math.abs(n[2]) < .7 ? [0, 0, 1] : [1, 0, 0], n));
  return [t, cross(n, t)];
}
function projected(K, n) { // the 2x2 block of K on the tangent plane
  const [s, t] = tangents(n), Ks = apply(K, s), Kt = apply(K, t);
  return { s, t, k: [dot(s, Ks), dot(s, Kt), dot(t, Kt)] };
}
function eigen2([p, q, r]) { // eigenvalues of [[p, q], [q, r]], the larger one first
  const mean = (p + r) / 2, half = Math.hypot((p - r) / 2, q);
  return [mean + half, mean - half];
}

// Safeguarded Newton ascent of F on the sphere from one direction.
function ascend(a, b, start, trace, most = 60) {
  let now = evaluate(a, b, unit(start));
  const size = Math.max(...a.radii) + Math.max(...b.radii);
  for (let k = 0; k < most; k++) {
    trace.push({ n: now.n, lower: now.F, upper: now.F > 0 ? Math.hypot(...now.w) : NaN });
    const g = add(now.w, now.n, -now.F), slope = Math.hypot(...g);
    if (slope < 4e-15 * size) break;
    const { s, t, k: [p, q, r] } = projected(now.K, now.n), gs = dot(g, s), gt = dot(g, t);
    const least = eigen2([p + now.F, q, r + now.F])[1];
    let shift = now.F + Math.max(0, 1e-3 * slope - least), done = false;
    for (let attempt = 0; attempt < 40 && !done; attempt++) {
      const A = p + shift, C = r + shift, det = A * C - q * q;
      const ds = (C * gs - q * gt) / det, dt = (A * gt - q * gs) / det;
      const length = Math.hypot(ds, dt), scale = Math.min(1, 1 / length);
      const next = evaluate(a, b, unit(add(add(now.n, s, scale * ds), t, scale * dt)));
      if (next.F >= now.F) { done = next.F > now.F || length > 1e-9; now = next; if (!done) return now; }
      else shift += Math.max(shift - now.F, .5 * (slope + eigen2([p, q, r])[0] * .1), 1e-12 * size) * 2;
    }
    if (!done) break;
  }
  return now;
}

// Small moves in eight directions of the tangent plane, ever smaller: for ridges of F, which Newton's method does not climb.
function settle(a, b, best) {
  for (let reach = .02; reach > 1e-10; reach *= .4) for (let again = true, k = 0; again && k < 20; k++) {
    const [s, t] = tangents(best.n);
    again = false;
    for (let turn = 0; turn < 8; turn++) {
      const move = add(s.map((v) => v * Math.cos(turn * Math.PI / 4)), t, Math.sin(turn * Math.PI / 4));
      const other = evaluate(a, b, unit(add(best.n, move, reach)));
      if (other.F > best.F) { best = other; again = true; }
    }
  }
  return best;
}

// Point of least norm of the convex hull of at most four points, with the points that carry it.
function leastNorm(points) {
  let best = null;
  for (let mask = 1; mask < 1 << points.length; mask++) {
    const some = points.filter((_, i) => mask >> i & 1);
    if (some.length > 3) continue;
    const [p, ...others] = some, edges = others.map((o) => add(o, p, -1));
    let weights = [];
    if (edges.length === 1) weights = [-dot(p, edges[0]) / dot(edges[0], edges[0])];
    if (edges.length === 2) {
      const [u, v] = edges, uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), det = uu * vv - uv * uv;
      if (!(det > 1e-30 * uu * vv)) continue;
      weights = [(-dot(p, u) * vv + dot(p, v) * uv) / det, (-dot(p, v) * uu + dot(p, u) * uv) / det];
    }
    if (weights.some((x) => !(x >= 0)) || weights.reduce((x, y) => x + y, 0) > 1) continue;
    const v = edges.reduce((sum, e, i) => add(sum, e, weights[i]), p), norm = Math.hypot(...v);
    if (!best || norm < best.norm) best = { v, norm, some };
  }
  return best;
}

// GJK: both bounds close in, whatever the curvature; it cannot fail, only be slow.
function simplexSteps(a, b, start, trace, tolerance) {
  let best = evaluate(a, b, start), simplex = [best.w], upper = Math.hypot(...best.w);
  for (let k = 0; k < 200; k++) {
    const near = leastNorm(simplex);
    upper = Math.min(upper, near.norm);
    if (!(near.norm > 0)) break;
    const next = evaluate(a, b, unit(near.v));
    if (next.F > best.F) best = next;
    trace.push({ n: next.n, lower: best.F, upper });
    if (upper - best.F < tolerance || near.some.some((p) => p.every((v, i) => v === next.w[i]))) break;
    simplex = [...near.some, next.w];
  }
  return { best, upper };
}

const STARTS = (() => { // the 26 neighbours of the centre of a cube
  const out = [];
  for (let x = -1; x < 2; x++) for (let y = -1; y < 2; y++) for (let z = -1; z < 2; z++) if (x || y || z) out.push([x, y, z]);
  return out;
})();

// The contact of two bodies; `steps` holds every direction of the main search with its bounds.
function contact(a, b) {
  const centres = add(b.position, a.position, -1), steps = [];
  const size = Math.max(...a.radii) + Math.max(...b.radii), tolerance = 1e-12 * size;
  let best = ascend(a, b, Math.hypot(...centres) > 0 ? centres : [0, 0, 1], steps);
  if (best.F <= 0) {
    for (const start of STARTS) {
      const other = ascend(a, b, start, [], 25);
      if (other.F > best.F) best = other;
    }
    best = settle(a, b, best);
  }
  let upper = null;
  if (best.F > 0) {
    upper = Math.hypot(...best.w);
    if (upper - best.F > tolerance) {
      const finished = simplexSteps(a, b, best.n, steps, tolerance);
      if (finished.best.F > best.F) best = finished.best;
      upper = Math.min(upper, finished.upper);
    }
  }
  steps.push({ n: best.n, lower: best.F, upper: upper ?? NaN });
  const radii = (W) => eigen2(projected(W, best.n).k);
  return { distance: best.F, lower: best.F, upper, normal: best.n, pointA: best.pointA, pointB: best.pointB,
    curvatureA: radii(best.Wa).map((r) => 1 / r).reverse(), curvatureB: radii(best.Wb).map((r) => 1 / r).reverse(), steps };
}
