# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Writes the demo's folders: two bundles, images and a test bundle."""

import dataclasses
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np

from .pictures import MODEL_SIZE, PICTURE_SIZE, TALL, WIDE, draw, most_typical

LABELS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
PICTURES_PER_DIGIT = 2
AUTHOR = "TensorIO for Swift"
LICENSE = (
    "Apache License 2.0; trained on Optical Recognition of Handwritten Digits by E. Alpaydin "
    "and C. Kaynak (UCI Machine Learning Repository), CC BY 4.0"
)


@dataclasses.dataclass
class DigitsModel:
    """A converted model, with its measured accuracy."""

    identifier: str
    name: str
    content: bytes
    is_quantized: bool
    correct: int
    total: int

    @property
    def accuracy(self) -> str:
        """The share of correct results over the held-out images, for people."""
        return f"{self.correct} of {self.total} held-out images ({self.correct / self.total:.1%})"


def write_bundle(folder: Path, model: DigitsModel) -> None:
    """Writes `folder`/IDENTIFIER.tiobundle."""
    bundle = folder / f"{model.identifier}.tiobundle"
    _make_empty(bundle)
    _write_labels(bundle)
    (bundle / "model.tflite").write_bytes(model.content)
    _write_json(bundle / "model.json", _manifest(model))


def _write_labels(bundle: Path) -> None:
    (bundle / "assets").mkdir()
    (bundle / "assets" / "labels.txt").write_text("\n".join(LABELS) + "\n")


def write_training_bundle(folder: Path, write_model: Callable[[Path], None]) -> Path:
    """Writes `folder`/digits-train.tiobundle and returns the model's folder."""
    bundle = folder / "digits-train.tiobundle"
    _make_empty(bundle)
    _write_labels(bundle)
    write_model(bundle / "train")
    _write_json(
        bundle / "model.json",
        {
            "name": "Digits, to train",
            "details": (
                "Learns to read handwritten digits, dark ink on light paper, from random "
                "weights. A small convolutional network and the optimizer Adam; a learning rate "
                "of 0.005 suits batches of 32."
            ),
            "id": "digits-train",
            "version": "1",
            "author": AUTHOR,
            "license": "Apache License 2.0",
            "model": {
                "file": "train",
                "quantized": False,
                "type": "image.classification.digits",
                "backend": "tensorflow",
                "modes": ["train"],
            },
            "inputs": [
                {
                    "name": "image",
                    "type": "image",
                    "shape": [-1, MODEL_SIZE, MODEL_SIZE, 1],
                    "format": "GRAY",
                    "normalize": {"standard": "[0,1]"},
                },
                {"name": "label", "type": "array", "dtype": "int32", "shape": [-1, 1]},
            ],
            "placeholders": [
                {"name": "learning_rate", "type": "scalar", "dtype": "float32", "shape": []}
            ],
            "outputs": [
                {"name": "loss", "type": "scalar", "shape": []},
                {"name": "accuracy", "type": "scalar", "shape": []},
                {
                    "name": "probabilities",
                    "type": "array",
                    "shape": [-1, len(LABELS)],
                    "labels": "labels.txt",
                },
            ],
            "train": {"ops": ["train"]},
        },
    )
    return bundle / "train"


def write_pictures(folder: Path, ink: np.ndarray, digits: np.ndarray) -> list[Path]:
    """Writes the most typical held-out images of every digit as PNG files."""
    _make_empty(folder)
    square = (PICTURE_SIZE, PICTURE_SIZE)
    paths = []
    for digit in range(len(LABELS)):
        # The second image of a digit is RGB, and wide or tall.
        sizes = [square, WIDE if digit % 2 == 0 else TALL]
        positions = most_typical(ink, digits, digit, PICTURES_PER_DIGIT)
        for number, (position, size) in enumerate(zip(positions, sizes), start=1):
            path = folder / f"digit-{digit}-{number:02}.png"
            picture = draw(ink[position], size)
            (picture if number == 1 else picture.convert("RGB")).save(path, optimize=True)
            paths.append(path)
    return paths


def write_test_bundle(folder: Path, pictures: list[Path], models: list[str]) -> None:
    """Writes a headless test of the models over copies of the images."""
    _make_empty(folder)
    (folder / "images").mkdir()
    images, labels = [], []
    for picture in pictures:
        shutil.copyfile(picture, folder / "images" / picture.name)
        path = f"images/{picture.name}"
        label = LABELS[int(picture.name.split("-")[1])]
        images.append({"type": "file", "path": path})
        labels.append({"path": path, "inference_results": {"classification": {label: ""}}})
    _write_json(
        folder / "test.json",
        {
            "name": "Handwritten digits",
            "id": "digits",
            "version": "1",
            "models": models,
            "options": {"iterations": 1, "metric": "EvaluationMetricAccuracyTop5"},
            "images": images,
            "labels": labels,
        },
    )


def _manifest(model: DigitsModel) -> dict:
    image = {
        "name": "image",
        "type": "image",
        "shape": [MODEL_SIZE, MODEL_SIZE, 3],
        "format": "RGB",
    }
    classification = {
        "name": "classification",
        "type": "array",
        "shape": [1, len(LABELS)],
        "labels": "labels.txt",
    }
    if model.is_quantized:
        classification["dequantize"] = {"standard": "model"}
    else:
        image["normalize"] = {"standard": "[0,1]"}
    return {
        "name": model.name,
        "details": (
            "Reads a handwritten digit, dark ink on light paper. A small convolutional network; "
            f"right on {model.accuracy}."
        ),
        "id": model.identifier,
        "version": "1",
        "author": AUTHOR,
        "license": LICENSE,
        "model": {
            "file": "model.tflite",
            "quantized": model.is_quantized,
            "type": "image.classification.digits",
            "backend": "tflite",
            "modes": ["predict"],
        },
        "inputs": [image],
        "outputs": [classification],
        "options": {
            "device_position": "back",
            "output_format": "image.classification.imagenet",
        },
    }


def _make_empty(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def _write_json(path: Path, document: dict) -> None:
    text = json.dumps(document, indent=2)
    # Shapes and modes read better on one line.
    path.write_text(re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", _on_one_line, text) + "\n")


def _on_one_line(array: re.Match) -> str:
    return "[" + ", ".join(part.strip() for part in array[1].split(",")) + "]"
