# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Leaves Net Runner while its model runs, and ends the server while it handles requests.

    server_ending.py CHECK HTTP_PLACE GRPC_PLACE PROCESS

The model `slow` counts to its input. Each check prints a JSON object of what it saw.
"""

import concurrent.futures
import http.client
import json
import os
import signal
import socket
import sys
import time
from typing import Any

import grpc
import numpy
from tritonclient.grpc import service_pb2, service_pb2_grpc

ENDLESS = 2_000_000_000
PATHS = ["/v2/models/slow/infer", "/api/v1/models/slow/infer"]


def body(path: str, limit: int) -> bytes:
    tensor = {"name": "limit", "shape": [1], "datatype": "INT32", "data": [limit]}
    return json.dumps({"inputs": [tensor]} if path.startswith("/v2") else {"values": {"limit": limit}}).encode()


def post(place: str, path: str, limit: int) -> tuple[int, Any]:
    """Returns the response's status and document, with the status 0 if there was no response."""
    connection = http.client.HTTPConnection(place, timeout=300)
    try:
        connection.request("POST", path, body(path, limit), {"Content-Type": "application/json"})
        response = connection.getresponse()
        document = json.loads(response.read())
        if response.status != 200:
            print(f"{path}: {response.status} {document}", file=sys.stderr)
        return response.status, document
    except (http.client.RemoteDisconnected, ConnectionResetError):
        return 0, None


def call(place: str, limit: int) -> tuple[str, int | None]:
    request = service_pb2.ModelInferRequest(
        model_name="slow", raw_input_contents=[numpy.array([limit], numpy.int32).tobytes()])
    request.inputs.add(name="limit", datatype="INT32", shape=[1])
    stub = service_pb2_grpc.GRPCInferenceServiceStub(grpc.insecure_channel(place))
    try:
        answer = stub.ModelInfer(request, timeout=300)
        return "OK", int(numpy.frombuffer(answer.raw_output_contents[0], numpy.int32)[0])
    except grpc.RpcError as error:
        return error.code().name, None


def leave(web: str, place: str, process: int) -> dict:
    """Closes the connections of requests that run and of others that wait, and of one that sends no more."""
    host, port = web.split(":")
    connections = []
    for path in PATHS * 4:
        text = body(path, ENDLESS)
        connection = socket.create_connection((host, int(port)))
        connection.sendall(
            f"POST {path} HTTP/1.1\r\nHost: {web}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(text)}\r\n\r\n".encode() + text)
        connections.append(connection)
    time.sleep(1)
    half = connections.pop()
    for connection in connections:
        connection.close()
    half.shutdown(socket.SHUT_WR)
    received = b""
    while part := half.recv(65536):
        received += part
    # The requests that run would take minutes.
    status, answer = post(web, PATHS[0], 1000)

    def counted() -> int:
        connection = http.client.HTTPConnection(web)
        connection.request("GET", "/metrics")
        lines = connection.getresponse().read().decode().splitlines()
        return sum(int(line.split()[-1]) for line in lines
                   if line.startswith("http_requests_total") and 'status="499"' in line)

    end = time.monotonic() + 60
    while counted() < 8 and time.monotonic() < end:
        time.sleep(0.05)
    return {"half": received.decode().split("\r\n")[0], "status": status,
            "reached": answer["outputs"][0]["data"][0], "counted": counted()}


Runs = list[concurrent.futures.Future]


def begin(pool: concurrent.futures.Executor, web: str, place: str, limit: int) -> tuple[Runs, Runs]:
    """Starts a run by each path of HTTP and one by gRPC, and waits until they have begun."""
    runs = [pool.submit(post, web, path, limit) for path in PATHS]
    calls = [pool.submit(call, place, limit)]
    time.sleep(1)
    return runs, calls


def finish(web: str, place: str, process: int) -> dict:
    """Ends the server while requests run that end soon."""
    post(web, PATHS[0], 1)
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        runs, calls = begin(pool, web, place, 20_000_000)
        os.kill(process, signal.SIGTERM)
        return {"runs": [run.result()[0] for run in runs], "calls": [run.result() for run in calls]}


def cut(web: str, place: str, process: int) -> dict:
    """Ends the server while requests run that take minutes."""
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        runs, calls = begin(pool, web, place, ENDLESS)
        os.kill(process, signal.SIGTERM)
        return {"runs": [run.result()[0] for run in runs], "calls": [run.result()[0] for run in calls]}


def twice(web: str, place: str, process: int) -> dict:
    """Tells the server twice to end, while requests run that take minutes."""
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        runs, calls = begin(pool, web, place, ENDLESS)
        os.kill(process, signal.SIGINT)
        time.sleep(2)
        still = sum(not run.done() for run in runs + calls)
        os.kill(process, signal.SIGINT)
        return {"still": still, "runs": [run.result()[0] for run in runs],
                "calls": [run.result()[0] for run in calls]}


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](sys.argv[2], sys.argv[3], int(sys.argv[4]))))
