# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Trains a SavedModel on images as a user would in Python, and prints the losses as JSON.

    train_steps.py SAVED_MODEL STEPS IMAGE=LABEL... [--size N] [--restore CHECKPOINT]

The SavedModel is one of the tag `train` with the operations `image`, `labels`, `train` and
`sigmoid_cross_entropy_loss/value`. Each step runs `train`, then fetches the loss in a second run.
The first number is the loss before any step.
"""

import argparse
import json
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from PIL import Image  # noqa: E402

from preprocess import prepare  # noqa: E402

LOSS = "sigmoid_cross_entropy_loss/value:0"


def batch(pairs: list[str], size: int) -> dict[str, np.ndarray]:
    """Returns the images, from 0 to 1, and their labels."""
    images, labels = [], []
    for pair in pairs:
        path, _, label = pair.rpartition("=")
        with Image.open(path) as image:
            images.append(prepare(image, size, size))
        labels.append([int(label)])
    pixels = np.stack(images).astype(np.float32) * np.float32(1 / 255)
    return {"image:0": pixels, "labels:0": np.array(labels, np.int32)}


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("steps", type=int)
    parser.add_argument("pairs", nargs="+", metavar="IMAGE=LABEL")
    parser.add_argument("--size", type=int, default=128)
    parser.add_argument("--restore", help="the prefix of a checkpoint's file names")
    arguments = parser.parse_args()
    feeds = batch(arguments.pairs, arguments.size)
    v1 = tf.compat.v1
    with v1.Session(graph=tf.Graph()) as session:
        meta = v1.saved_model.loader.load(session, ["train"], arguments.model)
        if arguments.restore:
            saver = meta.saver_def
            session.run(saver.restore_op_name, {saver.filename_tensor_name: arguments.restore})
        # Labels have the static shape [1], so the session's own check would refuse a batch.
        train, loss = session.graph.get_operation_by_name("train"), LOSS
        session.graph.get_tensor_by_name("labels:0")._shape_val = tf.TensorShape(None)
        losses = [float(session.run(loss, feeds))]
        for _ in range(arguments.steps):
            session.run(train, feeds)
            losses.append(float(session.run(loss, feeds)))
    print(json.dumps(losses))


if __name__ == "__main__":
    main()
