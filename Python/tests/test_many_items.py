# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Many items, threads and processes."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import pickle
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import tensorio
from conftest import DIGITS, IMAGES, SEVEN
from processes import eventually, memory, open_files

MANY = 5000


def pid(model: tensorio.Model) -> int:
    return int(model._running().description["pid"])


@pytest.mark.parametrize("ordered", [True, False])
def test_5000_items_are_taken_lazily_in_flat_memory(digits: tensorio.Model, ordered: bool) -> None:
    taken = 0

    def items() -> Iterator[bytes]:
        nonlocal taken
        # Each item is an object of its own, of which too many would be noticed.
        files = [path.read_bytes() for path in IMAGES]
        for index in range(MANY):
            taken = index + 1
            yield files[index % len(files)] + bytes(50_000)

    most_ahead, count, start, seen = 0, 0, 0.0, set()
    for result in digits.map(items(), answer="tensors", ordered=ordered):
        most_ahead = max(most_ahead, taken - count)
        count += 1
        seen.add(result.index)
        assert not ordered or result.index == count - 1
        if count == 500:
            start = memory()
    assert seen == set(range(MANY))
    assert most_ahead <= 4 * digits._running().window + 1
    # All items together have 240 MiB.
    assert memory() - start < 20


def test_an_endless_iterable_can_be_left(digits: tensorio.Model) -> None:
    before = pid(digits)
    for _ in range(20):
        results = digits.map(itertools.repeat(SEVEN))
        assert next(results).index == 0
        del results
    assert pid(digits) == before
    eventually(lambda: not digits._running()._under_way)
    assert digits.run(SEVEN)


def test_nothing_is_taken_before_the_first_result_is_wanted(digits: tensorio.Model) -> None:
    items = iter([SEVEN, SEVEN])
    results = digits.map(items)
    assert next(items) == SEVEN
    assert [result.index for result in results] == [0]
    assert list(digits.map([])) == []


def test_full_pipes_in_both_directions_are_no_deadlock(program: str, bundle_of: Any) -> None:
    image = np.random.default_rng(1).random((1, 224, 224, 3), dtype="float32")
    with tensorio.Model(bundle_of("photo_classes"), program=program) as model:
        for result in model.map([image] * 100, answer="inputs"):
            (tensor,) = result.value.values()
            assert np.array_equal(tensor.ravel(), image.ravel())


def test_threads_share_a_model(digits: tensorio.Model) -> None:
    expected = [digits.tensors(path)["classification"] for path in IMAGES]
    failures: list[object] = []

    def work() -> None:
        for _ in range(5):
            for result, right in zip(digits.map(IMAGES, answer="tensors"), expected, strict=True):
                if not np.array_equal(result.value["classification"], right):
                    failures.append(result)
            if digits.run(SEVEN)["classification"]["seven"] < 0.9:
                failures.append(SEVEN)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_map_may_read_another_map_of_the_same_model(digits: tensorio.Model) -> None:
    paths = (str(result.item) for result in digits.map(IMAGES))
    assert [result.item for result in digits.map(paths)] == [str(path) for path in IMAGES]


@pytest.mark.parametrize("ordered", [True, False])
def test_items_are_sent_ahead_and_together(program: str, digits: tensorio.Model, ordered: bool) -> None:
    expected = [result.value for result in digits.map(IMAGES)]
    taken = 0

    def items() -> Iterator[object]:
        nonlocal taken
        for path in IMAGES * 20:
            taken += 1
            yield path

    with tensorio.Model(DIGITS, program=program, threads=1, ahead=16) as model:
        assert model._running().window == 18
        results = model.map(items(), ordered=ordered)
        first = next(results)
        assert 17 <= taken <= 4 * 18
        for result in [first, *results]:
            assert result.value == expected[result.index % len(IMAGES)]
        assert taken == len(IMAGES) * 20
        assert pickle.loads(pickle.dumps(model))._command() == model._command()


@pytest.mark.parametrize("ahead", [0, 16])
def test_results_before_an_exception_of_the_iterable_are_kept(program: str, ahead: int) -> None:
    def items() -> Iterator[object]:
        yield from [SEVEN] * 10
        raise LookupError("no more")

    count = 0
    with tensorio.Model(DIGITS, program=program, threads=1, ahead=ahead) as model, \
            pytest.raises(LookupError, match="no more"):
        for _ in model.map(items()):
            count += 1
    assert count == 10


def test_items_with_a_limit_do_not_wait_in_the_worker(program: str) -> None:
    with tensorio.Model(DIGITS, program=program, threads=2, timeout=60) as model:
        worker, most = model._running(), 0
        for _ in model.map([SEVEN] * 40):
            most = max(most, len(worker._under_way))
        assert worker.window == 4 and most <= 2


def test_only_small_items_are_sent_ahead(program: str) -> None:
    data = SEVEN.read_bytes()
    with tensorio.Model(DIGITS, program=program, threads=1, ahead=64) as model:
        worker = model._running()
        most = 0
        for _ in model.map([data + bytes(1 << 20)] * 40, ordered=False):
            most = max(most, len(worker._under_way))
        assert most <= 2
        assert len(list(model.map([data] * 200))) == 200


def test_a_bad_item_among_those_sent_ahead_fails_alone(program: str) -> None:
    items: list[object] = [SEVEN, {"classification": float("nan")}, object(), SEVEN] * 20
    with tensorio.Model(DIGITS, program=program, threads=1, ahead=16) as model:
        results = list(model.map(items, errors="return"))
    assert [result.error is None for result in results] == [True, False, False, True] * 20
    assert all(result.item is item for result, item in zip(results, items, strict=True))


@pytest.mark.parametrize("arguments", [{"ahead": -1}, {"ahead": 1, "supervise": 2}, {"ahead": 1, "timeout": 1}])
def test_items_that_cannot_be_sent_ahead_are_an_error(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="'ahead'"):
        tensorio.Model(DIGITS, **arguments)


def test_a_pickled_model_has_only_its_arguments(program: str) -> None:
    with tensorio.Model(DIGITS, program=program, threads=1, timeout=60) as model:
        copy = pickle.loads(pickle.dumps(model))
        assert copy._worker is None
        with copy:
            assert copy.run(SEVEN) == model.run(SEVEN)
            assert pid(copy) != pid(model)
            assert copy._command() == model._command()


def test_errors_can_be_pickled() -> None:
    for error in (tensorio.ItemError("code", "Words.", "a.png", 3),
                  tensorio.WorkerEnded("Words.", ["a.png"], None, "SIGKILL", "more")):
        copy = pickle.loads(pickle.dumps(error))
        assert type(copy) is type(error)
        assert (vars(copy), str(copy)) == (vars(error), str(error))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_processes_have_workers_of_their_own(program: str, method: str) -> None:
    with tensorio.Model(DIGITS, program=program, threads=1) as model:
        expected = [model.run(path) for path in IMAGES]
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map(model.run, IMAGES) == expected
            with pytest.raises(tensorio.ItemError) as error:
                pool.map(model.run, ["missing.png"])
            assert (error.value.code, error.value.item) == ("fileNotFound", "missing.png")
        assert model.run(SEVEN) == model.run(SEVEN)


def test_a_forked_process_neither_uses_nor_ends_the_workers_of_its_parent(program: str) -> None:
    with tensorio.Model(DIGITS, program=program, threads=1) as model:
        before = pid(model)
        expected = model.run(SEVEN)
        lock_is_held = model._starting.acquire()
        child = os.fork()
        if child == 0:
            # Whatever happens here, the test's own process must not go on twice.
            status = 1
            try:
                status = 0 if model.run(SEVEN) == expected and pid(model) != before else 2
                model.close()
            finally:
                os._exit(status)
        assert lock_is_held
        model._starting.release()
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert model.run(SEVEN) == expected
        assert pid(model) == before


def test_a_map_that_goes_on_in_a_forked_process_is_an_error(program: str) -> None:
    with tensorio.Model(DIGITS, program=program, threads=1) as model:
        results = model.map([SEVEN] * 20)
        expected = next(results).value
        child = os.fork()
        if child == 0:
            status = 1
            try:
                list(results)
            except tensorio.WorkerEnded as error:
                status = 0 if "was forked" in str(error) and model.run(SEVEN) == expected else 2
                model.close()
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert [result.value for result in results] == [expected] * 19


def test_workers_leave_no_file_open(program: str) -> None:
    model = tensorio.Model(DIGITS, program=program)
    model.run(SEVEN)
    model.close()
    before = open_files()
    for _ in range(5):
        assert model.run(SEVEN)
        model.close()
    assert open_files() == before


def test_urls_are_fetched_by_the_worker(digits: tensorio.Model) -> None:
    from functools import partial
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(SEVEN.parent))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        assert digits.run(address + SEVEN.name) == digits.run(SEVEN)
        with pytest.raises(tensorio.ItemError, match="404"):
            digits.run(address + "missing.png")
        server.shutdown()
