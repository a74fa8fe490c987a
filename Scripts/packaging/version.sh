#!/usr/bin/env bash
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
#
# Prints the version of the programs from the sources.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

version="$(sed -n 's/.*static let current = "\([0-9][0-9A-Za-z.+~]*\)".*/\1/p' Sources/*/Version.swift)"
if [ -z "$version" ]; then
  echo "error: Sources/*/Version.swift names no version" >&2
  exit 70
fi
echo "$version"
