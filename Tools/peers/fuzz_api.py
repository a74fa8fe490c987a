# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Sends valid and invalid requests for Net Runner's OpenAPI document, with schemathesis.

    fuzz_api.py ADDRESS [schemathesis' options]

Many of the requests name an existing evaluation, model and image, so that they pass the first check. Every
response must match the document, and none may be a fault of the server. Schemathesis also loads this file,
for its hooks.
"""

import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve()
PICTURE = (HERE.parents[2] / "Demo/images/digit-7-01.png").read_bytes()
CHECKS = [
    "not_a_server_error", "status_code_conformance", "content_type_conformance",
    "response_schema_conformance",
]
TURNS = {"path": itertools.count(), "body": itertools.count()}


def is_known(what: str, share: int) -> bool:
    """Returns false every n-th time. Periods without a common divisor give all combinations."""
    return next(TURNS[what]) % share != 0


def ask(address: str, method: str, path: str, body: dict | None = None) -> dict:
    request = urllib.request.Request(
        f"{address}api/v1/{path}", method=method, data=body and json.dumps(body).encode(),
        headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def known(address: str) -> dict:
    """The identifiers of existing objects."""
    body = {"models": ["digits"], "sample": True}
    evaluation = ask(address, "POST", "evaluations", body)["evaluation"]["id"]
    path = f"evaluations/{evaluation}"
    while ask(address, "GET", path)["evaluation"]["state"] in ("queued", "running"):
        time.sleep(0.1)
    upload = ask(address, "POST", "uploads")["upload"]["id"]
    return {"evaluation": evaluation, "upload": upload, "body": body}


def add_hooks() -> None:
    import schemathesis

    there = json.loads(os.environ["NETRUNNER_KNOWN"])

    @schemathesis.serializer("application/zip", "application/octet-stream", "image/*")
    def as_it_is(context, value):
        return value if isinstance(value, bytes) else str(value).encode()

    @schemathesis.hook
    def map_path_parameters(context, parameters):
        path = context.operation.path
        if not parameters or "id" not in parameters or not is_known("path", 2):
            return parameters
        identifiers = {
            "evaluations": there["evaluation"], "uploads": there["upload"], "models": "digits"}
        kind = path.removeprefix("/api/v1/").removeprefix("/v2/").split("/")[0]
        identifier = identifiers.get(kind)
        # Objects that other requests need are kept.
        is_kept = context.operation.method == "delete" and path.endswith("{id}")
        return parameters if is_kept or not identifier else {**parameters, "id": identifier}

    @schemathesis.hook
    def map_body(context, body):
        operation = (context.operation.method, context.operation.path)
        if operation == ("post", "/api/v1/models/{id}/infer") and is_known("body", 3):
            return PICTURE
        if operation == ("post", "/api/v1/evaluations") and is_known("body", 3):
            return {**(body if isinstance(body, dict) else {}), **there["body"]}
        return body


def main() -> None:
    address, *options = sys.argv[1:]
    environment = {
        **os.environ, "SCHEMATHESIS_HOOKS": HERE.stem, "PYTHONPATH": str(HERE.parent),
        "NETRUNNER_KNOWN": json.dumps(known(address)),
    }
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(subprocess.run(
            [Path(sys.executable).with_name("schemathesis"), "run",
             f"{address}api/v1/openapi.json", "--checks", ",".join(CHECKS), "--seed", "1",
             "--no-color", *options], cwd=folder, env=environment,
            stdout=sys.stderr).returncode)


if __name__ == "__main__":
    main()
elif "NETRUNNER_KNOWN" in os.environ:
    add_hooks()
