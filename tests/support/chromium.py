"""Chromium without a window, driven through its debugging protocol: pages, mouse, console."""

import base64
import itertools
import json
import shutil
import subprocess
import threading
import time
import urllib.request

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--no-first-run",
    "--remote-debugging-port=0",
    "--remote-allow-origins=*",
)


def program():
    """The path of a Chromium, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Chromium:
    """A running browser; use it as a context manager."""

    def __init__(self, profile, size=(1300, 850)):
        command = [program(), *FLAGS, f"--user-data-dir={profile}", f"--window-size={size[0]},{size[1]}", "about:blank"]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        line = next(line for line in self._process.stderr if "DevTools listening" in line)
        self._port = line.rsplit(":", 1)[1].split("/")[0]
        threading.Thread(target=self._process.stderr.read, daemon=True).start()  # or the pipe would fill up

    def open(self, address):
        """A new page."""
        request = urllib.request.Request(f"http://127.0.0.1:{self._port}/json/new?{address}", method="PUT")
        with urllib.request.urlopen(request, timeout=60) as answer:
            return Page(json.load(answer)["webSocketDebuggerUrl"])

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._process.terminate()
        self._process.wait(30)
        self._process.stderr.close()


class Page:
    """One page of the browser."""

    def __init__(self, address):
        from websockets.sync.client import connect

        self._socket = connect(address, max_size=None, open_timeout=60)
        self._numbers, self._events = itertools.count(1), []
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv(timeout=120))
            if message.get("id") == number:
                assert "error" not in message, message
                return message["result"]
            self._events.append(message)

    def evaluate(self, code):
        """The value of a JavaScript expression."""
        return self.call("Runtime.evaluate", expression=code, returnByValue=True)["result"].get("value")

    @property
    def text(self):
        return self.evaluate("document.body.innerText") or ""

    def wait(self, condition, seconds=90):
        """Wait until a function of no arguments is true, and return its value."""
        end = time.monotonic() + seconds
        while not (value := condition()):
            assert time.monotonic() < end, f"waited {seconds} s; the page says: {self.text[:1500]}"
            time.sleep(0.1)
        return value

    def place(self, text):
        """Middle of the visible element that holds just this text, or None."""
        return self.evaluate(
            f"""(() => {{ let found = null; for (const e of document.querySelectorAll('body *')) {{
              if (e.textContent.trim() !== {text!r} || e.tagName === 'SCRIPT') continue;
              const box = e.getBoundingClientRect();  // the last one is the innermost
              if (box.width) found = [box.x + box.width / 2, box.y + box.height / 2];
            }} return found; }})()"""
        )

    def click(self, text):
        """Click on what holds just this text."""
        self.click_at(*self.wait(lambda: self.place(text)))

    def click_at(self, x, y):
        self.drag((x, y))

    def drag(self, *points):
        """Press the mouse at the first point, move through the others, release at the last."""
        for k, (x, y) in enumerate(points):
            self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, buttons=int(k > 0), button="left")
            if k == 0:
                self.call("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", clickCount=1)
        self.call("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, button="left", clickCount=1)

    def reload(self):
        self.call("Page.bringToFront")
        self.call("Page.reload")

    def picture(self, path):
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    @property
    def errors(self):
        """Exceptions and errors on the console so far."""
        found = []
        for event in self._events:
            method, details = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(details["exceptionDetails"].get("text"))
            elif (method == "Log.entryAdded" and details["entry"]["level"] == "error") or (
                method == "Runtime.consoleAPICalled" and details["type"] == "error"
            ):
                found.append(str(details)[:500])
        return found

    def close(self):
        """Close the page; another one becomes visible, and hidden pages draw nothing."""
        self.call("Page.close")
        self._socket.close()
