# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Validates JSON documents against a JSON Schema and prints what is wrong with each.

    validate_schema.py SCHEMA.json DOCUMENT.json...

Prints [{"document", "errors": [{"path", "message"}]}]. The exit code is 0 if the files could be read.

TensorIO's documents may have trailing commas, which Python's parser refuses. They are removed
first: every comma outside of strings that only white space separates from a closing bracket.
"""

import argparse
import json
import re
from pathlib import Path

import jsonschema

STRING_OR_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])')


def without_trailing_commas(text: str) -> str:
    """Returns the text without trailing commas. Strings are matched first, and stay unchanged."""
    return STRING_OR_TRAILING_COMMA.sub(lambda match: match[1] or "", text)


def validator(schema: dict) -> jsonschema.protocols.Validator:
    """Returns a validator for a schema, which must itself be valid."""
    validator_class = jsonschema.validators.validator_for(schema)
    validator_class.check_schema(schema)
    return validator_class(schema)


def validate(
    validator: jsonschema.protocols.Validator, document: object
) -> list[dict[str, str]]:
    """Returns every violation with its JSON path, in the order of the paths."""
    errors = sorted(validator.iter_errors(document), key=lambda e: e.json_path)
    return [{"path": error.json_path, "message": error.message} for error in errors]


def read(path: Path) -> object:
    """Reads a document with or without trailing commas."""
    return json.loads(without_trailing_commas(path.read_text(encoding="utf-8")))


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("schema", type=Path)
    parser.add_argument("documents", type=Path, nargs="+")
    arguments = parser.parse_args()
    schema = validator(json.loads(arguments.schema.read_text(encoding="utf-8")))
    results = [
        {"document": str(path), "errors": validate(schema, read(path))}
        for path in arguments.documents
    ]
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
