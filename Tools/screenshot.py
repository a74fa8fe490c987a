# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Takes screenshots of pages, in light and dark, from the width of a phone to a wide screen.

    screenshot.py PAGE.html... --output DIR [--widths 390,1024,1920] [--height N] [--print]

This needs Chromium (Debian: apt-get install chromium). It uses the debugging protocol, because `--screenshot`
can neither capture whole pages nor choose the colour scheme. It also prints problems that are easy to
overlook, for each page and width: messages of the console, such as a style or script that the page's own
policy blocks, and elements that make the page wider than the screen.
"""

import argparse
import base64
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

TOO_WIDE = """
(() => {
  const width = document.documentElement.clientWidth;
  const found = [];
  if (document.documentElement.scrollWidth > width) found.push("page");
  for (const element of document.querySelectorAll("body *")) {
    if (element.closest(".scroll, svg, .skip")) continue;
    if (element.getBoundingClientRect().right > width + 1) {
      found.push(element.tagName + "." + element.className);
    }
  }
  return JSON.stringify(found.slice(0, 10));
})()
"""


class Browser:
    """A headless Chromium, controlled over two pipes, which needs neither a port nor another library."""

    def __init__(self, program: str) -> None:
        """Starts the browser."""
        self.folder = tempfile.TemporaryDirectory()
        to_child, self.writing = os.pipe()
        self.reading, from_child = os.pipe()
        # The browser reads file descriptor 3 and writes 4.
        command = f'exec "$0" "$@" 3<&{to_child} 4>&{from_child}'
        self.process = subprocess.Popen(
            ["sh", "-c", command, program, "--headless=new", "--no-sandbox", "--disable-gpu",
             "--hide-scrollbars", f"--user-data-dir={self.folder.name}",
             "--remote-debugging-pipe", "about:blank"],
            pass_fds=[to_child, from_child], stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.buffer = b""
        self.count = 0
        self.session = None
        self.messages = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log"]:
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: object) -> dict:
        """Calls a method and returns its result. Events that arrive meanwhile are kept."""
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.writing, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def receive(self) -> dict:
        """Returns the next message."""
        while b"\0" not in self.buffer:
            part = os.read(self.reading, 1 << 20)
            if not part:
                raise RuntimeError("The browser ended.")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        if message.get("method") in ("Log.entryAdded", "Runtime.consoleAPICalled",
                                     "Runtime.exceptionThrown"):
            self.messages.append(json.dumps(message["params"])[:300])
        if "method" in message:
            self.last_event = message["method"]
        return message

    def open(self, page: Path) -> None:
        """Opens a page and waits until it is loaded."""
        self.call("Page.navigate", url=page.resolve().as_uri())
        while self.receive().get("method") != "Page.loadEventFired":
            pass

    def close(self) -> None:
        """Ends the browser that this program started."""
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()


def shoot(browser: Browser, page: Path, width: int, scheme: str, arguments) -> None:
    """Takes one screenshot of a page."""
    browser.messages.clear()
    browser.call("Emulation.setEmulatedMedia", media="print" if arguments.print else "screen",
                 features=[{"name": "prefers-color-scheme", "value": scheme}])
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900,
                 deviceScaleFactor=1, mobile=width < 600)
    browser.open(page)
    size = browser.call("Page.getLayoutMetrics")["cssContentSize"]
    height = min(int(size["height"]), arguments.height)
    clip = {"x": 0, "y": arguments.top, "width": width, "height": height, "scale": 1}
    data = browser.call("Page.captureScreenshot", format="png", clip=clip,
                        captureBeyondViewport=True)["data"]
    path = arguments.output / f"{page.stem}-{width}-{scheme}.png"
    path.write_bytes(base64.b64decode(data))
    wide = browser.call("Runtime.evaluate", expression=TOO_WIDE)["result"]["value"]
    notes = ([] if wide == "[]" else [f"too wide: {wide}"]) + browser.messages
    print(f"{path}: {width} x {int(size['height'])}", *notes, sep="\n  ")


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", type=Path, nargs="+")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--widths", default="390,1024,1920")
    parser.add_argument("--schemes", default="light,dark")
    parser.add_argument("--top", type=int, default=0, help="where the screenshot begins, in pixels")
    parser.add_argument("--height", type=int, default=16000, help="its maximum height")
    parser.add_argument("--print", action="store_true", help="as on paper")
    arguments = parser.parse_args()
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if not program:
        parser.error("'chromium' is missing (Debian: apt-get install chromium)")
    arguments.output.mkdir(parents=True, exist_ok=True)
    browser = Browser(program)
    try:
        for page in arguments.pages:
            for width in map(int, arguments.widths.split(",")):
                for scheme in arguments.schemes.split(","):
                    shoot(browser, page, width, scheme, arguments)
    finally:
        browser.close()


if __name__ == "__main__":
    main()
