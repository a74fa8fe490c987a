# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Uses the parts of Net Runner's page that browse.py doesn't: other sources, models, folders, labels, settings.

    browse_rest.py ADDRESS [--size 390x844]

The server must have the shipped models. It prints what it saw as a JSON object.
"""

import base64
import json
import sys
from pathlib import Path

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browse import zipped_bundle
from page import DEMO, Page, opened, page_arguments

IMAGES = DEMO / "images"

# Passes a sample of the server to the page as a file, as a user would.
GIVE = """
const [name, how, done] = arguments;
(async () => {
  const blob = await (await fetch(`/api/v1/samples/${name}`)).blob();
  let file = new File([blob], name, { type: blob.type });
  if (how === "video") {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [480, 480];
    const picture = await createImageBitmap(blob);
    const draw = () => canvas.getContext("2d").drawImage(picture, 0, 0, 480, 480);
    draw();
    const timer = setInterval(draw, 40);
    const recorder = new MediaRecorder(canvas.captureStream(25));
    const parts = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    recorder.start();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await new Promise((resolve) => { recorder.onstop = resolve; recorder.stop(); });
    clearInterval(timer);
    file = new File(parts, "film.webm", { type: "video/webm" });
  }
  const transfer = new DataTransfer();
  transfer.items.add(file);
  const event = how === "paste"
    ? new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true, cancelable: true })
    : new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true });
  document.body.dispatchEvent(event);
})().then(() => done(null), (error) => done(String(error)));
"""

# Pastes a video and, before it plays, a sample of the server.
PASTE_BOTH = """
const [name, done] = arguments;
const paste = (file) => {
  const clipboardData = new DataTransfer();
  clipboardData.items.add(file);
  document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
};
fetch(`/api/v1/samples/${name}`).then((response) => response.blob()).then((blob) => {
  paste(new File(["film"], "film.webm", { type: "video/webm" }));
  paste(new File([blob], name, { type: blob.type }));
  done(null);
});
"""

# Drops a bundle's folder, or a file, in the way that a browser passes it: as entries, without a zip.
DROP = """
const [files, done] = arguments;
const entryOf = (name, content) => (content.files
  ? { isDirectory: true, name, createReader() {
    let rest = Object.entries(content.files).map(([each, what]) => entryOf(each, what));
    return { readEntries: (give) => { give(rest); rest = []; } };
  } }
  : { isFile: true, name, file: (give) => give(new File(
    [Uint8Array.from(atob(content), (each) => each.charCodeAt(0))], name)) });
const items = Object.entries(files).map(([name, content]) => (
  { kind: "file", webkitGetAsEntry: () => entryOf(name, content) }));
const event = new Event("drop", { bubbles: true, cancelable: true });
Object.defineProperty(event, "dataTransfer", { value: { types: ["Files"], items } });
document.body.dispatchEvent(event);
done(null);
"""


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def folder_content(folder: Path) -> dict:
    return {"files": {
        path.name: folder_content(path) if path.is_dir() else encoded(path.read_bytes())
        for path in sorted(folder.iterdir())}}


def drops(page: Page, address: str, seen: dict) -> None:
    page.driver.get(address + "#/models")
    page.wait(lambda: page.find("#import-choose").is_displayed())
    bundle = DEMO / "digits.tiobundle"
    page.driver.execute_async_script(
        DROP, {"model.tflite": encoded((bundle / "model.tflite").read_bytes())})
    seen["imports_a_bare_file"] = page.wait(
        lambda: "Imported model." in page.text("#import-state")
        and "RGB is assumed" in page.text(".assumed .checks")) is not None
    page.click("#form-use")
    seen["uses_a_bare_file_live"] = page.wait(
        lambda: page.driver.current_url.endswith("#/live")
        and page.find("#model-select").get_attribute("value") == "model"
        and page.text("#latency") not in ["", "–"]) is not None
    page.choose_model("digits")
    page.driver.get(address + "#/models")
    page.wait(lambda: page.find("#import-choose").is_displayed())
    page.driver.execute_async_script(DROP, {"notes.txt": ""})
    seen["stays_at_models"] = page.wait(
        lambda: "It contains no model" in page.text("#notices")
        and page.driver.current_url.endswith("#/models")) is not None
    manifest = json.loads((bundle / "model.json").read_text())
    for name, action in (("First", None), ("Second", "#import-replace")):
        manifest |= {"id": "dropped", "name": name}
        content = folder_content(bundle)
        content["files"]["model.json"] = encoded(json.dumps(manifest).encode())
        page.driver.execute_async_script(DROP, {"dropped.tiobundle": content})
        if action:
            page.wait(lambda: page.driver.find_elements(By.CSS_SELECTOR, action))
            seen["asks_before_replacing"] = "First" in page.text("#import-state")
            page.look("replace")
            page.click(action)
        seen[f"imports_a_folder_{name.lower()}"] = page.wait(
            lambda: f"Imported {name}" in page.text("#import-state")) is not None


def seeks(page: Page, address: str, seen: dict) -> None:
    """Checks that a paused video shows the chosen position and the model's result for it."""
    page.driver.get(address + "#/live")
    page.wait(lambda: page.find("#source").is_displayed())
    give(page, "digit-4-01.png", "video")
    page.wait(lambda: page.text("#top-label") == "four")
    page.click("#pause")
    before = page.find("#frame").get_attribute("src")
    page.driver.execute_script(
        """const slider = document.querySelector("#timeline");
        Object.defineProperty(document.querySelector("#video"), "duration", { value: 1.5 });
        slider.value = 500;
        slider.dispatchEvent(new Event("input"));""")
    seen["seeks_while_paused"] = page.wait(
        lambda: page.find("#frame").get_attribute("src") != before
        and page.text("#top-label") == "four") is not None


def give(page: Page, name: str, how: str) -> None:
    error = page.driver.execute_async_script(GIVE, name, how)
    if error:
        sys.exit(f"error: {name} could not be given: {error}")


def caption(page: Page) -> str:
    return page.text("#strip [data-caption]")


def sources(page: Page, seen: dict) -> None:
    page.wait(lambda: page.find("#to-camera").is_displayed())
    page.click("#to-camera")
    page.wait(lambda: page.text("#top-label") == "seven")
    page.click("#shutter")
    seen["takes_photos"] = page.wait(lambda: "photo 1" in caption(page)) is not None
    page.find("#files-input").send_keys(
        "\n".join(str(IMAGES / name) for name in ("digit-3-01.png", "digit-8-01.png")))
    seen["chooses_files"] = page.shows("three")
    page.find("body").send_keys(Keys.ARROW_RIGHT)
    seen["steps_by_keys"] = page.shows("eight")
    give(page, "digit-5-01.png", "drop")
    seen["takes_drops"] = page.shows("five")
    give(page, "digit-2-01.png", "paste")
    seen["takes_pastes"] = page.shows("two")
    page.driver.execute_async_script(PASTE_BOTH, "digit-6-01.png")
    seen["leaves_a_video_before_it_plays"] = page.shows("six") and not page.find("#stage-note").is_displayed()
    give(page, "digit-4-01.png", "video")
    seen["plays_videos"] = page.shows("four")
    still = page.frames()
    seen["runs_on_videos"] = page.wait(lambda: page.frames() > still) is not None


def models(page: Page, address: str, folder: Path, seen: dict) -> None:
    page.driver.get(address + "#/models")
    seen["shows_no_repository"] = not page.find("#repository").is_displayed()
    archive = folder / "imported.zip"
    archive.write_bytes(zipped_bundle())
    page.wait(lambda: page.find("#import-choose").is_displayed())
    page.find("#zip-input").send_keys(str(archive))
    seen["uploads"] = page.wait(lambda: "imported" in page.models()) is not None
    broken = folder / "broken.zip"
    broken.write_bytes(b"no zip")
    page.find("#zip-input").send_keys(str(broken))
    seen["says_what_is_wrong"] = page.wait(
        lambda: page.driver.find_elements(By.CSS_SELECTOR, "#import-state[data-code=not_a_zip]")
    ) is not None
    page.find("#model-search").send_keys("import")
    seen["searches"] = page.wait(
        lambda: len(page.driver.find_elements(By.CSS_SELECTOR, "#model-list li:not([hidden])")) == 1) is not None
    page.driver.get(address + "#/models/imported")
    seen["shows_json"] = page.wait(lambda: '"imported"' in page.text("#model-json")) is not None
    page.wait(lambda: page.driver.find_elements(By.CSS_SELECTOR, "#model-delete"))
    page.click("#model-delete")
    page.wait(lambda: page.find("#confirm").is_displayed())
    page.look("confirm")
    page.click("#confirm button[value=yes]")
    seen["deletes"] = page.wait(lambda: "imported" not in page.models()) is not None
    page.driver.get(address + "#/models/digits")
    page.wait(lambda: '"digits"' in page.text("#model-json"))
    seen["keeps_shipped"] = not page.driver.find_elements(By.CSS_SELECTOR, "#model-delete")


def evaluation(page: Page, address: str, folder: Path, seen: dict) -> None:
    page.driver.get(address + "#/evaluate")
    page.wait(lambda: page.find("#evaluate-start").is_displayed())
    page.driver.execute_script(
        """const radio = [...document.querySelectorAll("#evaluate-form input[type=radio]")]
          .find((input) => input.value === "upload") ?? null;
        radio?.click();""")
    page.find("#evaluate-folder").send_keys(str(DEMO / "digits.testbundle"))
    page.wait(lambda: "digits.testbundle" in page.text("#evaluate-form"))
    page.click("#evaluate-start")
    seen["runs_test_bundles"] = page.wait(
        lambda: page.driver.find_elements(By.CSS_SELECTOR, "#export-json")) is not None
    seen["charts"] = len(page.driver.find_elements(By.CSS_SELECTOR, "#evaluate-one svg")) > 1
    seen["rows"] = page.wait(
        lambda: page.driver.find_elements(By.CSS_SELECTOR, "#rows button, #rows a")) is not None
    page.click("#rows button, #rows a")
    seen["shows_photos"] = page.wait(lambda: page.find("#photo").is_displayed()) is not None
    page.look("photo")
    page.driver.execute_script("document.querySelector('#photo').close()")
    for kind, ending in [("csv", ".csv"), ("html", ".html"), ("netrunner", ".json")]:
        page.click(f"#export-{kind}")
        seen[f"exports_{kind}"] = page.wait(
            lambda: any(p.suffix == ending for p in page.downloads.iterdir())) is not None


def labels(page: Page, address: str, seen: dict) -> None:
    page.driver.get(address + "#/label")
    page.wait(lambda: page.find("#label-files").is_enabled())
    page.find("#label-files").send_keys(str(IMAGES / "digit-6-01.png"))
    page.wait(lambda: page.driver.find_elements(By.CSS_SELECTOR, "#label-root [data-label=six]"))
    page.click("#label-root [data-label=six]")
    seen["labels"] = page.wait(
        lambda: page.driver.find_elements(By.CSS_SELECTOR, "[id^=label-export-]:not([hidden])")
    ) is not None

    def is_exported() -> bool:
        return any(path.suffix == ".zip" for path in page.downloads.iterdir())

    # The label may not have reached the server yet. Without one, nothing can be exported.
    for _ in range(5):
        page.click("[id^=label-export-]:not([hidden])")
        if page.wait(is_exported, 5) is not None:
            break
    seen["exports_labels"] = is_exported()


def settings(page: Page, address: str, seen: dict) -> None:
    page.driver.get(address + "#/settings")
    page.wait(lambda: page.find("#settings-form").is_displayed())
    page.driver.execute_script(
        """document.querySelector("#settings-form input[value=dark]").click();""")
    page.driver.refresh()
    seen["keeps_settings"] = page.wait(
        lambda: page.driver.execute_script(
            "return document.querySelector('#settings-form input[value=dark]')?.checked")
    ) is not None
    seen["is_dark"] = page.driver.execute_script(
        "return getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    page.driver.get("about:blank")
    page.driver.get(address + "#token=100%")
    seen["starts_with_any_token"] = page.wait(lambda: page.find("#source").is_displayed(), 10) is not None


def main() -> None:
    arguments = page_arguments().parse_args()
    address = arguments.address
    seen: dict = {}
    with opened(arguments) as (page, folder):
        try:
            page.driver.get(address)
            sources(page, seen)
            models(page, address, folder, seen)
            drops(page, address, seen)
            seeks(page, address, seen)
            evaluation(page, address, folder, seen)
            labels(page, address, seen)
            settings(page, address, seen)
            seen["axe"] = page.found
            # The console reports the file that isn't a zip, and the model that already exists.
            seen["console"] = [
                message for message in page.console()
                if "/api/v1/models - " not in message or not any(code in message for code in ("422", "409"))]
        finally:
            json.dump(seen, sys.stdout)


if __name__ == "__main__":
    main()
