# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""An S3 server for tests: moto with faults, behind botocore's own check of every signature.

    s3.py < COMMANDS > ANSWERS

Commands and results are lines of JSON. The first result is
{"endpoint": ..., "access_key": ..., "secret": ..., "token": ...}.
The result of a command is an object, which is {"error": ...} if the command failed:

    {"do": "make", "bucket": B}                         a new bucket
    {"do": "put", "bucket": B, "key": K, "bytes": X}    by boto3; bytes are always in base 64
    {"do": "get", "bucket": B, "key": K}                by boto3: bytes, sha256
    {"do": "delete", "bucket": B, "key": K}
    {"do": "list", "bucket": B}                         by boto3: keys, and unfinished uploads
    {"do": "faults", "bucket": B, "faults": [...]}      sets the faults of that bucket's requests
    {"do": "page", "bucket": B, "keys": N}              lists of that bucket have at most N keys
    {"do": "requests", "bucket": B}                     its requests: [method, target, status]
    {"do": "sign", "requests": [...]}                   botocore's signatures

A fault is {"method": M, "match": TEXT, "after": N, "times": N, "act": A, ...}. It affects requests with that
method and with TEXT in their target. A is status (with status, code, fields), body (with status, bytes), cut
(the response ends after N bytes), cut_request (the connection ends after N bytes of the request), shorten (the
response states a wrong length), slow (with seconds), or drop (the request is done, but the response is lost).
Objects of a bucket whose name begins with "public-" are read without a signature. The server ends when its
input ends.
"""

import base64
import hashlib
import json
import logging
import os
import socket
import sys
import threading
import time
from io import BytesIO

# Small parts keep the tests small. moto reads this when it is imported.
os.environ["S3_UPLOAD_PART_MIN_SIZE"] = "1"

import boto3
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

REGION = "eu-test-1"
ACCESS_KEY = "AKIDPEERS3EXAMPLE"
SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
TOKEN = "a/session+token=="


class Store:
    """moto, as a WSGI application, behind the check of signatures and the faults."""

    def __init__(self) -> None:
        self.moto = DomainDispatcherApplication(create_backend_app)
        self.faults: dict[str, list[dict]] = {}
        self.requests: dict[str, list] = {}
        self.pages: dict[str, int] = {}
        self.lock = threading.Lock()

    def __call__(self, environ, start_response):
        method, target = environ["REQUEST_METHOD"], environ["REQUEST_URI"]
        bucket = target.split("?")[0].split("/")[1]
        fault = self.fault(bucket, method, target)
        act = fault.get("act")
        length = int(environ.get("CONTENT_LENGTH") or 0)
        body = environ["wsgi.input"]
        chunked = environ.get("HTTP_TRANSFER_ENCODING") == "chunked"
        if act == "cut_request":
            body.read(min(fault["bytes_read"], length))
            self.note(bucket, method, target, 0)
            return self.hang_up(environ)
        if act == "slow":
            time.sleep(fault["seconds"])
        if act in ("status", "body") and not fault.get("reads", True):
            return self.answer(environ, start_response, fault, bucket, method, target)
        data = body.read() if chunked else body.read(length)
        if len(data) < length:
            return self.hang_up(environ)
        environ["wsgi.input"] = BytesIO(data)
        is_public = bucket.startswith("public-") and "HTTP_AUTHORIZATION" not in environ
        refusal = None if is_public else refused(environ, data)
        if refusal:
            code, message = refusal
            fault = {"act": "status", "status": 403, "code": code, "message": message}
            return self.answer(environ, start_response, fault, bucket, method, target)
        if act in ("status", "body"):
            return self.answer(environ, start_response, fault, bucket, method, target)
        if "list-type=2" in target and bucket in self.pages:
            environ["QUERY_STRING"] += f"&max-keys={self.pages[bucket]}"
        head = {}

        def begin(status, fields, exc_info=None):
            head["status"], head["fields"] = status, fields

        parts = self.moto(environ, begin)
        content = b"".join(parts)
        self.note(bucket, method, target, int(head["status"].split()[0]))
        if act == "drop":
            return self.hang_up(environ)
        if act == "shorten":
            content = content[: fault["bytes_sent"]]
            fields = [(n, v) for n, v in head["fields"] if n.lower() != "content-length"]
            head["fields"] = fields + [("Content-Length", str(len(content)))]
        start_response(head["status"], head["fields"])
        if act == "cut":
            return self.cut(environ, content[: fault["bytes_sent"]])
        return [content]

    def fault(self, bucket: str, method: str, target: str) -> dict:
        with self.lock:
            for fault in self.faults.get(bucket, []):
                if fault.get("method", method) != method or fault.get("match", "") not in target:
                    continue
                if fault.get("after", 0) > 0:
                    fault["after"] -= 1
                elif fault.get("times", 1) > 0:
                    fault["times"] = fault.get("times", 1) - 1
                    return fault
        return {}

    def answer(self, environ, start_response, fault, bucket, method, target):
        status = fault.get("status", 200)
        self.note(bucket, method, target, status)
        if fault["act"] == "body":
            content = base64.b64decode(fault["bytes"])
        else:
            content = (
                f"<?xml version=\"1.0\"?>\n<Error><Code>{fault.get('code', 'X')}</Code>"
                f"<Message>{fault.get('message', 'It is a test.')}</Message></Error>"
            ).encode()
        fields = [("Content-Length", str(len(content))), ("Content-Type", "application/xml")]
        start_response(f"{status} Status", fields + list(fault.get("fields", {}).items()))
        return [b"" if method == "HEAD" else content]

    def hang_up(self, environ):
        environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
        return []

    def cut(self, environ, content):
        yield content
        environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)

    def note(self, bucket, method, target, status) -> None:
        with self.lock:
            self.requests.setdefault(bucket, []).append([method, target, status])


def refused(environ, data: bytes):
    """Returns why a strict store would refuse a request, or None if it would accept it."""
    fields = {n[5:].replace("_", "-").lower(): v for n, v in environ.items() if n.startswith("HTTP_")}
    for name in ("CONTENT_TYPE", "CONTENT_LENGTH"):
        if environ.get(name):
            fields[name.replace("_", "-").lower()] = environ[name]
    words = fields.get("authorization", "")
    if not words.startswith("AWS4-HMAC-SHA256 "):
        return "AccessDenied", "The signature is missing."
    parts = dict(part.strip().split("=", 1) for part in words[17:].split(","))
    if parts["Credential"].split("/")[0] != ACCESS_KEY:
        return "InvalidAccessKeyId", "The key that was provided does not exist."
    if "x-amz-security-token" in fields and fields["x-amz-security-token"] != TOKEN:
        return "InvalidToken", f"Not {fields['x-amz-security-token']}."
    declared = fields.get("x-amz-content-sha256", "")
    if len(declared) == 64 and declared != hashlib.sha256(data).hexdigest():
        return "XAmzContentSHA256Mismatch", "The bytes do not have the digest that was signed."
    names = parts["SignedHeaders"].split(";")
    scope = parts["Credential"].split("/")
    expected = signature(
        environ["REQUEST_METHOD"], f"http://{fields['host']}{environ['REQUEST_URI']}",
        {name: fields[name] for name in names}, scope[2], SECRET)
    if expected != parts["Signature"]:
        return "SignatureDoesNotMatch", "The signature is another one than the store computes."
    return None


def signature(method: str, url: str, fields: dict, region: str, secret: str) -> str:
    request = AWSRequest(method=method, url=url, headers=fields)
    request.context["timestamp"] = fields["x-amz-date"]
    signer = S3SigV4Auth(Credentials(ACCESS_KEY, secret), "s3", region)
    text = signer.string_to_sign(request, signer.canonical_request(request))
    return signer.signature(text, request)


class Handler(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, *_):
        pass

    def make_environ(self):
        environ = super().make_environ()
        environ["REQUEST_URI"] = self.path
        return environ


def obey(store: Store, client, command: dict) -> dict:
    do, bucket = command["do"], command.get("bucket")
    if do == "make":
        client.create_bucket(
            Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": REGION})
        return {}
    if do == "put":
        data = base64.b64decode(command["bytes"])
        access = {"ACL": "public-read"} if bucket.startswith("public-") else {}
        return {"etag": client.put_object(Bucket=bucket, Key=command["key"], Body=data, **access)["ETag"]}
    if do == "get":
        data = client.get_object(Bucket=bucket, Key=command["key"])["Body"].read()
        return {"bytes": base64.b64encode(data).decode(), "sha256": hashlib.sha256(data).hexdigest()}
    if do == "delete":
        client.delete_object(Bucket=bucket, Key=command["key"])
        return {}
    if do == "list":
        pages = client.get_paginator("list_objects_v2").paginate(Bucket=bucket)
        uploads = client.list_multipart_uploads(Bucket=bucket).get("Uploads", [])
        return {"keys": [item["Key"] for page in pages for item in page.get("Contents", [])],
                "uploads": [upload["Key"] for upload in uploads]}
    if do == "faults":
        with store.lock:
            store.faults[bucket] = command["faults"]
        return {}
    if do == "page":
        store.pages[bucket] = command["keys"]
        return {}
    if do == "requests":
        with store.lock:
            return {"requests": store.requests.pop(bucket, [])}
    if do == "sign":
        return {"signatures": [
            signature(r["method"], r["url"], r["fields"], r["region"], r["secret"])
            for r in command["requests"]]}
    raise ValueError(do)


def main() -> None:
    logging.disable(logging.CRITICAL)
    store = Store()
    server = make_server("127.0.0.1", 0, store, threaded=True, request_handler=Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    endpoint = f"http://127.0.0.1:{server.port}"
    client = boto3.client(
        "s3", endpoint_url=endpoint, region_name=REGION, aws_access_key_id=ACCESS_KEY,
        aws_secret_access_key=SECRET, config=Config(s3={"addressing_style": "path"}))
    print(json.dumps({"endpoint": endpoint, "region": REGION, "access_key": ACCESS_KEY,
                      "secret": SECRET, "token": TOKEN}), flush=True)
    for line in sys.stdin:
        try:
            answer = obey(store, client, json.loads(line))
        except Exception as error:  # The test must see any error.
            answer = {"error": repr(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
