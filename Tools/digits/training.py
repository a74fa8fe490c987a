# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Trains the training bundle in Python, to measure the accuracy that it can reach."""

from pathlib import Path

import numpy as np

from fixtures.saved_models.running import loaded

BATCH_SIZE = 32
EPOCHS = 15
LEARNING_RATE = 0.005


def accuracies(
    model: Path,
    pixels: np.ndarray,
    digits: np.ndarray,
    test_pixels: np.ndarray,
    test_digits: np.ndarray,
    seed: int,
    epochs: int = EPOCHS,
    learning_rate: float = LEARNING_RATE,
) -> list[int]:
    """Returns the number of held-out images that are right after each epoch. The seed sets the order."""
    random = np.random.default_rng(seed)
    found = []
    with loaded(model, ["train"]) as session:
        for _ in range(epochs):
            order = random.permutation(len(digits))
            for start in range(0, len(order), BATCH_SIZE):
                batch = order[start : start + BATCH_SIZE]
                feeds = {
                    "image:0": _values(pixels[batch]),
                    "label:0": digits[batch, np.newaxis],
                    "learning_rate:0": learning_rate,
                }
                session.run("train", feeds)
            probabilities = session.run("probabilities:0", {"image:0": _values(test_pixels)})
            found.append(int((probabilities.argmax(axis=1) == test_digits).sum()))
    return found


def _values(pixels: np.ndarray) -> np.ndarray:
    return pixels[..., np.newaxis].astype(np.float32) / 255
