# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Calls Net Runner's gRPC with NVIDIA's client and with gRPC's own, and compares it with HTTP.

    grpc_client.py CHECK HTTP_PLACE GRPC_PLACE

Each check prints a JSON object of what it saw. The models are those of the test that calls this script.
"""

import concurrent.futures
import contextlib
import json
import random
import sys
import threading
import time
import urllib.request
from typing import Any

import grpc
import numpy
import tritonclient.grpc as rpc
import tritonclient.http as http
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from tritonclient.grpc import service_pb2, service_pb2_grpc
from tritonclient.utils import InferenceServerException

FLOATS = [1.5, -0.0, float("inf"), float("-inf"), float("nan"), 3.0e-5]
BYTES = numpy.array([b"one", b"", b"dr\xc3\xa9i\x00"], numpy.object_)
CASES: dict[str, list[tuple[str, numpy.ndarray]]] = {
    "bool": [("BOOL", numpy.array([[True, False, False], [True, True, False]]))],
    **{f"{kind}{bits}": [(f"{kind.upper()}{bits}", numpy.array(
        [[numpy.iinfo(f"{kind}{bits}").min, 1, 2], [3, 4, numpy.iinfo(f"{kind}{bits}").max]], f"{kind}{bits}"))]
       for kind in ("int", "uint") for bits in (8, 16, 32)},
    "int64": [("INT64", numpy.array([[-2**63, 1, 2], [3, 4, 2**63 - 1]], numpy.int64))],
    "float32": [("FP32", numpy.array(FLOATS, numpy.float32).reshape(2, 3))],
    "float64": [("FP64", numpy.array(FLOATS, numpy.float64).reshape(2, 3))],
    "float16": [("FP32", numpy.array(FLOATS, numpy.float16).astype(numpy.float32).reshape(2, 3)),
                ("FP16", numpy.array(FLOATS, numpy.float16).reshape(2, 3))],
    "string": [("BYTES", BYTES)],
    "dynamic": [("FP32", numpy.array([[1, 2, 3]], numpy.float32))],
}
LISTS = {"BOOL": "bool_contents", "INT64": "int64_contents", "FP32": "fp32_contents", "FP64": "fp64_contents",
         "BYTES": "bytes_contents", **{f"INT{n}": "int_contents" for n in (8, 16, 32)},
         **{f"UINT{n}": "uint_contents" for n in (8, 16, 32)}}


def inputs(library: Any, kind: str, data: numpy.ndarray, name: str = "x") -> list:
    tensor = library.InferInput(name, list(data.shape), kind)
    tensor.set_data_from_numpy(data)
    return [tensor]


def misnamed(library: Any, kind: str, data: numpy.ndarray) -> list:
    return inputs(library, kind, data, "z")


def raw(call: rpc.InferenceServerClient, model: str, kind: str, data: numpy.ndarray) -> bytes:
    return bytes(call.infer(model, inputs(rpc, kind, data)).get_response().raw_output_contents[0])


def typed(stub: Any, model: str, kind: str, data: numpy.ndarray) -> bytes:
    request = service_pb2.ModelInferRequest(model_name=model)
    tensor = request.inputs.add(name="x", datatype=kind, shape=data.shape)
    getattr(tensor.contents, LISTS[kind]).extend(data.ravel().tolist())
    return bytes(stub.ModelInfer(request).raw_output_contents[0])


def same(web: str, place: str) -> dict:
    """Compares the bytes of every type, by HTTP, in raw_input_contents and in contents, alone and as several items."""
    result = {}
    stub = service_pb2_grpc.GRPCInferenceServiceStub(grpc.insecure_channel(place))
    with http.InferenceServerClient(web) as by_http, rpc.InferenceServerClient(place) as by_rpc:
        for model, cases in CASES.items():
            for kind, data in cases:
                several = numpy.stack([data, data[..., ::-1], data]) if model != "dynamic" else \
                    numpy.concatenate([data, -data, data + 1])
                for what, value in [("one", data), ("several", several)]:
                    output = http.InferRequestedOutput("y", binary_data=True)
                    answer = by_http.infer(model, inputs(http, kind, value), outputs=[output])
                    over = by_rpc.infer(model, inputs(rpc, kind, value))
                    contents = [bytes(over.get_response().raw_output_contents[0])]
                    if kind != "FP16":
                        contents.append(typed(stub, model, kind, value))
                    body = answer._buffer[-len(contents[0]):]
                    described = [answer.get_output("y"), over.get_response().outputs[0]]
                    alone = [over.as_numpy("y").tobytes()] if what == "one" else [b"".join(
                        by_rpc.infer(model, inputs(rpc, kind, item if model != "dynamic" else item[None]))
                        .as_numpy("y").tobytes() for item in value)]
                    result[f"{model} {kind} {what}"] = (
                        all(part == body for part in contents) and len(body) > 0
                        and described[0]["shape"] == list(described[1].shape)
                        and described[0]["datatype"] == described[1].datatype
                        and (kind == "BYTES" or alone[0] == over.as_numpy("y").tobytes()))
        metadata = by_rpc.get_model_metadata("dynamic", as_json=True)
        result["metadata"] = by_http.get_model_metadata("float32") == {
            "name": "float32", "versions": ["1"], "platform": "tflite",
            "inputs": [{"name": "x", "datatype": "FP32", "shape": [2, 3]}],
            "outputs": [{"name": "y", "datatype": "FP32", "shape": [2, 3]}]}
        result["batch axis"] = metadata["inputs"][0]["shape"] == ["-1", "3"] == \
            [str(length) for length in by_http.get_model_metadata("dynamic")["inputs"][0]["shape"]]
        index = sorted((m["name"], m["version"], m["state"]) for m in by_http.get_model_repository_index())
        result["index"] = index == sorted(
            (m.name, m.version, m.state) for m in by_rpc.get_model_repository_index().models) and len(index) > 10
        result["server"] = by_http.get_server_metadata()["version"] == by_rpc.get_server_metadata().version
    return result


def services(web: str, place: str) -> dict:
    """Loads and unloads a model, and asks for the health and for the descriptors of the services."""
    channel = grpc.insecure_channel(place)
    health = health_pb2_grpc.HealthStub(channel)
    serving = health_pb2.HealthCheckResponse.SERVING
    result: dict[str, Any] = {
        "check": health.Check(health_pb2.HealthCheckRequest()).status == serving,
        "check service": health.Check(
            health_pb2.HealthCheckRequest(service="inference.GRPCInferenceService")).status == serving}
    try:
        health.Check(health_pb2.HealthCheckRequest(service="other"))
    except grpc.RpcError as error:
        result["check other"] = error.code() == grpc.StatusCode.NOT_FOUND
    watch = health.Watch(health_pb2.HealthCheckRequest())
    result["watch"] = next(watch).status == serving
    watch.cancel()
    result["watch other"] = next(health.Watch(health_pb2.HealthCheckRequest(service="other"))).status == \
        health_pb2.HealthCheckResponse.SERVICE_UNKNOWN

    database = ProtoReflectionDescriptorDatabase(channel)
    result["services"] = sorted(database.get_services()) == sorted([
        "inference.GRPCInferenceService", "grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection",
        "grpc.reflection.v1alpha.ServerReflection"])
    pool = DescriptorPool(database)
    infer = pool.FindServiceByName("inference.GRPCInferenceService").FindMethodByName("ModelInfer")
    known = service_pb2.DESCRIPTOR.message_types_by_name
    result["fields"] = all(
        {(field.name, field.number, field.type) for field in found.fields}
        <= {(field.name, field.number, field.type) for field in known[found.name].fields}
        and len(found.fields) == len(known[found.name].fields)
        for found in (infer.input_type, infer.output_type))
    result["alpha"] = pool.FindMessageTypeByName("grpc.reflection.v1alpha.ErrorResponse") is not None
    v1 = channel.stream_stream("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo")
    # The field list_services (7) with an empty text.
    result["v1"] = b"inference.GRPCInferenceService" in next(v1(iter([b"\x3a\x00"])))

    with http.InferenceServerClient(web) as by_http, rpc.InferenceServerClient(place) as by_rpc:
        result["live"] = by_rpc.is_server_live() and by_rpc.is_server_ready() and by_rpc.is_model_ready("float32")
        by_rpc.unload_model("float32")
        try:
            by_rpc.infer("float32", inputs(rpc, "FP32", numpy.zeros([2, 3], numpy.float32)))
        except InferenceServerException as error:
            result["unloaded"] = error.status() == "StatusCode.FAILED_PRECONDITION" and \
                "was unloaded" in error.message() and not by_http.is_model_ready("float32") and \
                not by_rpc.is_model_ready("float32")
        by_http.load_model("float32")
        result["loaded"] = by_rpc.is_model_ready("float32")
        by_http.unload_model("float32")
        by_rpc.load_model("float32")
        result["loaded by rpc"] = by_http.is_model_ready("float32")
    return result


def errors(web: str, place: str) -> dict:
    """Compares the statuses and messages of wrong requests with those of HTTP."""
    result = {}
    small = numpy.zeros([2, 3], numpy.float32)
    cases: list[tuple[str, str, Any, tuple[str, numpy.ndarray], str]] = [
        ("unknown model", "none", inputs, ("FP32", small), "NOT_FOUND"),
        ("wrong type", "float32", inputs, ("FP64", small.astype(numpy.float64)), "INVALID_ARGUMENT"),
        ("wrong shape", "float32", inputs, ("FP32", numpy.zeros([2, 5], numpy.float32)), "INVALID_ARGUMENT"),
        ("wrong name", "float32", misnamed, ("FP32", small), "INVALID_ARGUMENT"),
    ]
    with http.InferenceServerClient(web) as by_http, rpc.InferenceServerClient(place) as by_rpc:
        for what, model, make, (kind, data), status in cases:
            found = []
            for client, library in ((by_http, http), (by_rpc, rpc)):
                try:
                    client.infer(model, make(library, kind, data))
                except InferenceServerException as error:
                    found.append((error.status(), error.message()))
            result[what] = len(found) == 2 and found[1][0] == f"StatusCode.{status}" \
                and found[0][1] == found[1][1]
        # The second message is too large for the server to read, so it resets the stream.
        for what, count, status in [("large", 1 << 18, "INVALID_ARGUMENT"), ("huge", 17 << 20, "CANCELLED")]:
            try:
                by_rpc.infer("float32", inputs(rpc, "FP32", numpy.zeros([count], numpy.float32)))
            except InferenceServerException as error:
                result[what] = error.status() == f"StatusCode.{status}" \
                    and (what == "huge" or "at most" in error.message())
        limit = numpy.array([2_000_000_000], numpy.int32)
        start = time.monotonic()
        stub = service_pb2_grpc.GRPCInferenceServiceStub(grpc.insecure_channel(place))
        request = service_pb2.ModelInferRequest(model_name="slow", raw_input_contents=[limit.tobytes()])
        request.inputs.add(name="limit", datatype="INT32", shape=[1])
        try:
            stub.ModelInfer(request, timeout=0.3)
        except grpc.RpcError as error:
            result["deadline"] = error.code() == grpc.StatusCode.DEADLINE_EXCEEDED and time.monotonic() - start < 5
        # The deadline ends the run, so its thread is free for others.
        start = time.monotonic()
        for _ in range(4):
            by_rpc.infer("float32", inputs(rpc, "FP32", small))
        result["free after deadline"] = time.monotonic() - start < 5
    for _ in range(10):
        with urllib.request.urlopen(f"http://{web}/metrics") as response:
            lines = response.read().decode().splitlines()
        result["deadline is counted"] = any("ModelInfer" in line and "DeadlineExceeded" in line for line in lines)
        if result["deadline is counted"]:
            break
        # On a busy machine, a call can reach the server so late that its time there looks shorter.
        with contextlib.suppress(grpc.RpcError):
            stub.ModelInfer(request, timeout=1)
    return result


def watching(web: str, place: str) -> dict:
    """Watches the health on as many connections as a client may have, and calls on another one."""
    channels = [grpc.insecure_channel(place, [("grpc.use_local_subchannel_pool", 1)]) for _ in range(3)]
    watches = []
    for channel in channels[:2]:
        watches.append(health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest()))
        next(watches[-1])
    health = health_pb2_grpc.HealthStub(channels[2]).Check(health_pb2.HealthCheckRequest(), timeout=20)
    return {"answers": health.status == health_pb2.HealthCheckResponse.SERVING}


def overload(web: str, place: str) -> dict:
    """Sends more slow requests than may wait, and cancels those that run and those that wait."""
    stub = service_pb2_grpc.GRPCInferenceServiceStub(grpc.insecure_channel(place))
    request = service_pb2.ModelInferRequest(
        model_name="slow", raw_input_contents=[numpy.array([2_000_000_000], numpy.int32).tobytes()])
    request.inputs.add(name="limit", datatype="INT32", shape=[1])
    begin = time.monotonic()
    calls = [stub.ModelInfer.future(request, timeout=600) for _ in range(2)]
    time.sleep(1)
    calls += [stub.ModelInfer.future(request, timeout=600) for _ in range(200)]
    time.sleep(2)
    # A busy machine needs longer to refuse them.
    while sum(call.done() for call in calls) <= 10 and time.monotonic() < begin + 60:
        time.sleep(0.1)
    refused = [call for call in calls if call.done()]
    codes = {str(call.code()) for call in refused}
    for call in calls:
        call.cancel()
    # The two running calls would take minutes, and the others don't run.
    small = numpy.zeros([2, 3], numpy.float32)
    start = time.monotonic()
    with rpc.InferenceServerClient(place) as client:
        while True:
            try:
                client.infer("float32", inputs(rpc, "FP32", small))
                break
            except InferenceServerException:
                time.sleep(0.2)
    seconds = time.monotonic() - start
    with urllib.request.urlopen(f"http://{web}/metrics") as response:
        lines = response.read().decode().splitlines()
    return {"codes": sorted(codes), "some were refused": len(refused) > 10, "free again": seconds < 20,
            "none is left": "grpc_server_calls_in_flight 0" in lines}


def hostile(web: str, place: str) -> dict:
    """Sends thousands of damaged messages."""
    generator = random.Random(20)
    channel = grpc.insecure_channel(place)
    methods = [(channel.unary_unary(f"/inference.GRPCInferenceService/{name}"), name) for name in (
        "ModelInfer", "ModelInfer", "ModelInfer", "ModelMetadata", "ModelReady", "RepositoryIndex")]
    seeds = []
    for model, cases in CASES.items():
        for kind, data in cases:
            request = rpc._utils._get_inference_request(  # type: ignore[attr-defined]
                model, inputs(rpc, kind, data), "", "1", None, 0, False, False, 0, None, None)
            seeds.append(request.SerializeToString())
            if kind in LISTS:
                request = service_pb2.ModelInferRequest(model_name=model)
                tensor = request.inputs.add(name="x", datatype=kind, shape=data.shape)
                getattr(tensor.contents, LISTS[kind]).extend(data.ravel().tolist())
                seeds.append(request.SerializeToString())

    def damaged() -> bytes:
        text = bytearray(generator.choice(seeds))
        for _ in range(generator.randint(1, 6)):
            at = generator.randrange(len(text) + 1)
            match generator.randrange(5):
                case 0:
                    text[at:at + 1] = bytes([generator.randrange(256)])
                case 1:
                    text[at:at + generator.randint(1, 8)] = b""
                case 2:
                    text[at:at] = generator.randbytes(generator.randint(1, 12))
                case 3:
                    text[at:at] = b"\xff" * 9 + b"\x7f"
                case 4:
                    text = text[:at] + generator.choice(seeds)[at:]
        return bytes(text)

    codes: dict[str, int] = {}
    lock = threading.Lock()

    def send(message: bytes) -> None:
        method, _ = generator.choice(methods)
        try:
            method(message, timeout=60)
            code = "OK"
        except grpc.RpcError as error:
            code = error.code().name
        with lock:
            codes[code] = codes.get(code, 0) + 1

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(send, [damaged() for _ in range(6000)]))
    return {"codes": codes, **{f"still {key}": value for key, value in services(web, place).items()}}


def joined(web: str, place: str) -> dict:
    """Sends requests at once, which the server may join, and compares the values with those of single runs."""
    generator = numpy.random.default_rng(3)
    rows = generator.standard_normal([256, 3]).astype(numpy.float32)
    client = rpc.InferenceServerClient(place)
    alone = [raw(client, "dynamic", "FP32", row[None]) for row in rows]

    def several(start: int) -> list[bytes]:
        count = start % 3 + 1
        value = raw(client, "dynamic", "FP32", rows[start:start + count])
        return [value[index * 8:index * 8 + 8] for index in range(count)]

    before = statistics(web)
    with concurrent.futures.ThreadPoolExecutor(64) as pool:
        found = list(pool.map(several, range(250)))
        bad = [pool.submit(raw, client, "dynamic", "FP32", numpy.zeros([1, 4], numpy.float32)) for _ in range(8)]
        good = [pool.submit(raw, client, "dynamic", "FP32", row[None]) for row in rows[:32]]
    after = statistics(web)
    return {
        "values": all(part == alone[start + index] for start, parts in enumerate(found)
                      for index, part in enumerate(parts)),
        "errors stay apart": all(call.exception() is not None for call in bad)
        and [call.result() for call in good] == alone[:32],
        "items": after["inference_count"] - before["inference_count"],
        "runs": after["execution_count"] - before["execution_count"]}


def statistics(web: str) -> dict:
    with http.InferenceServerClient(web) as client:
        return client.get_inference_statistics("dynamic")["model_stats"][0]


def described(web: str, place: str) -> dict:
    """Compares the configurations and statistics of models by gRPC with those by HTTP."""
    def message(value: Any) -> Any:
        """Returns a value of JSON as gRPC's JSON has it: numbers of 64 bits are texts, and zeros are left out."""
        if isinstance(value, dict):
            members = {name: message(member) for name, member in value.items()}
            return {name: member for name, member in members.items() if member not in (0, "0", "", [])}
        if isinstance(value, list):
            return [message(member) for member in value]
        return value if isinstance(value, str) else str(value)

    result = {}
    by_rpc = rpc.InferenceServerClient(place)
    with http.InferenceServerClient(web) as by_http:
        for model, cases in CASES.items():
            for kind, data in cases:
                by_rpc.infer(model, inputs(rpc, kind, data))
                by_http.infer(model, inputs(http, kind, data))
            try:
                by_rpc.infer(model, misnamed(rpc, *cases[0]))
            except InferenceServerException:
                pass
            found = by_rpc.get_model_config(model, as_json=True)["config"]
            result[f"configuration of {model}"] = found == message(by_http.get_model_config(model)) \
                and found["input"][0]["name"] == "x"
            counts = by_http.get_inference_statistics(model)["model_stats"][0]
            by_call = by_rpc.get_inference_statistics(model, as_json=True)["model_stats"][0]
            stages = counts["inference_stats"]
            parts = [stages[name] for name in ("queue", "compute_input", "compute_infer", "compute_output")]
            result[f"statistics of {model}"] = by_call == message(counts) \
                and [part["count"] for part in parts] == [2 * len(cases)] * 4 == [stages["success"]["count"]] * 4 \
                and stages["fail"]["count"] == 1 and min(part["ns"] for part in parts) > 0 \
                and sum(part["ns"] for part in parts) <= stages["success"]["ns"]
        everything = by_rpc.get_inference_statistics().model_stats
        result["all models"] = {model.name for model in everything} >= set(CASES)
    try:
        by_rpc.get_inference_statistics("nothing")
    except InferenceServerException as error:
        result["unknown"] = error.status() == "StatusCode.NOT_FOUND"
    return result


def main() -> None:
    checks = {check.__name__: check for check in (
        same, services, errors, watching, overload, hostile, joined, described)}
    json.dump(checks[sys.argv[1]](sys.argv[2], sys.argv[3]), sys.stdout)


if __name__ == "__main__":
    main()
