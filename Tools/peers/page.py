# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Net Runner's page in headless Chromium, at one size, for the scripts that use it as people do.

One camera is a video of a shipped seven, and the other one shows a three.
"""

import argparse
import base64
import contextlib
import fcntl
import io
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from axe_core_python.base import AXE_SCRIPT
from PIL import Image
from selenium import webdriver
from selenium.common.exceptions import (
    ElementNotInteractableException, NoSuchElementException, StaleElementReferenceException
)
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.by import By

DEMO = Path(__file__).resolve().parents[2] / "Demo"

# A phone, a tablet or small window, and a large screen.
SIZES = ["390x844", "1024x768", "1920x1080"]

# Chromium has only one camera if it is a file. The second one, which faces the other way, is a still image.
SECOND_CAMERA = """
const { mediaDevices } = navigator;
const first = { devices: mediaDevices?.enumerateDevices, open: mediaDevices?.getUserMedia };
if (mediaDevices) {
  mediaDevices.enumerateDevices = async () => [
    ...(await first.devices.call(mediaDevices)),
    { kind: "videoinput", deviceId: "second", groupId: "", label: "Second camera" },
  ];
  mediaDevices.getUserMedia = async (constraints) => {
    if (!JSON.stringify(constraints).includes("second")) return first.open.call(mediaDevices, constraints);
    const canvas = document.createElement("canvas");
    const picture = new Image();
    picture.src = "PICTURE";
    await picture.decode();
    [canvas.width, canvas.height] = [picture.width, picture.height];
    setInterval(() => canvas.getContext("2d").drawImage(picture, 0, 0), 50);
    return canvas.captureStream(20);
  };
}
"""

# Runs axe in the colors of the moment, after they are drawn: all of its rules, or only those about colors. Only what
# it finds is described, which saves most of its time.
RUN_AXE = """
const [runsAllRules, done] = arguments;
const colors = { runOnly: ["color-contrast", "link-in-text-block"] };
const options = { resultTypes: ["violations"], preload: false, ...(runsAllRules ? {} : colors) };
const drawn = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
drawn().then(() => axe.run(document, options)).then(({ violations }) => done(
  violations.map(({ id, nodes }) => `${id} ${nodes.slice(0, 3).map(({ target }) => target).join("; ")}`)));
"""


def camera_picture(name: str) -> bytes:
    """A JPEG of a digit on white paper."""
    digit = Image.open(DEMO / "images" / name).convert("RGB").resize((480, 480))
    frame = Image.new("RGB", (640, 480), "white")
    frame.paste(digit, (80, 0))
    data = io.BytesIO()
    frame.save(data, "JPEG", quality=90)
    return data.getvalue()


def browser_turn() -> TextIO:
    """Waits until fewer browsers than cores are open. Closing the file, or the end of the process, ends the turn.

    With more browsers, what people see at once takes many seconds.
    """
    folder = Path(tempfile.gettempdir())
    while True:
        for number in range(os.cpu_count() or 1):
            file = (folder / f"tensorio-browser-{os.getuid()}-{number}.lock").open("w")
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return file
            except BlockingIOError:
                file.close()
        time.sleep(0.1)


class Page:
    """The page in a window of one size. The smallest size is a phone with a touchscreen."""

    def __init__(
            self, folder: Path, size: str = "1024x768", sound: Path | None = None, screenshots: Path | None = None):
        """Opens Chromium, whose microphone plays a WAV file."""
        self.turn = browser_turn()
        self.screenshots = screenshots
        self.width, self.height = map(int, size.split("x"))
        self.is_phone = self.width < 500
        # What axe found, and views that are wider than the window.
        self.found: list[str] = []
        camera = folder / "camera.mjpeg"
        camera.write_bytes(camera_picture("digit-7-01.png") * 30)
        self.downloads = folder / "downloads"
        self.downloads.mkdir()
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for argument in [
            "headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage",
            "use-fake-ui-for-media-stream", "use-fake-device-for-media-stream=device-count=2",
            f"use-file-for-fake-video-capture={camera}", "window-size=1024,768",
        ]:
            options.add_argument("--" + argument)
        if sound:
            options.add_argument(f"--use-file-for-fake-audio-capture={sound}")
        # Without this setting, Chromium asks before the second download.
        options.add_experimental_option("prefs", {
            "download.default_directory": str(self.downloads),
            "profile.default_content_setting_values.automatic_downloads": 1})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(
            options=options, service=Service(shutil.which("chromedriver")))
        self.driver.set_script_timeout(60)
        picture = base64.b64encode(camera_picture("digit-3-01.png")).decode()
        self.send(
            "Page.addScriptToEvaluateOnNewDocument",
            source=SECOND_CAMERA.replace("PICTURE", "data:image/jpeg;base64," + picture))
        self.send(
            "Emulation.setDeviceMetricsOverride", width=self.width, height=self.height,
            deviceScaleFactor=1, mobile=self.is_phone)
        if self.is_phone:
            self.send("Emulation.setTouchEmulationEnabled", enabled=True)

    def send(self, command: str, **values) -> dict:
        """Sends a command of the Chrome DevTools Protocol."""
        return self.driver.execute_cdp_cmd(command, values)

    def find(self, selector: str):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        return self.driver.execute_script(
            "return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def click(self, selector: str) -> None:
        """Clicks an element as soon as there is one. A view can replace it at any time."""
        script = """const element = document.querySelector(arguments[0]);
            element?.click();
            return element !== null;"""
        if self.wait(lambda: self.driver.execute_script(script, selector)) is None:
            raise NoSuchElementException(selector)

    def wait(self, condition, seconds: float = 60) -> float | None:
        """Returns how long a condition took, or None if it never held."""
        start = time.perf_counter()
        while time.perf_counter() - start < seconds:
            # The elements of a view are missing until its scripts are loaded, and a view can replace and move them.
            with contextlib.suppress(
                ElementNotInteractableException, NoSuchElementException, StaleElementReferenceException
            ):
                if condition():
                    return time.perf_counter() - start
            time.sleep(0.02)
        return None

    def type(self, selector: str, text: str) -> None:
        """Types a text into a field as soon as the field takes it."""
        self.wait(lambda: self.find(selector).send_keys(text) is None)

    def choose_model(self, name: str) -> None:
        self.driver.execute_script(
            """const select = document.querySelector('#model-select');
            select.value = arguments[0]; select.dispatchEvent(new Event('change'));""", name)

    def models(self) -> list[str]:
        return self.driver.execute_script(
            "return [...document.querySelectorAll('#model-select option')].map(o => o.value)")

    def swipe(self, selector: str) -> None:
        """Swipes from right to left."""
        width = self.find(selector).size["width"]
        chain = ActionChains(self.driver, duration=40)
        chain.w3c_actions = ActionBuilder(self.driver, PointerInput("touch", "finger"), duration=40)
        finger = chain.w3c_actions.pointer_action
        finger.move_to(self.find(selector), x=width // 4).pointer_down()
        finger.move_to(self.find(selector), x=-width // 4).pointer_up()
        chain.perform()

    def shows(self, label: str) -> bool:
        """Returns whether the page shows a label in time."""
        return self.wait(lambda: self.text("#top-label") == label) is not None

    def frames(self) -> int:
        """Returns the number of frames in the average."""
        digits = "".join(c for c in self.text("#latency-count") if c.isdigit())
        return int(digits or 0)

    def console(self) -> list[str]:
        """Returns the messages since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def look(self, name: str, runs_axe: bool = True) -> None:
        """Looks at the page as it is, light and dark: axe, its width, and screenshots if they are wanted."""
        for theme in ["light", "dark"]:
            self.send("Emulation.setEmulatedMedia", features=[
                {"name": "prefers-color-scheme", "value": theme},
                {"name": "prefers-reduced-motion", "value": "reduce"}])
            if runs_axe:
                # The other rules find the same in both themes, which one size shows.
                self.run_axe(f"{name} {self.width} {theme}", theme == "light" or self.width == 1024)
            if self.screenshots:
                self.screenshots.mkdir(parents=True, exist_ok=True)
                self.driver.save_screenshot(str(self.screenshots / f"{name}-{self.width}-{theme}.png"))
        width = self.driver.execute_script("return document.documentElement.scrollWidth")
        if width > self.width:
            self.found.append(f"{name} is {width} pixels wide at {self.width}")
        self.send("Emulation.setEmulatedMedia", features=[])

    def run_axe(self, place: str, runs_all_rules: bool) -> None:
        if not self.driver.execute_script("return 'axe' in window"):
            self.driver.execute_script(AXE_SCRIPT)
        self.found += [f"{place}: {each}" for each in self.driver.execute_async_script(RUN_AXE, runs_all_rules)]


def page_arguments() -> argparse.ArgumentParser:
    """The arguments of every script that uses the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("--size", choices=SIZES, default="1024x768")
    parser.add_argument("--screenshots", type=Path)
    return parser


@contextlib.contextmanager
def opened(arguments: argparse.Namespace, sound: Path | None = None) -> Iterator[tuple[Page, Path]]:
    """Opens Chromium with an empty folder for files, and quits it."""
    os.environ.setdefault("SE_AVOID_STATS", "true")
    with tempfile.TemporaryDirectory() as name:
        page = Page(Path(name), arguments.size, sound, arguments.screenshots)
        try:
            yield page, Path(name)
        finally:
            page.driver.quit()
