// Energies over time in a strip; a click or a drag seeks.
const STRIP_COLORS = { kinetic: "#4c78a8", gravitational: "#54a24b", elastic: "#f58518", springs: "#b279a2", dissipated: "#e45756", work: "#9d755d", mechanical: "" };
function energyStrip(strip, time, kinds, seek) {
  const canvas = strip.querySelector("canvas"), key = strip.querySelector("#key"), names = Object.keys(kinds);
  const first = time[0], span = time[time.length - 1] - first;
  if (!names.length || !(span > 0)) return () => {};
  strip.hidden = false;
  let low = Infinity, high = -Infinity;
  for (const name of names) for (const v of kinds[name]) { low = Math.min(low, v); high = Math.max(high, v); }
  if (!(high > low)) { low -= .5 * Math.abs(low) || 1; high += .5 * Math.abs(high) || 1; }
  const title = document.createElement("b");
  title.textContent = "energy [J]";
  key.append(title);
  for (const name of names) {
    const label = document.createElement("span"), line = document.createElement("i");
    line.style.background = STRIP_COLORS[name] || "var(--ink)";
    label.append(line, name);
    key.append(label);
  }
  const LEFT = 58, RIGHT = 10, TOP = 7, FOOT = 17;
  const place = (e) => seek(Math.min(Math.max((e.offsetX - LEFT) / Math.max(canvas.clientWidth - LEFT - RIGHT, 1), 0), 1) * span);
  let held = false;
  canvas.addEventListener("pointerdown", (e) => { held = true; try { canvas.setPointerCapture(e.pointerId); } catch { /* a pointer that is gone */ } place(e); });
  canvas.addEventListener("pointermove", (e) => { if (held) place(e); });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { held = false; });
  const tick = (v) => (Math.abs(v) < 1e-6 * Math.max(Math.abs(low), Math.abs(high)) ? "0" : String(+v.toPrecision(3)));
  return (now) => { // seconds since the first frame
    const ratio = devicePixelRatio || 1, w = Math.round(canvas.clientWidth * ratio), h = Math.round(canvas.clientHeight * ratio);
    if (!w || !h) return;
    if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
    const pen = canvas.getContext("2d"), css = getComputedStyle(document.documentElement), color = (name) => css.getPropertyValue("--" + name).trim();
    const X = (t) => (LEFT * ratio) + (w - (LEFT + RIGHT) * ratio) * (t / span), Y = (v) => h - FOOT * ratio - (h - (TOP + FOOT) * ratio) * (v - low) / (high - low);
    pen.clearRect(0, 0, w, h);
    pen.font = 11 * ratio + "px system-ui, sans-serif";
    pen.fillStyle = color("soft"); pen.strokeStyle = color("line"); pen.lineWidth = ratio;
    pen.textAlign = "right"; pen.textBaseline = "middle";
    for (const v of low < 0 && high > 0 && Math.min(-low, high) > .15 * (high - low) ? [low, 0, high] : [low, high]) {
      pen.beginPath(); pen.moveTo(X(0), Y(v)); pen.lineTo(X(span), Y(v)); pen.stroke();
      pen.fillText(tick(v), X(0) - 6 * ratio, Y(v));
    }
    pen.textBaseline = "bottom";
    const rough = span / 8, power = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].find((m) => m * power >= rough * .999) * power;
    pen.textAlign = "center";
    for (let t = Math.ceil(first / step - 1e-9) * step; t <= first + span * 1.0001; t += step) pen.fillText(String(+t.toPrecision(6)) + (t + step > first + span * 1.0001 ? " s" : ""), Math.min(X(t - first), w - 14 * ratio), h);
    pen.lineJoin = "round";
    for (const name of names) {
      pen.strokeStyle = STRIP_COLORS[name] || color("ink"); pen.lineWidth = (name === "mechanical" ? 1.1 : 1.7) * ratio;
      pen.setLineDash(name === "mechanical" ? [5 * ratio, 3 * ratio] : []);
      pen.beginPath();
      for (let k = 0; k < time.length; k++) pen.lineTo(X(time[k] - first), Y(kinds[name][k]));
      pen.stroke();
    }
    pen.setLineDash([]);
    pen.strokeStyle = color("mark"); pen.lineWidth = 1.5 * ratio;
    pen.beginPath(); pen.moveTo(X(now), TOP * ratio * .4); pen.lineTo(X(now), h - FOOT * ratio); pen.stroke();
  };
}
