#!/usr/bin/env bash
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
#
# Builds the documentation of every target that has a catalog, as .build/documentation/NAME.doccarchive.
# Reads the modules of the last debug build, which must contain the servers. swift-docc-plugin does the
# same, but it plans and builds the package again for each target, which takes minutes.
#
# Arguments: further arguments of docc, such as --warnings-as-errors.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=.build/debug
output=.build/documentation
temporary="$(mktemp -d)"
trap 'rm -rf "$temporary"' EXIT

tool() { command -v "$1" || xcrun --find "$1"; }

DOCC="$(tool docc)"
EXTRACT="$(tool swift-symbolgraph-extract)"
EXTRACT_OPTIONS="$temporary/options"
TARGETS="$temporary/symbols"
OUTPUT="$output"
export DOCC EXTRACT EXTRACT_OPTIONS TARGETS OUTPUT

triple="$(swift -print-target-info |
  python3 -c 'import json, sys; print(json.load(sys.stdin)["target"]["unversionedTriple"])')"
sdk=/
if [ "$(uname -s)" = Darwin ]; then sdk="$(xcrun --show-sdk-path)"; fi
{
  printf '%s\n' -I "$build/Modules" -target "$triple" -sdk "$sdk" \
    -minimum-access-level public -emit-extension-block-symbols
  # The compiler finds the C modules of dependencies in their folders of headers. Other C modules have
  # a map that is in the sources, or that the build made. Programs of the build have copies (-tool).
  for folder in .build/checkouts/*/Sources/*/include; do
    if [ -d "$folder" ]; then printf '%s\n' -I "$folder"; fi
  done
  for map in Sources/*/module.modulemap .build/checkouts/*/Sources/*/module.modulemap \
    "$build"/*.build/module.modulemap; do
    case "$map" in *-tool.build/*) continue ;; esac
    if [ -f "$map" ]; then printf '%s\n' -Xcc "-fmodule-map-file=$map"; fi
  done
} >"$EXTRACT_OPTIONS"

# Documents the target whose name is the first argument; the others are docc's.
document() {
  local target="$1"
  shift
  mkdir -p "$TARGETS/$target"
  # shellcheck disable=SC2046 # The options are words.
  "$EXTRACT" -module-name "$target" $(cat "$EXTRACT_OPTIONS") -output-dir "$TARGETS/$target" &&
    "$DOCC" convert "Sources/$target/Documentation.docc" --fallback-display-name "$target" \
      --fallback-bundle-identifier "$target" --additional-symbol-graph-dir "$TARGETS/$target" \
      --output-path "$OUTPUT/$target.doccarchive" "$@" &&
    echo "$OUTPUT/$target.doccarchive"
}
export -f document

rm -rf "$output"
mkdir -p "$output"
for catalog in Sources/*/Documentation.docc; do basename "$(dirname "$catalog")"; done |
  xargs -P "$(getconf _NPROCESSORS_ONLN)" -I {} bash -c 'document "$@"' document {} "$@"
