# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Prepares images in the various ways that people use in Python, and saves the arrays.

    plant_faults.py JOBS.json

A job is an object with "image", "out" and the differences from Pillow's usual way. The keys for these are
optional: "decode" (2, 4 or 8 for Image.draft; "white" or "black" for alpha), "turn"
(false ignores EXIF), "crop" (stretch, pad, corner, torchvision, or a fraction of the centre),
"resize" (a name in Image.Resampling, floats, tf1), "order" (RGB, BGR, GRAY, L),
"layout" (first, reshape), "normalize" ([0,1], [-1,1], imagenet, caffe, standardization, or scale and
bias), "cast" (truncate, uint8, int8, quantize with scale and zero point), "noise" (standard
deviation in bytes), "batch" (true), "size" ([width, height]).

A job with "make" instead draws an image: texture, rotated, transparent, smooth, plain or gray.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

IMAGENET = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])


def draw(kind: str, size: tuple[int, int]) -> np.ndarray:
    """Returns pixels with detail of every width, or without detail, from a fixed seed."""
    width, height = size
    random = np.random.default_rng(7)
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    phase = np.array([0.0, 2.1, 4.2])
    smooth = np.stack([x / width, y / height, (x + y) / (width + height)], axis=2) * 255
    if kind == "smooth":
        return smooth.astype(np.uint8)
    if kind == "plain":
        return np.full((height, width, 3), (200, 100, 50), np.uint8)
    wave = np.sin((x * x / width + y * 1.7)[:, :, None] / 17 + phase) * 50
    coarse = random.uniform(-60, 60, (height // 12 + 2, width // 12 + 2, 3))
    blocks = coarse.repeat(12, axis=0).repeat(12, axis=1)[:height, :width]
    fine = random.normal(0, 18, (height, width, 3))
    pixels = np.clip(smooth * 0.5 + 64 + wave + blocks + fine, 0, 255).astype(np.uint8)
    return pixels[:, :, 1:2].repeat(3, axis=2) if kind == "gray" else pixels


def make(job: dict) -> None:
    """Draws an image and saves it."""
    size = tuple(job.get("size", [200, 150]))
    kind = job["make"]
    pixels = draw(kind, size)
    if kind == "transparent":
        alpha = np.clip(draw("texture", size)[:, :, 1].astype(int) * 2 - 128, 0, 255)
        Image.fromarray(np.dstack([pixels, alpha.astype(np.uint8)])).save(job["out"])
        return
    image = Image.fromarray(pixels)
    exif = Image.Exif()
    if kind == "rotated":
        exif[0x0112] = 6
    if job["out"].endswith(".jpg"):
        image.save(job["out"], quality=92, exif=exif)
    else:
        image.save(job["out"])


def opened(job: dict) -> Image.Image:
    """Returns the image, decoded and rotated."""
    image = Image.open(job["image"])
    decode = job.get("decode")
    if isinstance(decode, int):
        image.draft("RGB", (image.width // decode, image.height // decode))
    if job.get("turn", True):
        image = ImageOps.exif_transpose(image)
    if image.mode == "RGBA":
        pixels = np.asarray(image)
        if decode in ("white", "black"):
            ground = Image.new("RGBA", image.size, decode)
            return Image.alpha_composite(ground, image).convert("RGB")
        return Image.fromarray(np.ascontiguousarray(pixels[:, :, :3]))
    return image.convert("RGB")


def largest_centre(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    """Returns the largest part with the target's aspect ratio."""
    (width, height), (columns, rows) = image.size, size
    if width * rows > height * columns:
        part = (max(1, height * columns // rows), height)
    else:
        part = (width, max(1, width * rows // columns))
    left, top = (width - part[0]) // 2, (height - part[1]) // 2
    return image.crop((left, top, left + part[0], top + part[1]))


def resized(image: Image.Image, size: tuple[int, int], kernel: str) -> np.ndarray:
    """Returns bytes, or floats for the kernels of float libraries."""
    if kernel == "floats":
        planes = [Image.fromarray(np.asarray(image)[:, :, c].astype(np.float32)) for c in range(3)]
        return np.stack([np.asarray(p.resize(size, Image.Resampling.BILINEAR)) for p in planes], 2)
    if kernel == "tf1":
        return tf1_bilinear(np.asarray(image), size)
    return np.asarray(image.resize(size, Image.Resampling[kernel]))


def tf1_bilinear(pixels: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """Resizes as resize_bilinear of TensorFlow 1, without align_corners and half_pixel_centers."""

    def taps(length: int, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        place = np.arange(count, dtype=np.float32) * np.float32(length / count)
        low = np.floor(place).astype(int)
        return low, np.minimum(low + 1, length - 1), place - low

    top, bottom, down = taps(pixels.shape[0], size[1])
    left, right, across = taps(pixels.shape[1], size[0])
    values = pixels.astype(np.float32)
    across = across[None, :, None].astype(np.float32)
    upper = values[top][:, left] + (values[top][:, right] - values[top][:, left]) * across
    lower = values[bottom][:, left] + (values[bottom][:, right] - values[bottom][:, left]) * across
    return upper + (lower - upper) * down[:, None, None].astype(np.float32)


def framed(image: Image.Image, size: tuple[int, int], crop: object, kernel: str) -> np.ndarray:
    """Returns the image in the target's size."""
    if crop == "stretch":
        return resized(image, size, kernel)
    if crop == "pad":
        return np.asarray(ImageOps.pad(image, size, Image.Resampling[kernel], (114, 114, 114)))
    if crop == "corner":
        centre = largest_centre(image, size).size
        return resized(image.crop((0, 0, *centre)), size, kernel)
    if crop == "torchvision":
        short = round(min(size) / 0.875)
        width, height = image.size
        if width < height:
            scaled = (short, short * height // width)
        else:
            scaled = (short * width // height, short)
        values = resized(image, scaled, kernel)
        left = round((scaled[0] - size[0]) / 2)
        top = round((scaled[1] - size[1]) / 2)
        return values[top : top + size[1], left : left + size[0]]
    part = largest_centre(image, size)
    if isinstance(crop, float):
        left = int((part.width - part.width * crop) / 2)
        top = int((part.height - part.height * crop) / 2)
        part = part.crop((left, top, part.width - left, part.height - top))
    return resized(part, size, kernel)


def normalized(values: np.ndarray, how: object) -> np.ndarray:
    """Returns floats. The channels are red, green and blue."""
    if how is None:
        return values
    values = values.astype(np.float32)
    if how == "[0,1]":
        return values / np.float32(255)
    if how == "[-1,1]":
        return values / np.float32(127.5) - np.float32(1)
    if how == "imagenet":
        mean, deviation = (np.array(v, np.float32) for v in IMAGENET)
        return (values / np.float32(255) - mean) / deviation
    if how == "caffe":
        return values - np.array([123.68, 116.779, 103.939], np.float32)
    if how == "standardization":
        return (values - values.mean()) / values.std()
    return values * np.float32(how[0]) + np.float32(how[1])


def cast(values: np.ndarray, how: object) -> np.ndarray:
    """Converts to the type that the model takes."""
    if how is None:
        return values
    if how == "truncate":
        return values.astype(np.uint8)
    if how == "uint8":
        return np.rint(values).astype(np.uint8)
    if how == "int8":
        return (np.rint(values).astype(np.int16) - 128).astype(np.int8)
    kind, scale, zero_point = how
    values = values / np.float32(scale) + zero_point
    values = values if kind == "truncated" else np.rint(values)
    return np.clip(np.trunc(values), -128, 127).astype(np.int8)


def prepare(job: dict) -> None:
    """Applies all steps and saves the array."""
    image = opened(job)
    size = tuple(job.get("size", [96, 96]))
    order = job.get("order", "RGB")
    values = framed(image, size, job.get("crop"), job.get("resize", "BILINEAR"))
    if order in ("GRAY", "L"):
        gray = framed(image.convert("L"), size, job.get("crop"), job.get("resize", "BILINEAR"))
        values = np.dstack([gray] * 3) if order == "GRAY" else gray[:, :, None]
    if "noise" in job:
        values = values + np.random.default_rng(1).normal(0, job["noise"], values.shape)
    values = cast(normalized(values, job.get("normalize")), job.get("cast"))
    values = values.astype(job["dtype"]) if "dtype" in job else values
    if order == "BGR":
        values = values[:, :, ::-1]
    if job.get("layout") == "first":
        values = values.transpose(2, 0, 1)
    if job.get("layout") == "reshape":
        values = values.reshape(3, *values.shape[:2])
    if job.get("batch"):
        values = values[None]
    np.save(job["out"], np.ascontiguousarray(values))


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("jobs", type=Path, metavar="JOBS.json")
    for job in json.loads(parser.parse_args().jobs.read_text()):
        if "make" in job:
            make(job)
        else:
            prepare(job)


if __name__ == "__main__":
    main()
