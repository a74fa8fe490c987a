# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Tries changed descriptions of the models of NetRunnerInputTests: of sounds, texts, rows and numbers.

    browse_trial.py ADDRESS [--size 390x844] [--screenshots DIR]

It prints what it saw as a JSON object.
"""

import base64
import json
import re
import sys
import tempfile
from pathlib import Path

from browse_inputs import BAND, DROP, write_tone
from page import Page, opened, page_arguments


def browse(address: str, page: Page, folder: Path) -> dict:
    seen: dict = {}
    driver = page.driver

    def edit(model: str) -> None:
        driver.get(address.split("#")[0] + "#/models/" + model)
        page.wait(lambda: page.text(".model-details h2") == model and page.find("#model-edit").is_displayed())
        page.click("#model-edit")
        page.wait(lambda: driver.find_elements("css selector", ".trial .sound-name, .trial [name]"))

    def put(selector: str, value: str) -> None:
        driver.execute_script(
            """const control = document.querySelector(arguments[0]);
            control.value = arguments[1];
            control.dispatchEvent(new Event("input", { bubbles: true }));""", selector, value)

    def change(old: str, new: str) -> None:
        """Changes the text of model.json by a regular expression."""
        driver.execute_script("document.querySelectorAll('[name=form-mode]')[1].click()")
        text = page.find("#model-text").get_attribute("value")
        put("#model-text", re.sub(old, new, text))

    def becomes(found, wanted) -> bool:
        return page.wait(lambda: found() == wanted) is not None

    def first() -> str:
        return page.text(".trial-labels li:first-child span")

    def values(count: int) -> str:
        return ", ".join(page.text(".trial .values p").split(", ")[:count])

    def discard() -> None:
        page.wait(lambda: page.text(".trial > [role=status]") != "Running")
        page.click("#form-discard")
        # The page only asks if something was changed.
        def is_closed() -> bool:
            return not driver.find_elements("css selector", ".trial")

        page.wait(lambda: is_closed() or page.find("#confirm").is_displayed())
        if not is_closed():
            page.click("#confirm [value=yes]")
            page.wait(is_closed)

    driver.get(address)
    edit("sound")
    seen["tries_the_first_recording"] = becomes(lambda: page.text(".trial .sound-name"), "silence.wav")
    tone = write_tone(folder / "tried.wav", 54, 16000, 286 / 16000).read_bytes()
    driver.execute_script(DROP, "tried.wav", base64.b64encode(tone).decode())
    seen["tries_a_dropped_recording"] = becomes(first, f"{int(54 * BAND)} Hz")
    page.find(".trial .sound-input").send_keys(str(write_tone(folder / "chosen.wav", 36, 16000, 286 / 16000)))
    seen["tries_a_chosen_recording"] = becomes(first, f"{int(36 * BAND)} Hz")
    page.look("trial-recording")
    change(r',\s*"labels": "labels.txt"', "")
    seen["keeps_the_recording"] = page.wait(lambda: values(1) != "") is not None \
        and page.text(".trial .sound-name") == "chosen.wav"
    page.click(".trial .sound-listen")
    seen["tries_the_microphone"] = page.wait(lambda: page.text(".trial .sound-name") == "Listening") is not None
    page.click("[data-nav=live]")
    seen["stops_listening_in_other_views"] = page.wait(
        lambda: page.text(".trial .sound-name") == "Stopped") is not None
    page.click("[data-nav=models]")
    page.wait(lambda: page.find(".trial").is_displayed())
    discard()

    edit("text")
    put(".trial [name=text]", "Good, film")
    seen["tries_a_text"] = becomes(lambda: values(5), "2, 4, 1, 5, 3")
    change('"type": "text"', '"type": "text", "lowercase": false')
    seen["keeps_the_text"] = becomes(lambda: values(5), "2, 1, 1, 5, 3") \
        and page.find(".trial [name=text]").get_attribute("value") == "Good, film"
    page.look("trial-text")
    discard()

    edit("row")
    seen["tries_the_first_row"] = becomes(lambda: values(4), "2, 0, 1, 0")
    change('"mean": 40', '"mean": 50')
    seen["tries_the_row_with_changes"] = becomes(lambda: values(4), "1, 0, 1, 0")
    put(".trial [name=age]", "old")
    seen["says_what_the_trial_needs"] = becomes(
        lambda: page.text(".trial > [role=status]"), "age takes a number.")
    put(".trial [name=age]", "70")
    seen["tries_other_values"] = becomes(lambda: values(1), "2")
    page.look("trial-row")
    discard()

    edit("numbers")
    put(".trial [name=input1]", "1 2 3 4")
    put(".trial [name=input2]", "5, 6; 7 8")
    seen["tries_numbers"] = becomes(lambda: values(1), "70")
    page.look("trial-numbers")
    discard()
    seen["axe"] = page.found
    seen["console"] = page.console()
    return seen


def main() -> None:
    arguments = page_arguments().parse_args()
    with tempfile.TemporaryDirectory() as name:
        tone = write_tone(Path(name) / "microphone.wav", 18, 48000, 2)
        with opened(arguments, sound=tone) as (page, folder):
            json.dump(browse(arguments.address, page, folder), sys.stdout)


if __name__ == "__main__":
    main()
