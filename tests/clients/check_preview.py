#!/usr/bin/env python3
"""Opens a page of `pliant preview` in headless Chromium and uses it as a visitor would.

    tests/clients/check_preview.py PAGE.html [--screenshot FILE.png] [--chromium PROGRAM]

No message of the console and no failed request; bodies are drawn; playing goes on; another frame, another colour and
the 2D renderer are other pictures. Needs Python and Chromium alone: the DevTools protocol over a pipe. Prints one
line; exit code 0 if all is well.
"""

import argparse
import base64
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

SECONDS = 60


def check(condition, message):
    if not condition:
        raise AssertionError(message)


class Browser:
    """Chromium behind two pipes; messages end with a zero byte."""

    def __init__(self, program, profile):
        to_child, self.to_browser = os.pipe()
        self.from_browser, from_child = os.pipe()

        def connect():
            # Chromium reads descriptor 3 and writes descriptor 4; the pipes may have these numbers themselves.
            inputs, outputs = os.dup(to_child), os.dup(from_child)
            while inputs in (3, 4):
                inputs = os.dup(inputs)
            while outputs in (3, 4):
                outputs = os.dup(outputs)
            os.dup2(inputs, 3)
            os.dup2(outputs, 4)

        flags = [
            "--headless", "--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", "--no-first-run",
            "--disable-background-networking", "--disable-dev-shm-usage", "--hide-scrollbars", f"--user-data-dir={profile}",
            "--remote-debugging-pipe", "about:blank",
        ]
        self.process = subprocess.Popen(
            [program, *flags], preexec_fn=connect, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        os.close(to_child)
        os.close(from_child)
        os.set_blocking(self.from_browser, False)
        self.buffer, self.number, self.session, self.events = b"", 0, None, []

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def receive(self, deadline):
        while b"\0" not in self.buffer:
            check(time.monotonic() < deadline, "the browser does not answer")
            check(self.process.poll() is None, "the browser has ended")
            try:
                data = os.read(self.from_browser, 1 << 20)
            except BlockingIOError:
                time.sleep(0.005)
                continue
            check(data, "the browser has closed its pipe")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to_browser, data):]
        deadline = time.monotonic() + SECONDS
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == self.number:
                check("error" not in answer, f"{method}: {answer.get('error')}")
                return answer["result"]
            self.events.append(answer)

    def evaluate(self, expression):
        """The value of an expression in the page; exceptions there are failures here."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        thrown = answer.get("exceptionDetails", {})
        check(not thrown, f"{expression}: {thrown.get('exception', {}).get('description', thrown)}")
        return answer["result"].get("value")

    def open(self, address):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=1000, height=700, deviceScaleFactor=1, mobile=False)
        self.navigate(address)

    def navigate(self, address):
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=address)
        deadline = time.monotonic() + SECONDS
        while self.evaluate("document.readyState") != "complete" or self.evaluate("location.href") == "about:blank":
            check(time.monotonic() < deadline, "the page does not load")
            time.sleep(0.05)

    def wait_for(self, expression, what):
        deadline = time.monotonic() + SECONDS
        while not self.evaluate(expression):
            check(time.monotonic() < deadline, what)
            time.sleep(0.05)

    def picture(self):
        """Width, height and the pixels of a screenshot, after the next two frames were drawn."""
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        return data, *decode(data)

    def complaints(self):
        """Messages of the console, exceptions, and requests for anything but the page."""
        out = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                out.append(params["exceptionDetails"].get("exception", {}).get("description", str(params)))
            elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                out.append(str(params["args"]))
            elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
                out.append(params["entry"]["text"])
            elif method == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if not url.startswith(("file:", "about:", "data:")):
                    out.append(f"a request for {url}")
        return out


def decode(png):
    """Width, height and RGB bytes of a PNG of 8-bit RGB or RGBA."""
    at, data = 8, b""
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
        elif kind == b"IDAT":
            data += body
        at += 12 + length
    check(depth == 8 and colour in (2, 6), f"a PNG of {depth} bits and kind {colour}")
    step = 3 if colour == 2 else 4
    raw, stride = zlib.decompress(data), width * step
    before, rows = bytearray(stride), []
    for y in range(height):
        kind, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            left, up = row[i - step] if i >= step else 0, before[i]
            corner = before[i - step] if i >= step else 0
            if kind == 1:
                row[i] = (row[i] + left) & 255
            elif kind == 2:
                row[i] = (row[i] + up) & 255
            elif kind == 3:
                row[i] = (row[i] + (left + up) // 2) & 255
            elif kind == 4:
                guess = left + up - corner
                a, b, c = abs(guess - left), abs(guess - up), abs(guess - corner)
                row[i] = (row[i] + (left if a <= b and a <= c else up if b <= c else corner)) & 255
        rows.append(row)
        before = row
    pixels = [bytes(row[i:i + 3]) for row in rows for i in range(0, stride, step)]
    return width, height, pixels


def view(pixels, width, height):
    """The middle of a picture, without title, legend and controls."""
    rows = range(height // 8, height * 3 // 4)
    return [pixels[y * width + x] for y in rows for x in range(width // 4, width)]


def coloured(pixels):
    """How many pixels have a colour of their own: neither paper, floor nor shadow, which are nearly grey."""
    return sum(max(p) - min(p) > 24 for p in pixels)


def different(a, b):
    return sum(max(abs(x - y) for x, y in zip(p, q)) > 12 for p, q in zip(a, b))


def examine(browser, address):
    browser.open(address)
    shown = browser.evaluate("document.getElementById('message').style.display")
    check(shown != "block", browser.evaluate("document.getElementById('message').textContent"))
    check(browser.evaluate("typeof window.pliant") == "object", "; ".join(browser.complaints()) or "no window.pliant")
    frames = browser.evaluate("pliant.frames")
    check(len(frames) >= 2, f"{len(frames)} frames")
    renderer = browser.evaluate("pliant.renderer")
    check(renderer == "webgl", f"the page draws by {renderer}, not by WebGL")

    def look():
        data, width, height, pixels = browser.picture()
        return data, view(pixels, width, height)

    _, first = look()
    check(coloured(first) > 300, f"only {coloured(first)} pixels of bodies")
    browser.evaluate("pliant.play()")
    browser.wait_for(f"pliant.frame !== {frames[0]}", "playing does not go on")
    browser.evaluate("pliant.pause()")
    stopped = browser.evaluate("pliant.frame")
    time.sleep(0.3)
    check(browser.evaluate("pliant.frame") == stopped, "it goes on after pause()")

    moved = 0
    for frame in frames:
        browser.evaluate(f"pliant.seek({frame})")
        check(browser.evaluate("pliant.frame") == frame, f"seek({frame}) went elsewhere")
        if frame in (frames[len(frames) // 3], frames[-1]):
            moved = max(moved, different(first, look()[1]))
    check(moved > 100, f"other frames differ in {moved} pixels only")

    arrays = browser.evaluate("[...document.getElementById('colour').options].map((o) => o.value)")
    check(arrays[0] == "body", f"colours {arrays}")
    _, plain = look()
    recoloured = {}
    for name in arrays[1:]:
        browser.evaluate(f"pliant.colorBy({json.dumps(name)})")
        numbers = browser.evaluate("[...document.querySelectorAll('#legend .bar span')].map((s) => s.textContent)")
        check(len(numbers) == 5 and all(float(n) == float(n) for n in numbers), f"{name}: a legend of {numbers}")
        recoloured[name] = different(plain, look()[1])
        check(recoloured[name] > 300, f"colours of {name} change {recoloured[name]} pixels only")
    data, _ = look()

    key = "window.dispatchEvent(new KeyboardEvent('keydown', { key: %r, bubbles: true }))"
    browser.evaluate("pliant.seek(0)")
    browser.evaluate(key % "ArrowRight")
    check(browser.evaluate("pliant.frame") == frames[1], "the arrow key does nothing")
    _, before = look()
    browser.evaluate(key % "w")
    check(different(before, look()[1]) > 100 or browser.evaluate("meta.triangles") == 0, "the wireframe is not seen")
    browser.evaluate(key % "d")
    check(different(before, look()[1]) > len(before) // 3, "the dark background is not seen")
    mouse = lambda kind, x: browser.call(
        "Input.dispatchMouseEvent", type=kind, x=x, y=300, button="left", buttons=1, clickCount=1)
    _, before = look()
    mouse("mousePressed", 500)
    mouse("mouseMoved", 620)
    mouse("mouseReleased", 620)
    check(different(before, look()[1]) > 100, "dragging does not turn the view")

    browser.navigate(address + "#canvas")
    check(browser.evaluate("pliant.renderer") == "canvas", "there is no 2D renderer")
    painted = coloured(look()[1])
    check(painted > 300, f"the 2D renderer draws only {painted} pixels")
    complaints = browser.complaints()
    check(not complaints, "; ".join(complaints))
    return frames, arrays, coloured(first), data


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page", type=Path)
    parser.add_argument("--screenshot", type=Path)
    parser.add_argument("--chromium", default=shutil.which("chromium") or shutil.which("chromium-browser"))
    options = parser.parse_args()
    check(options.chromium, "there is no Chromium (Debian package 'chromium')")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(options.chromium, profile)
        try:
            frames, arrays, pixels, picture = examine(browser, options.page.resolve().as_uri())
        finally:
            browser.close()
    if options.screenshot:
        options.screenshot.write_bytes(picture)
    print(
        f"{options.page}: {len(frames)} frames, {pixels} pixels of bodies, coloured by {', '.join(arrays)}; "
        "plays, seeks, turns, and draws without WebGL too"
    )


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        sys.exit(f"check_preview: {error}")
