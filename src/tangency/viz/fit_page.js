// A turning cloud of points over the wire of a surface, without libraries.
"use strict";
const canvas = document.getElementById("view"), pen = canvas.getContext("2d"), menu = document.getElementById("model");
let turn = [[1, 0, 0], [0, 0.5, 0.87], [0, -0.87, 0.5]], zoom = 1, last = null;
const numbers = (text) => new Float32Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
const points = numbers(data.points);
for (const model of data.models) { model.residuals = numbers(model.residuals); model.wire = numbers(model.wire); }
function place(a, k, size) {
  const p = [a[k] - data.centre[0], a[k + 1] - data.centre[1], a[k + 2] - data.centre[2]];
  return turn.map((row, i) => (row[0] * p[0] + row[1] * p[1] + row[2] * p[2]) * size * (i === 1 ? -1 : 1));
}
function color(value) {
  const t = Math.max(-1, Math.min(1, value / data.limit)), mix = (a, b) => Math.round(a + (b - a) * Math.abs(t));
  return t < 0 ? `rgb(${mix(60, 210)},${mix(160, 30)},${mix(80, 40)})` : `rgb(${mix(60, 30)},${mix(160, 60)},${mix(80, 220)})`;
}
function draw() {
  const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  canvas.width = width * ratio; canvas.height = height * ratio; pen.setTransform(ratio, 0, 0, ratio, width / 2 * ratio, height / 2 * ratio);
  pen.clearRect(-width, -height, 2 * width, 2 * height);
  const size = 0.42 * Math.min(width, height) / data.radius * zoom, model = data.models[menu.selectedIndex];
  pen.strokeStyle = "#b8c2cc"; pen.lineWidth = 0.6; pen.beginPath();
  for (let k = 0; k < model.wire.length; k += 6) {
    const a = place(model.wire, k, size), b = place(model.wire, k + 3, size);
    pen.moveTo(a[0], a[1]); pen.lineTo(b[0], b[1]);
  }
  pen.stroke();
  const order = [];
  for (let k = 0; k < points.length; k += 3) { const p = place(points, k, size); p.push(k / 3); order.push(p); }
  order.sort((a, b) => a[2] - b[2]);
  for (const [x, y, z, k] of order) {
    pen.globalAlpha = z > 0 ? 1 : 0.25; pen.fillStyle = color(model.residuals[k]);
    pen.beginPath(); pen.arc(x, y, 2.2, 0, 7); pen.fill();
  }
  pen.globalAlpha = 1;
}
function rotate(dx, dy) {
  const about = (i, j, angle) => {
    const c = Math.cos(angle), s = Math.sin(angle), a = turn[i], b = turn[j];
    turn[i] = a.map((v, k) => c * v - s * b[k]); turn[j] = b.map((v, k) => s * a[k] + c * v);
  };
  about(2, 0, dx * 0.01); about(1, 2, dy * 0.01); draw();
}
canvas.addEventListener("pointerdown", (e) => { last = [e.clientX, e.clientY]; canvas.setPointerCapture(e.pointerId); });
canvas.addEventListener("pointermove", (e) => { if (last) { rotate(e.clientX - last[0], e.clientY - last[1]); last = [e.clientX, e.clientY]; } });
canvas.addEventListener("pointerup", () => { last = null; });
canvas.addEventListener("wheel", (e) => { e.preventDefault(); zoom *= Math.exp(-e.deltaY * 0.001); draw(); }, { passive: false });
menu.addEventListener("change", draw); window.addEventListener("resize", draw);
draw();
