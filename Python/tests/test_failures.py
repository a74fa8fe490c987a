# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Items and workers that fail."""

from __future__ import annotations

import gc
import gzip
import math
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorio
from conftest import DIGITS, IMAGES, SEVEN
from processes import eventually, open_files, running

FOREVER = np.array([2**31 - 1], dtype="int32")
"""The model 'slow' counts to this for longer than any test."""


def pid(model: tensorio.Model) -> int:
    return int(model._running().description["pid"])


def test_a_failed_item_says_why(digits: tensorio.Model, tmp_path: Path) -> None:
    with pytest.raises(tensorio.ItemError, match="missing.png") as missing:
        digits.run(tmp_path / "missing.png")
    assert (missing.value.code, missing.value.item) == ("fileNotFound", tmp_path / "missing.png")
    with pytest.raises(tensorio.ItemError) as damaged:
        digits.run(SEVEN.read_bytes()[:200])
    assert damaged.value.code == "invalidImage"
    with pytest.raises(tensorio.ItemError, match="image") as wrong:
        digits.run(np.zeros((3, 5), dtype="float32"))
    assert wrong.value.code in ("wrongElementCount", "wrongKind")


@pytest.mark.parametrize("item, reason", [
    (object(), "object isn't among what models take: paths"),
    ({SEVEN}, "set isn't among"),
    (np.array(["a", "b"]), "isn't one of numbers"),
    (np.zeros(3, dtype="complex64"), "isn't one of numbers"),
    ({"other": b"bytes"}, "{'other': 5 bytes} can't be sent to the model: 'other' isn't an input of the model, "
                          "whose inputs are 'image'"),
    ({"image": b""}, "the value of 'image' has no bytes"), ({"image": np.array(["a"])}, "isn't one of numbers"),
    (SEVEN.with_name("\udcff.png"), "isn't UTF-8"),
])
def test_an_item_that_cannot_be_sent_is_refused(digits: tensorio.Model, item: object, reason: str) -> None:
    with pytest.raises(tensorio.ItemError, match=reason) as error:
        digits.run(item)
    assert error.value.code == "refused"


def test_images_and_files_that_would_lose_something_are_refused(digits: tensorio.Model) -> None:
    from PIL import Image

    with pytest.raises(tensorio.ItemError, match="CMYK.*convert"):
        digits.run(Image.new("CMYK", (40, 40)))
    with SEVEN.open(encoding="latin-1") as file, pytest.raises(tensorio.ItemError, match="mode 'rb'"):
        digits.run(file)


def test_errors_end_a_map_or_become_results(digits: tensorio.Model) -> None:
    items = [IMAGES[0], "missing.png", object(), IMAGES[1]]
    results = list(digits.map(items, errors="return"))
    assert [result.error.code if result.error else None for result in results] == \
        [None, "fileNotFound", "refused", None]
    assert [result.error.index for result in results if result.error] == [1, 2]
    with pytest.raises(tensorio.ItemError):
        _ = results[1].value
    before_the_error: list[object] = []
    with pytest.raises(tensorio.ItemError) as error:
        before_the_error.extend(result.item for result in digits.map(items))
    assert (error.value.index, error.value.item) == (1, "missing.png")
    assert digits.run(SEVEN) == digits.run(SEVEN)


class Unreadable:
    """An array that another package refuses to copy, as PyTorch does with one that requires a gradient."""

    def __array__(self, *_: object, **__: object) -> np.ndarray[Any, Any]:
        raise RuntimeError("Can't call numpy() on it.")


def test_an_item_that_cannot_be_encoded_fails_alone(digits: tensorio.Model, tmp_path: Path) -> None:
    (tmp_path / "cut.gz").write_bytes(gzip.compress(SEVEN.read_bytes())[:50])
    endless: list[object] = []
    endless.append(endless)
    results = list(digits.map([Unreadable(), gzip.open(tmp_path / "cut.gz"), endless, SEVEN], errors="return"))
    assert [result.error.code if result.error else None for result in results] == ["refused"] * 3 + [None]
    assert "Can't call numpy() on it." in str(results[0].error)


@pytest.mark.parametrize("ordered", [True, False])
def test_results_before_the_end_of_a_worker_are_not_lost(program: str, bundle_of: Any, ordered: bool) -> None:
    # The last item ends the worker some time after the others are answered.
    items: list[Any] = [1, 2, FOREVER, 3, 4]
    found: list[tensorio.Result[Any]] = []
    with tensorio.Model(bundle_of("slow"), program=program, threads=3) as model:
        worker = model._running()

        def kill() -> None:
            eventually(lambda: len(worker._under_way) == 1 and worker.window > 1)
            os.kill(pid(model), signal.SIGKILL)

        def given() -> Iterator[Any]:
            yield from items
            thread.start()

        thread = threading.Thread(target=kill)
        with pytest.raises(tensorio.WorkerEnded) as error:
            for result in model.map(given(), ordered=ordered):
                found.append(result)
        thread.join()
    indices = [result.index for result in found]
    assert indices == [0, 1] if ordered else sorted(indices) == [0, 1, 3, 4]
    assert [id(item) for item in error.value.items] == \
        [id(item) for index, item in enumerate(items) if index not in indices]


def test_an_error_of_the_iterable_is_raised_as_it_is(digits: tensorio.Model) -> None:
    def items() -> Iterator[Path]:
        yield SEVEN
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        list(digits.map(items()))


def test_wrong_arguments_are_named(program: str) -> None:
    for arguments in ({"threads": 0}, {"supervise": -1}, {"timeout": 0}, {"timeout": float("inf")},
                      {"decode": "lossy"}):
        with pytest.raises(ValueError, match=f"'{next(iter(arguments))}'"):
            tensorio.Model(DIGITS, program=program, **arguments)
    with pytest.raises(tensorio.Error, match="'/nowhere': no program"):
        tensorio.Model(DIGITS, program="/nowhere").run(SEVEN)


def test_a_worker_that_cannot_start_says_why(program: str, tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(tensorio.Error, match="missing.tiobundle"):
            tensorio.Model(tmp_path / "missing.tiobundle", program=program).run(SEVEN)
    with pytest.raises(tensorio.Error, match="status 0"):
        tensorio.Model(DIGITS, program="true").run(SEVEN)


def test_a_killed_worker_names_its_items_and_the_next_call_starts_another(
    program: str, bundle_of: Any,
) -> None:
    with tensorio.Model(bundle_of("slow"), program=program) as model:
        first = pid(model)
        worker = model._running()

        def kill() -> None:
            eventually(lambda: bool(worker._under_way))
            os.kill(first, signal.SIGKILL)

        threading.Thread(target=kill).start()
        with pytest.raises(tensorio.WorkerEnded, match="SIGKILL") as error:
            list(model.map([FOREVER] * 2))
        assert error.value.signal == "SIGKILL" and error.value.status is None
        assert 1 <= len(error.value.items) <= 2
        assert model.run(1)["reached"] == 1
        assert pid(model) != first
    eventually(lambda: not running(first))


def test_a_model_that_crashes_ends_its_worker(program: str, bundle_of: Any) -> None:
    image = np.zeros((1, 4, 4, 1), dtype="float32")
    with tensorio.Model(bundle_of("crash_on_run"), program=program) as model:
        with pytest.raises(tensorio.WorkerEnded) as error:
            model.run(image)
        assert error.value.items == (image,) or error.value.items[0] is image
        assert error.value.signal is not None


def test_a_supervised_worker_goes_on(program: str, bundle_of: Any) -> None:
    image = np.zeros((1, 4, 4, 1), dtype="float32")
    with tensorio.Model(bundle_of("crash_on_run"), program=program, supervise=1) as model:
        supervisor = pid(model)
        for _ in range(2):
            with pytest.raises(tensorio.ItemError) as error:
                model.run(image)
            assert error.value.code == "worker_ended"
        assert pid(model) == supervisor


def test_a_supervisor_and_its_workers_end_together(program: str) -> None:
    model = tensorio.Model(DIGITS, program=program, supervise=2)
    assert model.run(SEVEN)
    supervisor = pid(model)
    eventually(lambda: len(running(supervisor)) == 3)
    model.close()
    eventually(lambda: not running(supervisor))


def test_a_worker_that_hangs_is_ended(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with tensorio.Model(DIGITS, program=program) as model:
        first = pid(model)
        os.kill(first, signal.SIGSTOP)
        with monkeypatch.context() as patch:
            patch.setattr("tensorio._worker._SILENT_SECONDS", 8)
            with pytest.raises(tensorio.WorkerEnded, match="said nothing for 8 seconds"):
                list(model.map([SEVEN.read_bytes() * 100] * 100))
        assert model.run(SEVEN)
    eventually(lambda: not running(first))


def test_an_item_can_time_out(program: str, bundle_of: Any) -> None:
    with tensorio.Model(bundle_of("slow"), program=program, timeout=0.3) as model:
        with pytest.raises(tensorio.ItemError) as error:
            model.run(FOREVER)
        assert error.value.code == "timed_out"


def test_a_worker_ends_with_its_model(program: str) -> None:
    gc.collect()  # Models of the tests before may still have open files.
    before = open_files()
    with tensorio.Model(DIGITS, program=program) as model:
        first = pid(model)
    assert not running(first)
    second = pid(model)
    del model
    gc.collect()
    eventually(lambda: not running(second) and open_files() <= before)


def test_closing_ends_items_in_other_threads(program: str, bundle_of: Any) -> None:
    model = tensorio.Model(bundle_of("slow"), program=program)
    errors: list[BaseException] = []

    def run() -> None:
        try:
            model.run(FOREVER)
        except tensorio.WorkerEnded as error:
            errors.append(error)

    worker = model._running()
    thread = threading.Thread(target=run)
    thread.start()
    eventually(lambda: bool(worker._under_way))
    model.close()
    thread.join()
    assert [error.signal for error in errors if isinstance(error, tensorio.WorkerEnded)] == ["SIGKILL"]


SCRIPT = """
import sys, numpy, tensorio
model = tensorio.Model(sys.argv[2], program=sys.argv[1])
print(model._running().description["pid"], flush=True)
if sys.argv[3] == "run":
    model.run(numpy.array([2**31 - 1], dtype="int32"))
elif sys.argv[3] == "map":
    with model:
        for _ in model.map([1] * 10 + [numpy.array([2**31 - 1], dtype="int32")] * 10):
            pass
"""


@pytest.mark.parametrize("work", ["run", "map", "nothing"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_is_left(program: str, bundle_of: Any, work: str, number: signal.Signals) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, program, bundle_of("slow"), work], env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    worker = int(process.stdout.readline())
    if work != "nothing":
        eventually(lambda: is_busy(worker))
        process.send_signal(number)
    _, messages = process.communicate()
    eventually(lambda: not running(worker))
    if work != "nothing" and number == signal.SIGINT:
        assert "KeyboardInterrupt" in messages
        assert process.returncode == -signal.SIGINT
    elif work == "nothing":
        assert (process.returncode, messages) == (0, "")


def is_busy(worker: int) -> bool:
    """Whether a process has computed for half a second, which the endless model does."""
    times = Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK") > 0.5


def test_a_worker_that_was_killed_is_not_used_again(program: str) -> None:
    with tensorio.Model(DIGITS, program=program) as model:
        model._running().kill()
        assert model.run(SEVEN)


def test_scores_that_are_not_finite_are_numbers(digits: tensorio.Model) -> None:
    scores = digits.run(np.full((32, 32, 3), np.nan, dtype="float32"))["classification"]
    assert all(isinstance(score, float) for score in scores.values())
    assert any(math.isnan(score) for score in scores.values())


def test_a_scalar_that_is_not_finite_is_a_number(program: str, bundle_of: Any) -> None:
    with tensorio.Model(bundle_of("scalar"), program=program) as model:
        assert model.run(float("inf"))["y"] == math.inf
        assert math.isnan(model.run(float("nan"))["y"])


def test_a_name_that_is_not_utf_8_is_named(digits: tensorio.Model) -> None:
    path = os.fsdecode(b"photo-\xff.png")
    with pytest.raises(tensorio.ItemError, match="isn't UTF-8.*pass the open file"):
        digits.run(path)
