#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Makes Tests/Fixtures/Resizing: small images, resized by Pillow, TensorFlow and OpenCV.

    python Tools/make_resize_goldens.py Tests/Fixtures/Resizing

Needs requirements-preprocessing.txt. `cases.json` has the versions, the sources (RGB bytes in
`sources.bin`) and the cases: the keys of an image layer in model.json, the source's index, and the
offset of the tensor, uint8 or little-endian float32, in the file of its method, such as
`nearest.bin`. A new method therefore leaves the other methods' files as they are. `bound` is in the
tensor's own unit. A float tensor without "normalize" is 0...255.
"""

import json
import pathlib
import sys
from importlib import metadata

import numpy as np
import tensorflow as tf
from make_image_fixtures import texture
from PIL import Image, ImageOps
from preprocessing.reference import (
    KERNELS,
    PILLOW,
    TENSORFLOW,
    bound,
    crop_box,
    prepared,
)

CROPS = [
    "center",
    "stretch",
    {"mode": "pad", "color": {"r": 255, "g": 128, "b": 3}},
    {"mode": "center", "fraction": 0.875},
]

# Source and target sizes, width by height.
SIZES = [
    # Down by 13, up by 3 and 4/3, odd sizes.
    ((130, 91), (10, 7)),
    ((7, 5), (21, 15)),
    ((15, 12), (20, 16)),
    ((61, 43), (17, 13)),
    # Halves, thirds, halves of odd sizes, two and three, down by 49 (1 / (1 / 49) is not 49).
    ((32, 22), (16, 11)),
    ((33, 21), (11, 7)),
    ((33, 21), (17, 11)),
    ((32, 21), (16, 7)),
    ((98, 98), (2, 2)),
    # Tall and wide targets.
    ((61, 43), (7, 30)),
    ((61, 43), (31, 5)),
    ((43, 61), (16, 16)),
    # No change, one axis only, one up and the other down.
    ((16, 12), (16, 12)),
    ((32, 21), (32, 9)),
    ((32, 21), (15, 21)),
    ((32, 21), (12, 26)),
    ((9, 30), (13, 17)),
    # Sides of one pixel.
    ((1, 40), (9, 7)),
    ((40, 1), (9, 7)),
    ((1, 1), (9, 7)),
    ((61, 43), (1, 1)),
    ((61, 43), (1, 9)),
    ((61, 43), (9, 1)),
    ((2, 3), (7, 7)),
]

# The sizes for formats, layouts and normalizations.
FEW = [((61, 43), (17, 13)), ((32, 21), (9, 22)), ((11, 7), (13, 13))]

MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
IMAGENET = {
    "scale": {c: 1 / (255 * d) for c, d in zip("rgb", DEVIATION)},
    "bias": {c: -m / d for c, m, d in zip("rgb", MEAN, DEVIATION)},
}
CAFFE = {"scale": 1, "bias": {"r": -123.68, "g": -116.779, "b": -103.939}}
ONE = {"standard": "[0,1]"}
BOTH_SIGNS = {"standard": "[-1,1]"}


def check_against_tensorflow(size, target, crop):
    """Checks that tf.image.central_crop of the same part has the same size and position."""
    whole = crop_box({**crop, "fraction": 1}, size, target)
    x, y, width, height = crop_box(crop, size, target)
    rows, columns = np.mgrid[0 : whole[3], 0 : whole[2]]
    part = tf.image.central_crop(np.stack([columns, rows], -1), crop["fraction"]).numpy()
    assert part.shape == (height, width, 2), (size, crop)
    assert tuple(part[0, 0]) == (x - whole[0], y - whole[1]), (size, crop)


def check_against_pillow(image, layer, tensor):
    """Checks that ImageOps.pad gives the same, except for images that become too thin for it."""
    crop, target = layer["crop"], layer["shape"][1::-1]
    image = image.convert("L") if layer["format"] == "GRAY" else image
    x, y, width, height = crop_box(crop, image.size, tuple(target))
    part = image.crop((x, y, x + width, y + height))
    method = PILLOW[layer["resize"]]
    if 0 in ImageOps.contain(part, tuple(target), method).size:
        return
    color = "rgb({r}, {g}, {b})".format(**crop.get("color", {"r": 0, "g": 0, "b": 0}))
    pixels = np.asarray(ImageOps.pad(part, tuple(target), method, color))
    assert (pixels.reshape(tensor.shape) == tensor).all(), layer


class Goldens:
    def __init__(self):
        self.files = {}
        self.sources, self.cases, self.images = [], [], {}

    def keep(self, array, name):
        """Adds an array to the file NAME.bin, and returns its offset."""
        data = self.files.setdefault(name, bytearray())
        data += bytes(-len(data) % 4)
        offset = len(data)
        data += array.astype(array.dtype.newbyteorder("<")).tobytes()
        return offset

    def source(self, size):
        """Returns the index of the source of a size, and its image. Some consist only of noise."""
        if size not in self.images:
            width, height = size
            pixels = texture(width, height, 3, width)
            if (width + height) % 2:
                noise = np.random.default_rng(width * 1000 + height)
                pixels = noise.integers(0, 256, (height, width, 3), dtype=np.uint8)
            self.images[size] = len(self.sources), Image.fromarray(pixels)
            offset = self.keep(pixels, "sources")
            self.sources.append({"offset": offset, "width": width, "height": height})
        return self.images[size]

    def add(self, kernel, crop, sizes, dtype, layout=None, normalize=None, format="RGB"):
        size, (width, height) = sizes
        index, image = self.source(size)
        channels = 1 if format == "GRAY" else 3
        first = layout == "channels-first"
        layer = {
            "resize": kernel,
            "crop": crop,
            "format": format,
            "layout": layout or "channels-last",
            "shape": [channels, height, width] if first else [height, width, channels],
        }
        if normalize:
            layer["normalize"] = normalize
        tensor = prepared(image, layer, dtype == "uint8")
        self.check(image, layer, tensor, (width, height), dtype)
        mode = crop if isinstance(crop, str) else crop["mode"]
        words = [kernel, mode, "{}x{} to {}x{}".format(*size, width, height), format, dtype]
        if "fraction" in crop:
            words[1] += f" {crop['fraction']}"
        words += ["channels first"] if first else []
        words += [name for name, value in NORMALIZATIONS.items() if value == normalize]
        self.cases.append(
            {
                "name": ", ".join(words),
                **layer,
                "source": index,
                "dtype": dtype,
                "offset": self.keep(tensor, kernel),
                "bound": self.bound(kernel, normalize, dtype),
            }
        )

    def check(self, image, layer, tensor, target, dtype):
        crop = layer["crop"]
        if "fraction" in crop:
            check_against_tensorflow(image.size, target, crop)
        padded = not isinstance(crop, str) and crop["mode"] == "pad"
        plain = (layer["format"], layer["layout"]) in [
            ("RGB", "channels-last"),
            ("GRAY", "channels-last"),
        ]
        if padded and plain and layer["resize"] in PILLOW and dtype == "uint8":
            check_against_pillow(image, layer, tensor)

    @staticmethod
    def bound(kernel, normalize, dtype):
        if dtype == "uint8":
            return bound(kernel, True)
        if kernel in TENSORFLOW:
            return 1e-5 if normalize else 1e-5 * 255
        if normalize and "standard" in normalize:
            return 1e-5
        return bound(kernel, False)

    def write(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        packages = ["pillow", "tensorflow-cpu", "opencv-python-headless"]
        document = {
            "versions": {name: metadata.version(name) for name in packages},
            "sources": self.sources,
            "cases": self.cases,
        }
        for name, data in self.files.items():
            (folder / f"{name}.bin").write_bytes(data)
        # One case a line, so that an editor can show a difference.
        lines = [json.dumps(case) for case in self.cases]
        document["cases"] = "CASES"
        text = json.dumps(document, indent=1)
        text = text.replace('"CASES"', "[\n  " + ",\n  ".join(lines) + "\n ]")
        (folder / "cases.json").write_text(text + "\n")


NORMALIZATIONS = {
    "0 to 1": ONE,
    "-1 to 1": BOTH_SIGNS,
    "ImageNet": IMAGENET,
    "Caffe": CAFFE,
    "one number": {"scale": 0.0078125, "bias": -0.9921875},
}


def add_kernels(out):
    """Adds every kernel and crop on every size (a fraction on half of them), in the dtype of the result."""
    for kernel in KERNELS:
        for crop in CROPS:
            for sizes in SIZES[::2] if "fraction" in crop else SIZES:
                out.add(kernel, crop, sizes, "float32" if kernel in TENSORFLOW else "uint8")


def add_formats(out):
    """Adds bytes as floats, floats as bytes, formats, layouts and normalizations."""
    pad = CROPS[2]
    for sizes in FEW:
        for kernel in KERNELS:
            other = "uint8" if kernel in TENSORFLOW else "float32"
            out.add(kernel, "center", sizes, other)
            out.add(kernel, pad, sizes, "uint8", format="GRAY")
            out.add(kernel, "center", sizes, "uint8", "channels-first", format="BGR")
        for kernel in ("pillow-bilinear", "pillow-lanczos", *TENSORFLOW):
            out.add(kernel, "center", sizes, "float32", normalize=ONE)
            out.add(kernel, "center", sizes, "float32", normalize=IMAGENET)
        out.add("pillow-bilinear", "stretch", sizes, "float32", normalize=BOTH_SIGNS)
        out.add("pillow-bilinear", pad, sizes, "float32", normalize=IMAGENET)
        for kernel in ("pillow-bilinear", "tf-bilinear"):
            first = "channels-first"
            out.add(kernel, "center", sizes, "float32", first, IMAGENET)
            out.add(kernel, pad, sizes, "float32", first, IMAGENET, "BGR")
            out.add(kernel, "center", sizes, "float32", normalize=CAFFE, format="BGR")
            out.add(kernel, "center", sizes, "float32", format="GRAY")
            out.add(kernel, "center", sizes, "float32", normalize=ONE, format="GRAY")
            number = NORMALIZATIONS["one number"]
            out.add(kernel, pad, sizes, "float32", normalize=number, format="GRAY")
    whole = {"mode": "stretch", "fraction": 0.5}
    for crop in (whole, {**pad, "fraction": 0.7}, {"mode": "pad"}, {"mode": "center"}, "pad"):
        for sizes in (*FEW, ((1, 40), (9, 7)), ((2, 3), (7, 7))):
            out.add("pillow-bilinear", crop, sizes, "uint8")


def main():
    out = Goldens()
    add_kernels(out)
    add_formats(out)
    names = [case["name"] for case in out.cases]
    repeated = {name for name in names if names.count(name) > 1}
    for case in out.cases:
        if case["name"] in repeated:
            case["name"] += f", {json.dumps(case['crop'])}"
    assert len({case["name"] for case in out.cases}) == len(out.cases)
    out.write(pathlib.Path(sys.argv[1]))
    print(f"{len(out.cases)} cases, {len(out.sources)} sources, {len(out.files)} data files")


if __name__ == "__main__":
    main()
