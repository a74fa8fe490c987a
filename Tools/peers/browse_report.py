# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Uses Net Runner's evaluations in headless Chromium: truths, predictions, the worst, and failures.

    browse_report.py --make FOLDER
    browse_report.py ADDRESS [--size 390x844] [--screenshots DIR]

The first command writes two detectors, photos with COCO annotations and many photos of digits. The second
one uses a server with only these models and photos, and prints what it saw as a JSON object.
"""

import json
import shutil
import sys
from pathlib import Path

from page import DEMO, Page, opened, page_arguments
from PIL import Image
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

ROOT = Path(__file__).resolve().parents[2]
# The scores of cats in green and of dogs in blue, in each quarter of a photo.
PHOTOS = {
    "a.png": [(230, 0), (0, 200), (0, 0), (0, 0)],
    "b.png": [(230, 0), (0, 90), (0, 0), (0, 0)],
    "c.png": [(0, 0), (0, 0), (210, 0), (0, 220)],
}
MANY = 120

# Makes figures of models that lack some values, and of a matrix with more classes than it shows.
FIGURES = """
const done = arguments[0];
Promise.all([import("/js/reportFigures.js"), import("/js/confusion.js")]).then(([{ tiles }, { confusionChart }]) => {
  const model = (name, p50, value) => ({
    model: { name }, failed: 0, pictures: 1, latency: { total: { p50 }, inference: { p50 } },
    metrics: { losses: { values: [{ name: "log_loss", value, higher_is_better: false }] } },
  });
  const models = [model("a", null, 0.5), model("b", 3, null), model("c", 2, 0.2), model("d", 4, null)];
  const labels = Array.from({ length: 40 }, (_, place) => `class ${place}`);
  const counts = labels.map((_, row) => labels.map((_, column) => (row === 0 || row === column ? 1 : 0)));
  const matrix = confusionChart({ labels, counts, failed: labels.map(() => 6) });
  done({
    tiles: tiles({ models, dataset: { labelled: 1 } }).textContent,
    cells: [...matrix.querySelectorAll("title")].map((each) => each.textContent),
  });
});
"""


# Delays the requests for the rows from one position on, and refuses those from another one, until `mendRows` is called.
SLOW_ROWS = """
const { fetch } = window;
window.fetch = async (address, options) => {
  if (address.includes("offset=48&")) await new Promise((resolve) => setTimeout(resolve, 1500));
  if (address.includes("offset=96&")) return new Response("{}", { status: 500 });
  return fetch(address, options);
};
window.mendRows = () => { window.fetch = fetch; };
"""


def make(folder: Path) -> None:
    """Writes the models and photos."""
    for name, threshold in [("keen", 0.3), ("strict", 0.6)]:
        bundle = folder / "models" / f"{name}.tiobundle"
        (bundle / "assets").mkdir(parents=True)
        shutil.copy(ROOT / "Tests/Fixtures/Models/detector.tflite", bundle / "model.tflite")
        (bundle / "assets/labels.txt").write_text("cat\ndog\n")
        decode = {"type": "tflite-postprocess", "classes": "classes", "scores": "scores",
                  "count": "count", "labels": "labels.txt", "threshold": threshold}
        sizes = {"boxes": [1, 4, 4], "classes": [1, 4], "scores": [1, 4], "count": [1]}
        outputs = [{"name": key, "type": "array", "shape": shape} for key, shape in sizes.items()]
        outputs[0]["decode"] = decode
        model = {
            "name": name, "details": "", "id": name, "version": "1", "author": "", "license": "",
            "model": {"file": "model.tflite", "quantized": False, "type": "image.detection"},
            "inputs": [{"name": "image", "type": "image", "shape": [8, 8, 3], "format": "RGB",
                        "crop": "stretch", "normalize": {"standard": "[0,1]"}}],
            "outputs": outputs}
        (bundle / "model.json").write_text(json.dumps(model))
    for name in ["digits.tiobundle", "digits-int8.tiobundle"]:
        shutil.copytree(DEMO / name, folder / "models" / name)
    photos = folder / "coco"
    photos.mkdir()
    for name, scores in PHOTOS.items():
        image = Image.new("RGB", (8, 8))
        for row, (cat, dog) in enumerate(scores):
            image.putpixel((0, row), (0, cat, dog))
        image.save(photos / name)
    annotations = {
        "images": [{"id": place, "file_name": name, "width": 8, "height": 8}
                   for place, name in enumerate(PHOTOS)],
        "annotations": [{"id": place + 1, "image_id": place, "category_id": 1, "bbox": [0, 0, 4, 4],
                         "area": 16, "iscrowd": 0} for place in range(len(PHOTOS))],
        "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}]}
    (photos / "instances.json").write_text(json.dumps(annotations))
    digits = sorted((DEMO / "digits-training").glob("*/*.png"))
    for place in range(MANY):
        source = digits[place * 2]
        target = folder / "many" / source.parent.name
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target / f"{place:03}.png")


class Evaluations:
    """The page of evaluations."""

    def __init__(self, page: Page, address: str):
        self.page, self.driver, self.address = page, page.driver, address.split("#")[0]
        self.seen: dict = {}

    def go(self, place: str) -> None:
        self.driver.get(self.address + "#/" + place)

    def start(self, **request) -> str:
        """Starts an evaluation and returns its identifier."""
        return self.driver.execute_async_script(
            """const [body, done] = arguments;
            fetch("/api/v1/evaluations", {
              method: "POST", headers: { "Content-Type": "application/json" }, body,
            }).then((r) => r.json()).then((answer) => done(answer.evaluation.id));""",
            json.dumps(request))

    def open(self, **request) -> None:
        """Starts an evaluation and waits for its rows."""
        self.go("evaluate/" + self.start(**request))
        self.page.wait(lambda: self.count("#rows li") > 0, 60)

    def count(self, selector: str) -> int:
        return len(self.driver.find_elements(By.CSS_SELECTOR, selector))

    def names(self) -> list[str]:
        return self.driver.execute_script(
            "return [...document.querySelectorAll('#rows li button')].map((b) => b.title)")

    def choose(self, name: str, value: str, names: list[str]) -> bool:
        """Chooses a radio button, and returns whether the photos with these names appear."""
        self.page.click(f"[name={name}][value={value}]")
        return self.page.wait(lambda: self.names() == names) is not None

    def press(self, *keys: str) -> None:
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def shown(self, selector: str) -> bool:
        return self.driver.execute_script(
            "return getComputedStyle(document.querySelector(arguments[0])).display !== 'none'",
            selector)

    def first(self) -> None:
        """Without evaluations, a button evaluates the samples."""
        self.go("evaluate")
        button = "#evaluate-list .state-message button"
        self.seen["says_there_are_none"] = self.page.wait(lambda: self.count(button) == 1) is not None
        self.page.click(button)
        self.seen["evaluates_the_samples"] = self.page.wait(
            lambda: self.count("#export-json") == 1) is not None

    def photos(self) -> None:
        """The truth and the prediction, the worst first, and where models disagree."""
        seen, page = self.seen, self.page
        self.open(models=["keen", "strict"], folder="coco")
        seen["draws_both"] = self.count("#rows .truth.missed") == 1 and self.count(
            "#rows .predicted.false") == 4
        seen["confusion_of_objects"] = page.wait(lambda: "background" in page.text(".confusion")) is not None
        seen["plain_headings"] = "Confusion matrix" in page.text(".report")
        self.driver.execute_script("document.querySelector('[name=shows]').focus()")
        self.press(Keys.ARROW_RIGHT)
        seen["switches_to_truth"] = self.shown("#rows .truth") and not self.shown("#rows .predicted")
        self.press(Keys.ARROW_RIGHT)
        seen["switches_to_prediction"] = self.shown("#rows .predicted") and not self.shown(
            "#rows .truth")
        self.press(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
        seen["worst_first"] = self.choose("order", "worst", ["c.png", "a.png", "b.png"])
        seen["disagree"] = self.choose("only", "disagree", ["b.png"])
        self.choose("only", "all", ["c.png", "a.png", "b.png"])
        seen["in_order"] = self.choose("order", "index", list(PHOTOS))

    def dialog(self) -> None:
        """Both models' answers side by side."""
        seen, page = self.seen, self.page
        page.click("#rows li button")
        seen["side_by_side"] = page.wait(
            lambda: self.count("#photo .photo-answer dl") == 2) is not None
        self.press(Keys.ARROW_RIGHT)
        seen["arrow_steps"] = page.wait(lambda: page.text("#photo-title") == "b.png") is not None
        page.wait(lambda: self.count("#photo .photo-answer dl") == 2)
        self.driver.execute_script("document.querySelector('[name=photo-shows]').focus()")
        self.press(Keys.ARROW_RIGHT)
        seen["arrow_switches"] = page.text("#photo-title") == "b.png" and not self.shown(
            "#photo .photo-frame .predicted")
        seen["lists_objects"] = self.count("#photo .object-list tbody tr") == 5
        page.look("dialog")
        self.press(Keys.ESCAPE)
        seen["closes"] = not page.find("#photo").is_displayed()

    def narrow(self) -> None:
        """Hints at the edges of tables, which only a phone's window cuts off."""
        seen = self.seen
        more = ".report .scroll-area.more-right"
        seen["hints_at_more"] = self.page.wait(lambda: self.count(more) > 0) is not None
        before = self.count(more)
        self.driver.execute_script(
            f"const a = document.querySelector('{more} .scroll'); a.scrollLeft = a.scrollWidth")
        seen["hint_goes"] = self.page.wait(lambda: self.count(more) == before - 1) is not None

    def figures(self) -> None:
        """Tiles without some values, and a matrix without some classes."""
        figures = self.driver.execute_async_script(FIGURES)
        self.seen["skips_unknown_values"] = all(
            text in figures["tiles"] for text in ["Log loss, c", "Median latency, c"])
        self.seen["counts_whole_rows"] = "class 0 taken for class 0: 1 of 46" in figures["cells"]

    def reasons(self) -> None:
        """Reasons of undefined metrics."""
        seen, page = self.seen, self.page
        self.driver.execute_script("document.querySelector('.plots .why').focus()")
        seen["gives_reason"] = page.wait(
            lambda: "is not defined" in page.text(".reason:popover-open")) is not None
        seen["undefined_is_named"] = "Large objects: AP undefined" in page.text(".plots .undefined")
        self.press(Keys.ESCAPE)
        seen["hides_reason"] = self.count(".reason:popover-open") == 0
        page.look("report")

    def pages(self) -> None:
        """Many photos: pages, and a dialog that steps across them."""
        seen, page = self.seen, self.page
        self.open(models=["digits", "digits-int8"], folder="many")
        self.driver.execute_script("document.querySelectorAll('#rows li button')[47].click()")
        self.press(Keys.ARROW_RIGHT)
        seen["steps_across_pages"] = page.wait(
            lambda: f"49 of {MANY}" in page.text("#photo header")) is not None
        self.press(Keys.ESCAPE)
        self.driver.execute_script(
            """const field = document.querySelector(".page-number");
            field.value = 3; field.dispatchEvent(new Event("change"));""")
        seen["jumps_to_a_page"] = page.wait(
            lambda: page.text(".pager [role=status]").startswith("97 to 120")) is not None
        self.late_pages()
        seen["histogram"] = page.wait(lambda: self.count(".plots .mark") > 0) is not None

    def late_pages(self) -> None:
        """A dialog that is faster than the server, and one whose page can't be read."""
        seen, page = self.seen, self.page
        open_last = "document.querySelectorAll('#rows li button')[47].click()"
        self.driver.execute_script(SLOW_ROWS)
        page.click("[name=order][value=worst]")
        page.wait(lambda: page.text(".pager [role=status]").startswith("1 to 48"))
        self.driver.execute_script(open_last)
        self.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        page.wait(lambda: f"50 of {MANY}" in page.text("#photo header"))
        title = page.text("#photo-title")
        page.wait(lambda: page.text(".pager [role=status]").startswith("49 to 96"))
        seen["shows_what_it_numbers"] = title == self.names()[1]
        self.press(Keys.ESCAPE)
        self.driver.execute_script(open_last)
        self.press(Keys.ARROW_RIGHT)
        seen["explains_a_missing_page"] = page.wait(
            lambda: "can't be read" in page.text("#photo .state-message")
            and f"97 of {MANY}" in page.text("#photo header")) is not None
        self.driver.execute_script("mendRows()")
        page.click("#photo .state-message button")
        seen["reads_it_later"] = page.wait(
            lambda: self.count("#photo .photo-answer") == 2
            and f"97 of {MANY}" in page.text("#photo header")) is not None
        self.press(Keys.ESCAPE)

    def failures(self) -> None:
        """Evaluations that failed, were cancelled or are gone, and a server that is gone."""
        seen, page = self.seen, self.page
        message = "#evaluate-one .state-message"
        self.go("evaluate/" + self.start(models=["digits"], folder="coco"))
        seen["explains_failure"] = page.wait(
            lambda: "The evaluation failed." in page.text(message)) is not None
        seen["folds_details"] = not self.driver.execute_script(
            f"return document.querySelector('{message} details').open")
        self.go("evaluate/" + self.start(models=["digits"], folder="many", iterations=1000))
        page.wait(lambda: self.count("#evaluation-cancel") == 1)
        page.wait(lambda: self.driver.execute_script(
            "return document.querySelector('.progress-row progress')?.value > 0"))
        self.driver.execute_script(
            "const button = document.querySelector('#evaluation-cancel'); button.click(); button.click();")
        seen["explains_cancelling"] = page.wait(
            lambda: "The evaluation was cancelled after" in page.text(message)) is not None
        seen["keeps_partial_results"] = page.wait(lambda: self.count("#rows li") > 0) is not None
        seen["console"] = self.page.console()
        # Browsers log requests that fail.
        self.go("evaluate/none")
        seen["explains_missing"] = page.wait(
            lambda: "no longer on the server" in page.text(message)
            and page.find("#evaluate-one h1").is_displayed()) is not None
        self.go("evaluate")
        page.wait(lambda: self.count("#evaluate-list li") > 3)
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.offline(True)
        page.click("#evaluate-list li a")
        seen["explains_gone_server"] = page.wait(
            lambda: "The server doesn't answer." in page.text(message)) is not None
        self.offline(False)
        seen["comes_back"] = page.wait(lambda: self.count("#export-json") == 1) is not None

    def offline(self, is_offline: bool) -> None:
        self.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": is_offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})


def browse(page: Page, address: str) -> dict:
    evaluations = Evaluations(page, address)
    parts = [evaluations.first, evaluations.photos, evaluations.dialog]
    if page.is_phone:
        parts.append(evaluations.narrow)
    parts += [evaluations.figures, evaluations.reasons, evaluations.pages, evaluations.failures]
    for part in parts:
        part()
    evaluations.seen["axe"] = page.found
    return evaluations.seen


def main() -> None:
    if sys.argv[1] == "--make":
        make(Path(sys.argv[2]))
        return
    arguments = page_arguments().parse_args()
    with opened(arguments) as (page, _):
        json.dump(browse(page, arguments.address), sys.stdout)


if __name__ == "__main__":
    main()
