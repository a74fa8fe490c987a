# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Calls a server that needs a token and has no LiteRT.

    grpc_access.py PLACE TOKEN [CERTIFICATE]

The script prints a JSON object with the status of each call. With a certificate, the calls are encrypted.
"""

import json
import sys
from pathlib import Path
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tritonclient.grpc import service_pb2, service_pb2_grpc


def code(call: Any, request: Any, token: str | None) -> str:
    try:
        call(request, metadata=[("authorization", f"Bearer {token}")] if token else None, timeout=30)
    except grpc.RpcError as error:
        return str(error.code().name)
    return "OK"


def main() -> None:
    place, token, *certificate = sys.argv[1:]
    if certificate:
        credentials = grpc.ssl_channel_credentials(Path(certificate[0]).read_bytes())
        channel = grpc.secure_channel(place, credentials)
    else:
        channel = grpc.insecure_channel(place)
    stub = service_pb2_grpc.GRPCInferenceServiceStub(channel)
    status = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest()).status
    ready = stub.ServerReady(
        service_pb2.ServerReadyRequest(), metadata=[("authorization", f"Bearer {token}")]).ready
    infer = service_pb2.ModelInferRequest(model_name="digits")
    json.dump(
        {
            "health": health_pb2.HealthCheckResponse.ServingStatus.Name(status),
            "without a token": code(stub.ServerReady, service_pb2.ServerReadyRequest(), None),
            "wrong token": code(stub.ServerReady, service_pb2.ServerReadyRequest(), "other"),
            "ready": str(ready).lower(), "model": code(stub.ModelInfer, infer, token),
        },
        sys.stdout)


if __name__ == "__main__":
    main()
