#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Measures the live view of Net Runner's page in Chromium, whose camera plays a film.

    make live                     builds, and runs this; Chromium and chromedriver must be installed
    Benchmarks/live.py --program PROGRAM [--baseline PROGRAM] --models FOLDER --photo PHOTO

The film pans over the photo, with 640 x 480 pixels and 30 frames a second. Programs take turns. On a fast
machine, a program that waits for the camera shows every frame of it, and none can be faster than the
browser draws. `--busy` then slows everything down: a process keeps each processor busy, and the programs
and the browser get about a third of it. For each
model, the script prints the frames a second, the round trip and the age of what is shown, in milliseconds,
as medians of the rounds. A second viewer and a server that stops for two seconds are measured at the end.
A model's identifier is the name of its bundle.
"""

import argparse
import contextlib
import io
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from load import free_port

SHOWN = """
const text = (id) => document.getElementById(id)?.textContent ?? "";
return [text("latency-count"), text("now-roundTrip"), text("now-age")];
"""


class Server:
    """A running Net Runner, until it is closed."""

    def __init__(self, program: Path, models: Path):
        port = free_port()
        self.address = f"http://127.0.0.1:{port}/"
        self.process = subprocess.Popen(
            [program, "--port", str(port), "--models", models], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        if not self.process.stdout.readline():
            raise SystemExit(f"{program} doesn't start. Run it with --models {models} to see why.")

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()


class Viewer:
    """Chromium with the page's live view."""

    def __init__(self, film: Path, address: str):
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for argument in [
            "headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "window-size=1024,768",
            "use-fake-ui-for-media-stream", "use-fake-device-for-media-stream",
            f"use-file-for-fake-video-capture={film}",
            # Otherwise, a page whose window isn't in front is slowed down.
            "disable-renderer-backgrounding", "disable-backgrounding-occluded-windows",
        ]:
            options.add_argument("--" + argument)
        self.driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        self.driver.get(address)

    def choose(self, model: str) -> None:
        """Selects a model, and waits for its results."""
        self.driver.execute_script(
            """const select = document.querySelector('#model-select');
            select.value = arguments[0]; select.dispatchEvent(new Event('change'));""", model)
        time.sleep(2)
        deadline = time.time() + 20
        while self.count() < 10 and time.time() < deadline:
            time.sleep(0.1)

    def show(self, view: str) -> None:
        """Shows a view. Only the live view uses the camera and the server."""
        self.driver.execute_script("location.hash = '#/' + arguments[0]", view)

    def shown(self) -> tuple[int, float, float]:
        """The number of frames so far, and the last frame's round trip and age."""
        count, trip, age = self.driver.execute_script(SHOWN)

        def number(text: str) -> float:
            try:
                return float(text)
            except ValueError:
                return float("nan")

        return int("".join(c for c in count if c.isdigit()) or 0), number(trip), number(age)

    def count(self) -> int:
        return self.shown()[0]

    def close(self) -> None:
        self.driver.quit()


def measure(viewers: list[Viewer], seconds: float) -> list[dict]:
    """The frames a second and the medians of each viewer's times."""
    start, before = time.perf_counter(), [viewer.count() for viewer in viewers]
    samples = [[] for _ in viewers]
    while time.perf_counter() < start + seconds:
        for viewer, times in zip(viewers, samples):
            times.append(viewer.shown()[1:])
        time.sleep(0.1)
    passed = time.perf_counter() - start

    def median(times: list, place: int) -> float | None:
        known = [each[place] for each in times if each[place] == each[place]]
        return round(statistics.median(known), 1) if known else None

    return [
        {"frames": round((viewer.count() - count) / passed, 2), "trip": median(times, 0),
         "age": median(times, 1)}
        for viewer, count, times in zip(viewers, before, samples)]


def stall(viewer: Viewer, server: Server) -> dict:
    """Stops the server for two seconds, and returns the ages that are shown afterwards."""
    server.process.send_signal(signal.SIGSTOP)
    time.sleep(2)
    server.process.send_signal(signal.SIGCONT)
    start, ages = time.perf_counter(), []
    while time.perf_counter() < start + 2:
        ages.append((round(time.perf_counter() - start, 3), viewer.shown()[2]))
        time.sleep(0.02)
    late = [moment for moment, age in ages if age > 300]
    return {
        "late_until": max(late, default=0), "age_after_a_second":
        round(statistics.median(age for moment, age in ages if moment > 1), 1)}


def film(photo: Path, target: Path) -> None:
    """Writes three seconds of motion JPEG, which Chromium repeats."""
    image = Image.open(photo).convert("RGB").resize((900, 675))
    with target.open("wb") as file:
        for frame in range(90):
            x = round(260 * abs(45 - frame) / 45)
            data = io.BytesIO()
            image.crop((x, x // 2, x + 640, x // 2 + 480)).save(data, "JPEG", quality=88)
            file.write(data.getvalue())


@contextlib.contextmanager
def busy_processors() -> Iterator[None]:
    """Keeps each processor busy, and lowers the priority of this process and of those it starts."""
    spinners = []
    for processor in sorted(os.sched_getaffinity(0)):
        spinner = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        os.sched_setaffinity(spinner.pid, {processor})
        spinners.append(spinner)
    os.nice(3)
    try:
        yield
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--baseline", type=Path)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--photo", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--busy", action="store_true")
    arguments = parser.parse_args()
    with busy_processors() if arguments.busy else contextlib.nullcontext():
        run(arguments)


def run(arguments: argparse.Namespace) -> None:
    models = sorted(path.stem for path in arguments.models.glob("*.tiobundle"))
    programs = {"program": arguments.program}
    if arguments.baseline:
        programs = {"baseline": arguments.baseline, **programs}
    with tempfile.TemporaryDirectory() as folder:
        camera = Path(folder) / "camera.mjpeg"
        film(arguments.photo, camera)
        results: dict = {model: {name: [] for name in programs} for model in models}
        servers = {name: Server(program, arguments.models) for name, program in programs.items()}
        viewers = {name: Viewer(camera, server.address) for name, server in servers.items()}
        for viewer in viewers.values():
            viewer.show("settings")
        # Short rounds in turns, because other work on the machine slows both down for a while.
        for model in models:
            for _ in range(arguments.rounds):
                for name, viewer in viewers.items():
                    viewer.show("live")
                    viewer.choose(model)
                    results[model][name] += measure([viewer], arguments.seconds)
                    viewer.show("settings")
        for each in [*viewers.values(), *servers.values()]:
            each.close()
        for model, found in results.items():
            for name, rounds in found.items():
                middle = {
                    key: statistics.median(known) if (known := [r[key] for r in rounds if r[key]]) else None
                    for key in ("frames", "trip", "age")}
                print(model, name, json.dumps(middle), flush=True)
            if "baseline" in found:
                ratios = [a["frames"] / b["frames"] for a, b in zip(found["program"], found["baseline"])]
                print(model, "ratio", round(statistics.median(ratios), 2), flush=True)
        server = Server(arguments.program, arguments.models)
        viewers = [Viewer(camera, server.address), Viewer(camera, server.address)]
        for viewer in viewers:
            viewer.choose(models[0])
        time.sleep(3)
        print("two viewers", json.dumps(measure(viewers, arguments.seconds)), flush=True)
        viewers.pop().close()
        time.sleep(2)
        print("after a stall of 2 s", json.dumps(stall(viewers[0], server)), flush=True)
        viewers[0].close()
        server.close()


if __name__ == "__main__":
    main()
