# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Reads a model repository's signed documents, as a client in Python would.

    repository.py verify KEY < SIGNED_DOCUMENT     the document's bytes, if KEY (base 64) signed it
    repository.py buckets SALT < IDS               the bucket of each installation, a line each
    repository.py sign KEY < DOCUMENT              a signed document by the secret KEY (base 64)
"""

import base64
import hashlib
import json
import sys

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


def key_id(public: bytes) -> str:
    return hashlib.sha256(public).hexdigest()[:16]


def verify(text: str) -> None:
    key = base64.b64decode(text)
    signed = json.load(sys.stdin)
    document = base64.b64decode(signed["document"])
    for signature in signed["signatures"]:
        if signature["key_id"] == key_id(key):
            # This raises an error if the signature isn't from the key.
            Ed25519PublicKey.from_public_bytes(key).verify(
                base64.b64decode(signature["signature"]), document)
            sys.stdout.write(document.decode())
            return
    sys.exit("error: this key did not sign the document")


def buckets(salt: str) -> None:
    for line in sys.stdin:
        digest = hashlib.sha256(f"mh1|{salt}|{line.rstrip()}".encode()).digest()
        print(int.from_bytes(digest[:8], "big") % 10000)


def sign(text: str) -> None:
    key = Ed25519PrivateKey.from_private_bytes(base64.b64decode(text))
    public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    document = sys.stdin.buffer.read()
    signature = base64.b64encode(key.sign(document)).decode()
    json.dump({"document": base64.b64encode(document).decode(),
               "signatures": [{"key_id": key_id(public), "signature": signature}]}, sys.stdout)


if __name__ == "__main__":
    {"verify": verify, "buckets": buckets, "sign": sign}[sys.argv[1]](sys.argv[2])
