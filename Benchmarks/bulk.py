#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Measures images a second of `tensorio bulk`, the bare pipeline and Python, which take turns.

    make bulk                builds, and installs what Python's side needs
    Benchmarks/bulk.py --tensorio PROGRAM --bare PROGRAM --model MODEL.tflite --photos DIR

The bare pipeline is tensorio-throughput, which runs the same images through the same model without rows.
Our commands are measured from start to end. Python's start is not counted. Ours use two threads, and Python
uses two processes. The figures are medians of the rounds. This needs a Python with
Benchmarks/requirements.txt.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image

from throughput import BUNDLE, ROOT

PEER = ROOT / "Tools/peers/bulk.py"


def make_photos(source: Path, folder: Path, size: tuple[int, int] | None, count: int) -> None:
    folder.mkdir()
    first = folder / "00000.jpg"
    if size:
        Image.open(source).convert("RGB").resize(size).save(first, quality=90)
    else:
        first.write_bytes(source.read_bytes())
    for index in range(1, count):
        os.link(first, folder / f"{index:05d}.jpg")


def make_bundle(model: Path, folder: Path) -> Path:
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(model_path=str(model))
    height, width = interpreter.get_input_details()[0]["shape"][1:3]
    classes = interpreter.get_output_details()[0]["shape"][-1]
    bundle = folder / "model.tiobundle"
    (bundle / "assets").mkdir(parents=True)
    (bundle / "model.tflite").write_bytes(model.read_bytes())
    (bundle / "model.json").write_text(BUNDLE % (height, width, classes))
    return bundle


def seconds(command: list) -> float:
    start = time.perf_counter()
    subprocess.run([str(part) for part in command], check=True, capture_output=True)
    return time.perf_counter() - start


class Bare:
    """The bare pipeline, in a process that stays alive and warm."""

    def __init__(self, program: Path, bundle: Path, photos: Path):
        paths = sorted(map(str, photos.glob("*.jpg")))
        self.count = len(paths)
        self.process = subprocess.Popen(
            [program, bundle, "2", "exact", *paths], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline().strip() != "ready":
            sys.exit("error: the bare pipeline did not start")

    def run(self) -> float:
        start = time.perf_counter()
        self.process.stdin.write(f"{self.count}\n")
        self.process.stdin.flush()
        json.loads(self.process.stdout.readline())
        return time.perf_counter() - start


def measure(name: str, photos: Path, count: int, arguments: argparse.Namespace) -> None:
    folder = photos.parent
    bundle = folder / "model.tiobundle"
    bare = Bare(arguments.bare, bundle, photos)
    ours = [arguments.tensorio, "bulk", photos, "--model", bundle, "--threads", "2", "--force"]
    python = [sys.executable, PEER, arguments.model, photos, folder / "rows.jsonl", "2"]
    empty = folder / "empty"
    empty.mkdir(exist_ok=True)
    start_up = seconds([*python[:3], empty, *python[4:]])
    contenders = {
        "the bare pipeline": bare.run,
        "bulk, SQLite": lambda: seconds([*ours, "-o", folder / "rows.sqlite"]),
        "bulk, JSON lines": lambda: seconds([*ours, "-o", folder / "rows.jsonl"]),
        "Python, OpenCV linear, 2 processes": lambda: seconds(python) - start_up,
    }
    times: dict[str, list[float]] = {key: [] for key in contenders}
    for index in range(arguments.rounds):
        order = list(contenders)
        for key in order[index % len(order):] + order[: index % len(order)]:
            times[key].append(contenders[key]())
        print(f"{name}: round {index + 1} of {arguments.rounds}", file=sys.stderr)
    for key, own in times.items():
        ratio = statistics.median(b / o for b, o in zip(times["the bare pipeline"], own))
        print(f"| {name} | {key} | {count / statistics.median(own):.1f} | {ratio:.3f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tensorio", type=Path, required=True)
    parser.add_argument("--bare", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--photos", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    print("| photos | | a second | of the bare pipeline |\n|---|---|---:|---:|")
    for name, file, size, count in [
        ("VGA", "cat_720p.jpg", (640, 480), 12000), ("12 MP", "phone-12mp.jpg", None, 250)]:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            make_bundle(arguments.model, folder)
            make_photos(arguments.photos / file, folder / "photos", size, count)
            measure(name, folder / "photos", count, arguments)


if __name__ == "__main__":
    main()
