# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Validates a Job of Kubernetes against the schema of the API, and prints the command of its container.

    validate_kubernetes.py JOB.yaml [--version 1.33]

Prints {"command", "completions"}. An unknown or missing key ends the program with an error that names it.
"""

import argparse
import json
from pathlib import Path

import kubernetes_validate
import yaml


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("job", type=Path)
    parser.add_argument("--version", default="1.33")
    options = parser.parse_args()
    job = yaml.safe_load(options.job.read_text())
    kubernetes_validate.validate(job, options.version, strict=True)
    container = job["spec"]["template"]["spec"]["containers"][0]
    print(json.dumps({
        "command": container["command"] + container["args"], "completions": job["spec"]["completions"],
    }))


if __name__ == "__main__":
    main()
