# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Uses Net Runner's page in headless Chromium, as a person with a camera would.

    browse.py ADDRESS [--screenshots DIR]

One camera is a video of a shipped seven, and the other one shows a three. The script prints what it saw as a
JSON object, including the console's messages.
"""

import argparse
import base64
import contextlib
import fcntl
import http.server
import io
import json
import os
import shutil
import sys
import tempfile
import threading
import time
import zipfile
from pathlib import Path
from typing import TextIO

from axe_core_python.selenium import Axe
from PIL import Image
from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.by import By

DEMO = Path(__file__).resolve().parents[2] / "Demo"

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
SIZES = [(390, 844), (1024, 768), (1920, 1080)]


def camera_picture(name: str) -> bytes:
    """A JPEG of a digit on white paper."""
    digit = Image.open(DEMO / "images" / name).convert("RGB").resize((480, 480))
    frame = Image.new("RGB", (640, 480), "white")
    frame.paste(digit, (80, 0))
    data = io.BytesIO()
    frame.save(data, "JPEG", quality=90)
    return data.getvalue()


def zipped_bundle() -> bytes:
    """Returns a zip of the digits under another name."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted((DEMO / "digits.tiobundle").rglob("*")):
            if not path.is_file():
                continue
            content = path.read_bytes()
            if path.name == "model.json":
                model = json.loads(content)
                model["id"], model["name"] = "imported", "Imported digits"
                content = json.dumps(model).encode()
            archive.writestr(f"imported.tiobundle/{path.relative_to(DEMO / 'digits.tiobundle')}", content)
    return data.getvalue()


class Bundles(http.server.BaseHTTPRequestHandler):
    """Serves the bundle, but only after the page was reloaded."""

    reloaded = threading.Event()

    def do_GET(self) -> None:
        content = zipped_bundle()
        self.reloaded.wait(20)
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments) -> None:
        pass


def browser_turn() -> TextIO:
    """Waits until no other script has a browser. Closing the file, or the end of the process, ends the turn.

    Several browsers on few cores are so slow that what people see at once takes many seconds.
    """
    file = (Path(tempfile.gettempdir()) / f"tensorio-browser-{os.getuid()}.lock").open("w")
    fcntl.flock(file, fcntl.LOCK_EX)
    return file


class Page:
    def __init__(self, folder: Path, sound: Path | None = None):
        """Opens Chromium, whose microphone plays a WAV file."""
        self.turn = browser_turn()
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
        picture = base64.b64encode(camera_picture("digit-3-01.png")).decode()
        self.driver.execute_cdp_cmd(
            "Page.addScriptToEvaluateOnNewDocument",
            {"source": SECOND_CAMERA.replace("PICTURE", "data:image/jpeg;base64," + picture)})

    def find(self, selector: str):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        return self.driver.execute_script(
            "return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def click(self, selector: str) -> None:
        self.driver.execute_script("document.querySelector(arguments[0]).click()", selector)

    def wait(self, condition, seconds: float = 60) -> float | None:
        """Returns how long a condition took, or None if it never held."""
        start = time.perf_counter()
        while time.perf_counter() - start < seconds:
            # The elements of a view are missing until its scripts are loaded, and a view can replace them.
            with contextlib.suppress(NoSuchElementException, StaleElementReferenceException):
                if condition():
                    return time.perf_counter() - start
            time.sleep(0.02)
        return None

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

    def screenshots(self, folder: Path, name: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for width, height in SIZES:
            self.driver.execute_cdp_cmd(
                "Emulation.setDeviceMetricsOverride",
                {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
            for theme in ["light", "dark"]:
                self.driver.execute_cdp_cmd(
                    "Emulation.setEmulatedMedia",
                    {"features": [{"name": "prefers-color-scheme", "value": theme}]})
                time.sleep(0.6)
                self.driver.save_screenshot(str(folder / f"{name}-{width}-{theme}.png"))
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def accessibility(address: str, page: Page, views: list[str]) -> list[str]:
    """What axe finds in views, at each size, light and dark."""
    found = []
    for width, height in SIZES:
        page.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
        for theme in ["light", "dark"]:
            page.driver.execute_cdp_cmd(
                "Emulation.setEmulatedMedia",
                {"features": [{"name": "prefers-color-scheme", "value": theme}]})
            for view in views:
                page.driver.get(address.split("#")[0] + "#/" + view)
                page.wait(lambda: page.find(f"[data-view={view.split('/')[0]}]").is_displayed())
                time.sleep(0.3)
                for violation in Axe().run(page.driver)["violations"]:
                    nodes = [node["target"] for node in violation["nodes"][:3]]
                    found.append(f"{view} {width} {theme}: {violation['id']} {nodes}")
    page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    return found


def browse(address: str, page: Page, screenshots: Path | None) -> dict:
    seen: dict = {}

    def look(name: str) -> None:
        if screenshots:
            page.screenshots(screenshots, name)

    page.driver.get(address)
    # With the models that came with the program, the page opens on a sample.
    seen["label_after"] = page.wait(lambda: page.text("#top-label") == "zero")
    seen["opens_on_a_sample"] = page.find("#strip").is_displayed()
    seen["says_what_it_can_do"] = page.find("#welcome").is_displayed()
    look("welcome")
    page.click("#welcome .plain")
    page.driver.refresh()
    page.wait(lambda: page.find("#to-camera").is_displayed())
    seen["says_it_once"] = not page.find("#welcome").is_displayed()
    page.click("#to-camera")
    seen["uses_the_camera"] = page.shows("seven")
    seen["shows_the_age"] = page.wait(lambda: page.text("#age").endswith(" ms")) is not None
    seen["previews"] = page.wait(
        lambda: len(page.driver.find_elements(By.CSS_SELECTOR, "#previews img, #previews canvas")) >= 4
    ) is not None
    look("live")

    seen["says_what_shipped_models_read"] = page.find("#model-hint").is_displayed()

    page.click("#flip")
    seen["flips"] = page.shows("three")
    page.swipe("#stage")
    seen["flips_by_swipe"] = page.shows("seven")

    page.click("#pause")
    time.sleep(0.7)
    still = page.frames()
    time.sleep(0.7)
    seen["pauses"] = page.frames() == still
    page.click("#pause")
    seen["resumes"] = page.wait(lambda: page.frames() > still) is not None

    page.choose_model("digits-int8")
    seen["label_of_other_model"] = page.shows("seven")

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Bundles)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page.driver.get(address.split("#")[0] + "#/models")
    page.wait(lambda: page.find("#import-url").is_displayed())
    page.find("#import-url").send_keys(f"http://127.0.0.1:{server.server_port}/x.zip")
    page.click("#import-start")
    page.wait(lambda: page.text("#import-state"))
    page.driver.refresh()
    seen["import_is_followed"] = page.wait(
        lambda: "Downloading" in page.text("#import-state")) is not None
    Bundles.reloaded.set()
    seen["imports"] = page.wait(lambda: "imported" in page.models()) is not None
    seen["import_says"] = page.text("#import-state")
    look("models")

    page.driver.get(address.split("#")[0] + "#/live")
    seen["says_it_no_more"] = page.wait(
        lambda: page.find("#stage").is_displayed()
        and not page.find("#model-hint").is_displayed()) is not None

    page.driver.get(address.split("#")[0] + "#/evaluate")
    page.wait(lambda: page.find("#evaluate-start").is_displayed())
    look("evaluate")
    page.click("#evaluate-start")
    seen["evaluates"] = page.wait(
        lambda: page.driver.find_elements(By.CSS_SELECTOR, "#export-json")) is not None
    seen["evaluation_says"] = page.text("#evaluation-state")
    time.sleep(1)
    results = page.driver.execute_script("return location.hash").removeprefix("#/")
    look("results")
    if seen["evaluates"]:
        page.click("#export-json")
        seen["exports"] = page.wait(
            lambda: any(p.suffix == ".json" for p in page.downloads.iterdir())) is not None
        for path in page.downloads.glob("*.json"):
            seen["export_keys"] = sorted(json.loads(path.read_text()))
    for view in ["label", "settings"]:
        page.driver.get(address.split("#")[0] + "#/" + view)
        time.sleep(0.5)
        look(view)
    views = ["live", "models", "models/digits", "evaluate", results, "label", "settings"]
    seen["axe"] = accessibility(address, page, views)
    seen["console"] = [entry["message"] for entry in page.driver.get_log("browser")]
    return seen


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("--screenshots", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        page = Page(Path(folder))
        try:
            json.dump(browse(arguments.address, page, arguments.screenshots), sys.stdout)
        finally:
            page.driver.quit()


if __name__ == "__main__":
    os.environ.setdefault("SE_AVOID_STATS", "true")
    main()
