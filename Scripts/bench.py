#!/usr/bin/env python3
# This source file is part of the TensorIO for Swift project.
# Copyright the TensorIO for Swift authors.
# Licensed under the Apache License, Version 2.0. See LICENSE for the full text.
# SPDX-License-Identifier: Apache-2.0
"""Compares whole commands with the same jobs in Python, in turn, and prints medians and ratios.

    Scripts/bench.py --binary .build/release/tensorio --python PYTHON

Each pair names a picture once: start, read, scale, run, print. Pure standard library.
"""

import argparse
import os
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


def run(arguments: list[str]) -> tuple[float, float]:
    """The wall time in milliseconds and the peak memory in MB of one run."""
    start = time.perf_counter()
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    elapsed = (time.perf_counter() - start) * 1000
    if status != 0:
        sys.exit(f"error: {' '.join(arguments)} ended with {status}")
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    return elapsed, usage.ru_maxrss / unit


def compare(name: str, ours: list[str], theirs: list[str]) -> None:
    """Runs both in turn and prints a line."""
    run(ours)
    run(theirs)
    pairs = [(run(ours), run(theirs)) for _ in range(ROUNDS)]
    times = [statistics.median(pair[side][0] for pair in pairs) for side in (0, 1)]
    memory = [statistics.median(pair[side][1] for pair in pairs) for side in (0, 1)]
    ratio = statistics.median(pair[0][0] / pair[1][0] for pair in pairs)
    print(f"{name}: {times[0]:.1f} ms and {memory[0]:.1f} MB / Python {times[1]:.1f} ms and "
          f"{memory[1]:.1f} MB, ratio of times {ratio:.3f}")


def make_imagenet(folder: Path) -> Path:
    """A bundle around the shared MobileNet."""
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
    peer = [options.python, str(ROOT / "Tools/peers/classify.py")]
    digits = ROOT / "Demo/digits.tiobundle"
    picture = str(ROOT / "Demo/images/digit-7-01.png")
    compare("digit, 128 x 128 PNG", [options.binary, "run", str(digits), picture],
            [*peer, str(digits / "model.tflite"), picture, str(digits / "assets/labels.txt")])
    if SHARED.exists():
        with tempfile.TemporaryDirectory() as folder:
            bundle = make_imagenet(Path(folder))
            for name in ("cat.jpg", "cat_720p.jpg", "phone-12mp.jpg"):
                photo = str(SHARED / "images" / name)
                compare(f"MobileNet, {name}", [options.binary, "run", str(bundle), photo],
                        [*peer, str(bundle / "model.tflite"), photo,
                         str(bundle / "assets/labels.txt")])
    small = [options.python, str(ROOT / "Tools/peers/bench_small.py"),
             str(ROOT / "Tests/Fixtures/Models/add.tflite")]
    print("one float in Python, conversions included:", flush=True)
    return subprocess.run(small, stderr=subprocess.DEVNULL, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
