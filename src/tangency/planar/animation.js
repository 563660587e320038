"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const canvas = document.getElementById("canvas"), pen = canvas.getContext("2d");
const when = document.getElementById("when"), play = document.getElementById("play"), clock = document.getElementById("clock");
const frames = data.time.length, last = data.time[frames - 1];
let now = 0, playing = !matchMedia("(prefers-reduced-motion: reduce)").matches, before = null;

const color = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

// The frame before a time, and how far the time lies on the way to the next.
function at(time, times = data.time) {
  let low = 0, high = times.length - 1;
  while (high - low > 1) { const middle = (low + high) >> 1; if (times[middle] <= time) low = middle; else high = middle; }
  const span = times[high] - times[low];
  return [low, high, span > 0 ? Math.min(Math.max((time - times[low]) / span, 0), 1) : 0];
}
function blend(list, width, k) {
  const [low, high, t] = k, row = [];
  for (let c = 0; c < width; c++) row.push(list[low * width + c] * (1 - t) + list[high * width + c] * t);
  return row;
}
function fit(surface) {
  const box = surface.getBoundingClientRect(), ratio = devicePixelRatio || 1;
  const w = Math.max(Math.round(box.width * ratio), 1), h = Math.max(Math.round(box.height * ratio), 1);
  if (surface.width !== w || surface.height !== h) { surface.width = w; surface.height = h; }
  return [w, h, ratio];
}

function draw() {
  const [w, h, ratio] = fit(canvas), k = at(now);
  pen.clearRect(0, 0, w, h);
  const [x0, y0, x1, y1] = data.box, top = 90 * ratio, side = 30 * ratio, bottom = 80 * ratio;
  const scale = Math.min((w - 2 * side) / (x1 - x0), Math.max(h - top - bottom, 1) / (y1 - y0));
  const X = x => w / 2 + (x - (x0 + x1) / 2) * scale, Y = y => top + (h - top - bottom) / 2 - (y - (y0 + y1) / 2) * scale;
  pen.lineJoin = "round";
  for (const line of data.lines) {
    pen.beginPath();
    for (let i = 0; i < line.points.length; i += 2) pen.lineTo(X(line.points[i]), Y(line.points[i + 1]));
    pen.setLineDash(line.style === "ground" ? [] : line.style === "path" ? [2 * ratio, 5 * ratio] : [9 * ratio, 5 * ratio, 2 * ratio, 5 * ratio]);
    pen.strokeStyle = color(line.style === "path" ? "second" : line.style === "axis" ? "line" : "ink");
    pen.lineWidth = (line.style === "path" ? 2 : 1.3) * ratio;
    pen.stroke();
    pen.setLineDash([]);
  }
  for (const body of data.bodies) {
    const [px, py, angle] = blend(body.poses, 3, k), c = Math.cos(angle), s = Math.sin(angle);
    const place = (x, y) => [X(px + c * x - s * y), Y(py + s * x + c * y)];
    pen.beginPath();
    for (let i = 0; i < body.outline.length; i += 2) pen.lineTo(...place(body.outline[i], body.outline[i + 1]));
    pen.closePath();
    pen.fillStyle = color(body.fill); pen.globalAlpha = 0.18; pen.fill(); pen.globalAlpha = 1;
    pen.strokeStyle = color(body.fill); pen.lineWidth = 2.2 * ratio; pen.stroke();
    if (body.mark) {
      pen.beginPath(); pen.moveTo(...place(0, 0)); pen.lineTo(...place(body.outline[0], body.outline[1])); pen.lineWidth = 1.2 * ratio; pen.stroke();
    }
    if (body.cross) {
      const [cx, cy] = place(0, 0), r = 6 * ratio;
      pen.beginPath(); pen.moveTo(cx - r, cy); pen.lineTo(cx + r, cy); pen.moveTo(cx, cy - r); pen.lineTo(cx, cy + r);
      pen.strokeStyle = color("ink"); pen.lineWidth = 1.4 * ratio; pen.stroke();
    }
  }
  for (const arrow of data.arrows) {
    const [x, y, dx, dy] = blend(arrow.frames, 4, k), length = Math.hypot(dx, dy) * scale;
    if (length < 2 * ratio) continue;
    const ax = X(x + dx), ay = Y(y + dy), tip = Math.min(9 * ratio, length), turn = Math.atan2(ay - Y(y), ax - X(x));
    pen.strokeStyle = pen.fillStyle = color("mark"); pen.lineWidth = 2.4 * ratio;
    pen.beginPath(); pen.moveTo(X(x), Y(y)); pen.lineTo(ax, ay); pen.stroke();
    pen.beginPath(); pen.moveTo(ax, ay);
    for (const side of [-0.45, 0.45]) pen.lineTo(ax - tip * Math.cos(turn + side), ay - tip * Math.sin(turn + side));
    pen.closePath(); pen.fill();
  }
  for (const point of data.points) {
    const [x, y] = blend(point.frames, 2, k);
    pen.beginPath(); pen.arc(X(x), Y(y), 4.5 * ratio, 0, 7); pen.fillStyle = color("mark"); pen.fill();
  }
  for (const chart of charts) drawChart(chart);
  clock.value = now.toPrecision(4) + " " + data.clock;
  if (document.activeElement !== when || playing) when.value = last > 0 ? now / last : 0;
}

const palette = ["body", "second", "mark"];
const charts = data.charts.map(chart => {
  const figure = document.createElement("figure"), caption = document.createElement("figcaption"), surface = document.createElement("canvas");
  caption.textContent = chart.name;
  if (chart.series.length > 1) chart.series.forEach((series, i) => {
    const label = document.createElement("span"), key = document.createElement("i");
    key.style.background = `var(--${palette[i]})`;
    label.append(key, series.name); caption.append(label);
  });
  figure.append(caption, surface);
  document.getElementById("charts").append(figure);
  surface.addEventListener("pointerdown", event => seek((event.offsetX - 46) / Math.max(surface.clientWidth - 54, 1)));
  let low = Infinity, high = -Infinity;
  for (const series of chart.series) for (const v of series.values) { low = Math.min(low, v); high = Math.max(high, v); }
  // A constant is drawn as one, not as its rounding errors.
  const least = 1e-6 * Math.max(Math.abs(low), Math.abs(high), 1e-30);
  if (high - low < least) { low -= 0.5 * Math.abs(low) + least; high += 0.5 * Math.abs(high) + least; }
  return { ...chart, surface, low, high };
});

// Round numbers, about four of them, from 0 to the end of the time.
function timeTicks() {
  const rough = last / 4, power = 10 ** Math.floor(Math.log10(rough || 1)), step = [1, 2, 5, 10].find(m => m * power >= rough * 0.999) * power, list = [];
  for (let i = 0; i * step <= last * 1.0001; i++) list.push(i * step);
  return list;
}

const tick = v => Math.abs(v) < 1e-12 ? "0" : Math.abs(v) >= 1000 && Math.abs(v) < 1e6 ? v.toFixed(0) : String(+v.toPrecision(3));

function drawChart(chart) {
  const k = at(now, chart.time);
  const [w, h, ratio] = fit(chart.surface), ink = chart.surface.getContext("2d"), left = 46 * ratio, right = 8 * ratio, pad = 9 * ratio, foot = 30 * ratio;
  const X = t => left + (w - left - right) * (last > 0 ? t / last : 0), Y = v => h - foot - (h - pad - foot) * (v - chart.low) / (chart.high - chart.low);
  ink.clearRect(0, 0, w, h);
  ink.font = 11 * ratio + "px system-ui, sans-serif"; ink.textAlign = "right"; ink.textBaseline = "middle";
  for (const v of [chart.low, (chart.low + chart.high) / 2, chart.high]) {
    ink.strokeStyle = color("line"); ink.lineWidth = ratio;
    ink.beginPath(); ink.moveTo(left, Y(v)); ink.lineTo(w - right, Y(v)); ink.stroke();
    ink.fillStyle = color("soft"); ink.fillText(tick(v), left - 5 * ratio, Y(v));
  }
  ink.textAlign = "center"; ink.textBaseline = "top"; ink.fillStyle = color("soft"); ink.strokeStyle = color("line");
  for (const t of last > 0 ? timeTicks() : [0]) {
    ink.beginPath(); ink.moveTo(X(t), h - foot); ink.lineTo(X(t), h - foot + 4 * ratio); ink.stroke();
    ink.fillText(tick(t), X(t), h - foot + 5 * ratio);
  }
  ink.textAlign = "right"; ink.fillText("time [" + data.clock + "]", w - right, h - 12 * ratio);
  chart.series.forEach((series, i) => {
    ink.strokeStyle = color(palette[i]); ink.lineWidth = 1.5 * ratio; ink.beginPath();
    for (let j = 0; j < chart.time.length; j++) ink.lineTo(X(chart.time[j]), Y(series.values[j]));
    ink.stroke();
    ink.beginPath(); ink.arc(X(now), Y(blend(series.values, 1, k)[0]), 3.2 * ratio, 0, 7); ink.fillStyle = color(palette[i]); ink.fill();
  });
  ink.strokeStyle = color("soft"); ink.lineWidth = ratio; ink.beginPath(); ink.moveTo(X(now), pad); ink.lineTo(X(now), h - foot); ink.stroke();
}

// How the shown time runs against that of the motion.
const speed = document.getElementById("speed"), pace = document.getElementById("pace");
function showPace() {
  const factor = data.slow * speed.value;
  pace.textContent = Math.abs(factor - 1) < 1e-9 ? "real time" : factor < 1 ? `slowed ${+(1 / factor).toPrecision(3)} ×` : `${+factor.toPrecision(3)} × faster`;
}
speed.addEventListener("change", showPace);
showPace();

function seek(part) { now = Math.min(Math.max(part, 0), 1) * last; draw(); }
function toggle(on) { playing = on; play.textContent = on ? "pause" : "play"; play.setAttribute("aria-pressed", on); before = null; if (on) requestAnimationFrame(step); }
function step(stamp) {
  if (!playing) return;
  if (before !== null) now = (now + (stamp - before) / 1000 * data.slow * speed.value) % (last || 1);
  before = stamp;
  draw();
  requestAnimationFrame(step);
}
play.addEventListener("click", () => toggle(!playing));
when.addEventListener("input", () => { toggle(false); seek(+when.value); });
addEventListener("keydown", event => { if (event.key === " " && event.target === document.body) { event.preventDefault(); toggle(!playing); } });
addEventListener("resize", draw);
document.getElementById("theme").addEventListener("click", () => {
  const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "light" : "dark"; draw();
});
draw();
toggle(playing);
