# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Uses Net Runner's page with the models of NetRunnerInputTests: sounds, texts, rows and numbers.

    browse_inputs.py ADDRESS [--decoders] [--size 390x844] [--screenshots DIR]

The microphone is a tone, and so are the recordings. It prints what it saw as a JSON object.
"""

import base64
import io
import json
import math
import struct
import sys
import tempfile
import time
import wave
from pathlib import Path

import numpy as np
from PIL import Image

from selenium.webdriver.common.action_chains import ActionChains

from page import Page, opened, page_arguments

# The width of a band of the model's spectrum.
BAND = 16000 / 286

DROP = """
const [name, bytes] = arguments;
const file = new File([Uint8Array.from(atob(bytes), (each) => each.charCodeAt(0))], name);
const transfer = new DataTransfer();
transfer.items.add(file);
document.body.dispatchEvent(
  new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
"""


# Keeps the streams that the page opens.
WATCH = """
window.streams = [];
const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
navigator.mediaDevices.getUserMedia = async (constraints) => {
  const stream = await open(constraints);
  window.streams.push(stream);
  return stream;
};
"""


def write_tone(path: Path, band: int, rate: int, seconds: float) -> Path:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        count = round(rate * seconds)
        values = (0.5 * math.sin(2 * math.pi * band * BAND * index / rate) for index in range(count))
        file.writeframes(b"".join(struct.pack("<h", round(32767 * value)) for value in values))
    return path


def browse(address: str, page: Page, folder: Path) -> dict:
    seen: dict = {}
    driver = page.driver

    def fill(name: str, value: str) -> None:
        driver.execute_script(
            """const control = document.querySelector(`.fields [name="${arguments[0]}"]`);
            control.value = arguments[1];
            control.dispatchEvent(new Event("input", { bubbles: true }));""", name, value)

    def values(count: int) -> str:
        """The first numbers of the only output."""
        return ", ".join(page.text("#outputs .values p").split(", ")[:count])

    def settled(wanted: str, count: int) -> str:
        page.wait(lambda: values(count) == wanted, 5)
        return values(count)

    driver.get(address)
    page.wait(lambda: "sound" in page.models())
    page.choose_model("sound")
    page.wait(lambda: page.find(".sound-listen").is_displayed())
    seen["hides_image_sources"] = not page.find("#source").is_displayed()
    page.click(".sound-listen")
    wanted = f"{int(18 * BAND)} Hz"
    page.wait(lambda: page.text("#top-label") == wanted and page.frames() > 3, 15)
    seen["microphone"] = page.text("#top-label")
    seen["draws"] = driver.execute_script(
        """const canvas = document.querySelector(".wave");
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return data.filter((value, place) => place % 4 === 3 && value > 0).length > canvas.width;""")
    page.look("microphone")
    page.click(".sound-listen")
    time.sleep(0.5)
    count = page.frames()
    time.sleep(0.5)
    seen["stops_listening"] = page.frames() == count and page.text(".sound-listen") == "Listen"

    page.find(".sound-input").send_keys(str(write_tone(folder / "tone.wav", 36, 16000, 286 / 16000)))
    page.wait(lambda: page.text("#top-label") == f"{int(36 * BAND)} Hz", 10)
    seen["recording"] = page.text("#top-label")
    page.look("recording")
    tone = write_tone(folder / "other.wav", 54, 16000, 286 / 16000).read_bytes()
    driver.execute_script(DROP, "other.wav", base64.b64encode(tone).decode())
    page.wait(lambda: page.text("#top-label") == f"{int(54 * BAND)} Hz", 10)
    seen["dropped"] = page.text("#top-label")

    page.click(".sound .examples button")
    seen["opens_an_example"] = page.wait(
        lambda: page.text(".sound-name") == "silence.wav" and page.text("#latency") not in ["", "–"]) is not None

    # The model is changed while the microphone starts, so nothing may listen after that.
    driver.execute_script(WATCH)
    page.click(".sound-listen")
    page.choose_model("text")
    page.wait(lambda: driver.find_elements("css selector", ".fields [name=text]"))
    page.wait(lambda: driver.execute_script("return window.streams.length > 0"), 5)
    time.sleep(1)
    seen["leaves_no_microphone_on"] = driver.execute_script(
        """return window.streams.length > 0 && window.streams.every(
          (stream) => stream.getTracks().every(({ readyState }) => readyState === "ended"));""")
    fill("text", "good, film")
    seen["text"] = settled("2, 4, 1, 5, 3", 5)
    page.look("text")

    page.choose_model("row")
    page.wait(lambda: driver.find_elements("css selector", ".fields [name=age]"))
    seen["row_at_first"] = settled("0, 1, 0, 0", 4)
    page.wait(lambda: page.text(".fields-panel .examples button") == "older", 5)
    page.click(".fields-panel .examples button")
    seen["row_of_example"] = settled("2, 0, 1, 0", 4)
    fill("age", "55")
    fill("heating", "oil")
    seen["row"] = settled("1.5, 0, 1, 0", 4)
    page.look("row")
    fill("age", "old")
    seen["says_what_is_wrong"] = page.wait(
        lambda: page.text("#labels-empty") == "age takes a number."
        and not page.find("#outputs .values").is_displayed()) is not None

    page.choose_model("numbers")
    page.wait(lambda: driver.find_elements("css selector", ".fields [name=input1]"))
    fill("input1", "1 2 3 4")
    fill("input2", "5, 6; 7 8")
    results = lambda: driver.execute_script(
        "return [...document.querySelectorAll('#outputs .values p')].map((each) => each.textContent)")
    page.wait(lambda: results() and results()[0] == "70", 5)
    seen["numbers"] = results()
    page.look("numbers")

    page.choose_model("digits")
    seen["shows_camera_again"] = page.shows("seven")
    page.click("[data-source=samples]")
    page.wait(lambda: page.text("#strip [data-caption]") == "three.png" and page.shows("three"), 10)
    seen["samples"] = driver.execute_script(
        "return [...document.querySelectorAll('#strip li button')].map((each) => each.title || each.ariaLabel)")
    seen["axe"] = page.found
    seen["console"] = page.console()
    return seen


def photo(values: np.ndarray) -> bytes:
    """A PNG whose pixels are 144 numbers from 0 to 1."""
    data = io.BytesIO()
    pixels = np.round(255 * values.reshape(8, 6, 3)).astype(np.uint8)
    Image.fromarray(pixels).save(data, "PNG")
    return data.getvalue()


def photos() -> dict[str, bytes]:
    """A photo for each model, with what the model decodes in its pixels."""
    boxes = np.zeros((8, 18))
    boxes[:, 4] = [0.5, 0.4, 0.5, 0.4, 0, 1, 0, 0]
    boxes[:, 9] = [0.7, 0.8, 0.2, 0.2, 0, 0, 0, 0.8]
    pose = np.zeros((8, 6, 3))
    for joint, (row, column) in enumerate([(1, 1), (4, 3), (6, 2)]):
        pose[row, column, joint] = 1
    letters = np.zeros((12, 12))
    letters[np.arange(12), [11, 7, 7, 7, 11, 11, 8, 8, 11, 11, 11, 11]] = 1
    tags = np.zeros(144)
    tags[[7, 70, 100]] = [1, 0.95, 0.5]
    depth = np.linspace(0, 1, 144)
    all = {"objects": boxes, "pose": pose, "depth": depth, "letters": letters, "tags": tags}
    return {name: photo(values) for name, values in all.items()}


# Moves the slider of scores.
CUT = """
const slider = document.querySelector("#threshold");
slider.value = arguments[0];
slider.dispatchEvent(new Event("input", { bubbles: true }));
"""


def emphasis(page: Page, boxes) -> dict:
    """What a focused row and a pointer over a box emphasize, and whether labels cover each other."""
    driver = page.driver
    driver.execute_script("document.querySelectorAll('#labels li[tabindex]')[1].focus()")
    places = driver.execute_script(
        "return [...document.querySelectorAll('#overlay .box')].map((each) => each.classList.contains('on'))")
    lit = [box for box, is_lit in zip(boxes(), places) if is_lit]
    driver.execute_script("document.activeElement.blur()")
    ActionChains(driver).move_to_element(page.find("#overlay .box")).perform()
    page.wait(lambda: driver.find_elements("css selector", "#labels li.on"), 5)
    row = page.text("#labels li.on .label")
    overlap = driver.execute_script(
        """const [a, b] = [...document.querySelectorAll(".box-label")].map((each) => (
          each.getBoundingClientRect()));
        return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;""")
    return {"row_lights": lit, "box_lights": row, "labels_overlap": overlap}


def browse_decoders(address: str, page: Page) -> dict:
    seen: dict = {}
    driver = page.driver

    def labels() -> list[str]:
        return driver.execute_script(
            """return [...document.querySelectorAll("#labels li:not(.none)")].map((each) => (
              `${each.querySelector(".label").textContent} ${each.querySelector(".value").textContent}`));""")

    def count(selector: str) -> int:
        return len(driver.find_elements("css selector", selector))

    def boxes() -> list[str]:
        """The left and upper edges, widths and heights, in percent of the photo."""
        return driver.execute_script(
            """return [...document.querySelectorAll("#overlay .box")].map(({ style }) => (
              [style.left, style.top, style.width, style.height]
                .map((each) => Math.round(parseFloat(each))).join(" ")));""")

    driver.get(address)
    page.wait(lambda: "objects" in page.models())
    for name, data in photos().items():
        page.choose_model(name)
        driver.execute_script(DROP, f"{name}.png", base64.b64encode(data).decode())
        page.wait(lambda: page.text("#strip [data-caption]") == f"{name}.png"
                  and page.text("#latency") not in ["", "–"], 10)
        if name in ["objects", "tags"]:
            page.wait(lambda: len(labels()) == 2, 5)
            seen[name] = labels()
        if name == "objects":
            seen["boxes"] = boxes()
            seen.update(emphasis(page, boxes))
            page.driver.execute_script(CUT, 0.9)
            page.wait(lambda: len(labels()) == 1, 5)
            seen["above_the_threshold"] = [labels(), boxes()]
            page.driver.execute_script(CUT, 0.1)
        if name == "pose":
            page.wait(lambda: count("#overlay .keypoint") == 3, 5)
            seen["points"] = count("#overlay .keypoint")
            seen["bones"] = count("#overlay .skeleton line")
        if name == "depth":
            page.wait(lambda: page.text("#outputs figcaption"), 5)
            seen[name] = page.text("#outputs figcaption")
        if name == "letters":
            page.wait(lambda: page.text("#labels-empty") == "hi", 5)
            seen[name] = page.text("#labels-empty")
        if name == "depth":
            page.click("#compare")
            page.driver.execute_script(
                """const select = document.querySelector("#second-model-select");
                select.value = "far"; select.dispatchEvent(new Event("change"));""")
            page.wait(lambda: page.text("#second-outputs figcaption") and page.text("#outputs figcaption"), 10)
            seen["depths_of_both"] = [page.text(f"#{each}outputs figcaption") for each in ["", "second-"]]
            seen["pictures_of_both"] = [page.find(f"#{each}outputs .made img").is_displayed() for each in ["", "second-"]]
        page.look(name)
        if name == "depth":
            page.click("#compare")
    page.choose_model("age")
    page.wait(lambda: count(".fields [name=x]"))
    driver.execute_script(
        """const control = document.querySelector(".fields [name=x]");
        control.value = "4";
        control.dispatchEvent(new Event("input", { bubbles: true }));""")
    page.wait(lambda: labels() == ["age 45 years"], 5)
    seen["age"] = labels()
    seen["axe"] = page.found
    seen["console"] = page.console()
    return seen


def main() -> None:
    parser = page_arguments()
    parser.add_argument("--decoders", action="store_true", help="show photos to models with decoders instead")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        tone = write_tone(Path(name) / "microphone.wav", 18, 48000, 2)
        with opened(arguments, sound=tone) as (page, folder):
            if arguments.decoders:
                seen = browse_decoders(arguments.address, page)
            else:
                seen = browse(arguments.address, page, folder)
            json.dump(seen, sys.stdout)


if __name__ == "__main__":
    main()
