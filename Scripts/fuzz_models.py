#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Runs the tensorio command on models in which one field or a few bytes are altered.

    PYTHON Scripts/fuzz_models.py --binary .build/debug/tensorio [--fields 3000] [--bytes 5000]
        [--seed 1] [--models FOLDER]... [--commands inspect,validate,metadata,bench,run,push,import]

A field is a scale, zero point, shape, index, type or option of an operator. The file stays well formed,
so it is processed further than a file with random damage. Every copy goes through `inspect`, `init`,
`validate`, `metadata`, `bench`, `run` and `repository push`. It is also imported into a running
`netrunner`, where it runs on an image. Each command must exit with 0, or with 65 and a message, within the
time and memory limits for all models. Both servers must run until the end. Anything else is a failure, above all a
signal. The file of a failure is kept and its path is printed. PYTHON is the output of
`Scripts/setup.sh --peers`.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import http.client
import io
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from pathlib import Path

import flatbuffers
import numpy
from ai_edge_litert import schema_py_generated as schema

ROOT = Path(__file__).resolve().parent.parent
MODELS = [ROOT / "Tests/Fixtures/Models", ROOT / "Demo/digits-int8.tiobundle",
          ROOT / "Demo/digits.tiobundle"]
PHOTO = (ROOT / "Demo/images/digit-7-01.png").read_bytes()
MOST_SECONDS = 20
MOST_BYTES = (1 << 30) + (300 << 20)
INTEGERS = [-2147483648, -1000000, -129, -2, -1, 0, 1, 2, 3, 7, 8, 100, 255, 65536, 268435456, 2147483647]
FLOATS = [0.0, -1.0, 1e-38, 1e-10, 1e10, 1e38, float("nan"), float("inf"), float("-inf")]


def altered_field(data: bytes, source: random.Random) -> bytes:
    """Returns a copy in which one field has another value."""
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(data, 0))
    graph = source.choice(model.subgraphs)
    ways = ["tensor", "tensor", "scale", "scale", "operand", "option", "option", "code", "signature"]
    for _ in range(50):
        way = source.choice(ways)
        if alter(model, graph, way, source):
            break
    builder = flatbuffers.Builder(len(data) + 1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def alter(model, graph, way: str, source: random.Random) -> bool:
    """Alters a field, and returns False if the model has no field of that kind."""
    number = source.choice(INTEGERS)
    if way == "tensor":
        tensor = source.choice(graph.tensors)
        field = source.choice(["shape", "type", "buffer", "isVariable", "shapeSignature", "hasRank"])
        if field in ("shape", "shapeSignature"):
            values = getattr(tensor, field)
            if values is None or len(values) == 0:
                setattr(tensor, field, [number])
            else:
                values = list(values)
                values[source.randrange(len(values))] = number
                setattr(tensor, field, values)
        elif field == "type":
            tensor.type = source.randrange(0, 21)
        elif field == "buffer":
            tensor.buffer = source.choice([0, 1, 2, 3, len(model.buffers), 4294967295])
        else:
            setattr(tensor, field, not getattr(tensor, field))
        return True
    if way == "scale":
        tensors = [t for t in graph.tensors if t.quantization is not None and t.quantization.scale is not None]
        if not tensors:
            return False
        quantization = source.choice(tensors).quantization
        field = source.choice(["scale", "scale", "zeroPoint", "quantizedDimension", "drop", "count"])
        scales = list(quantization.scale)
        if field == "scale":
            place = source.randrange(len(scales))
            scales[place] = source.choice(FLOATS + [scales[place] * 1e6, scales[place] * 1e-6])
            quantization.scale = numpy.array(scales, dtype=numpy.float32)
        elif field == "zeroPoint":
            quantization.zeroPoint = numpy.array([number], dtype=numpy.int64)
        elif field == "quantizedDimension":
            quantization.quantizedDimension = number
        elif field == "count":
            quantization.scale = numpy.array(scales * 3, dtype=numpy.float32)
        else:
            quantization.scale, quantization.zeroPoint = None, None
        return True
    if way == "signature":
        if not model.signatureDefs:
            return False
        signature = source.choice(model.signatureDefs)
        maps = (signature.inputs or []) + (signature.outputs or [])
        if maps and source.random() < 0.7:
            source.choice(maps).tensorIndex = number % (1 << 32)
        else:
            signature.subgraphIndex = number % (1 << 32)
        return True
    if not graph.operators:
        return False
    operator = source.choice(graph.operators)
    if way == "operand":
        field = source.choice(["inputs", "outputs", "inputs", "outputs", "graph"])
        target, field = (graph, source.choice(["inputs", "outputs"])) if field == "graph" else (operator, field)
        values = getattr(target, field)
        if values is None or len(values) == 0:
            return False
        values = list(values)
        change = source.choice(["set", "drop", "double", "other"])
        place = source.randrange(len(values))
        if change == "set":
            values[place] = number
        elif change == "drop":
            del values[place]
        elif change == "double":
            values.insert(place, values[place])
        else:
            values[place] = source.randrange(len(graph.tensors))
        setattr(target, field, values)
        return True
    if way == "code":
        if source.random() < 0.5:
            code = source.choice(model.operatorCodes)
            code.builtinCode = source.randrange(0, 210)
            code.deprecatedBuiltinCode = min(code.builtinCode, 127)
        else:
            operator.opcodeIndex = source.choice([0, 1, len(model.operatorCodes), 4294967295])
        return True
    options = operator.builtinOptions
    fields = [name for name, value in vars(options).items() if isinstance(value, (bool, int, float))] \
        if options is not None else []
    if not fields:
        return False
    field = source.choice(fields)
    value = getattr(options, field)
    if isinstance(value, bool):
        setattr(options, field, not value)
    elif isinstance(value, float):
        setattr(options, field, source.choice(FLOATS))
    else:
        bound = number if abs(number) < 128 or source.random() < 0.7 else 1
        setattr(options, field, bound)
    return True


def altered_bytes(data: bytes, source: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(source.choice([1, 1, 1, 2, 4, 8])):
        place = source.randrange(len(changed))
        if source.random() < 0.5:
            changed[place] ^= 1 << source.randrange(8)
        else:
            changed[place] = source.choice([0, 1, 0x7F, 0x80, 0xFF])
    return bytes(changed)


@dataclasses.dataclass
class Outcome:
    """The result of a command."""

    command: str
    status: int
    seconds: float
    peak: int
    message: str

    @property
    def fault(self) -> str | None:
        if self.status not in (0, 65):
            return f"exit {self.status}"
        if self.status == 65 and not self.message.strip():
            return "no message"
        if self.seconds > MOST_SECONDS:
            return f"{self.seconds:.1f} s"
        if self.peak > MOST_BYTES:
            return f"{self.peak >> 20} MiB"
        return None


def run(binary: str, arguments: list[str]) -> Outcome:
    """Runs a command. `wait4` returns the peak memory of its largest process."""
    start = time.monotonic()
    with tempfile.TemporaryFile() as error:
        process = subprocess.Popen([binary, *arguments], stdin=subprocess.DEVNULL,
                                   stdout=error, stderr=error)
        timer = threading.Timer(3 * MOST_SECONDS, process.kill)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        error.seek(0)
        message = error.read().decode(errors="replace")
    return Outcome(arguments[1 if arguments[0] == "repository" else 0], process.returncode, time.monotonic() - start,
                   usage.ru_maxrss * 1024, message[-400:])


class Server:
    """A tensorio server, which must survive every model."""

    def __init__(self, arguments: list[str]):
        # The log goes to a file, because the server would block on a full pipe that isn't read.
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen([*arguments, "--port", "0"], stdout=subprocess.PIPE,
                                        stderr=self.log, text=True)
        line = ""
        while "http://" not in line:
            line = self.process.stdout.readline()
            if not line:
                self.log.seek(0)
                sys.exit(f"error: no server: {self.log.read().decode()}")
        self.address = line[line.index("http://"):].split()[0].rstrip("/.")
        self.place = self.address.removeprefix("http://").split("/")[0]
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def request(self, method: str, path: str, body: bytes | None = None,
                headers: dict[str, str] = {}) -> tuple[int, str]:
        connection = http.client.HTTPConnection(self.place, timeout=3 * MOST_SECONDS)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode(errors="replace")
        finally:
            connection.close()

    @property
    def peak(self) -> int:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return 1024 * int(status.split("VmHWM:")[1].split()[0])

    def end(self) -> int:
        """Ends the server, and returns 0 if it was still running and ended normally."""
        lived = self.process.poll() is None
        self.process.terminate()
        status = self.process.wait(60)
        return status if lived else status or 1


def imported(server: Server, bundle: Path, name: str) -> Outcome:
    """Imports a bundle into Net Runner's server, runs it on an image and removes it."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        for each in sorted(bundle.rglob("*")):
            data = each.read_bytes() if each.is_file() else b""
            if each.name == "model.json":
                data = json.dumps(json.loads(data) | {"id": name, "name": name}).encode()
            if each.is_file():
                file.writestr(f"{name}.tiobundle/{each.relative_to(bundle)}", data)
    start = time.monotonic()
    try:
        status, text = server.request("POST", "/api/v1/models", archive.getvalue(),
                                      {"Content-Type": "application/zip"})
        if status < 300:
            path = f"/api/v1/models/{name}"
            for _ in range(2):
                shown, text = server.request("POST", path + "/infer", PHOTO,
                                             {"Content-Type": "image/png"})
                status = max(status, shown)
            server.request("DELETE", path)
        fine = status < 300 or 400 <= status < 500 or status in (500, 503) and "message" in text
    except OSError as error:
        fine, status, text = False, -1, str(error)
    peak = server.peak if server.process.poll() is None else 0
    return Outcome("import", 0 if status < 300 and fine else 65 if fine else status,
                   time.monotonic() - start, peak, text[:400])


def try_one(options, folder: Path, name: str, source: Path, data: bytes) -> list[Outcome]:
    binary, commands = options.binary, options.commands
    place = folder / name
    place.mkdir()
    file = place / "model.tflite"
    file.write_bytes(data)
    bundle = place / "m.tiobundle"
    outcomes = []
    if "inspect" in commands:
        outcomes.append(run(binary, ["inspect", str(file)]))
        outcomes.append(run(binary, ["inspect", str(file), "--graph"]))
    outcomes.append(run(binary, ["init", str(file), "-o", str(bundle)]))
    if source.parent.suffix == ".tiobundle":
        # The author's own bundle is processed further than the one that `init` makes.
        shutil.rmtree(bundle, ignore_errors=True)
        shutil.copytree(source.parent, bundle)
        (bundle / source.name).write_bytes(data)
    if "push" in commands:
        outcomes.append(run(binary, [
            "repository", "push", str(bundle if bundle.exists() else file), "--server",
            options.repository.address, "--model", "mutants", "--as", name]))
    if bundle.exists() and "import" in commands:
        outcomes.append(imported(options.netrunner, bundle, name))
    if bundle.exists():
        if "validate" in commands:
            outcomes.append(run(binary, ["validate", str(bundle)]))
        if "metadata" in commands:
            outcomes.append(run(binary, [
                "metadata", "--from", str(bundle), "-o", str(place / "new.tflite")]))
        if "bench" in commands:
            outcomes.append(run(binary, ["bench", str(bundle), "--iterations", "1", "--warmup", "0"]))
            outcomes.append(run(binary, ["inspect", str(bundle), "--times"]))
        if "run" in commands:
            outcomes.append(run(binary, ["run", str(bundle), "0"]))
    if all(outcome.fault is None for outcome in outcomes):
        shutil.rmtree(place)
    return outcomes


def token(binary: str, data: str) -> str:
    made = subprocess.run([binary, "repository", "token", "create", "fuzz", "--scope", "publish",
                           "--data", data, "--json"], capture_output=True, text=True, check=True)
    return json.loads(made.stdout)["secret"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--fields", type=int, default=3000, help="copies with one field altered")
    parser.add_argument("--bytes", type=int, default=5000, help="copies with some bytes altered")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--models", action="append", type=Path, help="more folders of models")
    parser.add_argument("--commands", default="inspect,validate,metadata,bench,run,push,import")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    files = sorted(file for folder in MODELS + (options.models or []) for file in folder.rglob("*.tflite")
                   if file.stat().st_size < 2_000_000)
    source = random.Random(options.seed)
    folder = Path(tempfile.mkdtemp(prefix="tensorio-fuzz-models-"))
    options.commands = options.commands.split(",")
    servers = []
    if "import" in options.commands:
        (folder / "models").mkdir()
        options.netrunner = Server(
            [options.binary, "netrunner", "--no-browser", "--models", str(folder / "models")])
        servers.append(options.netrunner)
    if "push" in options.commands:
        data = str(folder / "repository")
        os.environ["TENSORIO_REPOSITORY_TOKEN"] = token(options.binary, data)
        options.repository = Server([options.binary, "repository", "serve", "--data", data])
        servers.append(options.repository)
    faults, counts = [], collections.Counter()
    slowest, largest = 0.0, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {}
        for kind, count, change in [("field", options.fields, altered_field),
                                    ("byte", options.bytes, altered_bytes)]:
            for number in range(count):
                file = source.choice(files)
                try:
                    data = change(file.read_bytes(), source)
                except (TypeError, ValueError, OverflowError, AttributeError, AssertionError):
                    counts["not made"] += 1  # the writer itself rejects some values
                    continue
                name = f"{kind}-{number}-{file.stem}"
                jobs[pool.submit(try_one, options, folder, name, file, data)] = name
        for job in concurrent.futures.as_completed(jobs):
            for outcome in job.result():
                counts[f"{outcome.command}: {outcome.status}"] += 1
                if "ended the process" in outcome.message:
                    counts["crashes in a child"] += 1
                if "didn't respond" in outcome.message:
                    counts["stopped for time"] += 1
                slowest, largest = max(slowest, outcome.seconds), max(largest, outcome.peak)
                if outcome.fault:
                    faults.append(f"{jobs[job]} {outcome.command}: {outcome.fault}: {outcome.message!r}")
    for server in servers:
        if status := server.end():
            faults.append(f"{server.process.args[1]} ended with {status}")
    for name, count in sorted(counts.items()):
        print(f"{name}: {count}")
    print(f"slowest {slowest:.1f} s, largest {largest >> 20} MiB, {len(faults)} faults")
    for fault in faults[:30]:
        print(f"fault: {fault}", file=sys.stderr)
    if faults:
        print(f"kept in {folder}", file=sys.stderr)
    else:
        shutil.rmtree(folder)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
