// A camera that circles its target: by mouse (drag, wheel, right button), by fingers, by keys.
const FOV = 26 * Math.PI / 180;
function orbitCamera(canvas, centre, R, framed, changed) { // `framed` calls its argument with all points to be seen
  const home = { yaw: -1.28, pitch: .42, distance: 4.6 * R }, cam = { moved: false };
  cam.backward = () => [Math.cos(cam.pitch) * Math.cos(cam.yaw), Math.cos(cam.pitch) * Math.sin(cam.yaw), Math.sin(cam.pitch)];
  cam.eye = () => add(cam.target, cam.backward(), cam.distance);
  cam.axes = () => { const z = cam.backward(), x = unit(cross([0, 0, 1], z)); return [x, cross(z, x), z]; };
  cam.reset = () => { Object.assign(cam, home, { target: [...centre], moved: false }); frameAll(); changed(); };
  function frameAll() { // with some air
    const aspect = (canvas.clientWidth || 1) / (canvas.clientHeight || 1), tan = Math.tan(FOV / 2);
    for (let turn = 0; turn < 5; turn++) {
      const [x, y, z] = cam.axes(), eye = cam.eye();
      let l = Infinity, r = -Infinity, b = Infinity, t = -Infinity;
      framed((point) => {
        const p = add(point, eye, -1), d = Math.max(-dot(p, z), 1e-6 * R) * tan, u = dot(p, x) / d, v = dot(p, y) / d;
        l = Math.min(l, u); r = Math.max(r, u); b = Math.min(b, v); t = Math.max(t, v);
      });
      if (!(r > l)) return;
      const s = cam.distance * tan;
      cam.target = add(add(cam.target, x, s * (l + r) / 2), y, s * (b + t) / 2);
      cam.distance *= Math.max((r - l) / 2 / aspect / .86, (t - b) / 2 / .74);
    }
  }
  cam.view = (w, h) => { // matrix to the screen; the depth reaches 5 R behind the centre
    const eye = cam.eye(), away = dot(add(eye, centre, -1), cam.backward());
    const near = Math.max(cam.distance * .02, Math.min(cam.distance * .5, away - 4 * R));
    return mul(perspective(FOV, w / h, near, Math.max(away, 0) + 5 * R), look(eye, cam.target, [0, 0, 1]));
  };
  const orbit = (dx, dy) => { cam.moved = true; cam.yaw -= dx * .007; cam.pitch = Math.min(1.55, Math.max(-1.55, cam.pitch + dy * .007)); changed(); };
  const zoom = (f) => { cam.moved = true; cam.distance = Math.min(60 * R, Math.max(.02 * R, cam.distance * f)); changed(); };
  const pan = (dx, dy) => { cam.moved = true; const [x, y] = cam.axes(), s = 2 * cam.distance * Math.tan(FOV / 2) / canvas.clientHeight; cam.target = add(add(cam.target, x, -dx * s), y, dy * s); changed(); };

  const fingers = new Map();
  canvas.addEventListener("pointerdown", (e) => { try { canvas.setPointerCapture(e.pointerId); } catch { /* a pointer that is gone */ } fingers.set(e.pointerId, { x: e.clientX, y: e.clientY, pan: e.button === 2 || e.button === 1 || e.shiftKey }); });
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
  canvas.addEventListener("dblclick", cam.reset);
  canvas.addEventListener("keydown", (e) => {
    const move = { ArrowLeft: () => orbit(-14, 0), ArrowRight: () => orbit(14, 0), ArrowUp: () => orbit(0, 14), ArrowDown: () => orbit(0, -14), "+": () => zoom(.88), "=": () => zoom(.88), "-": () => zoom(1.14) }[e.key];
    if (move) { e.preventDefault(); move(); }
  });
  return cam;
}
