# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Writes Tests/Fixtures/Resizing/margins.json: where libraries place images of many sizes within a margin.

Pillow and TensorFlow place white images on black. Ultralytics isn't installed for the tests, so its `LetterBox`
is computed from its definition. With --ultralytics, the results are compared with the library's own.
"""

import argparse
import json
import os
import pathlib

import numpy as np
from PIL import Image, ImageOps

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
FILE = pathlib.Path(__file__).parent.parent / "Tests/Fixtures/Resizing/margins.json"
TARGETS = [(192, 192), (640, 640), (96, 64), (127, 129)]
SIZES = [(640, 427), (427, 640), (333, 251), (97, 61), (1280, 333), (301, 523), (3, 2), (1, 1), (512, 600), (7, 700)]


def box(pixels):
    """Returns x, y, width and height of what isn't black."""
    rows, columns = (np.flatnonzero(pixels.any(axis)) for axis in (1, 0))
    return [int(v) for v in (columns[0], rows[0], len(columns), len(rows))]


def pillow(size, target):
    """Pillow's ImageOps.pad."""
    return box(np.asarray(ImageOps.pad(Image.new("L", size, 255), target)))


def tensorflow(size, target):
    """TensorFlow's resize_with_pad; None if it refuses a thin image."""
    import tensorflow as tf

    white = tf.ones([size[1], size[0], 1])
    try:
        return box(tf.image.resize_with_pad(white, target[1], target[0]).numpy()[:, :, 0])
    except (tf.errors.InvalidArgumentError, ValueError):
        return None


def ultralytics(size, target):
    """LetterBox(target, auto=False): a size in whole pixels, and a margin whose halves round to the left."""
    ratio = min(target[1] / size[1], target[0] / size[0])
    width, height = max(round(size[0] * ratio), 1), max(round(size[1] * ratio), 1)
    x, y = (target[0] - width) / 2, (target[1] - height) / 2
    return [round(x - 0.1), round(y - 0.1), width, height]


def letterbox(size, target):
    """Ultralytics' own result."""
    from ultralytics.data.augment import LetterBox

    white = np.full((size[1], size[0], 3), 255, np.uint8)
    result = LetterBox((target[1], target[0]), auto=False, padding_value=0)(image=white)
    return box(np.asarray(result)[:, :, 0])


def main():
    """Writes the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ultralytics", action="store_true", help="compare with the library, and write nothing")
    compares = parser.parse_args().ultralytics
    numbers = np.random.default_rng(7).integers(20, 1500, (60, 2)).tolist()
    cases = []
    for target in TARGETS:
        for size in SIZES + [tuple(n) for n in numbers]:
            if compares:
                assert ultralytics(size, target) == letterbox(size, target), (size, target)
                continue
            case = {"size": size, "target": target}
            for name, place in (("pillow", pillow), ("ultralytics", ultralytics), ("tensorflow", tensorflow)):
                found = place(size, target)
                if found:
                    case[name] = found
            cases.append(case)
    if not compares:
        lines = ",\n".join("  " + json.dumps(case) for case in cases)
        FILE.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
