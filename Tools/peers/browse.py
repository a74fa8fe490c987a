# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Uses Net Runner's page in headless Chromium, as a person with a camera would.

    browse.py ADDRESS [--size 390x844] [--screenshots DIR]

The script prints what it saw as a JSON object, including the console's messages.
"""

import contextlib
import http.server
import io
import json
import sys
import threading
import time
import zipfile
from pathlib import Path

from selenium.webdriver.common.by import By

from page import DEMO, Page, opened, page_arguments


def zipped_bundle(identifier: str = "imported") -> bytes:
    """Returns a zip of the digits under another name."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted((DEMO / "digits.tiobundle").rglob("*")):
            if not path.is_file():
                continue
            content = path.read_bytes()
            if path.name == "model.json":
                model = json.loads(content)
                model["id"], model["name"] = identifier, f"{identifier.capitalize()} digits"
                content = json.dumps(model).encode()
            archive.writestr(f"{identifier}.tiobundle/{path.relative_to(DEMO / 'digits.tiobundle')}", content)
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
        # A cancelled download ends the connection.
        with contextlib.suppress(ConnectionError):
            self.wfile.write(content)

    def log_message(self, *arguments) -> None:
        pass


def import_another(page: Page, address: str, folder: Path) -> bool:
    """Imports a model while another one is downloaded, and returns whether it takes the place of that one."""
    archive = folder / "second.zip"
    archive.write_bytes(zipped_bundle("second"))
    Bundles.reloaded.clear()
    page.wait(lambda: page.find("#import-start").is_enabled())
    page.type("#import-url", address)
    page.click("#import-start")
    page.wait(lambda: "Downloading" in page.text("#import-state"))
    page.find("#zip-input").send_keys(str(archive))
    page.wait(lambda: "Imported Second digits" in page.text("#import-state"))
    states = lambda: page.driver.execute_async_script(
        """const [done] = arguments;
        fetch("/api/v1/imports").then((response) => response.json()).then(
          ({ imports }) => done(imports.map(({ state }) => state)));""")
    is_cancelled = page.wait(lambda: states() == ["cancelled", "done"], 15) is not None
    Bundles.reloaded.set()
    return is_cancelled and page.find("#import-start").is_enabled() and "second" in page.models()


def browse(address: str, page: Page, folder: Path) -> dict:
    seen: dict = {}

    page.driver.get(address)
    # With the models that came with the program, the page opens on a sample.
    seen["label_after"] = page.wait(lambda: page.text("#top-label") == "zero")
    seen["opens_on_a_sample"] = page.find("#strip").is_displayed()
    seen["says_what_it_can_do"] = page.find("#welcome").is_displayed()
    page.look("welcome")
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
    page.look("live")

    seen["says_what_shipped_models_read"] = page.find("#model-hint").is_displayed()

    page.click("#flip")
    seen["flips"] = page.shows("three")
    page.driver.get(address.split("#")[0] + "#/settings")
    page.wait(lambda: page.find("#settings-form").is_displayed())
    page.driver.get(address.split("#")[0] + "#/live")
    page.wait(lambda: page.find("#stage").is_displayed())
    frames = page.frames()
    page.wait(lambda: page.frames() != frames)
    seen["keeps_the_camera"] = page.shows("three")
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
    bundle = f"http://127.0.0.1:{server.server_port}/x.zip"
    page.type("#import-url", bundle)
    page.click("#import-start")
    page.wait(lambda: page.text("#import-state"))
    page.driver.refresh()
    seen["import_is_followed"] = page.wait(
        lambda: "Downloading" in page.text("#import-state")) is not None
    Bundles.reloaded.set()
    seen["imports"] = page.wait(lambda: "imported" in page.models()) is not None
    seen["import_says"] = page.text("#import-state")
    page.look("models")
    seen["imports_another_meanwhile"] = import_another(page, bundle, folder)

    page.driver.get(address.split("#")[0] + "#/live")
    seen["says_it_no_more"] = page.wait(
        lambda: page.find("#stage").is_displayed()
        and not page.find("#model-hint").is_displayed()) is not None

    page.driver.get(address.split("#")[0] + "#/evaluate")
    page.wait(lambda: page.find("#evaluate-start").is_displayed())
    page.look("evaluate")
    page.click("#evaluate-start")
    seen["evaluates"] = page.wait(
        lambda: page.driver.find_elements(By.CSS_SELECTOR, "#export-json")) is not None
    seen["evaluation_says"] = page.text("#evaluation-state")
    page.wait(lambda: page.driver.find_elements(By.CSS_SELECTOR, "#rows li img[src]"))
    page.look("results")
    if seen["evaluates"]:
        page.click("#export-json")
        seen["exports"] = page.wait(
            lambda: any(p.suffix == ".json" for p in page.downloads.iterdir())) is not None
        for path in page.downloads.glob("*.json"):
            seen["export_keys"] = sorted(json.loads(path.read_text()))
    for view in ["models/digits", "label", "settings"]:
        page.driver.get(address.split("#")[0] + "#/" + view)
        page.wait(lambda: page.find(f"[data-view={view.split('/')[0]}]").is_displayed())
        time.sleep(0.3)
        page.look(view.replace("/", "-"))
    seen["axe"] = page.found
    seen["console"] = page.console()
    return seen


def main() -> None:
    arguments = page_arguments().parse_args()
    with opened(arguments) as (page, folder):
        json.dump(browse(arguments.address, page, folder), sys.stdout)


if __name__ == "__main__":
    main()
