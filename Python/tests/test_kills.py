# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Ray and Spark while their processes are killed at random. No row may be lost, doubled or different.

    python -m pytest Python/tests/test_kills.py -o pythonpath=Python -s --program PROGRAM --items 400 --kills 5

Run this file alone: what is killed has a variable that Spark's Java machine must be started with.
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
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import pytest
import tensorio.ray
import tensorio.spark
from conftest import DIGITS, IMAGES, write_bundle

MARK = "TENSORIO_TEST_KILLS"
"""A variable of the engines and of all their processes, so that nothing else is killed."""

NODES = 2
"""The number of nodes besides the first one, which has the dataset."""

WHITE = 21
"""The photo that ends the model's process."""


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


@pytest.fixture
def every(request: pytest.FixtureRequest) -> float:
    return float(request.config.getoption("--every"))


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


def run_with_kills(
    work: Callable[[], Sequence[Any]], count: int, every: float, kill: Callable[[random.Random], bool],
) -> tuple[Sequence[Any], int]:
    """Kills about once in so many seconds while work is done. Returns its result and the number of kills."""
    done = 0
    chance = random.Random(1)
    with ThreadPoolExecutor(1) as pool:
        result = pool.submit(work)
        # Ray starts nodes only in the main thread.
        while not wait([result], every * chance.uniform(0.2, 1.8)).done:
            done += done < count and kill(chance)
    return result.result(), done


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
    cluster: Any, mark: str, items: list[str], kills: int, every: float, program: str, tmp_path: Path,
) -> None:
    import ray

    ended = 0

    def kill(chance: random.Random) -> bool:
        nonlocal ended
        # The first kill is a whole node, and about one in 20 others. Another node takes its place.
        if ended and chance.random() >= 0.05:
            return kill_one(mark, (b"\0worker\0", b"MapWorker"), chance)
        if not victims(mark, (b"MapWorker",)):
            return False
        cluster.remove_node(chance.choice(list(cluster.worker_nodes)), allow_graceful=False)
        cluster.add_node(num_cpus=1)
        ended += 1
        return True

    data = ray.data.from_items([{"item": item} for item in items])
    predicted = tensorio.ray.predict(data, DIGITS, workers=2, batch_size=16, program=program, answer="row")
    start = time.monotonic()
    rows, done = run_with_kills(predicted.take_all, kills, every, kill)
    seconds = time.monotonic() - start
    print(f"Ray: {len(rows)} rows, {done} kills, {ended} of them nodes, in {seconds:.0f} s")
    assert done
    check(rows, items, program, tmp_path)


@pytest.fixture
def spark(mark: str) -> Iterator[Any]:
    sql = pytest.importorskip("pyspark.sql", reason="Spark isn't installed")
    session = sql.SparkSession.builder.master("local[2,1000]").config("spark.ui.enabled", "false") \
        .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def test_spark_survives_kills(
    spark: Any, mark: str, items: list[str], kills: int, every: float, program: str, tmp_path: Path,
) -> None:
    frame = spark.createDataFrame([(item,) for item in items], "item string")
    frame = frame.repartition(max(4, len(items) // 500))
    predicted = tensorio.spark.predict(frame, DIGITS, program=program, answer="row")
    start = time.monotonic()
    names = (b"\0worker\0", b"pyspark.daemon")
    rows, done = run_with_kills(predicted.collect, kills, every, lambda chance: kill_one(mark, names, chance))
    print(f"Spark: {len(rows)} rows, {done} kills, in {time.monotonic() - start:.0f} s")
    assert done
    check(rows, items, program, tmp_path)


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """A bundle whose model ends its process at a white picture."""
    return write_bundle(
        tmp_path, "crash_on_white", {"name": "image", "type": "image", "shape": [8, 8, 3], "format": "RGB"},
        {"name": "y", "type": "array", "shape": [1], "dtype": "int32"})


@pytest.fixture
def photos(tmp_path: Path) -> list[str]:
    """The 22nd is white."""
    from PIL import Image

    for index in range(60):
        Image.new("RGB", (9, 9), "white" if index == WHITE else (index, 0, 0)).save(tmp_path / f"{index:02d}.png")
    return sorted(map(str, tmp_path.glob("*.png")))


def check_photos(rows: Sequence[Any], photos: list[str]) -> None:
    """Only the white photo has failed."""
    failed = [row for row in rows if row["error"]]
    assert [row["item"] for row in failed] == [photos[WHITE]] and "worker_ended" in failed[0]["error"]
    assert sorted(row["item"] for row in rows) == photos
    assert {row["outputs"] for row in rows if not row["error"]} == {'{"y":5}'}


def test_ray_names_what_ends_the_model(
    cluster: Any, broken: Path, pictures: Path, photos: list[str], program: str,
) -> None:
    import ray

    data = ray.data.from_items([{"item": item} for item in photos])
    predicted = tensorio.ray.predict(data, pictures, workers=2, batch_size=8, program=program)
    check_photos(predicted.take_all(), photos)
    with pytest.raises(Exception, match="is not a valid TensorFlow Lite model"):
        tensorio.ray.predict(data, broken, program=program).take_all()


def test_spark_names_what_ends_the_model(spark: Any, pictures: Path, photos: list[str], program: str) -> None:
    frame = spark.createDataFrame([(item,) for item in photos], "item string").repartition(4)
    check_photos(tensorio.spark.predict(frame, pictures, program=program).collect(), photos)
