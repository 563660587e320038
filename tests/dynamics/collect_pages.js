// Whether the pages in all frames have drawn, in data-out of the body.
addEventListener("error", (e) => { document.body.dataset.error = e.message; });
addEventListener("load", () => setTimeout(() => {
  document.body.dataset.out = [...document.querySelectorAll("iframe")].map((frame) => {
    const page = frame.contentDocument, sorry = page.getElementById("sorry");
    frame.removeAttribute("srcdoc"); // long, and not asked for
    return [page.title, page.body.dataset.drawn ?? (sorry.hidden ? "nothing" : "no WebGL"), page.getElementById("clock").value].join("|");
  }).join("\n");
}, 500));
