# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Labels images in Net Runner's page in headless Chromium, with keys, with a mouse, and with a lost server.

    browse_label.py ADDRESS FOLDER [--many] [--size 390x844] [--screenshots DIR]

The server needs the model `digits`, and the model `objects`, which finds the boxes that are written into
the pixels of a photo. The script writes the COCO export to FOLDER and reads it with pycocotools. It prints
what it saw as a JSON object, including the console's messages. With --many, it also measures 20,000 labels and
10,000 images.
"""

import contextlib
import io
import json
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
from PIL import Image
from pycocotools.coco import COCO
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from label_scripts import CLOSE_AND_NAME, GRID, TYPE_AHEAD
from page import DEMO, Page, opened, page_arguments

IMAGES = DEMO / "images"


def photo_of_objects(folder: Path) -> Path:
    """Writes a photo of 240 x 320 pixels, in whose 6 x 8 areas two boxes are coded."""
    values = np.zeros((8, 18))
    values[:4, 0] = [0.5, 0.375, 0.5, 0.25]
    values[5, 0] = 1
    values[:4, 1] = [0.25, 0.75, 0.25, 0.25]
    values[7, 1] = 0.8
    pixels = np.round(255 * values.reshape(8, 6, 3)).astype(np.uint8)
    path = folder / "boxes.png"
    Image.fromarray(pixels).resize((240, 320), Image.Resampling.NEAREST).save(path)
    return path


class Labelling:
    def __init__(self, address: str, page: Page, folder: Path) -> None:
        self.address, self.page, self.folder = address, page, folder
        self.seen: dict = {}

    def keys(self, *keys: str) -> None:
        for key in keys:
            ActionChains(self.page.driver).send_keys(key).perform()

    def undo(self) -> None:
        ActionChains(self.page.driver).key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()

    def has(self, what: str, condition) -> None:
        """Records whether a condition holds in time."""
        self.seen[what] = self.page.wait(condition) is not None

    def choose(self, selector: str, value: str) -> None:
        self.page.driver.execute_script(
            """const control = document.querySelector(arguments[0]);
            control.value = arguments[1]; control.dispatchEvent(new Event("change"));""", selector, value)

    def open(self, files: list[Path]) -> None:
        self.page.find("#label-files").send_keys("\n".join(map(str, files)))

    def name(self) -> str:
        return self.page.text(".label-name")

    def shapes(self) -> list[str]:
        return self.page.driver.execute_script(
            """return [...document.querySelectorAll(".shape-row")].map(
              (row) => [...row.children].slice(1).map((each) => each.textContent).join(": "));""")

    def kept(self, model: str) -> dict:
        return self.page.driver.execute_async_script(
            """const done = arguments[1];
            fetch(`/api/v1/models/${arguments[0]}/labels`).then((response) => response.json()).then(done);""",
            model)

    def start(self, model: str, language: str = "en") -> None:
        driver = self.page.driver
        driver.execute_script(
            "localStorage.setItem('net-runner.settings', JSON.stringify({ language: arguments[0] }))", language)
        driver.get("about:blank")
        driver.get(self.address + "#/label")
        self.page.wait(lambda: driver.find_elements(By.CSS_SELECTOR, f"#label-model [value={model}]"))
        self.choose("#label-model", model)
        time.sleep(0.5)

    # Whole images

    def images(self) -> None:
        page = self.page
        self.start("digits")
        self.open(sorted(IMAGES.glob("digit-[0-4]-01.png")))
        self.has("shows_five_answers", lambda: len(
            page.driver.find_elements(By.CSS_SELECTOR, "li.answer")) == 5
            and page.text("[data-place='0'] .label-choice-name") == "zero")
        self.keys("1")
        self.has("takes_an_answer", lambda: self.name() == "digit-1-01.png")
        self.has("asks_ahead", lambda: page.text("[data-place='0'] .label-choice-name") == "one")
        self.has("offers_recent_labels", lambda: page.text("[data-place='5'] .label-choice-name") == "zero")
        self.keys("6")
        self.has("takes_a_recent_label", lambda: self.name() == "digit-2-01.png")
        self.undo()
        self.has("undoes", lambda: self.name() == "digit-1-01.png" and page.text("#label-given") == "No label yet")
        self.keys("n", "i", Keys.ENTER)
        self.has("searches", lambda: [
            (each["photo"], each["label"]) for each in self.kept("digits")["labels"][1:]
        ] == [("digit-1-01.png", "nine")])
        self.page.look("image")
        page.click("#label-all")
        cells = lambda: page.driver.find_elements(By.CSS_SELECTOR, "#label-grid [role=option]")
        self.has("shows_all", lambda: len(cells()) == 5)
        self.has("shows_what_is_labeled", lambda: len(
            page.driver.find_elements(By.CSS_SELECTOR, ".label-cell.done")) == 2)
        self.page.look("grid")
        page.click("[name=label-filter][value=open]")
        self.has("filters", lambda: len(cells()) == 3)
        page.driver.execute_script("document.querySelector('#label-grid').focus()")
        self.keys(Keys.END, Keys.ENTER)
        self.has("opens_by_key", lambda: self.name() == "digit-4-01.png")
        self.choose("#label-order", "uncertain")
        self.has("orders_by_certainty", lambda: page.text("#label-progress").startswith("2 of 5")
                 and page.find("#label-order").get_attribute("value") == "uncertain"
                 and not page.find(".label-ranking").is_displayed())
        page.click("#label-evaluate")
        self.has("evaluates", lambda: page.driver.find_elements(By.CSS_SELECTOR, "#export-json"))

    def failures(self) -> None:
        page = self.page
        bad = self.folder / "bad.png"
        bad.write_bytes(b"This isn't an image.")
        self.start("digits")
        self.open([bad, IMAGES / "digit-5-01.png"])
        self.has("says_that_an_image_is_unreadable", lambda: page.find(".label-unreadable").is_displayed())
        self.has("offers_only_to_skip_it", lambda: page.text("#label-note") != "The model is looking at the image."
                 and not page.driver.find_elements(By.CSS_SELECTOR, "#label-note button"))
        page.click(".label-unreadable button")
        self.has("skips_it", lambda: self.name() == "digit-5-01.png"
                 and page.text("[data-place='0'] .label-choice-name") == "five")
        network = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        page.driver.execute_cdp_cmd("Network.enable", {})
        page.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": True, **network})
        self.keys("1")
        self.has("says_what_waits", lambda: page.find("#label-waiting").is_displayed())
        page.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": False, **network})
        self.has("sends_it_later", lambda: not page.find("#label-waiting").is_displayed()
                 and any(each["photo"] == "digit-5-01.png" for each in self.kept("digits")["labels"]))

    def namesakes(self) -> None:
        """Opens another image with the name of one that is labelled, and that one again."""
        page = self.page
        other = self.folder / "other" / "digit-1-01.png"
        other.parent.mkdir()
        other.write_bytes((IMAGES / "digit-7-01.png").read_bytes())
        self.start("digits")
        self.open([other])
        self.has("doesnt_give_it_the_label", lambda: self.name() == "digit-1-01-2.png"
                 and page.text("#label-given") == "No label yet"
                 and page.text("[data-place='0'] .label-choice-name") == "seven")
        self.keys("1")
        names = ["digit-1-01-2.png", "digit-1-01.png"]
        labels = lambda: {each["photo"]: each["label"] for each in self.kept("digits")["labels"]}
        self.has("keeps_both_labels", lambda: [labels().get(name) for name in names] == ["seven", "nine"])
        self.open([IMAGES / "digit-1-01.png"])
        self.has("finds_the_first_again", lambda: (self.name(), page.text("#label-given")) == (names[1], "Labeled nine"))
        self.open([other])
        self.has("finds_the_other_again", lambda: (self.name(), page.text("#label-given")) == (names[0], "Labeled seven"))

    # Boxes and outlines

    def places(self, points: tuple[tuple[int, int], ...]) -> tuple:
        """The drawing, and points of a drawing of 640 pixels in it, from the middle."""
        drawing = self.page.find(".annotator")
        self.page.driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", drawing)
        scale = drawing.size["height"] / 640
        return drawing, [(round(x * scale), round(y * scale)) for x, y in points]

    def drag(self, *points: tuple[int, int]) -> None:
        """Drags with the mouse between points."""
        drawing, places = self.places(points)
        chain = ActionChains(self.page.driver, duration=30)
        chain.move_to_element_with_offset(drawing, *places[0]).click_and_hold()
        for place in places[1:]:
            chain.move_to_element_with_offset(drawing, *place)
        chain.release().perform()

    def touch(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Draws with a finger."""
        drawing, (start, end) = self.places((start, end))
        chain = ActionChains(self.page.driver, duration=40)
        chain.w3c_actions = ActionBuilder(
            self.page.driver, PointerInput("touch", "finger"), duration=40)
        finger = chain.w3c_actions.pointer_action
        finger.move_to(drawing, x=start[0], y=start[1]).pointer_down()
        finger.move_to(drawing, x=end[0], y=end[1]).pointer_up()
        chain.perform()

    def boxes(self) -> None:
        page = self.page
        self.start("objects")
        self.open([photo_of_objects(self.folder), IMAGES / "digit-7-01.png"])
        self.has("suggests_boxes", lambda: page.text("#shape-take") == "Take over the model's 2 boxes")
        self.keys("t")
        self.has("takes_over", lambda: self.shapes() == [
            "square: 121 × 80 pixels at 60, 80", "cross: 60 × 80 pixels at 30, 200"])
        self.undo()
        self.has("undoes_taking_over", lambda: self.shapes() == [])
        self.keys("+")
        self.has("zooms", lambda: page.driver.execute_script(
            """const frame = document.querySelector(".label-frame");
            return frame.scrollWidth > frame.clientWidth && frame.scrollLeft > 0;"""))
        self.keys("-")
        self.has("zooms_out", lambda: page.driver.execute_script(
            """const frame = document.querySelector(".label-frame");
            return frame.scrollWidth <= frame.clientWidth;"""))
        self.keys("t")
        self.drag((-40, -170), (20, -150), (60, -120))
        self.has("draws_a_box", lambda: len(self.shapes()) == 3)
        before = self.shapes()[2]
        self.keys(Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
        self.has("moves_by_key", lambda: self.shapes()[2] != before)
        moved = self.shapes()[2]
        ActionChains(page.driver).key_down(Keys.SHIFT).send_keys(Keys.ARROW_RIGHT).key_up(Keys.SHIFT).perform()
        self.has("resizes_by_key", lambda: self.shapes()[2].split(" at ")[1] == moved.split(" at ")[1]
                 and self.shapes()[2] != moved)
        page.driver.execute_script("document.querySelector('.shape[aria-pressed=true]').focus()")
        self.keys("3")
        self.has("relabels", lambda: self.shapes()[2].startswith("star: "))
        self.drag((0, -145), (0, -100))
        self.has("moves_by_pointer", lambda: self.shapes()[2].split(" at ")[1] != moved.split(" at ")[1])
        self.page.look("boxes")
        self.keys(Keys.DELETE)
        self.has("deletes", lambda: len(self.shapes()) == 2)
        self.touch((40, 60), (90, 120))
        self.has("draws_by_touch", lambda: len(self.shapes()) == 3)
        self.undo()
        self.outlines()
        self.keys(Keys.ESCAPE, Keys.ENTER)
        self.has("goes_on", lambda: self.name() == "digit-7-01.png")
        # Until the image is open, the button isn't shown.
        page.wait(lambda: page.find("#shape-nothing").is_displayed())
        page.click("#shape-nothing")
        self.has("keeps_that_nothing_is_there", lambda: [
            (each["photo"], each["shapes"]) for each in self.kept("objects")["annotated"]
        ] == [("boxes.png", 3), ("digit-7-01.png", 0)])
        self.start("objects")
        page.click("#label-open-kept")
        self.has("shows_what_was_kept", lambda: self.name() == "boxes.png" and len(self.shapes()) == 3)

    def outlines(self) -> None:
        """Draws an outline by key and deletes it, and draws one by pointer."""
        page = self.page
        self.keys("b")
        self.has("adds_a_box_by_key", lambda: len(self.shapes()) == 3)
        self.keys(Keys.DELETE, "p", " ")
        for key in [Keys.ARROW_RIGHT, Keys.ARROW_DOWN]:
            ActionChains(page.driver).key_down(Keys.SHIFT).send_keys(key).key_up(Keys.SHIFT).perform()
            self.keys(" ")
        self.keys(Keys.ENTER)
        self.has("outlines_by_key", lambda: self.shapes()[2:] != [] and "3 corners" in self.shapes()[2])
        self.undo()
        self.has("undoes_an_outline", lambda: len(self.shapes()) == 2)
        page.click("[name=label-tool][value=polygon]")
        for place in [(-100, -160), (-20, -170), (-30, -120), (-90, -110)]:
            self.drag(place)
        page.click("#shape-finish")
        self.has("outlines_by_pointer", lambda: self.shapes()[2:] != [] and "4 corners" in self.shapes()[2])

    def export(self) -> None:
        page = self.page
        page.click("#label-export-coco")
        self.has("exports", lambda: [*page.downloads.glob("objects-coco.zip")])
        with zipfile.ZipFile(page.downloads / "objects-coco.zip") as archive:
            archive.extractall(self.folder)
        root = self.folder / "objects-coco"
        with contextlib.redirect_stdout(io.StringIO()):
            coco = COCO(str(root / "annotations.json"))
        annotations = coco.loadAnns(coco.getAnnIds())
        boxes = np.array([each["bbox"] for each in annotations[:2]])
        # The photo has values of 8 bits, so the boxes are only nearly as they were coded.
        self.seen["is_read_by_pycocotools"] = bool(
            np.abs(boxes - [[60, 80, 120, 80], [30, 200, 60, 80]]).max() < 1)
        # A mask counts whole pixels, so its area differs a little from that of the outline.
        self.seen["has_right_areas"] = all(
            abs(int(coco.annToMask(each).sum()) - each["area"]) < 0.05 * each["area"] for each in annotations)
        self.seen["has_the_images"] = all(
            (root / "images" / each["file_name"]).is_file() for each in coco.imgs.values())
        page.click("#label-evaluate")
        self.has("evaluates_boxes", lambda: page.driver.find_elements(By.CSS_SELECTOR, "#export-json"))

    def corners(self) -> None:
        found = self.page.driver.execute_async_script(CLOSE_AND_NAME)
        self.seen["ends_a_drag_with_its_image"] = found["isLeft"]
        self.seen["gives_each_file_a_name"] = found["names"] == ["a-b.png", "c-b.png", "a-b-2.png"]

    # German, and large lists

    def german(self) -> None:
        driver = self.page.driver
        self.start("digits", "de")
        self.open([IMAGES / "digit-7-01.png"])
        self.has("speaks_german", lambda: self.page.text("#label-all") == "Alle Bilder zeigen"
                 and self.page.text("#label-given") == "Noch kein Label")

    def many(self) -> None:
        driver = self.page.driver
        typed = driver.execute_async_script(TYPE_AHEAD)
        self.seen["searches_many_labels"] = (
            typed["found"] == "label 19999 of many" and typed["count"] <= 10)
        grid = driver.execute_async_script(GRID)
        self.seen["milliseconds"] = {"label_key": typed["slowest"], "grid": grid["took"]}
        self.seen["shows_many_images"] = (
            grid["first"] and grid["isAtStart"] and grid["hasThumbnails"]
            and grid["count"] < 200)


def main() -> None:
    parser = page_arguments()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--many", action="store_true")
    arguments = parser.parse_args()
    with opened(arguments) as (page, _):
        labelling = Labelling(arguments.address, page, arguments.folder)
        try:
            page.driver.get(arguments.address)
            parts = ["images", "failures", "namesakes", "boxes", "export", "corners", "german"]
            for part in parts + ["many"] * arguments.many:
                getattr(labelling, part)()
            labelling.seen["axe"] = page.found
            # The console reports the lost server, and the image that the server can't read either.
            expected = ["ERR_INTERNET_DISCONNECTED", "/infer", "status of 400"]
            labelling.seen["console"] = [
                message for message in page.console() if not any(word in message for word in expected)]
        finally:
            json.dump(labelling.seen, sys.stdout)


if __name__ == "__main__":
    main()
