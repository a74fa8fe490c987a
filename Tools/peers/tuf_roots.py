# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Follows chains of root documents as python-tuf's client does.

    tuf_roots.py < CASES     how many documents of each chain are accepted, as a JSON array

A case is {"chain": [{"version", "threshold", "keys", "signers"}]}. Keys and signers are indexes of four keys.
"""

import datetime
import json
import sys

from securesystemslib.signer import CryptoSigner
from tuf.api.exceptions import RepositoryError
from tuf.api.metadata import Key, Metadata, Role, Root
from tuf.ngclient._internal.trusted_metadata_set import TrustedMetadataSet
from tuf.ngclient.config import EnvelopeType

SIGNERS = [CryptoSigner.generate_ed25519() for _ in range(4)]
EXPIRES = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=30)


def signed(step: dict) -> bytes:
    keys: dict[str, Key] = {s.public_key.keyid: s.public_key for s in SIGNERS}
    ids = [SIGNERS[number].public_key.keyid for number in step["keys"]]
    other = Role([SIGNERS[0].public_key.keyid], 1)
    roles = {name: other for name in ("timestamp", "snapshot", "targets")}
    roles["root"] = Role(ids, step["threshold"])
    metadata = Metadata(Root(version=step["version"], expires=EXPIRES, keys=keys, roles=roles))
    for number in step["signers"]:
        metadata.sign(SIGNERS[number], append=True)
    return metadata.to_bytes()


def accepted(chain: list[dict]) -> int:
    trusted = None
    for count, step in enumerate(chain):
        try:
            if trusted is None:
                trusted = TrustedMetadataSet(signed(step), EnvelopeType.METADATA)
            else:
                trusted.update_root(signed(step))
        except RepositoryError:
            return count
    return len(chain)


if __name__ == "__main__":
    json.dump([accepted(case["chain"]) for case in json.load(sys.stdin)], sys.stdout)
