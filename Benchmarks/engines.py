#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Measures photos a second and memory of Ray Data and Spark, each with TensorIO and with a function in Python.

    Benchmarks/engines.py --tensorio PROGRAM --model MODEL.tflite --photos DIR [--rounds 7] [--results FILE]

`tensorio bulk` is the measure, with exact and with fast decoding. All use two threads, actors or partitions,
and take turns. The function uses OpenCV, not antialiased, and LiteRT. A rate counts the photos from when a quarter
is done to the last one, so starts don't count. One more round measures the memory, also of a function that does
nothing. With --results, a run adds its rounds to those of earlier runs.
This needs pip install "ray[data]" pyspark, Java 17, and what is in Benchmarks/requirements.txt.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path
from typing import Any

from bulk import make_bundle, make_photos
from throughput import ROOT

sys.path.insert(0, str(ROOT / "Python"))

import tensorio.ray  # noqa: E402
import tensorio.spark  # noqa: E402
from engine_function import Classifier, Nothing  # noqa: E402

WARM = 0.25
"""The share of the photos that isn't counted."""

BULK = "`bulk`"
EXACT, FAST, FUNCTION, NOTHING = "exact", "fast", "function", "nothing"

Arrivals = list[tuple[float, int]]
"""When photos were done, in seconds, and how many."""


def rate(arrivals: Arrivals) -> float:
    arrivals = sorted(arrivals)
    total = sum(count for _, count in arrivals)
    done = 0
    for start, count in arrivals:
        done += count
        if done >= total * WARM:
            break
    seconds = arrivals[-1][0] - start
    if not seconds:
        sys.exit("error: all photos were done at once. Measure more of them.")
    return (total - done) / seconds


class Contenders:
    """Runs the same photos in each way."""

    def __init__(self, program: Path, model: Path, photos: Path, batch: int, session: Any):
        self.program = program
        self.model = model
        self.bundle = make_bundle(model, photos.parent)
        self.photos = photos
        self.paths = sorted(map(str, photos.glob("*.jpg")))
        self.batch = batch
        self.session = session
        self.results: dict[str, set[str]] = {EXACT: set(), FAST: set()}
        """The different results of TensorIO, of which there should be one, because the photos are the same."""

    def bulk(self, decode: str) -> Arrivals:
        """Follows the file of rows, which is written every second and at the end."""
        rows = self.photos.parent / "rows.jsonl"
        rows.unlink(missing_ok=True)
        process = subprocess.Popen(
            [self.program, "bulk", self.photos, "--model", self.bundle, "--decode", decode, "--threads", "2",
             "-o", rows, "--force"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        arrivals: Arrivals = []
        lines: list[bytes] = []
        size = 0
        while len(lines) < len(self.paths):
            if process.poll():
                sys.exit("error: 'tensorio bulk' failed")
            time.sleep(0.01)
            if not rows.exists() or rows.stat().st_size == size:
                continue
            data = rows.read_bytes()
            size = len(data)
            found = data[: data.rfind(b"\n") + 1].splitlines()
            arrivals.append((time.time(), len(found) - len(lines)))
            lines = found
        process.wait()
        self._keep(decode, lines)
        return arrivals

    def ray(self, kind: str) -> Arrivals:
        import ray

        data = ray.data.from_items([{"item": path} for path in self.paths])
        if kind in self.results:
            predicted = tensorio.ray.predict(
                data, self.bundle, workers=2, batch_size=self.batch, program=self.program, decode=kind, answer="row")
        else:
            function, arguments = (Classifier, (str(self.model),)) if kind == FUNCTION else (Nothing, ())
            predicted = data.map_batches(
                function, fn_constructor_args=arguments, batch_size=self.batch, batch_format="pyarrow",
                compute=ray.data.ActorPoolStrategy(size=2), num_cpus=1)
        arrivals, rows = [], []
        for table in predicted.iter_batches(batch_size=None, batch_format="pyarrow"):
            arrivals.append((time.time(), table.num_rows))
            rows += table["row"].to_pylist()
        self._check(f"Ray, {kind}", kind, rows)
        return arrivals

    def spark(self, kind: str) -> Arrivals:
        """Asks the Java machine for the time of each row, since a data frame returns all rows at once."""
        self.session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", self.batch)
        frame = self.session.createDataFrame([(path,) for path in self.paths], "item string").repartition(2)
        if kind in self.results:
            predicted = tensorio.spark.predict(
                frame, self.bundle, program=self.program, decode=kind, answer="row")
        else:
            make = partial(Classifier, str(self.model)) if kind == FUNCTION else Nothing
            predicted = frame.mapInArrow(partial(_map, make), "item string, row string")
        rows = predicted.selectExpr("row", "reflect('java.lang.System', 'currentTimeMillis') as at").collect()
        self._check(f"Spark, {kind}", kind, [row["row"] for row in rows])
        return [(int(row["at"]) / 1000, 1) for row in rows]

    def _check(self, name: str, kind: str, rows: list[str]) -> None:
        if len(rows) != len(self.paths):
            sys.exit(f"error: {name} returned {len(rows)} rows for {len(self.paths)} photos")
        if kind in self.results:
            self._keep(kind, rows)
        elif kind == FUNCTION and any(json.loads(row)["error"] for row in rows):
            sys.exit(f"error: {name} failed")

    def _keep(self, decode: str, rows: list[Any]) -> None:
        found = self.results[decode]
        found |= {json.dumps(json.loads(row)["evaluation"]["inference_results"]) for row in rows}
        if len(found) != 1:
            sys.exit(f"error: the results differ: {sorted(found)[:2]}")


def _map(make: Callable[[], Callable[[Any], Any]], batches: Iterator[Any]) -> Iterator[Any]:
    import pyarrow

    function = make()
    for batch in batches:
        yield from function(pyarrow.Table.from_batches([batch])).to_batches()


# Memory


def proportional(processes: list[int]) -> float:
    """Returns the memory of processes in MB. What they share counts once."""
    total = 0
    for process in processes:
        try:
            text = Path(f"/proc/{process}/smaps_rollup").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        total += next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:"))
    return total * 1024 / 1e6


def processes(program: str) -> dict[str, list[int]]:
    """Finds the workers of TensorIO, and the engines' processes of Python that run a function."""
    found: dict[str, list[int]] = {"worker": [], "python": []}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            command = (folder / "cmdline").read_bytes()
            is_worker = os.readlink(folder / "exe") == program
        except OSError:  # it has ended, or belongs to the system
            continue
        if is_worker:
            found["worker"].append(int(folder.name))
        elif b"MapWorker" in command or b"pyspark.daemon" in command:
            found["python"].append(int(folder.name))
    return found


def peaks(run: Callable[[], Any], program: str) -> dict[str, float]:
    """Runs, and returns the most memory of an actor's or partition's processes, in MB."""
    most = {"worker": 0.0, "python": 0.0}
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(run)
        while not wait([running], 0.2).done:
            for kind, numbers in processes(program).items():
                most[kind] = max(most[kind], proportional(numbers) / 2)
    running.result()
    return most


# The rounds


def measure(photos: str, contenders: Contenders, arguments: argparse.Namespace, results: dict[str, Any]) -> None:
    runs: dict[str, Callable[[], Arrivals]] = {
        f"{BULK}, {decode}": partial(contenders.bulk, decode) for decode in (EXACT, FAST)}
    for engine, run in (("Ray", contenders.ray), ("Spark", contenders.spark)):
        for kind in (EXACT, FAST, FUNCTION):
            runs[f"{engine}, {kind}"] = partial(run, kind)
    rates = results["rates"].setdefault(photos, {name: [] for name in runs})
    for _ in range(arguments.rounds):
        order = list(runs)
        number = len(next(iter(rates.values())))
        start = number % len(order)
        found = {name: rate(runs[name]()) for name in order[start:] + order[:start]}
        for name, value in found.items():
            rates[name].append(value)
        print(f"{photos}, round {number + 1}: " + ", ".join(
            f"{name} {found[name]:.1f}" for name in runs), file=sys.stderr)
        save(results, arguments.results)
    if arguments.memory:
        runs = {name: run for name, run in runs.items() if not name.startswith(BULK)}
        for engine, run in (("Ray", contenders.ray), ("Spark", contenders.spark)):
            runs[f"{engine}, {NOTHING}"] = partial(run, NOTHING)
        results["memory"][photos] = {}
        for name, run in sorted(runs.items()):
            # The engines keep processes with what earlier runs have loaded.
            stop_engines(contenders.session)
            contenders.session = start_engines()
            results["memory"][photos][name] = peaks(run, str(arguments.tensorio))
        save(results, arguments.results)


def save(results: dict[str, Any], path: Path | None) -> None:
    if path:
        path.write_text(json.dumps(results))


def print_tables(results: dict[str, Any]) -> None:
    print("| Photos | | a second | of `bulk` (least, most) | of the function (least, most) |\n|---|---|---:|---:|---:|")
    for photos, rates in results["rates"].items():
        for name, own in rates.items():
            cells = []
            engine, kind = name.split(", ")
            for peer in (f"{BULK}, {kind if kind == FAST else EXACT}", f"{engine}, {FUNCTION}"):
                ratios = [a / b for a, b in zip(own, rates[peer])] if peer in rates and peer != name else []
                cells.append(
                    f"{statistics.median(ratios):.3f} ({min(ratios):.3f}, {max(ratios):.3f})" if ratios else "")
            print(f"| {photos} | {name} | {statistics.median(own):.1f} | {' | '.join(cells)} |")
    print("\n| Photos | | worker, MB | Python, MB |\n|---|---|---:|---:|")
    for photos, memory in results["memory"].items():
        for name, most in memory.items():
            print(f"| {photos} | {name} | {most['worker']:.0f} | {most['python']:.0f} |")


def start_engines() -> Any:
    """Starts Ray, and returns a session of Spark with two threads."""
    import ray
    from pyspark.sql import SparkSession

    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    # The actors take two of these, and Ray Data keeps some for reading.
    ray.init(address="local", num_cpus=4, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false") \
        .config("spark.ui.showConsoleProgress", "false") \
        .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1") \
        .config("spark.buffer.size", "4096").getOrCreate()  # so that rows arrive when they are done
    session.sparkContext.setLogLevel("ERROR")
    return session


def stop_engines(session: Any) -> None:
    import ray

    session.stop()
    ray.shutdown()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tensorio", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="a quantized classifier of images")
    parser.add_argument("--photos", type=Path, required=True, help="a folder with cat_720p.jpg and phone-12mp.jpg")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--vga", type=int, default=6000, help="the number of VGA photos")
    parser.add_argument("--large", type=int, default=200, help="the number of photos of 12 megapixels")
    parser.add_argument("--memory", action=argparse.BooleanOptionalAction, default=True, help="measure the memory, too")
    parser.add_argument("--results", type=Path, help="a file of rounds, to which this run adds its own")
    arguments = parser.parse_args()
    arguments.tensorio = arguments.tensorio.resolve()
    results: dict[str, Any] = {"rates": {}, "memory": {}}
    if arguments.results and arguments.results.exists():
        results = json.loads(arguments.results.read_text())
    for name, file, size, count, batch in [
            ("VGA", "cat_720p.jpg", (640, 480), arguments.vga, 128),
            ("12 MP", "phone-12mp.jpg", None, arguments.large, 8)]:
        if not count:
            continue
        with tempfile.TemporaryDirectory() as temporary:
            photos = Path(temporary) / "photos"
            make_photos(arguments.photos / file, photos, size, count)
            contenders = Contenders(arguments.tensorio, arguments.model.resolve(), photos, batch, start_engines())
            measure(name, contenders, arguments, results)
            stop_engines(contenders.session)
    print_tables(results)


if __name__ == "__main__":
    main()
