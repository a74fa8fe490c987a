# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Imports, corrects, saves and looks at models in Net Runner's page, by the mouse and by the keyboard alone.

    browse_models.py ADDRESS MODEL LABELS GRAPH [--many FOLDER] [--size 390x844] [--screenshots DIR]
    browse_models.py ADDRESS --empty [--size 390x844] [--screenshots DIR]

MODEL is a classifier without labels, LABELS a file with its labels, and GRAPH a model with many operators.
FOLDER is the server's models folder, which gets 200 more models. With --empty, the server has no models, and a
repository that doesn't respond. The script prints what it saw as a JSON object.
"""

import base64
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from browse_inputs import DROP
from page import DEMO, Page, opened, page_arguments

# Opens a model that the server describes late, and says whether the details of the one before take clicks meanwhile.
OPEN_SLOWLY = """
const [id, done] = arguments;
const { fetch } = window;
window.fetch = (...request) => new Promise((resolve) => setTimeout(resolve, 500)).then(() => fetch(...request));
location.hash = `#/models/${id}`;
setTimeout(() => {
  window.fetch = fetch;
  done(document.querySelector("#model-details").inert);
}, 200);
"""

# The time from a key in a field until the page is drawn with the answer, in milliseconds. The page's policy forbids
# eval, so the answer is a part of the script.
TIME_OF_KEY = """
const [selector, text] = arguments;
const done = arguments[arguments.length - 1];
const field = document.querySelector(selector);
field.focus();
const start = performance.now();
field.value = text;
field.dispatchEvent(new Event("input", { bubbles: true }));
const look = () => {
  if (ANSWER) requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
  else if (performance.now() - start > 5000) done(null);
  else setTimeout(look, 1);
};
look();
"""


class Steps:
    """Uses the page as a person does."""

    def __init__(self, page: Page, address: str):
        self.page = page
        self.driver = page.driver
        self.address = address.split("#")[0]

    def go(self, view: str) -> None:
        self.driver.get(self.address + "#/" + view)

    def is_there(self, selector: str, seconds: float = 60) -> bool:
        script = "return Boolean(document.querySelector(arguments[0])?.checkVisibility())"
        return self.page.wait(lambda: self.driver.execute_script(script, selector), seconds) is not None

    def press(self, *keys: str) -> None:
        ActionChains(self.driver).send_keys(*keys).perform()

    def tab_to(self, selector: str, most: int = 60) -> bool:
        """Presses the tab key until an element has the focus."""
        for _ in range(most):
            if self.driver.execute_script(
                    "return document.activeElement.matches(arguments[0])", selector):
                return True
            self.press(Keys.TAB)
        return False

    def fill(self, selector: str, text: str) -> None:
        self.driver.execute_script(
            """const control = document.querySelector(arguments[0]);
            control.value = arguments[1];
            control.dispatchEvent(new Event("input", { bubbles: true }));
            control.dispatchEvent(new Event("change", { bubbles: true }));""", selector, text)

    def drop(self, path: Path, name: str) -> None:
        self.driver.execute_script(DROP, name, base64.b64encode(path.read_bytes()).decode())

    def times_of_keys(self, selector: str, answers: list[tuple[str, str]]) -> float:
        """Returns the longest time of several texts. Of each, the best of five counts, as other work is chance."""
        times = [
            [self.driver.execute_async_script(TIME_OF_KEY.replace("ANSWER", answer), selector, text)
             for text, answer in answers] for _ in range(5)]
        return max(min(each) for each in zip(*times))

    def trial(self) -> str:
        return self.page.text(".trial-labels li:first-child span")

    def tries(self, label: str) -> bool:
        return self.page.wait(lambda: self.trial() == label) is not None


def by_mouse(steps: Steps, model: Path, labels: Path) -> dict:
    """Drops a model, chooses its labels, saves, and uses it: four steps."""
    seen, page = {}, steps.page
    steps.go("models")
    steps.is_there("#import-choose")
    steps.drop(model, "mine.tflite")
    seen["opens_the_form"] = steps.is_there(".form-fields")
    seen["says_what_was_assumed"] = len(page.driver.find_elements("css selector", ".assumed li")) > 0
    seen["tries_a_sample"] = page.wait(
        lambda: page.text(".trial > [role=status]").startswith("Inference")) is not None
    page.type(".form-fields .labels input[type=file]", str(labels))
    seen["counts_labels"] = page.wait(
        lambda: "for" in page.text(".form-fields .labels [role=status]")) is not None
    seen["tries_the_labels"] = steps.tries(labels.read_text().splitlines()[0])
    page.find("#form-save").click()
    seen["saves"] = steps.is_there("#model-use")
    page.find("#model-use").click()
    seen["is_used_in_live"] = page.wait(
        lambda: page.find("[data-view=live]").is_displayed()
        and page.find("#model-select").get_attribute("value") == "mine") is not None
    seen["lives"] = page.wait(lambda: page.text("#top-label") in labels.read_text()) is not None
    return seen


def by_keyboard(steps: Steps, model: Path, labels: Path) -> dict:
    """The same four steps without a pointer."""
    seen, page = {}, steps.page
    steps.go("models")
    seen["reaches_the_file"] = steps.is_there("#import-choose") and steps.tab_to("#import-choose")
    # The system's dialog isn't part of the page.
    copy = Path(tempfile.mkdtemp()) / "keys.tflite"
    shutil.copy(model, copy)
    page.find("#zip-input").send_keys(str(copy))
    steps.is_there(".form-fields")
    seen["reaches_labels"] = steps.tab_to(".form-fields .labels textarea")
    steps.press(*"\n".join(labels.read_text().splitlines()))
    seen["typed_labels"] = steps.tries(labels.read_text().splitlines()[0])
    page.driver.execute_script("document.querySelector('.model-details h2').focus()")
    seen["reaches_save"] = steps.tab_to("#form-save")
    steps.press(Keys.ENTER)
    seen["focuses_use"] = page.wait(lambda: page.driver.execute_script(
        "return document.activeElement.id === 'model-use'")) is not None
    steps.press(Keys.ENTER)
    seen["keyboard_to_live"] = page.wait(
        lambda: page.find("[data-view=live]").is_displayed()
        and page.find("#model-select").get_attribute("value") == "keys") is not None
    shutil.rmtree(copy.parent)
    return seen


def correction(steps: Steps) -> dict:
    """Corrects a model, with mistakes, and discards changes."""
    seen, page, driver = {}, steps.page, steps.driver
    steps.go("models/mine")
    page.wait(lambda: page.text(".model-details h2") == "mine")
    seen["former_details_take_no_clicks"] = driver.execute_async_script(OPEN_SLOWLY, "digits-int8")
    page.wait(lambda: page.text(".model-details h2") != "mine")
    seen["new_details_take_clicks"] = not page.find("#model-details").get_property("inert")
    steps.go("models/mine")
    page.wait(lambda: page.text(".model-details h2") == "mine")
    page.click("#model-edit")
    steps.is_there(".form-fields")
    steps.fill("[data-path='inputs[0].crop.fraction']", "2")
    seen["names_the_field"] = page.wait(lambda: driver.find_elements(
        "css selector", "[data-path='inputs[0].crop.fraction'][aria-invalid]")) is not None
    page.look("form-mistake")
    steps.fill("[data-path='inputs[0].crop.fraction']", "0.9")
    seen["accepts_the_correction"] = page.wait(lambda: not driver.find_elements(
        "css selector", ".form-fields [aria-invalid]") and steps.trial() != "") is not None
    steps.drop(DEMO / "images/digit-3-01.png", "three.png")
    seen["takes_a_dropped_image"] = page.wait(
        lambda: page.find(".trial-stage img").get_attribute("alt") == "three.png") is not None
    driver.execute_script("document.querySelectorAll('[name=form-mode]')[1].click()")
    text = page.find("#model-text").get_attribute("value")
    seen["text_has_the_change"] = '"fraction": 0.9' in text
    steps.fill("#model-text", text.replace('"type": "image"', '"type": "picture"', 1))
    seen["lists_problems_beside_the_text"] = page.wait(
        lambda: "inputs[0].type" in page.text(".issues")) is not None
    steps.fill("#model-text", text.replace("{", "{{", 1))
    seen["names_the_line"] = page.wait(lambda: "line" in page.text(".issues")) is not None
    page.look("form-text")
    page.click("#form-discard")
    seen["asks_before_discarding"] = page.wait(lambda: page.find("#confirm").is_displayed()) is not None
    page.click("#confirm [value=yes]")
    seen["discards"] = steps.is_there("#model-edit")
    page.click("#model-edit")
    steps.is_there(".form-fields")
    # The fields are made again when the graph arrives.
    seen["kept_the_saved_description"] = page.wait(
        lambda: page.find("[data-path='inputs[0].crop.fraction']").get_attribute("value") == "") is not None
    steps.fill("[data-path='name']", "My model")
    page.click("[data-nav=live]")
    page.wait(lambda: page.find("[data-view=live]").is_displayed())
    page.click("[data-nav=models]")
    seen["keeps_changes_in_other_views"] = page.wait(
        lambda: steps.is_there("[data-path='name']")
        and driver.execute_script("return location.hash") == "#/models/mine"
        and page.find("[data-path='name']").get_attribute("value") == "My model") is not None
    # On phones, the form hides the list, to which the navigation leads back.
    page.click("[data-nav=models]" if page.is_phone else ".card-link[data-model=digits]")
    seen["asks_before_another_model"] = page.wait(lambda: page.find("#confirm").is_displayed()) is not None
    page.click("#confirm [value=no]")
    seen["stays_in_the_form"] = page.wait(
        lambda: driver.execute_script("return location.hash") == "#/models/mine"
        and page.find("[data-path='name']").get_attribute("value") == "My model") is not None
    page.click("#form-save")
    seen["renames"] = page.wait(lambda: page.text(".model-details h2") == "My model") is not None
    return seen


def graph(steps: Steps, path: Path) -> dict:
    """Imports a model with many operators, and looks at its graph."""
    seen, page, driver = {}, steps.page, steps.driver
    steps.go("models")
    steps.drop(path, "graph.tflite")
    steps.is_there("#form-use", 60)
    page.click("#form-discard")
    steps.is_there("#model-graph summary")
    page.click("#model-graph summary")
    seen["draws_or_lists"] = steps.is_there(".graph-table tbody tr")
    count = page.text(".graph-search [role=status]").split(" ")[0]
    found = "document.querySelector('.graph-search [role=status]').textContent"
    took = steps.times_of_keys("#graph-search", [
        (text, f"{found}.startsWith('{answer}')")
        for text, answer in [("zzz", "0 of"), ("", count), ("sum_99", "12 of")]])
    seen["operators"] = count
    seen["graph_key_milliseconds"] = took
    page.click(".graph-table tbody .link")
    seen["shows_tensors"] = page.wait(lambda: page.text(".graph-details h4") == "Reads") is not None
    page.look("graph")
    return seen


def drawing(steps: Steps) -> dict:
    """Steps through the drawn graph of the digits by keys."""
    seen, page, driver = {}, steps.page, steps.driver
    steps.go("models/digits")
    page.wait(lambda: page.text(".model-details h2") == "Digits")
    page.click("#model-graph summary")
    seen["draws"] = steps.is_there(".graph .operator")
    driver.execute_script("document.querySelector('.graph .operator').focus()")
    steps.press(Keys.ARROW_DOWN)
    seen["arrow_keys_step"] = page.wait(lambda: page.text(".graph-details h3").endswith(" · 1")) is not None
    page.click("#graph-measure")
    seen["measures"] = page.wait(lambda: page.text("#graph-measure") == "Measure again") is not None
    seen["draws_times"] = driver.execute_script(
        """const texts = [...document.querySelectorAll(".graph .timed .shape")].map((each) => each.textContent);
        return texts.length === 6 && texts.every((text) => /^[0-9.]+ (µs|ms) · [0-9.]+%$/.test(text));""")
    seen["names_times"] = "%" in driver.find_element("css selector", ".graph .operator").get_attribute("aria-label")
    seen["adds_up_kinds"] = page.text("#graph-kinds tbody th") == "CONV_2D" \
        and "Convolution" in page.text("#graph-steps tbody")
    page.click("#graph-slowest")
    times = driver.execute_script(
        """const cells = [...document.querySelectorAll(".graph-table td:nth-child(4)")];
        return cells.map((each) => parseFloat(each.textContent));""")
    seen["sorts_by_time"] = len(times) == 6 and times == sorted(times, reverse=True)
    page.look("drawing")
    seen["selects"] = driver.execute_script(
        "return document.querySelectorAll('.graph [aria-selected=true]').length === 1")
    return seen


def many(steps: Steps, folder: Path) -> dict:
    """Measures the view with 200 models."""
    seen, page, driver = {}, steps.page, steps.driver
    source = folder / "mine.tiobundle"
    for index in range(200):
        copy = folder / f"many-{index}.tiobundle"
        shutil.copytree(source, copy)
        model = json.loads((copy / "model.json").read_text())
        model["id"], model["name"] = f"many-{index}", f"Model {index % 150}"
        (copy / "model.json").write_text(json.dumps(model))
    steps.go("models")
    driver.refresh()
    seen["lists_200"] = page.wait(lambda: len(page.models()) > 200) is not None
    rows = "document.querySelectorAll('#model-list li:not([hidden])').length"
    took = steps.times_of_keys("#model-search", [
        (text, f"{rows} {answer}")
        for text, answer in [("zzz", "=== 0"), ("", "> 200"), ("model 7", "< 60")]])
    seen["models_key_milliseconds"] = took
    names = [each.text for each in driver.find_elements("css selector", "#model-list li:not([hidden]) .card-name")]
    seen["names_are_unique"] = len(names) == len(set(names)) > 0
    steps.fill("#model-search", "zzz")
    seen["says_that_nothing_matches"] = steps.is_there("#model-search-clear")
    page.click("#model-search-clear")
    seen["clears_the_search"] = page.wait(lambda: driver.execute_script("return " + rows) > 200) is not None
    chosen = driver.execute_async_script(
        """const done = arguments[0];
        const select = document.querySelector("#model-select");
        const start = performance.now();
        select.value = "many-150";
        select.dispatchEvent(new Event("change"));
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));""")
    seen["choice_milliseconds"] = chosen
    return seen


def failures(steps: Steps) -> dict:
    """An import that fails has a title, a sentence, one button, and folded details."""
    seen, page = {}, steps.page
    steps.go("models")
    steps.is_there("#import-choose")
    steps.drop(DEMO / "images/digit-3-01.png", "broken.tflite")
    seen["says_that_it_failed"] = page.wait(lambda: page.text("#import-state strong") != "") is not None
    warn = "#import-state .warn"
    seen["has_one_button"] = len(page.driver.find_elements("css selector", warn + " button")) == 1
    seen["folds_details"] = page.driver.execute_script(
        "return document.querySelector('#import-state details').open === false")
    page.look("failed")
    return seen


def empty(steps: Steps) -> dict:
    """The view without models, and with a repository that doesn't respond."""
    seen, page = {}, steps.page
    steps.go("models")
    seen["says_that_there_are_none"] = steps.is_there("#model-empty") and steps.is_there("#model-first")
    seen["hides_the_search"] = not page.find("#model-search").is_displayed()
    seen["says_that_the_repository_fails"] = page.wait(
        lambda: page.text("#repository-state strong") != "") is not None
    buttons = page.driver.find_elements("css selector", "#repository-state button")
    seen["offers_to_try_again"] = [each.text for each in buttons] == ["Try again"]
    seen["folds_the_reason"] = page.driver.execute_script(
        "return document.querySelector('#repository-state details').open === false")
    page.look("empty")
    return seen


def main() -> None:
    parser = page_arguments()
    parser.add_argument("model", type=Path, nargs="?")
    parser.add_argument("labels", type=Path, nargs="?")
    parser.add_argument("graph", type=Path, nargs="?")
    parser.add_argument("--empty", action="store_true")
    parser.add_argument("--many", type=Path)
    arguments = parser.parse_args()
    with opened(arguments) as (page, _):
        steps = Steps(page, arguments.address)
        if arguments.empty:
            seen = empty(steps)
        else:
            seen = by_mouse(steps, arguments.model, arguments.labels)
            seen |= by_keyboard(steps, arguments.model, arguments.labels)
            seen |= correction(steps)
            seen |= drawing(steps)
            seen |= graph(steps, arguments.graph)
            seen["console"] = page.console()
            # The browser itself reports the status of a response that the page expects.
            seen |= failures(steps)
            page.console()
            if arguments.many:
                seen |= many(steps, arguments.many)
                seen["console"] += page.console()
        json.dump(seen | {"axe": page.found}, sys.stdout)


if __name__ == "__main__":
    main()
