#!/usr/bin/env bash
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
#
# What a change must pass. Never changes a file of the checkout.
# The tests come last, so that their closing line ends the output.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# SwiftPM leaves this flag out of dependencies' builds, so it is about our targets only.
flags="-Xswiftc -warnings-as-errors"
traits="--traits Servers"
largest=1048576

temporary="$(mktemp -d)"
peers=""
# errexit holds in traps too, and would make a failing kill the script's status.
trap 'kill $peers 2>/dev/null || true; rm -rf "$temporary"' EXIT

step() { printf '\n== %s\n' "$*"; }

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# Tracked files and new ones that are not ignored. Deleted files are still listed: left out.
files() {
  local file
  git ls-files -z --cached --others --exclude-standard -- "$@" |
    while IFS= read -r -d '' file; do
      if [ -f "$file" ]; then printf '%s\0' "$file"; fi
    done
}

check_lint() {
  step "Lint"
  files '*.swift' | xargs -0 swift format lint --strict --parallel ||
    fail "the rules of .swift-format are broken above"
}

# `lint` does not see every difference in layout, so a formatted copy is compared as well.
check_format() {
  local file same=yes
  step "Format"
  cp .swift-format "$temporary"
  files '*.swift' | tar -cf - --null -T - | tar -xf - -C "$temporary"
  swift format --in-place --parallel --recursive "$temporary"
  while IFS= read -r -d '' file; do
    diff -u "$file" "$temporary/$file" || same=no
  done < <(files '*.swift')
  [ "$same" = yes ] || fail "make format"
}

check_sizes() {
  local file large=""
  step "No file over 1 MiB"
  while IFS= read -r -d '' file; do
    if [ "$(wc -c <"$file")" -gt "$largest" ]; then large="$large $file"; fi
  done < <(files)
  [ -z "$large" ] || fail "over 1 MiB, and every clone would carry it for ever:$large"
}

# What people get who build without servers. Elsewhere the programs are linked otherwise.
check_budget() {
  if [ "$(uname -s)" != Linux ]; then return 0; fi
  step "Sizes and instructions"
  make --no-print-directory budget
}

# Everything at once: what is built for fewer products is partly built again for more.
check_build() {
  step "Build"
  # shellcheck disable=SC2086
  swift build $traits $flags --build-tests 2>&1 | tee "$temporary/log"
}

check_docs() {
  step "Documentation"
  # shellcheck disable=SC2086
  TENSORIO_DOCUMENTATION=1 swift package $traits $flags generate-documentation \
    --target TensorIO --target NetRunner --warnings-as-errors
}

check_examples() {
  step "The documentation's examples"
  Scripts/check_examples.py
}

# A short run; `make fuzz` is the long one.
check_corrupted_files() {
  step "Corrupted files"
  Scripts/fuzz.py --binary .build/debug/tensorio --count 200
}

# Swift's warnings are errors through the flag. C's warnings and the package's own (a file that
# belongs to no target) are only lines of output.
check_tests() {
  local own
  step "Test"
  make --no-print-directory test SWIFT_FLAGS="$flags" 2>&1 | tee -a "$temporary/log"
  own="^warning: '$(basename "$PWD" | tr '[:upper:]' '[:lower:]')'|^$PWD/(Sources|Tests)/.*warning:"
  if grep -E "$own" "$temporary/log"; then fail "the build warns, see above"; fi
}

Scripts/setup.sh --tensorflow
# pip unpacks for a minute; meanwhile the compiler has other work.
Scripts/setup.sh --peers >"$temporary/peers" 2>&1 &
peers=$!
check_lint
check_format
check_sizes
check_budget
check_build
check_docs
check_examples
check_corrupted_files
wait "$peers" || fail "$(cat "$temporary/peers")"
peers=""
check_tests
