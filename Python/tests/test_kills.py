# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Ray and Spark while their processes are killed at random. No row may be lost, doubled or different.

    python -m pytest Python/tests/test_kills.py -o pythonpath=Python -s --program PROGRAM --items 400 --kills 5
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import tensorio.ray
import tensorio.spark
from conftest import DIGITS, IMAGES

MARK = "TENSORIO_TEST_KILLS"
"""A variable of the engines and of all their processes, so that nothing else is killed."""

NODES = 2
"""The number of nodes besides the first one, which has the dataset."""

POISON = [-(2**31), -1]
"""The model 'remainder' ends its process at these numbers."""


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch) -> str:
    value = uuid.uuid4().hex
    monkeypatch.setenv(MARK, value)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    return value


@pytest.fixture
def items(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    folder = tmp_path / "items"
    folder.mkdir()
    for index, image in enumerate(IMAGES):
        shutil.copy(image, tmp_path / f"{index}.png")
    for index in range(request.config.getoption("--items")):
        os.link(tmp_path / f"{index % len(IMAGES)}.png", folder / f"{index:06d}.png")
    return sorted(map(str, folder.iterdir()))


@pytest.fixture
def kills(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--kills"))


def result(row: dict[str, Any]) -> tuple[str, str, str]:
    """Returns what must not depend on where an item ran."""
    assert not row["error"], row
    return row["image"], row["predicted"], json.dumps(row["evaluation"]["inference_results"], sort_keys=True)


def check(rows: Sequence[Any], items: list[str], program: str, folder: Path) -> None:
    """Compares rows with those of `tensorio bulk`."""
    output = folder / "rows.jsonl"
    subprocess.run([program, "bulk", folder / "items", "--model", DIGITS, "-o", output], check=True,
                   stdout=subprocess.DEVNULL)
    expected = sorted(result(json.loads(line)) for line in output.read_text().splitlines())
    assert len(expected) == len(items)
    assert [row["error"] for row in rows if row["error"]] == []
    assert sorted(row["item"] for row in rows) == items
    assert sorted(result(json.loads(row["row"])) for row in rows) == expected


def victims(mark: str, names: Sequence[bytes]) -> list[int]:
    """Returns the engines' processes whose command has one of the names."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):  # it has just ended
            if any(name in (folder / "cmdline").read_bytes() for name in names):
                # Ray's actors write their titles over their variables, but their parents have them, too.
                parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
                variables = (folder / "environ").read_bytes() + Path(f"/proc/{parent}/environ").read_bytes()
                if f"{MARK}={mark}".encode() in variables.split(b"\0"):
                    found.append(int(folder.name))
    return found


@contextlib.contextmanager
def killing(count: int, kill: Callable[[random.Random], bool]) -> Iterator[list[float]]:
    """Kills while the body runs. The list gets the time of each kill."""
    done: list[float] = []
    is_over = threading.Event()
    chance = random.Random(1)

    def work() -> None:
        while len(done) < count and not is_over.wait(chance.uniform(0.1, 1)):
            if kill(chance):
                done.append(time.monotonic())

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield done
    finally:
        is_over.set()
        thread.join()


def kill_one(mark: str, names: Sequence[bytes], chance: random.Random) -> bool:
    found = victims(mark, names)
    if not found:
        return False
    with contextlib.suppress(ProcessLookupError):
        os.kill(chance.choice(found), signal.SIGKILL)
    return True


@pytest.fixture
def cluster(mark: str) -> Iterator[Any]:
    ray = pytest.importorskip("ray", reason="Ray isn't installed")
    utilities = pytest.importorskip("ray.cluster_utils")
    cluster = utilities.Cluster(
        initialize_head=True, connect=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    for _ in range(NODES):
        cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def test_ray_survives_kills(
    cluster: Any, mark: str, items: list[str], kills: int, program: str, tmp_path: Path,
) -> None:
    import ray

    nodes = list(cluster.worker_nodes)

    def kill(chance: random.Random) -> bool:
        # The first kill is a whole node, and about one in 20 others.
        if not nodes or chance.random() >= 0.05 and len(nodes) < NODES:
            return kill_one(mark, (b"\0worker\0", b"MapWorker"), chance)
        if not victims(mark, (b"MapWorker",)):
            return False
        cluster.remove_node(nodes.pop(), allow_graceful=False)
        return True

    data = ray.data.from_items([{"item": item} for item in items])
    predicted = tensorio.ray.predict(data, DIGITS, workers=2, batch_size=16, program=program, answer="row")
    start = time.monotonic()
    with killing(kills, kill) as done:
        rows = predicted.take_all()
    seconds = time.monotonic() - start
    print(f"Ray: {len(rows)} rows, {len(done)} kills, {NODES - len(nodes)} of them nodes, in {seconds:.0f} s")
    assert done
    check(rows, items, program, tmp_path)


def test_spark_survives_kills(mark: str, items: list[str], kills: int, program: str, tmp_path: Path) -> None:
    sql = pytest.importorskip("pyspark.sql", reason="Spark isn't installed")
    session = sql.SparkSession.builder.master("local[2,100]").config("spark.ui.enabled", "false") \
        .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    try:
        frame = session.createDataFrame([(item,) for item in items], "item string")
        frame = frame.repartition(max(4, len(items) // 500))
        predicted = tensorio.spark.predict(frame, DIGITS, program=program, answer="row")
        start = time.monotonic()
        names = (b"\0worker\0", b"pyspark.daemon")
        with killing(kills, lambda chance: kill_one(mark, names, chance)) as done:
            rows = predicted.collect()
        print(f"Spark: {len(rows)} rows, {len(done)} kills, in {time.monotonic() - start:.0f} s")
    finally:
        session.stop()
    assert done
    check(rows, items, program, tmp_path)


def test_what_ends_the_model_is_named_and_the_rest_is_done(cluster: Any, bundle_of: Any, program: str) -> None:
    import ray

    items = [[index, 3] if index != 21 else POISON for index in range(60)]
    data = ray.data.from_items([{"item": item} for item in items])
    rows = tensorio.ray.predict(data, bundle_of("remainder"), workers=2, batch_size=8, program=program).take_all()
    failed = [row for row in rows if row["error"]]
    assert [list(row["item"]) for row in failed] == [POISON] and "worker_ended" in failed[0]["error"]
    assert sorted((row["item"][0], json.loads(row["outputs"])["y"]) for row in rows if not row["error"]) == \
        [(index, index % 3) for index in range(60) if index != 21]
    with pytest.raises(Exception, match="endless_graphs"):
        tensorio.ray.predict(data, bundle_of("endless_graphs"), program=program).take_all()
