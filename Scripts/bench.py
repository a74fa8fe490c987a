#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Compares whole commands with the same jobs in Python, and prints medians and ratios.

    Scripts/bench.py --binary .build/release/tensorio --python PYTHON

Each run starts a program that reads an image, scales it, runs the model and prints the labels. Runs of
tensorio and Python alternate. This needs only the standard library, and GNU time for the peak memory
(apt-get install time).
"""

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared/data"
ROUNDS = 21

IMAGENET = """{"name": "MobileNet", "details": "", "id": "mobilenet", "version": "1", "author": "",
  "license": "", "model": {"file": "model.tflite", "quantized": true},
  "inputs": [{"name": "image", "type": "image", "shape": [128, 128, 3], "format": "RGB"}],
  "outputs": [{"name": "classification", "type": "array", "shape": [1001], "labels": "labels.txt",
               "dequantize": {"standard": "[0,1]"}}]}"""


def run(arguments: list[str]) -> float:
    """Returns the wall time of one run in milliseconds."""
    start = time.perf_counter()
    result = subprocess.run(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    elapsed = (time.perf_counter() - start) * 1000
    if result.returncode != 0:
        sys.exit(f"error: {' '.join(arguments)} ended with {result.returncode}")
    return elapsed


def memory(arguments: list[str]) -> float:
    """Returns the peak memory of a run in MB, as the minimum of five runs.

    GNU time starts the program. A process that is started from here would also count the memory that
    Python held before it became the program.
    """
    command = ["time", "--format", "%M", *arguments]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(5)]
    return min(int(run.stderr.splitlines()[-1]) for run in runs) / 1024


def compare(name: str, ours: list[str], theirs: list[str]) -> None:
    """Runs both commands alternately and prints a line."""
    run(ours)
    run(theirs)
    pairs = [(run(ours), run(theirs)) for _ in range(ROUNDS)]
    times = [statistics.median(pair[side] for pair in pairs) for side in (0, 1)]
    ratio = statistics.median(pair[0] / pair[1] for pair in pairs)
    print(f"{name}: {times[0]:.1f} ms and {memory(ours):.1f} MB / Python {times[1]:.1f} ms and "
          f"{memory(theirs):.1f} MB, ratio of times {ratio:.3f}", flush=True)


def make_imagenet(folder: Path) -> Path:
    """Makes a bundle with the shared MobileNet."""
    bundle = folder / "mobilenet.tiobundle"
    (bundle / "assets").mkdir(parents=True)
    model = SHARED / "models/mobilenet_v1_0.25_128_quant.tflite"
    (bundle / "model.tflite").write_bytes(model.read_bytes())
    labels = SHARED / "models/imagenet_labels.txt"
    (bundle / "assets/labels.txt").write_bytes(labels.read_bytes())
    (bundle / "model.json").write_text(IMAGENET)
    return bundle


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--python", required=True)
    options = parser.parse_args()
    if shutil.which("time") is None:
        sys.exit("error: GNU time is missing; apt-get install time")
    version = [options.binary, "--version"]
    times = [run(version) for _ in range(ROUNDS)]
    print(f"--version: {statistics.median(times):.1f} ms and {memory(version):.1f} MB")
    peer = [options.python, str(ROOT / "Tools/peers/classify.py")]
    digits = ROOT / "Demo/digits.tiobundle"
    picture = str(ROOT / "Demo/images/digit-7-01.png")
    compare("digit, 128 x 128 PNG", [options.binary, "run", str(digits), picture],
            [*peer, str(digits / "model.tflite"), picture, str(digits / "assets/labels.txt")])
    if SHARED.exists():
        with tempfile.TemporaryDirectory() as folder:
            bundle = make_imagenet(Path(folder))
            vga = ROOT / "Benchmarks/photo-640x480.jpg"
            photos = [SHARED / "images" / name for name in ("cat.jpg", "cat_720p.jpg", "phone-12mp.jpg")]
            for photo in map(str, [vga, *photos]):
                compare(f"MobileNet, {Path(photo).name}", [options.binary, "run", str(bundle), photo],
                        [*peer, str(bundle / "model.tflite"), photo,
                         str(bundle / "assets/labels.txt")])
    small = [options.python, str(ROOT / "Tools/peers/bench_small.py"),
             str(ROOT / "Tests/Fixtures/Models/add.tflite")]
    print("one float in Python, conversions included:", flush=True)
    return subprocess.run(small, stderr=subprocess.DEVNULL, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
