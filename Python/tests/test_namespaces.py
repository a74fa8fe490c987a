# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Clusters of Ray and Spark whose nodes are network namespaces, which have nothing but files in common.

One of Spark's nodes is slow, so that Spark runs its tasks twice.

This needs Linux, root and the program `ip`.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import DIGITS, IMAGES
from processes import eventually

HEAD = "10.213.0.1"
NODES = ("10.213.0.2", "10.213.0.3")

RAY_DRIVER = """
import json, sys, ray, tensorio.ray
address, program, bundle, items = sys.argv[1], sys.argv[2], sys.argv[3], json.load(sys.stdin)
ray.init(address=address, log_to_driver=False)
data = ray.data.from_items([{"item": item} for item in items])
rows = tensorio.ray.predict(data, bundle, workers=2, batch_size=8, program=program, answer="row").take_all()
print(json.dumps([[row["item"], row["row"]] for row in rows]))
"""

SPARK_DRIVER = """
import json, sys, tensorio.spark
from pyspark.sql import SparkSession
address, program, bundle, events, items = *sys.argv[1:5], json.load(sys.stdin)
host = address.split("//")[1].split(":")[0]
session = SparkSession.builder.master(address).config("spark.ui.enabled", "false") \\
    .config("spark.driver.host", host).config("spark.driver.bindAddress", host) \\
    .config("spark.executorEnv.PYTHONPATH", ":".join(sys.path)) \\
    .config("spark.eventLog.enabled", "true").config("spark.eventLog.dir", events) \\
    .config("spark.eventLog.compress", "false").config("spark.speculation", "true") \\
    .config("spark.speculation.quantile", "0.1").config("spark.speculation.multiplier", "1.5") \\
    .config("spark.speculation.minTaskRuntime", "1s").getOrCreate()
frame = session.createDataFrame([(item,) for item in items], "item string").repartition(8)
rows = tensorio.spark.predict(frame, bundle, program=program, answer="row").collect()
print(json.dumps([[row["item"], row["row"]] for row in rows]))
session.stop()
"""


class Network:
    """Namespaces with an address each, and a bridge between them."""

    def __init__(self, folder: Path) -> None:
        self._name = f"tio{os.getpid()}"
        self._addresses = (HEAD, *NODES)
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []

    def namespace(self, address: str) -> str:
        return f"{self._name}-{self._addresses.index(address)}"

    def __enter__(self) -> Network:
        bridge = self.namespace(HEAD)
        self._ip("netns", "add", bridge)
        self._ip("-n", bridge, "link", "add", "bridge", "type", "bridge")
        self._ip("-n", bridge, "link", "set", "bridge", "up")
        for address in self._addresses:
            namespace = self.namespace(address)
            if address != HEAD:
                self._ip("netns", "add", namespace)
            number = self._addresses.index(address)
            self._ip("-n", bridge, "link", "add", f"end{number}", "type", "veth", "peer", "name", "net", "netns",
                     namespace)
            self._ip("-n", bridge, "link", "set", f"end{number}", "master", "bridge", "up")
            self._ip("-n", namespace, "addr", "add", f"{address}/24", "dev", "net")
            self._ip("-n", namespace, "link", "set", "net", "up")
            self._ip("-n", namespace, "link", "set", "lo", "up")
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.kill()
            process.wait()
        for address in reversed(self._addresses):
            for pid in self.pids(address):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            subprocess.run(["ip", "netns", "delete", self.namespace(address)], stderr=subprocess.DEVNULL)

    def pids(self, address: str) -> list[int]:
        result = subprocess.run(["ip", "netns", "pids", self.namespace(address)], capture_output=True, text=True)
        return [int(line) for line in result.stdout.split()]

    def command(self, address: str, *command: object) -> list[str]:
        return ["ip", "netns", "exec", self.namespace(address), *map(str, command)]

    def start(self, address: str, *command: object) -> None:
        with (self._folder / f"{address}.log").open("ab") as log:
            self._processes.append(subprocess.Popen(
                self.command(address, *command), stdin=subprocess.DEVNULL, stdout=log, stderr=log))

    def workers(self, address: str) -> list[int]:
        """Returns the workers of TensorIO in a namespace."""
        found = []
        for pid in self.pids(address):
            with contextlib.suppress(OSError):
                if b"\0worker\0" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    found.append(pid)
        return found

    def run(
        self, address: str, driver: str, arguments: Sequence[object], items: list[str], *, slow: str | None = None,
    ) -> tuple[Any, set[str]]:
        """Runs a driver. Returns what it prints, and where workers ran meanwhile.

        The workers in the slow namespace stop for most of the time.
        """
        process = subprocess.Popen(
            self.command(address, sys.executable, "-c", driver, *arguments), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)
        seen: set[str] = set()
        is_over = threading.Event()

        def look() -> None:
            while not is_over.wait(0.05):
                seen.update(address for address in self._addresses if self.workers(address))
                workers = self.workers(slow) if slow else []
                for number in (signal.SIGSTOP, signal.SIGCONT):
                    for pid in workers:
                        with contextlib.suppress(ProcessLookupError):
                            os.kill(pid, number)
                    if number == signal.SIGSTOP and workers:
                        is_over.wait(2)

        thread = threading.Thread(target=look)
        thread.start()
        try:
            output, _ = process.communicate(json.dumps(items).encode(), timeout=300)
        finally:
            process.kill()
            is_over.set()
            thread.join()
        assert process.returncode == 0
        return json.loads(output.splitlines()[-1]), seen

    @staticmethod
    def _ip(*arguments: str) -> None:
        subprocess.run(["ip", *arguments], check=True)


@pytest.fixture
def network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Network]:
    if os.name != "posix" or os.geteuid() != 0 or not shutil.which("ip"):
        pytest.skip("network namespaces need root and the program 'ip'")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    # The paths of Ray's sockets must be short, and its own folder says where this machine's cluster is.
    with tempfile.TemporaryDirectory(prefix="ray") as folder, Network(tmp_path) as network:
        monkeypatch.setenv("RAY_TMPDIR", folder)
        yield network


@pytest.fixture
def items() -> list[str]:
    return [str(image) for image in IMAGES for _ in range(4)]


def check(rows: list[list[str]], items: list[str], program: str, folder: Path) -> None:
    """Compares results with those of `tensorio bulk`."""
    output = folder / "rows.jsonl"
    subprocess.run([program, "bulk", *IMAGES, "--model", DIGITS, "-o", output], check=True, stdout=subprocess.DEVNULL)
    expected = {row["image"]: row for row in map(json.loads, output.read_text().splitlines())}
    assert sorted(item for item, _ in rows) == sorted(items)
    for item, text in rows:
        row = json.loads(text)
        assert not row["error"] and row["predicted"] == expected[item]["predicted"]
        assert row["evaluation"]["inference_results"] == expected[item]["evaluation"]["inference_results"]


def test_ray(network: Network, items: list[str], program: str, tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="Ray isn't installed")
    ray = (sys.executable, "-m", "ray.scripts.scripts", "start", "--block", "--disable-usage-stats")
    network.start(HEAD, *ray, "--head", f"--node-ip-address={HEAD}", "--port=6379", "--num-cpus=1",
                  "--include-dashboard=false")
    eventually(lambda: b"To terminate the Ray runtime" in (tmp_path / f"{HEAD}.log").read_bytes())
    for address in NODES:
        network.start(address, *ray, f"--address={HEAD}:6379", f"--node-ip-address={address}", "--num-cpus=1")
    rows, seen = network.run(HEAD, RAY_DRIVER, (f"{HEAD}:6379", program, DIGITS), items)
    check(rows, items, program, tmp_path)
    assert seen.intersection(NODES)


def test_spark_with_a_slow_node(network: Network, items: list[str], program: str, tmp_path: Path) -> None:
    sql = pytest.importorskip("pyspark", reason="Spark isn't installed")
    spark = Path(sql.__file__).parent / "bin/spark-class"
    network.start(HEAD, spark, "org.apache.spark.deploy.master.Master", "--host", HEAD, "--port", 7077)
    for address in NODES:
        network.start(address, spark, "org.apache.spark.deploy.worker.Worker", f"spark://{HEAD}:7077", "--host",
                      address, "--cores", 1, "--memory", "1g", "--work-dir", tmp_path / address)
    events = tmp_path / "events"
    events.mkdir()
    rows, seen = network.run(
        HEAD, SPARK_DRIVER, (f"spark://{HEAD}:7077", program, DIGITS, events), items, slow=NODES[0])
    check(rows, items, program, tmp_path)
    assert seen == set(NODES)
    assert any('"Speculative":true' in path.read_text() for path in events.rglob("*") if path.is_file())
