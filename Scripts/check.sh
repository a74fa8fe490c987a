#!/usr/bin/env bash
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
#
# Checks what every change must pass. It never changes a file of the checkout.
# Only the scripts' tests and the budgets follow Swift's tests, so that a summary of failures ends the output.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# SwiftPM doesn't use the second flag for dependencies, so it only affects this package's targets. The Makefile
# says why the first one is here. The others compile each module as a whole instead of in batches: a clean build of
# NetRunner and what it needs then took 181 instead of 249 s of the processors' time. `make test` doesn't use them,
# because after a change they compile the whole module again.
flags="-debug-info-format none -Xswiftc -warnings-as-errors"
flags="$flags -Xswiftc -whole-module-optimization -Xswiftc -disable-batch-mode -Xswiftc -num-threads -Xswiftc 2"
traits="--traits Servers"
# The Makefile says why the order must be the same in all builds.
build_environment="TENSORIO_TEST_BUILD=1 SWIFT_DETERMINISTIC_HASHING=1"
largest=1048576
# The checks must end within an hour. On a slow machine, everything else took nearly that long, and the release build
# of the budgets 10 minutes more, so after this many seconds the budgets are left out with a warning.
last_budget=2700

# Some environments keep Python from writing compiled modules. The import of TensorFlow then takes 22 instead of 8 s
# of a processor, each time.
unset PYTHONDONTWRITEBYTECODE

temporary="$(mktemp -d)"
peers=""
scripts=""
# errexit also applies to traps, so a failing kill would become the script's exit status.
trap 'kill $peers $scripts 2>/dev/null || true; rm -rf "$temporary"' EXIT

step() { printf '\n== %s\n' "$*"; }

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# Prints the tracked files and the new ones that aren't ignored. git also lists deleted files, which are
# skipped.
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

# `lint` doesn't report every difference in layout, so the files are also compared with a formatted copy.
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

# Checks the build without servers. Other systems link the programs differently, so this needs Linux.
check_budget() {
  if [ "$(uname -s)" != Linux ]; then return 0; fi
  step "Sizes and instructions"
  if [ "$SECONDS" -gt "$last_budget" ]; then
    printf 'warning: not checked, because the other checks took %s minutes; run "make budget"\n' "$((SECONDS / 60))"
    return 0
  fi
  make --no-print-directory budget
}

# Builds everything at once, because building fewer products first would build some parts twice.
# The flag turns Swift's warnings into errors. Warnings about C and about the package itself, such as a
# file that belongs to no target, are only printed, so this searches the output for them.
check_build() {
  local own
  step "Build"
  # shellcheck disable=SC2086
  env $build_environment swift build $traits $flags --build-tests 2>&1 | tee "$temporary/log"
  own="^warning: '$(basename "$PWD" | tr '[:upper:]' '[:lower:]')'|^$PWD/(Sources|Tests)/.*warning:"
  if grep -E "$own" "$temporary/log"; then fail "the build warns, see above"; fi
}

check_docs() {
  step "Documentation"
  Scripts/docs.sh --warnings-as-errors
}

check_examples() {
  step "The documentation's examples"
  Scripts/check_examples.py
}

# Runs a short version of `make fuzz`.
check_corrupted_files() {
  step "Corrupted files"
  Scripts/fuzz.py --binary .build/debug/tensorio --count 200
}

# Waits for the scripts' tests and prints what they wrote.
check_scripts() {
  step "The scripts' tests"
  wait "$scripts" || fail "$(cat "$temporary/scripts")"
  scripts=""
  cat "$temporary/scripts"
}

# Doesn't use `make test-swift`, which would build again.
check_tests() {
  step "Test"
  # shellcheck disable=SC2086
  TENSORIO_PYTHON="$(Scripts/setup.sh --tensorflow --peers)" Scripts/test.sh $traits $flags
}

Scripts/setup.sh --tensorflow
# pip needs a minute to unpack, so it runs in the background while the compiler works.
Scripts/setup.sh --peers >"$temporary/peers" 2>&1 &
peers=$!
check_lint
check_format
check_sizes
check_build
wait "$peers" || fail "$(cat "$temporary/peers")"
peers=""
# The scripts' tests leave a processor idle half of the time, and so do the next steps.
make --no-print-directory test-scripts >"$temporary/scripts" 2>&1 &
scripts=$!
check_docs
check_examples
check_corrupted_files
check_tests
check_scripts
check_budget
