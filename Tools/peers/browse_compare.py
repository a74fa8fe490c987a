#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Compares two models in the live view, makes it fail in every way, and looks at it in German.

    browse_compare.py http://127.0.0.1:PORT/ [--size 390x844] [--screenshots FOLDER]

Imports a copy of the digits whose labels are German. Prints one JSON object of what worked.
"""

import io
import json
import sys
import tempfile
import time
import urllib.request
import zipfile
from pathlib import Path

from browse_rest import give
from page import DEMO, Page, opened, page_arguments
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

# Notes which model each image was sent to, and how many requests were in progress at once.
WATCH = """
window.sent = []; window.inProgress = 0; window.mostInProgress = 0;
const numbers = new WeakMap(); let next = 0;
const original = window.fetch;
window.fetch = async (address, options) => {
  const change = window.change?.(String(address));
  if (change === "gone") throw new TypeError("Failed to fetch");
  if (change) return new Response(JSON.stringify(change.body), { status: change.status ?? 200 });
  const model = /models\\/([^/]+)\\/infer/.exec(address)?.[1];
  if (!model) return original(address, options);
  if (!numbers.has(options.body)) numbers.set(options.body, next++);
  window.sent.push([numbers.get(options.body), model]);
  window.mostInProgress = Math.max(window.mostInProgress, ++window.inProgress);
  try { return await original(address, options); } finally { window.inProgress -= 1; }
};
"""
CHANGES = {
    "no_models": 'a => a.endsWith("v1/models") && { body: { models: [], default: "" } }',
    "no_list": 'a => a.endsWith("v1/models") && { status: 500, body: { error: '
               '{ code: "internal_error", message: "The folder is gone." } } }',
    "no_samples": 'a => a.endsWith("v1/samples") && { body: { samples: [] } }',
    "no_runtime": 'a => a.endsWith("v1/server") && { body: { name: "Net Runner", version: "1", threads: 1, '
                  'folders: [], problem: "LiteRT is missing. Run \'pip install LiteRT\' to install it." } }',
    "fails": 'a => a.includes("/infer") && window.isBroken && { status: 500, body: { error: '
             '{ code: "inference_failed", message: "Node 7 failed." } } }',
    "gone": 'a => window.isBroken && "gone"',
}
CAMERA = """
const open = navigator.mediaDevices?.getUserMedia;
window.isBroken = true;
if (open) navigator.mediaDevices.getUserMedia = async (wanted) => {
  if (window.isBroken) throw new DOMException("It said no.", "NAME");
  return open.call(navigator.mediaDevices, wanted);
};
"""
INSECURE = 'Object.defineProperty(window, "isSecureContext", { value: false });'
CANNOT_RUN = """
const fetched = window.fetch;
window.fetch = async (address, options) => {
  const response = await fetched(address, options);
  if (!String(address).endsWith("v1/models")) return response;
  const answer = await response.json();
  for (const model of answer.models) Object.assign(model, { can_run: false, reason: "It needs 9 GB." });
  return new Response(JSON.stringify(answer));
};
"""
# The texts of the live view, the settings and the page's frame that have a translation, but are English.
LEFT_IN_ENGLISH = """
const done = arguments[0];
import("/js/german.js").then(({ german }) => {
  const seen = [];
  const isLeft = (text) => german[text] !== undefined && ![german[text]].flat().includes(text);
  const names = ["aria-label", "title", "placeholder", "data-hint"];
  for (const root of document.querySelectorAll("[data-view=live], [data-view=settings], .rail, .messages, dialog")) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) seen.push(walker.currentNode.data.trim());
    for (const node of root.querySelectorAll("*")) seen.push(...names.map((name) => node.getAttribute(name)));
  }
  done(seen.filter(isLeft));
});
"""


def import_german_digits(address: str) -> None:
    """Imports the digits with other labels, which the server then has as the model 'ziffern'."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for path in sorted((DEMO / "digits.tiobundle").rglob("*")):
            content = path.read_bytes() if path.is_file() else None
            if path.name == "model.json":
                content = json.dumps({**json.loads(content), "id": "ziffern", "name": "Ziffern"}).encode()
            if path.name == "labels.txt":
                content = b"null\neins\nzwei\ndrei\nvier\nfuenf\nsechs\nsieben\nacht\nneun\n"
            if content is not None:
                archive.writestr(f"ziffern.tiobundle/{path.relative_to(DEMO / 'digits.tiobundle')}", content)
    urllib.request.urlopen(urllib.request.Request(
        address + "api/v1/models", data=data.getvalue(), headers={"Content-Type": "application/zip"})).read()


class Opened:
    """The page, opened again with other scripts before its own."""

    def __init__(self, page: Page, address: str, *scripts: str):
        self.page = page
        self.scripts = [page.driver.execute_cdp_cmd(
            "Page.addScriptToEvaluateOnNewDocument", {"source": script})["identifier"] for script in scripts]
        page.driver.get("about:blank")
        page.driver.get(address)
        page.wait(lambda: page.driver.find_elements(By.CSS_SELECTOR, "[data-view]:not([hidden])"))

    def __enter__(self) -> Page:
        return self.page

    def __exit__(self, *_) -> None:
        for script in self.scripts:
            self.page.driver.execute_cdp_cmd(
                "Page.removeScriptToEvaluateOnNewDocument", {"identifier": script})


def is_shown(page: Page, selector: str) -> bool:
    return page.driver.execute_script(
        "return document.querySelector(arguments[0])?.checkVisibility() ?? false", selector)


def says(page: Page, root: str, text: str, button: str | None, detail: str = "") -> bool:
    """Whether an element shows a text, exactly one button or none, and a detail that is folded."""
    def holds() -> bool:
        buttons, details = page.driver.execute_script(
            """const root = document.querySelector(arguments[0]);
            const texts = (selector) => [...root.querySelectorAll(selector)]
              .filter((each) => each.checkVisibility()).map((each) => each.textContent);
            return [texts("button"), texts("details:not([open])")];""", root)
        return (is_shown(page, root) and text in page.text(root)
                and buttons == ([button] if button else []) and detail in "".join(details))
    return page.wait(holds) is not None


def choose_second(page: Page, name: str) -> None:
    page.driver.execute_script(
        """const select = document.querySelector('#second-model-select');
        select.value = arguments[0]; select.dispatchEvent(new Event('change'));""", name)


def times(page: Page) -> list[list[str]]:
    """The cells of the table of both models' times."""
    return page.driver.execute_script(
        """return [...document.querySelectorAll("#compared-times tr")].map((row) => (
          [...row.children].map((cell) => cell.textContent)));""")


def compare(page: Page, address: str, seen: dict) -> None:
    driver = page.driver
    with Opened(page, address, WATCH):
        page.choose_model("digits")
        page.click("[data-source=samples]")
        page.shows("zero")
        seen["offers_comparison"] = is_shown(page, "#compare") and not is_shown(page, "#second-model")
        page.click("#compare")
        choose_second(page, "digits-int8")
        seen["compares_samples"] = page.wait(lambda: page.text("#second-top-label") == "zero") is not None
        seen["says_same"] = page.wait(lambda: "Same best label: zero" in page.text("#verdict")) is not None
        seen["names_both"] = [page.text("#stage-name"), page.text("#second-stage-name")] == [
            "Digits", "Digits, int8"]
        seen["shows_it_twice"] = driver.execute_script(
            """const [a, b] = ["frame", "second-frame"].map((id) => document.getElementById(id));
            return a.checkVisibility() && b.checkVisibility() && b.naturalWidth === a.naturalWidth;""")
        seen["shows_times_of_both"] = page.wait(
            lambda: times(page)[:1] == [["Average in milliseconds", "Digits", "Digits, int8"]]
            and all(any(c.isdigit() for c in each) for row in times(page)[1:] for each in row[1:])) is not None
        seen["counts_runs"] = [row[0] for row in times(page)[1:]] == \
            ["Preprocess", "Inference", "Postprocess", "Round trip"] \
            and page.text("#compared-times small").endswith((" run", " runs"))
        choose_second(page, "ziffern")
        seen["says_different"] = page.wait(
            lambda: "Different best labels: zero and null" in page.text("#verdict")) is not None
        page.look("compare-sample")
        page.click("[data-next]")
        seen["compares_the_next"] = page.wait(
            lambda: "one and eins" in page.text("#verdict")) is not None

        choose_second(page, "digits-int8")
        page.find("#files-input").send_keys(str(DEMO / "images/digit-8-01.png"))
        seen["compares_files"] = page.wait(lambda: "label: eight" in page.text("#verdict")) is not None
        give(page, "digit-4-01.png", "video")
        seen["compares_videos"] = page.wait(
            lambda: "label: four" in page.text("#verdict") and is_shown(page, "#second-held")) is not None
        page.click("[data-source=draw]")
        ActionChains(driver).move_to_element(page.find("#pad")).click_and_hold().move_by_offset(0, 60).release().perform()
        seen["compares_drawings"] = page.wait(
            lambda: page.text("#verdict") and page.text("#second-top-label")
            and is_shown(page, "#second-frame")) is not None
        page.click("#to-camera")
        page.wait(
            lambda: page.text("#second-top-label") == "seven" and page.text("#second-age").endswith("ms"))
        driver.execute_script("window.sent = []; window.mostInProgress = 0;")
        # A busy machine sends few frames in a second.
        page.wait(lambda: driver.execute_script("return new Set(window.sent.map(([image]) => image)).size") > 11)
        sent, most = driver.execute_script("return [window.sent, window.mostInProgress]")
        by_image: dict = {}
        for image, model in sent:
            by_image.setdefault(image, set()).add(model)
        # The first and the last frames may be cut off.
        pairs = [models == {"digits", "digits-int8"} for models in list(by_image.values())[2:-3]]
        seen["sends_the_same_frames"] = len(pairs) > 5 and all(pairs)
        seen["has_few_in_progress"] = 2 <= most <= 4
        seen["compares_the_camera"] = "Same best label: seven" in page.text("#verdict")
        seen["has_own_times"] = all(
            any(c.isdigit() for c in page.text(f"#{prefix}{name}"))
            for prefix in ["", "second-"] for name in ["latency", "latency-mean", "fps", "age"])
        seen["holds_both_frames"] = is_shown(page, "#held") and is_shown(page, "#second-held")
        seen["counts_frames"] = page.wait(
            lambda: int("".join(c for c in page.text("#compared-times small") if c.isdigit())) > 3) is not None
        page.look("compare-camera")
        page.click("#pause")
        seen["pauses_both"] = page.wait(
            lambda: is_shown(page, "#frame") and is_shown(page, "#second-frame")) is not None
        time.sleep(0.5)
        tally = page.text("#latency-count")
        time.sleep(0.5)
        seen["stays_paused"] = page.text("#latency-count") == tally
        page.click("#pause")
        seen["resumes_both"] = page.wait(lambda: page.text("#second-latency-count") != tally) is not None
        first, second = [page.find(f"#{name}stage").rect for name in ["", "second-"]]
        seen["stands_above" if page.is_phone else "stands_beside"] = (
            second["y"] >= first["y"] + first["height"] if page.is_phone
            else second["x"] >= first["x"] + first["width"])
        choose_second(page, "ziffern")
        driver.execute_async_script("""fetch("/api/v1/models/ziffern", { method: "DELETE" }).then(arguments[0])""")
        seen["goes_on_with_another_model"] = page.wait(
            lambda: page.text("#second-stage-name") == "Digits, int8"
            and page.text("#second-top-label") == "seven") is not None
        import_german_digits(address)
        page.click("#compare")
        driver.execute_script("window.sent = [];")
        time.sleep(0.6)
        models = {model for _, model in driver.execute_script("return window.sent.slice(3)")}
        seen["stops_comparing"] = models == {"digits"} and not any(is_shown(page, each) for each in [
            "#second-stage", "#second-result", "#verdict", "#second-model", "#stage-name",
            "#compared-times"])
        seen["shows_previews_again"] = page.wait(lambda: is_shown(page, "#previews")) is not None


def fail(page: Page, address: str, seen: dict) -> None:
    driver = page.driver
    other = "Take a photo" if page.is_phone else "Choose images"
    for name, title, button, detail in [
        ("NotAllowedError", "The camera is not allowed", "Try again", "It said no."),
        ("NotFoundError", "No camera found", other, "It said no."),
        ("NotReadableError", "The camera is in use", "Try again", "It said no."),
        ("UnknownError", "The camera did not start", "Try again", "It said no."),
    ]:
        with Opened(page, address, CAMERA.replace("NAME", name)):
            page.click("[data-source=camera]")
            seen[f"explains_{name}"] = says(page, "#stage-note", title, button, detail)
            if name == "NotAllowedError":
                page.look("camera-refused")
                driver.execute_script("window.isBroken = false")
                page.click("#stage-note button")
                seen["tries_the_camera_again"] = page.shows("seven")
    with Opened(page, address, INSECURE):
        page.click("[data-source=camera]")
        seen["explains_insecure_pages"] = says(
            page, "#stage-note", "The camera needs https", other, "--cert")

    with tempfile.TemporaryDirectory() as folder, Opened(page, address) as page:
        for kind, name, title in [("files", "bad.gif", "This image can't be shown"),
                                  ("video", "bad.mp4", "This video can't be played")]:
            path = Path(folder) / name
            path.write_bytes(b"not what its name says")
            page.find(f"#{kind}-input").send_keys(str(path))
            button = "Choose images" if kind == "files" else "Choose a video"
            seen[f"explains_{name}"] = says(page, "#stage-note", title, button, "Details") and not any(
                is_shown(page, each) for each in ["#pause", "#timeline", "#previews", "#outputs", "[data-control]"])
        path = Path(folder) / "bad.png"
        path.write_bytes(b"\x89PNG\r\n\x1a\n and no more")
        page.find("#files-input").send_keys(str(path))
        seen["shows_no_icon_of_a_broken_image"] = page.wait(
            lambda: "it is damaged" in page.text("[data-view=live] .panel")
            and page.find("#frame").value_of_css_property("visibility") == "hidden") is not None

    def changed(name: str) -> str:
        return f"window.change = {CHANGES[name]};"

    with Opened(page, address, WATCH, changed("no_models")):
        seen["explains_no_models"] = says(page, "#stage-note", "No model yet", "Add a model") \
            and not is_shown(page, "[data-view=live] .panel")
        page.look("no-models")
        page.click("#stage-note button")
        seen["goes_to_models"] = page.wait(lambda: is_shown(page, "[data-view=models]")) is not None
    with Opened(page, address, WATCH, changed("no_list")):
        seen["explains_no_list"] = says(
            page, "#server-problem", "The server's models can't be listed.", "Try again", "The folder is gone.")
        empty = {"live": "#stage-note", "models": "#model-empty", "evaluate": ".state-message", "label": ".drop"}
        for view, message in empty.items():
            driver.get(address + "#/" + view)
            page.wait(lambda: is_shown(page, f"[data-view={view}]:not([inert])"))
            seen[f"claims_nothing_about_models_in_{view}"] = not is_shown(page, f"[data-view={view}] {message}")
    with Opened(page, address, CANNOT_RUN):
        seen["explains_a_model_that_cannot_run"] = says(
            page, "#stage-note", "This model can't run here", "Go to the models", "It needs 9 GB.") \
            and not is_shown(page, "#welcome button.way")
    with Opened(page, address, WATCH, changed("no_runtime")):
        seen["explains_a_missing_runtime"] = says(
            page, "#server-problem", "LiteRT is missing.", "Try again", "to install it.")
        page.look("no-runtime")
        driver.get(address + "#/models")
        seen["says_once_how_to_install_it"] = page.wait(lambda: is_shown(page, "#model-runtime")) is not None \
            and not is_shown(page, "#server-problem")
    with Opened(page, address, WATCH, changed("no_samples")):
        page.click("[data-source=samples]")
        seen["explains_no_samples"] = says(page, "#stage-note", "No samples", "Choose images")
    with Opened(page, address, WATCH, "window.isBroken = true;", changed("fails")):
        seen["explains_an_error"] = says(
            page, "#problem", "The model failed on this image.", None, "Node 7 failed.")
        page.click("[data-source=samples]")
        seen["offers_to_try_again"] = says(
            page, "#problem", "The model failed on this image.", "Try again", "Node 7 failed.")
        page.look("inference-error")
        driver.execute_script("window.isBroken = false")
        page.click("#problem button")
        seen["runs_again"] = page.shows("zero") and not is_shown(page, "#problem")
    with Opened(page, address, WATCH, changed("gone")):
        page.shows("seven")
        driver.execute_script("window.isBroken = true")
        seen["says_the_server_is_gone"] = says(page, "#connection", "The server doesn't respond.", "Try now")
        page.look("server-gone")
        time.sleep(1)
        driver.execute_script("window.isBroken = false")
        page.click("#connection-retry")
        seen["connects_again"] = page.wait(lambda: not is_shown(page, "#connection")) is not None
        count = page.frames()
        seen["goes_on"] = page.wait(lambda: page.frames() > count) is not None


def german(page: Page, address: str, seen: dict) -> None:
    driver = page.driver
    agent = driver.execute_script("return navigator.userAgent")
    driver.execute_cdp_cmd("Network.setUserAgentOverride", {"userAgent": agent, "acceptLanguage": "de-DE"})
    left: list[str] = []
    for view in ["live", "models", "models/digits", "evaluate", "label", "settings"]:
        driver.get("about:blank")
        driver.get(address + "#/" + view)
        page.wait(lambda: is_shown(page, f"[data-view={view.split('/')[0]}]"))
        time.sleep(0.4)
        left += driver.execute_async_script(LEFT_IN_ENGLISH)
        # Other words don't change what axe finds, but they may be too long.
        page.look("german-" + view.replace("/", "-"), runs_axe=False)
    seen["left_in_english"] = left
    seen["is_german"] = driver.execute_script("return document.documentElement.lang") == "de"
    seen["names_views_in_german"] = page.text("[data-nav=settings]").strip() == "Einstellungen"
    driver.get(address + "#/live")
    page.click("[data-source=samples]")
    page.click("#compare")
    seen["compares_in_german"] = page.wait(
        lambda: "Gleiches bestes Label: zero" in page.text("#verdict")
        or "Verschiedene beste Labels: zero und null" in page.text("#verdict")) is not None
    seen["has_german_numbers"] = page.wait(lambda: page.text("#latency").count(",") == 1) is not None
    page.look("german-compare", runs_axe=False)
    page.click("#compare")
    page.click("#to-camera")
    page.wait(lambda: page.text("#age").endswith("ms"))
    tops = driver.execute_script(
        "return [...document.querySelectorAll('#readout dd')].map((each) => each.getBoundingClientRect().top)")
    # On phones, the times are below each other beside the labels.
    seen["has_times_in_one_row"] = len(set(tops)) == (4 if page.is_phone else 1)
    seen["names_keys_of_keyboards_only"] = is_shown(page, "[data-view=live] .keys") is not page.is_phone


def main() -> None:
    arguments = page_arguments().parse_args()
    import_german_digits(arguments.address)
    with opened(arguments) as (page, _):
        seen: dict = {}
        for part in [compare, fail, german]:
            part(page, arguments.address, seen)
        seen["axe"] = page.found
        # Chromium reports the requests to the model that was deleted while it ran, and that with the damaged image.
        expected = ["ziffern/infer", "digits/infer?"]
        seen["console"] = [
            message for message in page.console() if not any(word in message for word in expected)]
        json.dump(seen, sys.stdout)


if __name__ == "__main__":
    main()
