# TensorIO for Swift
# Copyright TensorIO authors
# Licensed under the Apache License 2.0
# SPDX-License-Identifier: Apache-2.0
"""Validates JSON documents against a JSON Schema and prints what is wrong with each.

    validate_schema.py SCHEMA.json DOCUMENT.json...

Prints [{"document", "errors": [{"path", "message"}]}]; always ends with 0 when it could read.
"""

import argparse
import json
from pathlib import Path

import jsonschema


def validate(schema: dict, document: object) -> list[dict[str, str]]:
    """Returns every violation with its JSON path, in the order of the paths."""
    validator_class = jsonschema.validators.validator_for(schema)
    validator_class.check_schema(schema)
    errors = sorted(validator_class(schema).iter_errors(document), key=lambda e: e.json_path)
    return [{"path": error.json_path, "message": error.message} for error in errors]


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("schema", type=Path)
    parser.add_argument("documents", type=Path, nargs="+")
    arguments = parser.parse_args()
    schema = json.loads(arguments.schema.read_text())
    results = [
        {"document": str(path), "errors": validate(schema, json.loads(path.read_text()))}
        for path in arguments.documents
    ]
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
