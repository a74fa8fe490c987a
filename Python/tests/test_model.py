# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Results, compared with those of the command line."""

from __future__ import annotations

import io
import json
import pickle
import shutil
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
import tensorio
from conftest import DIGITS, IMAGES, SEVEN, Command, write_bundle
from PIL import Image


def test_results_equal_those_of_run(digits: tensorio.Model, command: Command) -> None:
    results = list(digits.map(IMAGES))
    assert [result.item for result in results] == IMAGES
    assert [result.index for result in results] == list(range(len(IMAGES)))
    for result in results:
        assert result.value == command.json("run", DIGITS, result.item)["outputs"]


def test_the_model_describes_itself(digits: tensorio.Model, command: Command) -> None:
    bundle = command.json("inspect", DIGITS)["bundle"]
    assert (digits.inputs, digits.outputs) == (bundle["inputs"], bundle["outputs"])
    assert digits.labels == {"classification": bundle["outputs"][0]["labels"]}
    assert len(bytes.fromhex(digits.digest)) == 32
    assert len(bytes.fromhex(digits.run_id)) == 8


def test_rows_equal_those_of_bulk(digits: tensorio.Model, command: Command, tmp_path: Any) -> None:
    damaged = tmp_path / "damaged.png"
    damaged.write_bytes(SEVEN.read_bytes()[:200])
    images = [*map(str, IMAGES), str(damaged)]
    path = tmp_path / "rows.jsonl"
    command.json("bulk", *images, "--model", DIGITS, "-o", path)
    expected = sorted(map(json.loads, path.read_text().splitlines()), key=lambda row: int(row["index"]))
    rows = list(digits.rows(images))
    assert [without_times(row) for row in rows] == [without_times(row) for row in expected]
    assert {row["run"] for row in rows} == {digits.run_id}
    assert [row["error"] for row in rows] == [False] * len(IMAGES) + [True]
    unordered = sorted(digits.rows(images, ordered=False), key=lambda row: int(row["index"]))
    assert [without_times(row) for row in unordered] == [without_times(row) for row in expected]


def test_an_item_that_cannot_be_sent_has_a_row(digits: tensorio.Model) -> None:
    items = [SEVEN, {1, 2}, Path("\udcff.png"), SEVEN]
    rows = list(digits.rows(items))
    assert [row["error"] for row in rows] == [False, True, True, False]
    assert [int(row["index"]) for row in rows] == [0, 1, 2, 3]
    assert [row["image"] for row in rows] == [str(SEVEN), "1", "2", str(SEVEN)]
    assert "set isn't among what models take" in rows[1]["error_description"]
    assert "\\udcff.png can't be sent to the model: its name isn't UTF-8" in rows[2]["error_description"]
    assert {row["run"] for row in rows} == {digits.run_id}


def without_times(row: dict[str, Any]) -> dict[str, Any]:
    evaluation = {name: value for name, value in row.get("evaluation", {}).items() if "latency" not in name}
    return {**row, "evaluation": evaluation}


def test_every_kind_of_item_gives_the_same_result(digits: tensorio.Model, monkeypatch: Any) -> None:
    expected = digits.run(SEVEN)
    data = SEVEN.read_bytes()
    for item in (str(SEVEN), data, bytearray(data), memoryview(data), io.BytesIO(data)):
        assert digits.run(item) == expected
    with SEVEN.open("rb") as file:
        assert digits.run(file) == expected
    with Image.open(SEVEN) as image:
        for mode in ("RGB", "L", "RGBA", "LA", "P"):
            assert top(digits.run(image.convert(mode))) == "seven"
        assert digits.run(image.convert("RGB")) == expected
        assert digits.run(np.asarray(image.convert("RGB"))) == expected
    assert digits.run(digits.preprocess(SEVEN)) == expected
    assert digits.run({"image": digits.preprocess(SEVEN)}) == expected
    assert digits.run({"image": SEVEN}) == expected
    assert digits.run({"image": data}) == digits.run({"image": io.BytesIO(data)}) == expected
    with Image.open(SEVEN) as image:
        assert digits.run({"image": image.convert("RGB")}) == expected
    monkeypatch.chdir(SEVEN.parent)
    assert digits.run(SEVEN.name) == expected


def top(outputs: dict[str, Any]) -> str:
    scores: dict[str, float] = outputs["classification"]
    return max(scores, key=scores.__getitem__)


def test_numbers_are_arrays_in_the_shape_of_their_layer(program: str, bundle_of: Any) -> None:
    array = np.array([[1, 2, np.nan], [np.inf, -np.inf, 0.1]], dtype="float32")
    with tensorio.Model(bundle_of("reverse_float32"), program=program) as model:
        for item in (array, {"x": array}, np.asfortranarray(array), array.astype(">f4")):
            np.testing.assert_array_equal(model.tensors(item)["y"], array[:, ::-1])
            np.testing.assert_array_equal(model.run(item)["y"].astype("float32"), array[:, ::-1])
        assert model.tensors(array)["y"].dtype == np.float32
        assert model.tensors(array)["y"].flags.writeable
        np.testing.assert_array_equal(model.run([1, 2, 3, 4, 5, 6])["y"], [[3, 2, 1], [6, 5, 4]])
        for values in (array.tolist(), {"x": array.tolist()}, [list(row) for row in array.astype("longdouble")]):
            np.testing.assert_array_equal(model.run(values)["y"].astype("float32"), array[:, ::-1])


def test_bytes_are_the_elements_of_a_layer_of_bytes(program: str, tmp_path: Path) -> None:
    layer = {"name": "x", "type": "string", "shape": [2, 3], "dtype": "float32"}
    bundle = write_bundle(tmp_path, "reverse_float32", layer, {
        "name": "y", "type": "array", "shape": [2, 3]})
    array = np.arange(6, dtype="float32").reshape(2, 3)
    with tensorio.Model(bundle, program=program) as model:
        for item in (array.tobytes(), {"x": array.tobytes()}):
            np.testing.assert_array_equal(model.run(item)["y"], array[:, ::-1])
        with pytest.raises(tensorio.ItemError, match="takes 24 bytes"):
            model.run(b"short")


def test_whole_floats_are_floats(program: str, bundle_of: Any) -> None:
    with tensorio.Model(bundle_of("matmul"), program=program) as model:
        for b in (np.ones(4, dtype="float32"), np.full(4, 0.5, dtype="float32")):
            value = model.run({"input1": np.arange(4, dtype="float32"), "input2": b})["output1"]
            assert np.asarray(value).dtype == np.float64


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "int64", "float64", "float16", "bool"])
def test_tensors_have_the_models_own_types(program: str, bundle_of: Any, kind: str) -> None:
    array = np.array([[0, 1, 1], [1, 0, 0]], dtype=kind)
    with tensorio.Model(bundle_of(f"reverse_{kind}"), program=program) as model:
        result = model.tensors(array)["y"]
        assert result.dtype == array.dtype
        np.testing.assert_array_equal(result, array[:, ::-1])


def test_texts_and_columns_are_values(program: str, bundle_of: Any, tmp_path: Path) -> None:
    with tensorio.Model(bundle_of("string"), program=program) as model:
        assert model.run(["a", "ü", "/c"])["y"] == ["/c", "ü", "a"]
        with pytest.raises(tensorio.ItemError) as error:
            model.run("https://one.text")
        assert error.value.code == "wrongElementCount"
    path = tmp_path / "flats.tiobundle"
    shutil.copytree(bundle_of("classifier_labels"), path)
    description = json.loads((path / "model.json").read_text())
    names = ["area", "rooms", "floor", "age"]
    description["inputs"][0] = {
        "name": "x", "type": "features", "shape": [1, 4], "columns": [{"name": name} for name in names]}
    (path / "model.json").write_text(json.dumps(description))
    with tensorio.Model(path, program=program) as model:
        row = dict(zip(names, [1.5, np.float32(2), 3, np.int64(4)], strict=True))
        values = np.array([[1.5, 2, 3, 4]], dtype="float32")
        for mapping in (row, dict(reversed(row.items())), MappingProxyType(row)):
            assert np.array_equal(model.preprocess(mapping).ravel(), values.ravel())
            assert model.run(mapping).keys() == model.run(values).keys()


def test_several_inputs_are_given_by_name(program: str, bundle_of: Any) -> None:
    a, b = np.arange(4, dtype="float32"), np.ones(4, dtype="float32")
    with tensorio.Model(bundle_of("matmul"), program=program) as model:
        outputs = model.run({"input1": a, "input2": b})
        assert float(np.squeeze(outputs["output1"])) == 6
        assert model.run({"input1": [0, 1, 2, 3], "input2": b}).keys() == outputs.keys()
        assert model.input_tensors({"input1": a, "input2": b}).keys() == {"input1", "input2"}
        with pytest.raises(ValueError, match="input1, input2"):
            model.preprocess({"input1": a, "input2": b})
        with pytest.raises(tensorio.ItemError, match="pass a dict with an array for each"):
            model.run(a)


def test_an_accelerator_runs_the_model_or_the_log_says_why_not(
    program: str, digits: tensorio.Model, caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO", logger="tensorio")
    with tensorio.Model(DIGITS, program=program, accelerator="auto") as model:
        (result,) = model.map([SEVEN])
        found, expected = result.value["classification"], digits.run(SEVEN)["classification"]
        assert result.accelerator is not None
        assert pickle.loads(pickle.dumps(model))._command() == model._command()
    assert max(abs(found[label] - expected[label]) for label in expected) < 0.002
    assert all(result.accelerator is None for result in digits.map([SEVEN]))
    if "runs on the CPU" in caplog.text:
        assert found == expected and result.accelerator.startswith("cpu (")
    else:
        assert result.accelerator == "gpu"
    with pytest.raises(ValueError, match="'accelerator' is 'tpu'"):
        tensorio.Model(DIGITS, accelerator="tpu")  # type: ignore[arg-type]
