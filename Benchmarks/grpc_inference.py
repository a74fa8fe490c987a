# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Measures `tensorio netrunner` by gRPC and by HTTP, which take turns.

    make calls               builds the program, and installs what the clients need
    Benchmarks/grpc_inference.py [--netrunner PROGRAM] [--seconds N] [--rounds N]

The tensor is an image of 224 x 224 pixels, which has 150,528 bytes. The clients are processes of their own, which
send bytes that were prepared before, and don't decode the responses. They share the processors with the server, so
the processor time that the server and the processes of its models took for a request is printed, too.

The second part sends rows to a model with a batch axis: one in each request, eight in each request, and one in each
request from 64 streams, with and without `--batch-size 1`.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import grpc
import numpy
from tritonclient.grpc import service_pb2

ROOT = Path(__file__).resolve().parent.parent
MODELS = ROOT / "Tests/Fixtures/Models"
METHOD = "/inference.GRPCInferenceService/ModelInfer"
Send = Callable[[], Awaitable[None]]


def bundle(folder: Path, name: str, file: str, inputs: dict, outputs: dict) -> None:
    path = folder / f"{name}.tiobundle"
    path.mkdir()
    shutil.copy(MODELS / file, path / "model.tflite")
    (path / "model.json").write_text(json.dumps({
        "name": name, "details": "", "id": name, "version": "1", "author": "", "license": "",
        "model": {"file": "model.tflite", "quantized": False}, "inputs": [inputs], "outputs": [outputs]}))


def rpc_message(model: str, name: str, data: numpy.ndarray, kind: str) -> bytes:
    request = service_pb2.ModelInferRequest(model_name=model, raw_input_contents=[data.tobytes()])
    request.inputs.add(name=name, datatype=kind, shape=data.shape)
    return bytes(request.SerializeToString())


def web_message(model: str, name: str, data: numpy.ndarray, kind: str, as_json: bool) -> bytes:
    tensor: dict = {"name": name, "datatype": kind, "shape": list(data.shape)}
    if as_json:
        tensor["data"] = data.ravel().tolist()
    else:
        tensor["parameters"] = {"binary_data_size": data.nbytes}
    document: dict = {"inputs": [tensor]}
    if not as_json:
        document["parameters"] = {"binary_data_output": True}
    header = json.dumps(document).encode()
    body = header if as_json else header + data.tobytes()
    extra = "" if as_json else f"Inference-Header-Content-Length: {len(header)}\r\n"
    return (f"POST /v2/models/{model}/infer HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\n"
            f"{extra}Content-Length: {len(body)}\r\n\r\n").encode() + body


async def web_stream(port: int, message: bytes) -> Send:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)

    async def send() -> None:
        writer.write(message)
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(head.decode())
        size = next(int(line.split(b":")[1]) for line in head.lower().split(b"\r\n")
                    if line.startswith(b"content-length"))
        await reader.readexactly(size)

    return send


async def rpc_streams(port: int, message: bytes, count: int) -> list[Send]:
    sends: list[Send] = []
    # A few connections share the streams, as with other clients.
    channels = [grpc.aio.insecure_channel(
        f"127.0.0.1:{port}", options=[("grpc.use_local_subchannel_pool", 1), ("grpc.channel_id", index)])
        for index in range(min(count, 4))]
    for index in range(count):
        call = channels[index % len(channels)].unary_unary(METHOD)

        async def send(call: grpc.aio.UnaryUnaryMultiCallable = call) -> None:
            await call(message)

        sends.append(send)
    return sends


async def load(kind: str, port: int, message: bytes, count: int, seconds: float) -> int:
    if kind == "rpc":
        sends = await rpc_streams(port, message, count)
    else:
        sends = [await web_stream(port, message) for _ in range(count)]
    end = time.monotonic() + seconds
    done = 0

    async def repeat(send: Send) -> None:
        nonlocal done
        while time.monotonic() < end:
            await send()
            done += 1

    await asyncio.gather(*(repeat(send) for send in sends))
    return done


def worker(kind: str, port: int, message: bytes, count: int, seconds: float, results: multiprocessing.Queue) -> None:
    results.put(asyncio.run(load(kind, port, message, count, seconds)))


def processor_time(root: int) -> float:
    """Returns the processor time in seconds of a process and its descendants."""
    parents, times = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(path.parent.name)] = int(fields[1])
        times[int(path.parent.name)] = sum(int(field) for field in fields[11:13])
    total = 0
    for process in times:
        ancestor = process
        while ancestor not in (root, 0, 1):
            ancestor = parents.get(ancestor, 0)
        total += times[process] if ancestor == root else 0
    return total / os.sysconf("SC_CLK_TCK")


def measure(server: int, kind: str, port: int, message: bytes, streams: int, seconds: float) -> tuple[float, float]:
    """Returns the requests in a second, and the server's processor time for each in milliseconds."""
    results: multiprocessing.Queue = multiprocessing.get_context("spawn").Queue()
    parts = [streams] if streams == 1 else [streams // 2, streams - streams // 2]
    before = processor_time(server)
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=worker, args=(kind, port, message, part, seconds, results)) for part in parts]
    for process in processes:
        process.start()
    done = sum(results.get(timeout=seconds + 120) for _ in processes)
    for process in processes:
        process.join()
    return done / seconds, (processor_time(server) - before) * 1000 / max(done, 1)


class Server:
    """Net Runner with some models."""

    def __init__(self, program: str, folder: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [program, "--models", str(folder), "--port", "0", "--grpc-port", "0", "--no-browser",
             "--log-level", "error", *arguments], stdout=subprocess.PIPE, text=True)
        self.ports: dict[str, int] = {}
        assert self.process.stdout is not None
        while len(self.ports) < 2:
            line = self.process.stdout.readline()
            if not line:
                sys.exit("error: The server ended. Its message is above.")
            name = "web" if line.startswith("Net Runner") else "rpc"
            self.ports[name] = int(line.strip().rstrip("/").rpartition(":")[2])

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait()


def compare(server: Server, cases: dict[str, tuple[str, bytes]], streams: int, seconds: float, rounds: int) -> dict:
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in cases}
    for _ in range(rounds):
        for name, (kind, message) in cases.items():
            found[name].append(
                measure(server.process.pid, kind, server.ports[kind], message, streams, seconds))
    return {name: (statistics.median(rate for rate, _ in values), statistics.median(cost for _, cost in values))
            for name, values in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures gRPC beside HTTP.")
    parser.add_argument("--netrunner", default=str(ROOT / ".build/release/tensorio-netrunner"))
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    pixels = numpy.random.default_rng(1).integers(0, 256, [1, 224, 224, 3], numpy.uint8)
    rows = numpy.random.default_rng(2).standard_normal([8, 3]).astype(numpy.float32)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bundle(folder, "photo", "photo_classes.tflite",
               {"name": "photo", "type": "image", "shape": [224, 224, 3], "format": "RGB"},
               {"name": "classes", "type": "array", "shape": [1, 1000]})
        bundle(folder, "rows", "dynamic_batch.tflite", {"name": "x", "type": "array", "shape": [-1, 3]},
               {"name": "y", "type": "array", "shape": [-1, 2]})
        with Server(options.netrunner, folder) as server:
            cases = {
                "gRPC": ("rpc", rpc_message("photo", "photo", pixels, "UINT8")),
                "HTTP, binary": ("web", web_message("photo", "photo", pixels, "UINT8", as_json=False)),
                "HTTP, JSON": ("web", web_message("photo", "photo", pixels, "UINT8", as_json=True)),
            }
            print("| 150 kB image | streams | requests/s | server's processor time each |\n|---|---|---|---|")
            for streams in (1, 16, 64):
                for case, (rate, cost) in compare(
                        server, cases, streams, options.seconds, options.rounds).items():
                    print(f"| {case} | {streams} | {rate:.0f} | {cost:.2f} ms |", flush=True)
            print("\n| rows with a batch axis | streams | rows/s |\n|---|---|---|")
            single = {"one in each request": ("rpc", rpc_message("rows", "x", rows[:1], "FP32")),
                      "eight in each request": ("rpc", rpc_message("rows", "x", rows, "FP32"))}
            for case, (rate, _) in compare(server, single, 1, options.seconds, options.rounds).items():
                print(f"| {case} | 1 | {rate * (8 if case.startswith('eight') else 1):.0f} |", flush=True)
        one = {"one in each request": single["one in each request"]}
        for arguments in ([], ["--batch-size", "1"]):
            with Server(options.netrunner, folder, *arguments) as server:
                rate, cost = compare(server, one, 64, options.seconds, options.rounds)["one in each request"]
                print(f"| one in each request {' '.join(arguments)}| 64 | {rate:.0f} ({cost:.2f} ms each) |", flush=True)


if __name__ == "__main__":
    main()
