# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Trains the demo's models on handwritten digits and writes the folder Demo.

    python Tools/make_digits.py

This needs Tools/requirements-models.txt and takes half a minute. The same versions of the tools write the
same bytes again on the same kind of processor.
"""

import os
import warnings
from pathlib import Path

import numpy as np

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
warnings.filterwarnings("ignore", module="tensorflow")

from digits import bundles, evaluation, network, pictures, training, training_graph  # noqa: E402
from digits.bundles import DigitsModel  # noqa: E402
from fixtures.saved_models import writing  # noqa: E402

FOLDER = Path(__file__).resolve().parent.parent / "Demo"
SEED = pictures.SEED
TRAINING_PICTURES_PER_DIGIT = 35
# The number of orders of the images, to see how much of the result is luck.
ORDERS = 5

README = """\
# Demo

`python Tools/make_digits.py` (seed {seed}) writes these models and images, which show TensorIO at work. Don't
change them by hand.

| folder | what |
|---|---|
| `digits.tiobundle` | reads a handwritten digit; float32, {float_size} bytes |
| `digits-int8.tiobundle` | the same network in whole-integer arithmetic, int8 in and out, \
{int8_size} bytes |
| `images` | two held-out images of every digit: one gray and square, the other one RGB, and wide or tall |
| `digits.testbundle` | a headless test of both models with these images |
| `digits-train.tiobundle` | learns to read digits from random weights; a TensorFlow 1 graph, \
{train_size} bytes |
| `digits-training` | {training_pictures} images to train it with, 32 x 32 and gray, one folder \
for each digit; `Tools/export_digits.py` writes all {train} |

## Accuracy

The accuracy was measured on the {held_out} digits that were not used for training (which used {train}). They were
drawn like those in `images`, and went through the whole pipeline (centre crop, bilinear resize to 32 x 32,
normalization) and LiteRT:

| model | right |
|---|---|
| digits | {float_accuracy} |
| digits-int8 | {int8_accuracy} |

TensorFlow in Python trained `digits-train` for {epochs} epochs on `digits-training`, in batches of {batch} at a
learning rate of {rate}, with the images in {orders} different orders. It then read {trained} of {held_out}
digits.

The images in `images` are the two nearest to the mean image of their digit, regardless of the models' results.

## Data

Optical Recognition of Handwritten Digits, E. Alpaydin and C. Kaynak, UCI Machine Learning
Repository, 1998, https://doi.org/10.24432/C50P49, licensed under CC BY 4.0
(https://creativecommons.org/licenses/by/4.0/), in the copy that scikit-learn includes. We changed the 8 x 8
pixels: they are enlarged, with sharper edges, and drawn as dark ink on white paper.
"""


def write_training(
    train_ink: np.ndarray, train_digits: np.ndarray, test_ink: np.ndarray, test_digits: np.ndarray
) -> tuple[Path, list[int]]:
    """Writes the training bundle and its images. Returns the model and its correct results by order."""
    model = bundles.write_training_bundle(
        FOLDER, lambda folder: writing.write(folder, lambda at: training_graph.write(at, SEED))
    )
    chosen = pictures.first_of_each(train_digits, TRAINING_PICTURES_PER_DIGIT)
    ink, digits = train_ink[chosen], train_digits[chosen]
    pictures.write_folders(FOLDER / "digits-training", ink, digits)
    pixels, test_pixels = pictures.prepare_all_gray(ink), pictures.prepare_all_gray(test_ink)
    right = [
        training.accuracies(model, pixels, digits, test_pixels, test_digits, seed)[-1]
        for seed in range(ORDERS)
    ]
    return model, right


def main() -> None:
    """Trains, converts, measures and writes the models."""
    train_ink, test_ink, train_digits, test_digits = pictures.split(SEED)
    train_pixels = pictures.prepare_all(train_ink)
    test_pixels = pictures.prepare_all(test_ink)
    trained = network.train(train_pixels, train_digits, SEED)

    def measured(identifier: str, name: str, content: bytes, is_quantized: bool) -> DigitsModel:
        predictions = evaluation.predictions(content, test_pixels)
        correct = int((predictions == test_digits).sum())
        return DigitsModel(identifier, name, content, is_quantized, correct, len(test_digits))

    models = [
        measured("digits", "Digits", network.convert_float(trained), False),
        measured("digits-int8", "Digits, int8", network.convert_int8(trained, train_pixels), True),
    ]
    for model in models:
        bundles.write_bundle(FOLDER, model)
        print(f"{model.identifier}: {len(model.content)} bytes, {model.accuracy}")
    paths = bundles.write_pictures(FOLDER / "images", test_ink, test_digits)
    identifiers = [model.identifier for model in models]
    bundles.write_test_bundle(FOLDER / "digits.testbundle", paths, identifiers)
    bundle, right = write_training(train_ink, train_digits, test_ink, test_digits)
    print(f"digits-train: {right} of {len(test_digits)} held-out images")
    (FOLDER / "README.md").write_text(
        README.format(
            seed=SEED,
            train=len(train_digits),
            held_out=len(test_digits),
            float_size=f"{len(models[0].content):,}",
            int8_size=f"{len(models[1].content):,}",
            float_accuracy=models[0].accuracy,
            int8_accuracy=models[1].accuracy,
            train_size=f"{sum(path.stat().st_size for path in bundle.rglob('*.*')):,}",
            training_pictures=10 * TRAINING_PICTURES_PER_DIGIT,
            epochs=training.EPOCHS,
            batch=training.BATCH_SIZE,
            rate=training.LEARNING_RATE,
            orders=ORDERS,
            trained=f"{min(right)} to {max(right)}",
        )
    )


if __name__ == "__main__":
    main()
