#!/usr/bin/env bash
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
#
# Runs the built tests. The arguments are passed to `swift test`.
# The failures are printed again at the end, because the output of 1,500 tests hides them.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# More parallel tests would only wait for each other, because many of them compute, or hold a thread
# while a program runs.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH="${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-4}"

log=.build/test.log
swift test --skip-build "$@" 2>&1 | tee "$log"
status=$?
if [ "$status" -ne 0 ]; then
  printf '\nWhat failed (%s has the whole output):\n' "$log" >&2
  # What follows an issue, up to the next test's line, is the rest of its message.
  awk '/recorded an issue|^error:|fatal error/ { print; rest = 60; next }
       /^(◇|✔|✘) / { rest = 0 }
       rest > 0 { print; rest -= 1 }' "$log" >&2
fi
exit "$status"
