// Uses every control of a page that plays a motion; what came of it is in data-out of the body.
// Frames come by the clock of the page, which the browser runs ahead of real time, and pictures stay to be read.
window.requestAnimationFrame = (act) => setTimeout(() => act(performance.now()), 16);
const getContext = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, options) { return getContext.call(this, kind, { ...options, preserveDrawingBuffer: true }); };
addEventListener("error", (e) => { document.body.dataset.error = e.message; });
addEventListener("load", async () => {
  const $ = (id) => document.getElementById(id), canvas = $("canvas"), when = $("when"), out = {};
  const wait = (ms) => new Promise((done) => setTimeout(done, ms)), time = () => +document.body.dataset.time;
  const seen = async () => { await wait(20); return canvas.toDataURL(); };
  const scrub = (part) => { when.value = part; when.dispatchEvent(new Event("input")); return seen(); };
  const key = (name, target = document.body) => {
    target.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
    return seen();
  };
  const press = (target, type, x, y) => target.dispatchEvent(new PointerEvent(type, { clientX: x, clientY: y, pointerId: 1 }));
  const later = async (start) => { for (let k = 0; k < 40 && !(time() > start); k++) await wait(20); return time() - start; };
  const tell = () => { document.body.dataset.out = JSON.stringify(out); };

  await wait(20); out.begun = await later(time()); tell();
  $("play").click(); await seen(); const paused = time(); await wait(60); out.paused = time() - paused;
  await key(" "); out.played = await later(paused); $("play").click(); tell();

  const first = await scrub(0); out.first = time();
  const late = await scrub(.5); out.half = time(); out.moved = first !== late; tell();

  press(canvas, "pointerdown", 300, 200); press(canvas, "pointermove", 380, 230); press(canvas, "pointerup", 380, 230);
  const turned = await seen(); out.turned = late !== turned;
  canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -80, cancelable: true }));
  const near = await seen(); out.zoomed = turned !== near;
  out.keyed = near !== await key("ArrowLeft", canvas); out.kept = time();
  $("reset").click(); const back = await seen(); out.reset = back === late; tell();

  out.contacts = document.body.dataset.contacts;
  $("marks").click(); const bare = await seen(); out.unmarked = bare !== back; out.hidden = document.body.dataset.contacts;
  $("veil").click(); const veiled = await seen(); out.veiled = veiled !== bare;
  $("labels").click(); $("theme").click(); out.night = veiled !== await seen(); tell();

  await key("ArrowRight"); out.step = time();
  await key("End"); out.end = time();
  await key("Home"); out.home = time();
  const chart = document.querySelector("#strip canvas"), box = chart.getBoundingClientRect();
  press(chart, "pointerdown", box.right - 10, box.top + 20); await seen(); out.chart = time(); tell();

  $("view").style.width = "60%"; await wait(50); out.width = [canvas.clientWidth, canvas.width];
  out.names = [...document.querySelectorAll("#names span")].map((s) => s.textContent);
  out.done = true; tell();
});
