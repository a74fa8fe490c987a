# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Writes the decompositions of Unicode that the module Tokenizers needs.

    make_normalization_table.py Sources/Tokenizers/Unicode/NormalizationData.swift

The data comes from Python's unicodedata. The package `tokenizers` normalizes by Unicode 9, so scalars that it leaves
alone are omitted. All versions of Unicode agree on the others.

Scalars that follow each other form a run if their decompositions are similar. A run has its distance from the end of
the previous one, its kind, its length, and the decompositions. The kind is twice the number of scalars of each
decomposition, plus 1 if they compose to it. A kind of 0 stands for compatibility decompositions, and the number of
scalars follows. Scalars are differences from those of the previous decomposition at the same index. All numbers have
groups of five bits, the lowest first, in characters from "#" on that need no escape in Swift.
"""

import itertools
import sys
import unicodedata
from pathlib import Path

from tokenizers import normalizers

HEADER = '''// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The decompositions of Unicode, which Tools/make_normalization_table.py writes and explains.
enum NormalizationData {
  static let text: StaticString = """
'''
WIDTH = 95


def digit(value: int) -> str:
    """Returns a character for six bits, without the backslash."""
    code = value + 35
    return chr(code if code < ord("\\") else code + 1)


def number(value: int) -> str:
    """Returns the characters of a number that isn't negative."""
    text = ""
    while value >= 32:
        text += digit(value % 32 + 32)
        value //= 32
    return text + digit(value)


def signed(value: int) -> str:
    """Returns the characters of any number."""
    return number(value * 2 if value >= 0 else -value * 2 - 1)


def decompositions() -> list:
    """Returns the code, kind and decomposition of each scalar that has one."""
    kept = normalizers.NFKD()
    found = []
    for code in range(0x110000):
        character = chr(code)
        parts = unicodedata.decomposition(character).split() if not 0xD800 <= code < 0xE000 else []
        if not parts or kept.normalize_str(character) == character:
            continue
        if parts[0].startswith("<"):
            kind = number(0) + number(len(parts) - 1)
            parts = parts[1:]
        else:
            composes = unicodedata.normalize("NFC", character) == character
            kind = number(2 * len(parts) + composes)
        found.append((code, kind, [int(part, 16) for part in parts]))
    return found


def encoded() -> str:
    """Returns the text of all runs."""
    text, end = "", 0
    previous = [0] * 32
    runs = itertools.groupby(
        enumerate(decompositions()), lambda pair: (pair[1][0] - pair[0], pair[1][1])
    )
    for (_, kind), members in runs:
        run = [member for _, member in members]
        text += number(run[0][0] - end) + kind + number(len(run))
        end = run[-1][0] + 1
        for _, _, scalars in run:
            for index, scalar in enumerate(scalars):
                text += signed(scalar - previous[index])
                previous[index] = scalar
    return text


def main() -> None:
    """Writes the file."""
    text = encoded()
    lines = [text[start : start + WIDTH] for start in range(0, len(text), WIDTH)]
    body = "".join(f"    {line}\\\n" for line in lines[:-1]) + f"    {lines[-1]}\n"
    Path(sys.argv[1]).write_text(f'{HEADER}{body}    """\n}}\n')


if __name__ == "__main__":
    main()
