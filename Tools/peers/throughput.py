# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Classifies images as fast as Python can, for Benchmarks/throughput.py.

    throughput.py MODEL.tflite PIPELINE IMAGE...

For each number on standard input, the script classifies that many images, and starts over when it reaches
the last one. It prints a line of JSON with the milliseconds an image takes in each stage, and the peak memory
of the process.
"""

import json
import sys
import time

import numpy as np
from ai_edge_litert.interpreter import Interpreter


def peak_memory() -> float:
    with open("/proc/self/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) / 1024


def square(width: int, height: int) -> tuple[int, int, int, int]:
    side = min(width, height)
    left, top = (width - side) // 2, (height - side) // 2
    return left, top, left + side, top + side


def pillow(path: str, size: int, draft: bool) -> np.ndarray:
    from PIL import Image, ImageOps

    image = Image.open(path)
    if draft:
        image.draft("RGB", (size, size))
    image = ImageOps.exif_transpose(image).convert("RGB")
    box = square(*image.size)
    return np.asarray(image.crop(box).resize((size, size), Image.Resampling.BILINEAR))


def opencv(path: str, size: int, method: str, reduced: bool) -> np.ndarray:
    import cv2

    cv2.setNumThreads(1)
    flags = cv2.IMREAD_COLOR
    if reduced:
        flags = reduced_flag(path, size)
    image = cv2.imread(path, flags)
    left, top, right, bottom = square(image.shape[1], image.shape[0])
    how = cv2.INTER_AREA if method == "area" else cv2.INTER_LINEAR
    image = cv2.resize(image[top:bottom, left:right], (size, size), interpolation=how)
    return cv2.cvtColor(image, cv2.COLOR_BGR2RGB)


FLAGS: dict[str, int] = {}


def reduced_flag(path: str, size: int) -> int:
    """Returns OpenCV's flag for the smallest size that is not below the target's. The flag is cached for each file."""
    import cv2

    if path not in FLAGS:
        short = min(cv2.imread(path).shape[:2])
        flags = {
            8: cv2.IMREAD_REDUCED_COLOR_8,
            4: cv2.IMREAD_REDUCED_COLOR_4,
            2: cv2.IMREAD_REDUCED_COLOR_2,
            1: cv2.IMREAD_COLOR,
        }
        FLAGS[path] = flags[max(n for n in flags if short // n >= size or n == 1)]
    return FLAGS[path]


PIPELINES = {
    "pillow": lambda path, size: pillow(path, size, draft=False),
    "pillow-draft": lambda path, size: pillow(path, size, draft=True),
    "opencv-linear": lambda path, size: opencv(path, size, "linear", reduced=False),
    "opencv-area": lambda path, size: opencv(path, size, "area", reduced=False),
    "opencv-reduced-linear": lambda path, size: opencv(path, size, "linear", reduced=True),
    "opencv-reduced-area": lambda path, size: opencv(path, size, "area", reduced=True),
}


def main() -> None:
    model, pipeline, *images = sys.argv[1:]
    prepare = PIPELINES[pipeline]
    interpreter = Interpreter(model_path=model, num_threads=1)
    interpreter.allocate_tensors()
    given, result = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
    size = int(given["shape"][1])

    def classify(path: str) -> tuple[float, float]:
        start = time.perf_counter()
        pixels = prepare(path, size)[np.newaxis]
        prepared = time.perf_counter()
        interpreter.set_tensor(given["index"], pixels)
        interpreter.invoke()
        interpreter.get_tensor(result["index"])
        return prepared - start, time.perf_counter() - prepared

    for path in images:
        classify(path)
    print("ready", flush=True)
    for line in sys.stdin:
        count = int(line)
        times = np.array([classify(images[index % len(images)]) for index in range(count)])
        preprocess, inference = times.mean(axis=0) * 1000
        print(
            json.dumps(
                {"preprocess": preprocess, "inference": inference, "memory": peak_memory()}
            ),
            flush=True,
        )


if __name__ == "__main__":
    main()
