# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Calls a server with NVIDIA's own client of the Open Inference Protocol.

    triton.py HOST:PORT < CALLS

CALLS is a JSON object with the inputs of each model. An input has `type`, `shape` and `data`, or a `picture`, which
is a file whose pixels are sent. The script prints, for each model, the metadata that the client gets, and the
outputs for each of the four ways to send and receive tensors.
"""

import json
import sys

import numpy
import tritonclient.http as http
from PIL import Image

TYPES = {"FP32": numpy.float32, "UINT8": numpy.uint8, "INT64": numpy.int64}


def array(value: dict) -> tuple[str, numpy.ndarray]:
    if "picture" in value:
        return "UINT8", numpy.asarray(Image.open(value["picture"]).convert("RGB"))[None]
    return value["type"], numpy.array(value["data"], TYPES[value["type"]]).reshape(value["shape"])


def call(client: http.InferenceServerClient, model: str, inputs: dict) -> dict:
    metadata = client.get_model_metadata(model)
    results = []
    for binary_in in [True, False]:
        for binary_out in [True, False]:
            tensors = []
            for name, value in inputs.items():
                kind, data = array(value)
                tensor = http.InferInput(name, list(data.shape), kind)
                tensor.set_data_from_numpy(data, binary_data=binary_in)
                tensors.append(tensor)
            outputs = [
                http.InferRequestedOutput(output["name"], binary_data=binary_out)
                for output in metadata["outputs"]
            ]
            answer = client.infer(model, tensors, outputs=outputs)
            results.append(
                {o["name"]: answer.as_numpy(o["name"]).ravel().tolist() for o in metadata["outputs"]})
    return {"metadata": metadata, "is_ready": client.is_model_ready(model), "results": results}


def main() -> None:
    client = http.InferenceServerClient(sys.argv[1])
    calls = json.load(sys.stdin)
    json.dump(
        {
            "is_live": client.is_server_live() and client.is_server_ready(),
            "models": sorted(m["name"] for m in client.get_model_repository_index()),
            "calls": {model: call(client, model, inputs) for model, inputs in calls.items()},
        },
        sys.stdout)


if __name__ == "__main__":
    main()
