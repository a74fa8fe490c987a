# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""The digits as images that a person can read: dark ink on light paper."""

import shutil
from pathlib import Path

import numpy as np
from PIL import Image
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from peers.preprocess import prepare

SEED = 7
HELD_OUT = 0.2
MODEL_SIZE = 32
PICTURE_SIZE = 128
# Images in landscape and portrait show the centre crop at work.
WIDE = (160, PICTURE_SIZE)
TALL = (PICTURE_SIZE, 160)
MAX_INK = 16.0
# The originals have 8 x 8 pixels. A steep curve around this ink turns the blur into strokes.
EDGE_INK = 0.5
EDGE_STEEPNESS = 9.0


def split(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Returns training ink, held-out ink, training digits and held-out digits."""
    digits = load_digits()
    ink = (digits.images / MAX_INK).astype(np.float32)
    return train_test_split(
        ink, digits.target, test_size=HELD_OUT, stratify=digits.target, random_state=seed
    )


def draw(ink: np.ndarray, size: tuple[int, int] = (PICTURE_SIZE, PICTURE_SIZE)) -> Image.Image:
    """Draws one 8 x 8 digit in the middle of a grey image of the size."""
    side = min(size)
    padded = np.pad(ink, 1)
    smooth = Image.fromarray(padded).resize((side, side), Image.Resampling.BICUBIC)
    strokes = _sigmoid(np.asarray(smooth))
    strokes = np.clip((strokes - _sigmoid(0.0)) / (_sigmoid(1.0) - _sigmoid(0.0)), 0, 1)
    paper = Image.new("L", size, 255)
    digit = Image.fromarray((255 - 255 * strokes).round().astype(np.uint8))
    paper.paste(digit, ((size[0] - side) // 2, (size[1] - side) // 2))
    return paper


def as_model_input(picture: Image.Image) -> np.ndarray:
    """Returns the bytes of an image that a model gets, in the shipped pipeline."""
    return prepare(picture, MODEL_SIZE, MODEL_SIZE)


def prepare_all(ink: np.ndarray) -> np.ndarray:
    """Draws and prepares every digit: uint8 of shape [count, 32, 32, 3]."""
    return np.stack([as_model_input(draw(one)) for one in ink])


def as_gray_input(picture: Image.Image) -> Image.Image:
    """Returns the same for a model that takes gray images."""
    return Image.fromarray(as_model_input(picture)).convert("L")


def prepare_all_gray(ink: np.ndarray) -> np.ndarray:
    """Draws and prepares every digit: uint8 of shape [count, 32, 32]."""
    return np.stack([np.asarray(as_gray_input(draw(one))) for one in ink])


def first_of_each(digits: np.ndarray, count: int) -> np.ndarray:
    """Returns the indexes of the first `count` images of every digit."""
    return np.concatenate([np.flatnonzero(digits == digit)[:count] for digit in range(10)])


def write_folders(folder: Path, ink: np.ndarray, digits: np.ndarray) -> None:
    """Writes gray images of a model's size, in one folder a digit."""
    shutil.rmtree(folder, ignore_errors=True)
    for digit in range(10):
        (folder / str(digit)).mkdir(parents=True)
        for number, one in enumerate(ink[digits == digit], start=1):
            path = folder / str(digit) / f"digit-{digit}-{number:03}.png"
            as_gray_input(draw(one)).save(path, optimize=True)


def most_typical(ink: np.ndarray, digits: np.ndarray, digit: int, count: int) -> list[int]:
    """Returns the indexes of the images of a digit that are nearest to its mean image."""
    positions = np.flatnonzero(digits == digit)
    mean = ink[positions].mean(axis=0)
    distances = np.square(ink[positions] - mean).sum(axis=(1, 2))
    return [int(position) for position in positions[np.argsort(distances, kind="stable")[:count]]]


def _sigmoid(ink: np.ndarray | float) -> np.ndarray | float:
    return 1 / (1 + np.exp(-EDGE_STEEPNESS * (ink - EDGE_INK)))
