# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Writes small tokenizers, and what the package tokenizers makes of some lines, for tests without Python.

    make_tokenizer_fixtures.py Tests/Fixtures/Tokenizers

The trainers of the package break ties at random, so each run writes other tokenizers.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "peers"))

import tokenizers_peer  # noqa: E402

# The tokenizers with few tokens, and how many. Those of SentencePiece's characters would need 300 KB.
SIZES = {
    "bert_uncased": 400,
    "byte_level": 400,
    "char_bpe": 500,
    "llama": 900,
    "qwen": 400,
    "sentencepiece_unigram": 900,
    "word_level": 300,
}


def compact(value: object) -> str:
    """Returns short JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def main() -> None:
    """Writes a tokenizer.json and what it gives for each tokenizer."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    lines = tokenizers_peer.corpus({"seed": 71, "count": 15})
    (folder / "lines.json").write_text(compact(lines) + "\n")
    for name, size in SIZES.items():
        trained = tokenizers_peer.train({"name": name, "seed": 70, "count": 15, "size": size})
        tokenizer = compact(json.loads(trained))
        found = tokenizers_peer.encode({"tokenizer": tokenizer, "lines": lines})
        (folder / f"{name}.json").write_text(tokenizer + "\n")
        expected = {key: found[key] for key in ["ids", "decoded"]}
        (folder / f"{name}.expected.json").write_text(compact(expected) + "\n")


if __name__ == "__main__":
    main()
