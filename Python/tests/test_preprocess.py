# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""What the model gets, compared with Pillow and NumPy, and with LiteRT in Python."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
import tensorio
from conftest import DIGITS, IMAGES, Command
from numpy.typing import NDArray
from PIL import Image
from tensorio._model import Decode

SIDE = 32


def reference(image: Image.Image) -> NDArray[np.float32]:
    """Returns the largest square in the middle, scaled and divided by 255."""
    side = min(image.size)
    left, top = (image.width - side) // 2, (image.height - side) // 2
    square = image.convert("RGB").crop((left, top, left + side, top + side))
    pixels = np.asarray(square.resize((SIDE, SIDE), Image.Resampling.BILINEAR))
    return pixels.astype(np.float32) / np.float32(255)


def test_the_tensor_equals_that_of_pillow_and_numpy(digits: tensorio.Model) -> None:
    for result in digits.map(IMAGES, answer="inputs"):
        tensor = result.value["image"]
        assert tensor.dtype == np.float32
        with Image.open(str(result.item)) as image:
            np.testing.assert_allclose(tensor.reshape(SIDE, SIDE, 3), reference(image), rtol=0, atol=1e-6)


def test_litert_in_python_gives_the_same_outputs(digits: tensorio.Model) -> None:
    interpreters = pytest.importorskip("ai_edge_litert.interpreter")
    interpreter = interpreters.Interpreter(str(DIGITS / "model.tflite"), num_threads=1)
    interpreter.allocate_tensors()
    (source,), (target,) = interpreter.get_input_details(), interpreter.get_output_details()
    for path in IMAGES:
        tensor = digits.preprocess(path)
        interpreter.set_tensor(source["index"], tensor.reshape(source["shape"]))
        interpreter.invoke()
        expected = interpreter.get_tensor(target["index"])
        np.testing.assert_allclose(
            digits.tensors(path)["classification"].ravel(), expected.ravel(), rtol=0, atol=1e-6)


def test_photos_are_decoded_as_the_program_decodes_them(program: str, command: Command, tmp_path: Path) -> None:
    ramp = np.add.outer(np.arange(900), np.arange(1200)).astype(np.uint8)
    photo = tmp_path / "photo.jpg"
    Image.fromarray(np.stack([ramp, ramp.T[:900, :900].repeat(2, 1)[:, :1200], 255 - ramp], 2)).save(photo)
    scores = {}
    decode: Decode
    for decode in ("exact", "high", "fast"):
        with tensorio.Model(DIGITS, program=program, decode=decode) as model:
            scores[decode] = model.run(photo)["classification"]
            copy = pickle.loads(pickle.dumps(model))
            assert copy._command() == model._command()
        printed = command.json("run", DIGITS, photo, "--decode", decode)
        assert scores[decode] == printed["outputs"]["classification"]
    assert scores["exact"] != scores["fast"]


def test_preprocess_needs_no_model_object(
    digits: tensorio.Model, program: str, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TENSORIO_PROGRAM", program)
    for path in IMAGES[:3]:
        np.testing.assert_array_equal(tensorio.preprocess(DIGITS, path), digits.preprocess(path))
    with pytest.raises(tensorio.Error, match="missing"):
        tensorio.preprocess("missing.tiobundle", IMAGES[0])
