#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Measures images a second from file to scores, ours and Python's in turn, as Markdown tables.

    make throughput          builds, and installs what Python's side needs
    Benchmarks/throughput.py --binary PROGRAM --model MODEL.tflite --photos DIR [--write FILE.md]

Each contender is one process, or two, that stays alive. In every round, each gets the same work in turn. The
figures are medians of the rounds. This needs a Python with Benchmarks/requirements.txt.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
PEER = ROOT / "Tools/peers/throughput.py"
BEGIN, END = "<!-- throughput -->", "<!-- /throughput -->"

BUNDLE = """{"name": "Model", "details": "", "id": "model", "version": "1", "author": "",
  "license": "", "model": {"file": "model.tflite", "quantized": true},
  "inputs": [{"name": "image", "type": "image", "shape": [%d, %d, 3], "format": "RGB"}],
  "outputs": [{"name": "scores", "type": "array", "shape": [%d]}]}"""

# The name, what it runs, and the number of its processes. Ours uses threads instead.
OURS = [
    ("TensorIO, exact", "exact", 1),
    ("TensorIO, fast", "fast", 1),
    ("TensorIO, exact, 2 threads", "exact", 2),
    ("TensorIO, fast, 2 threads", "fast", 2),
]
PYTHON = [
    ("Pillow", "pillow"),
    ("Pillow draft()", "pillow-draft"),
    ("OpenCV linear, not antialiased", "opencv-linear"),
    ("OpenCV area", "opencv-area"),
    ("OpenCV reduced, linear, not antialiased", "opencv-reduced-linear"),
    ("OpenCV reduced, area", "opencv-reduced-area"),
]


class Contender:
    """Processes that classify images on request."""

    def __init__(self, name: str, commands: list[list[str]]):
        self.name = name
        self.rates: list[float] = []
        self.reports: list[dict] = []
        self.processes = [
            subprocess.Popen(c, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            for c in commands
        ]
        for process in self.processes:
            if process.stdout.readline().strip() != "ready":
                sys.exit(f"error: {name} did not start")

    def run(self, count: int) -> float:
        """Lets every process classify that many images, and returns the seconds that it took."""
        start = time.perf_counter()
        for process in self.processes:
            process.stdin.write(f"{count}\n")
            process.stdin.flush()
        reports = [json.loads(process.stdout.readline()) for process in self.processes]
        elapsed = time.perf_counter() - start
        self.reports += reports
        self.rates.append(count * len(self.processes) / elapsed)
        return elapsed

    @property
    def rate(self) -> float:
        return statistics.median(self.rates)

    def stage(self, key: str) -> float:
        return statistics.median(report[key] for report in self.reports)

    @property
    def memory(self) -> float:
        return max(r["memory"] for r in self.reports) * len(self.processes)

    def close(self) -> None:
        for process in self.processes:
            process.stdin.close()
            process.wait()


def make_bundle(folder: Path, model: Path) -> Path:
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(model_path=str(model))
    _, height, width, _ = interpreter.get_input_details()[0]["shape"]
    classes = interpreter.get_output_details()[0]["shape"][-1]
    bundle = folder / "model.tiobundle"
    bundle.mkdir()
    (bundle / "model.tflite").write_bytes(model.read_bytes())
    (bundle / "model.json").write_text(BUNDLE % (height, width, classes))
    return bundle


def make_pictures(folder: Path, photos: Path) -> dict[str, list[Path]]:
    """Returns images of the required sizes. Smaller ones are made from the largest if they are missing."""
    large = sorted(photos.glob("*12mp*.jpg"))
    if not large:
        sys.exit(f"error: {photos} has no *12mp*.jpg")
    classes: dict[str, list[Path]] = {}
    with Image.open(large[0]) as photo:
        photo.load()
        for name, size, kind in [
            ("VGA JPEG", (640, 480), "jpg"),
            ("HD JPEG", (1600, 1200), "jpg"),
            ("VGA PNG", (640, 480), "png"),
        ]:
            path = folder / f"{size[0]}.{kind}"
            photo.resize(size, Image.Resampling.LANCZOS).save(path, quality=90)
            classes[name] = [path]
    for other in ["cat_720p.jpg"]:
        if (photos / other).exists():
            classes["HD JPEG"].append(photos / other)
            with Image.open(photos / other) as photo:
                for kind, name in [("jpg", "VGA JPEG"), ("png", "VGA PNG")]:
                    path = folder / f"{Path(other).stem}-640.{kind}"
                    photo.convert("RGB").resize((640, 480)).save(path, quality=90)
                    classes[name].append(path)
    classes["12 MP JPEG"] = large
    order = ["VGA JPEG", "HD JPEG", "12 MP JPEG", "VGA PNG"]
    return {name: classes[name] for name in order}


def contenders(binary: str, model: Path, bundle: Path, images: list[Path]) -> list[Contender]:
    paths = [str(path) for path in images]
    result = [
        Contender(name, [[binary, str(bundle), str(threads), scaling, *paths]])
        for name, scaling, threads in OURS
    ]
    for count in (1, 2):
        for name, pipeline in PYTHON:
            command = [sys.executable, str(PEER), str(model), pipeline, *paths]
            suffix = f", {count} processes" if count > 1 else ""
            result.append(Contender(name + suffix, [command] * count))
    return result


def measure(name: str, all_of_them: list[Contender], rounds: int, seconds: float) -> list[str]:
    """Runs the rounds and returns the table's rows for one class of images."""
    counts = {}
    for contender in all_of_them:
        elapsed = contender.run(4)
        counts[contender.name] = max(4, int(4 * seconds / elapsed))
        contender.rates.clear()
    for index in range(rounds):
        print(f"{name}: round {index + 1} of {rounds}", file=sys.stderr)
        for contender in all_of_them:
            contender.run(counts[contender.name])
    pillow = next(c for c in all_of_them if c.name == "Pillow").rate
    return [
        f"| {name} | {c.name} | {c.rate:.1f} | {c.rate / pillow:.2f} | {c.stage('preprocess'):.2f} "
        f"| {c.stage('inference'):.2f} | {c.memory:.0f} |"
        for c in all_of_them
    ]


def verdicts(name: str, all_of_them: list[Contender]) -> list[str]:
    """Returns the ratios that matter, one a line."""
    rate = {c.name: c.rate for c in all_of_them}
    memory = {c.name: c.memory for c in all_of_them}
    two = [n for n in rate if n.endswith("2 processes")]
    antialiased = max((n for n in two if "not antialiased" not in n), key=rate.get)
    best = max(two, key=rate.get)
    ours = "TensorIO, fast, 2 threads"
    lines = [
        ("TensorIO, fast", "Pillow"),
        (ours, antialiased),
        (ours, best),
        (ours, "OpenCV linear, not antialiased, 2 processes"),
        ("TensorIO, exact", "Pillow"),
    ]
    return [
        f"| {name} | {one} | {other} | {rate[one] / rate[other]:.2f} "
        f"| {memory[one] / memory[other]:.2f} |"
        for one, other in lines
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True, help="tensorio-throughput")
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--photos", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.4, help="of each contender's round")
    parser.add_argument("--only", default="", help="only the classes of images whose name contains this")
    parser.add_argument("--write", type=Path, help="a page in which to replace the tables")
    options = parser.parse_args()
    rows = [
        "| Images | Pipeline | Images/s | to Pillow | preprocess, ms | inference, ms | MB |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    ratios = [
        "| Images | Ours | Theirs | Speed | Memory |",
        "|---|---|---|---:|---:|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        bundle = make_bundle(Path(folder), options.model)
        for name, images in make_pictures(Path(folder), options.photos).items():
            if options.only not in name:
                continue
            everyone = contenders(options.binary, options.model, bundle, images)
            rows += measure(name, everyone, options.rounds, options.seconds)
            ratios += verdicts(name, everyone)
            for contender in everyone:
                contender.close()
    table = "\n".join([*rows, "", *ratios])
    print(table)
    if options.write:
        page = options.write.read_text()
        head, rest = page.split(BEGIN)
        tail = rest.split(END)[1]
        options.write.write_text(f"{head}{BEGIN}\n{table}\n{END}{tail}")


if __name__ == "__main__":
    main()
