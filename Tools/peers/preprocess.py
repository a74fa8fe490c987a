# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Prepares an image for a model with Pillow alone and writes the raw bytes.

    preprocess.py IMAGE --width W --height H --out raw.bin [--format RGB|BGR]

The steps are the orientation from EXIF, RGB, a centre crop to the target's aspect ratio, and a bilinear resize.
The result has height * width * 3 bytes, row by row.
"""

import argparse
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps


def centre_crop(image: Image.Image, width: int, height: int) -> Image.Image:
    """Crops the largest centred part with the aspect ratio of width x height, in integers."""
    source_width, source_height = image.size
    if source_width * height > source_height * width:
        crop_width, crop_height = max(1, source_height * width // height), source_height
    else:
        crop_width, crop_height = source_width, max(1, source_width * height // width)
    left = (source_width - crop_width) // 2
    top = (source_height - crop_height) // 2
    return image.crop((left, top, left + crop_width, top + crop_height))


def prepare(image: Image.Image, width: int, height: int, bgr: bool = False) -> np.ndarray:
    """Returns the image as uint8 of shape [height, width, 3]."""
    upright = ImageOps.exif_transpose(image).convert("RGB")
    cropped = centre_crop(upright, width, height)
    pixels = np.asarray(cropped.resize((width, height), Image.Resampling.BILINEAR))
    return np.ascontiguousarray(pixels[:, :, ::-1] if bgr else pixels)


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("image", type=Path)
    parser.add_argument("--width", type=int, required=True)
    parser.add_argument("--height", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--format", choices=["RGB", "BGR"], default="RGB")
    arguments = parser.parse_args()
    with Image.open(arguments.image) as image:
        pixels = prepare(image, arguments.width, arguments.height, arguments.format == "BGR")
    arguments.out.write_bytes(pixels.tobytes())


if __name__ == "__main__":
    main()
