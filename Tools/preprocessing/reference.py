# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Applies an image layer of model.json with Pillow, TensorFlow and OpenCV themselves.

A layer is the dictionary in model.json: "shape", "format", and the optional "resize", "crop", "layout" and
"normalize". Images are Pillow's, upright and RGB. TensorFlow and OpenCV are imported when one of their
kernels is used.
"""

import os

import numpy as np
import PIL
from PIL import Image, ImageOps

PILLOW = {
    "pillow-bilinear": Image.Resampling.BILINEAR,
    "pillow-bicubic": Image.Resampling.BICUBIC,
    "pillow-lanczos": Image.Resampling.LANCZOS,
    "pillow-box": Image.Resampling.BOX,
    "nearest": Image.Resampling.NEAREST,
}
OPENCV = {"opencv-linear": "INTER_LINEAR", "opencv-area": "INTER_AREA"}
TENSORFLOW = ["tf-bilinear", "tf-bilinear-antialias", "tf1-bilinear"]
KERNELS = [*PILLOW, *TENSORFLOW, *OPENCV]


def opencv():
    """Imports the module."""
    import cv2

    return cv2


def tensorflow():
    """Imports the module without its messages."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf

    return tf


def library(kernel):
    """Returns the library that defines a kernel, with its version."""
    if kernel in PILLOW:
        return f"Pillow {PIL.__version__}"
    if kernel in OPENCV:
        return f"OpenCV {opencv().__version__}"
    return f"TensorFlow {tensorflow().__version__}"


def bound(kernel, quantized):
    """Returns how far a value may be from the library's: in bytes, or from 0 to 1 for TensorFlow's floats."""
    if kernel in PILLOW:
        return 0
    return 1 if kernel in OPENCV or quantized else 1e-5


def upright(file):
    """Returns an image as RGB, rotated by EXIF's orientation and without alpha."""
    with Image.open(file) as image:
        turned = ImageOps.exif_transpose(image)
        if turned.mode not in ("RGBA", "LA", "PA") and "transparency" not in turned.info:
            return turned.convert("RGB")
        return Image.fromarray(np.asarray(turned.convert("RGBA"))[:, :, :3])


def crop_box(crop, size, target):
    """Returns x, y, width and height of the part of an image that is resized."""
    (width, height), (target_width, target_height) = size, target
    x, y = 0, 0
    if crop.get("mode", "center") == "center":
        if width * target_height > height * target_width:
            cut = max(1, height * target_width // target_height)
            x, width = (width - cut) // 2, cut
        else:
            cut = max(1, width * target_height // target_width)
            y, height = (height - cut) // 2, cut
    fraction = crop.get("fraction", 1)
    left = int((width - width * fraction) / 2)
    top = int((height - height * fraction) / 2)
    return x + left, y + top, width - 2 * left, height - 2 * top


def contained(size, target):
    """Returns the largest size with an image's aspect ratio that fits the target, as in ImageOps.contain."""
    (width, height), (target_width, target_height) = size, target
    if width / height > target_width / target_height:
        return target_width, max(1, round(height / width * target_width))
    if width / height < target_width / target_height:
        return max(1, round(width / height * target_height)), target_height
    return target


def resized(pixels, size, kernel):
    """Resizes an array [h, w, c]. The result is uint8, or float32 for TensorFlow's kernels."""
    width, height = size
    channels = pixels.shape[2]
    if kernel in PILLOW:
        image = Image.fromarray(pixels if channels == 3 else pixels[:, :, 0])
        result = np.asarray(image.resize(size, PILLOW[kernel]))
    elif kernel in OPENCV:
        how = getattr(opencv(), OPENCV[kernel])
        result = opencv().resize(pixels, size, interpolation=how)
    elif kernel == "tf1-bilinear":
        # tf.compat.v1.image.resize_bilinear calls this, and warns.
        result = tensorflow().raw_ops.ResizeBilinear(images=pixels[None], size=(height, width)).numpy()
    else:
        antialias = kernel == "tf-bilinear-antialias"
        result = tensorflow().image.resize(pixels, (height, width), antialias=antialias).numpy()
    return result.reshape(height, width, channels)


def padded(pixels, target, kernel, color):
    """Returns the whole image in the middle of a plain colour."""
    width, height = target
    part = resized(pixels, contained(pixels.shape[1::-1], target), kernel)
    result = np.empty((height, width, part.shape[2]), part.dtype)
    result[:] = color
    x = round((width - part.shape[1]) * 0.5)
    y = round((height - part.shape[0]) * 0.5)
    result[y : y + part.shape[0], x : x + part.shape[1]] = part
    return result


def gray(color):
    """Returns the "L" of one colour."""
    return Image.new("RGB", (1, 1), color).convert("L").getpixel((0, 0))


def normalized(values, layer):
    """Returns float32 values, `scale * v + bias`. The channels are red, green and blue, or gray."""
    how = layer["normalize"]
    values = values.astype(np.float32)
    if how.get("standard") == "[0,1]":
        return values / np.float32(255)
    if how.get("standard") == "[-1,1]":
        return values * np.float32(2) / np.float32(255) - np.float32(1)
    scale, bias = (
        np.array([v[c] for c in "rgb"] if isinstance(v, dict) else v, np.float32)
        for v in (how["scale"], how["bias"])
    )
    return scale * values + bias


def prepared(image, layer, quantized):
    """Returns the tensor for the model: uint8 if it is quantized, and float32 otherwise."""
    crop = layer.get("crop", "center")
    crop = {"mode": crop} if isinstance(crop, str) else crop
    kernel = layer.get("resize", "pillow-bilinear")
    first = layer.get("layout") == "channels-first"
    height, width = layer["shape"][1:] if first else layer["shape"][:2]
    color = tuple(crop.get("color", {}).get(c, 0) for c in "rgb")
    pixels = np.asarray(image)
    if layer["format"] == "GRAY":
        pixels, color = np.asarray(image.convert("L"))[:, :, None], gray(color)
    x, y, w, h = crop_box(crop, image.size, (width, height))
    part = np.ascontiguousarray(pixels[y : y + h, x : x + w])
    if crop.get("mode") == "pad":
        values = padded(part, (width, height), kernel, color)
    else:
        values = resized(part, (width, height), kernel)
    if quantized:
        values = np.clip(np.rint(values), 0, 255).astype(np.uint8)
    elif "normalize" in layer:
        values = normalized(values, layer)
    else:
        values = values.astype(np.float32)
    if layer["format"] == "BGR":
        values = values[:, :, ::-1]
    return np.ascontiguousarray(values.transpose(2, 0, 1) if first else values)
