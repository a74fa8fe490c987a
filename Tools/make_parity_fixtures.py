# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Makes Tests/Fixtures/Parity: one image, and the tensors that TensorFlow and OpenCV make from it.

Each array differs from Pillow's usual way in only one step, which its name states. `no-such-method`
is resized in a way that no library has.

    python make_parity_fixtures.py
"""

import argparse
import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.insert(0, str(Path(__file__).parent / "peers"))

import cv2  # noqa: E402
import numpy as np  # noqa: E402
import plant_faults  # noqa: E402
import tensorflow as tf  # noqa: E402
from PIL import Image, ImageFilter  # noqa: E402

FOLDER = Path(__file__).parent.parent / "Tests/Fixtures/Parity"
SIZE = (48, 48)


def centre(pixels: np.ndarray) -> np.ndarray:
    """Returns the largest square in the middle."""
    image = plant_faults.largest_centre(Image.fromarray(np.ascontiguousarray(pixels)), SIZE)
    return np.asarray(image)


def pillow(pixels: np.ndarray) -> np.ndarray:
    """Returns the image, cropped and resized by Pillow."""
    return np.asarray(Image.fromarray(centre(pixels)).resize(SIZE, Image.Resampling.BILINEAR))


def brightest(pixels: np.ndarray) -> np.ndarray:
    """Returns the image, cropped and resized to the brightest of the nearest nine pixels."""
    image = Image.fromarray(centre(pixels)).filter(ImageFilter.MaxFilter(3))
    return np.asarray(image.resize(SIZE, Image.Resampling.NEAREST))


def main() -> None:
    """Writes all files."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    FOLDER.mkdir(exist_ok=True)
    file = str(FOLDER / "texture.jpg")
    plant_faults.make({"make": "texture", "out": file, "size": [160, 120]})
    whole = np.asarray(Image.open(file).convert("RGB"))
    content = tf.io.read_file(file)
    accurate = "INTEGER_ACCURATE"
    arrays = {
        "same": pillow(whole),
        "fast-dct": pillow(tf.io.decode_jpeg(content).numpy()),
        "plain-upsampling": pillow(
            tf.io.decode_jpeg(content, fancy_upscaling=False, dct_method=accurate).numpy()
        ),
        "reduced": pillow(cv2.imread(file, cv2.IMREAD_REDUCED_COLOR_2)[:, :, ::-1]),
        "opencv-linear": cv2.resize(centre(whole), SIZE, interpolation=cv2.INTER_LINEAR),
        "opencv-area": cv2.resize(centre(whole), SIZE, interpolation=cv2.INTER_AREA),
        "no-such-method": brightest(whole),
        "tf-bilinear": tf.image.resize(centre(whole), SIZE).numpy(),
        "tf1-bilinear": tf.raw_ops.ResizeBilinear(images=centre(whole)[None], size=SIZE).numpy(),
        "imread": cv2.resize(cv2.imread(file), SIZE),
    }
    for name, array in arrays.items():
        np.save(FOLDER / f"{name}.npy", np.ascontiguousarray(array))


if __name__ == "__main__":
    main()
