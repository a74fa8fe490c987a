# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Changes images as the layers of Keras do, for given random numbers.

Reads JSON with `images`, a list of nested lists of bytes, and `changes`, a list of objects with a `kind` and its
numbers. Prints, for each image and each change, the flat values of the changed image. A change `mix` mixes the
first two images.
"""

import json
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import keras  # noqa: E402
import numpy as np  # noqa: E402

LAYERS = keras.layers


def changed(image: np.ndarray, change: dict) -> np.ndarray:
    """Returns one image after a change."""
    images = keras.ops.convert_to_tensor(image[None])
    height, width = image.shape[:2]
    kind = change["kind"]
    if kind == "flip":
        mode = {"both": "horizontal_and_vertical"}.get(change["mode"], change["mode"])
        result = LAYERS.RandomFlip(mode).transform_images(images, {"flips": np.ones((1, 1, 1, 1), bool)})
    elif kind == "crop":
        layer = LAYERS.RandomCrop(height - change["margin"], width - change["margin"])
        result = layer.transform_images(images, (change["y"], change["x"]))
    elif kind == "rotation":
        layer = LAYERS.RandomRotation(0.5, fill_mode=change["fill"])
        zeros, ones = np.zeros(1, np.float32), np.ones(1, np.float32)
        matrix = layer._compute_affine_matrix(
            center_x=0.5, center_y=0.5, angle=keras.ops.convert_to_tensor(np.asarray([change["degrees"]], np.float32)),
            translate_x=zeros, translate_y=zeros, scale=ones, shear_x=zeros, shear_y=zeros, height=height,
            width=width)
        result = layer.transform_images(images, {"rotation_matrix": matrix})
    elif kind == "brightness":
        layer = LAYERS.RandomBrightness(0.5)
        result = layer.transform_images(images, {"rgb_delta": np.asarray(change["delta"], np.float32).reshape(1, 1, 1, 1)})
    elif kind == "contrast":
        layer = LAYERS.RandomContrast(0.5)
        factor = np.asarray(change["factor"], np.float32).reshape(1, 1, 1, 1)
        result = layer.transform_images(images, {"contrast_factor": factor})
    elif kind == "saturation":
        layer = LAYERS.RandomSaturation(0.5, value_range=(0, 1))
        result = layer.transform_images(images / 255, {"factor": np.asarray([change["factor"]], np.float32)}) * 255
    elif kind == "hue":
        layer = LAYERS.RandomHue(0.5)
        result = layer.transform_images(images, {"factor": np.asarray([change["delta"]], np.float32)})
    else:
        raise ValueError(kind)
    return np.asarray(result)[0]


def mixed(first: np.ndarray, second: np.ndarray, change: dict) -> np.ndarray:
    """Returns two images that are mixed with each other, one after the other."""
    layer = LAYERS.MixUp()
    numbers = {"mix_weight": np.asarray(change["shares"], np.float32), "permutation_order": np.asarray(change["partners"], np.int64)}
    return np.asarray(layer.transform_images(keras.ops.convert_to_tensor(np.stack([first, second])), numbers))


def main() -> None:
    given = json.load(sys.stdin)
    images = [np.asarray(image, np.float32) for image in given["images"]]
    results = []
    for change in given["changes"]:
        if change["kind"] == "mix":
            results.append([mixed(images[0], images[1], change).ravel().tolist()])
        else:
            results.append([changed(image, change).ravel().tolist() for image in images])
    json.dump(results, sys.stdout)


if __name__ == "__main__":
    main()
