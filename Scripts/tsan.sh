#!/usr/bin/env bash
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
#
# Runs the tests of parallel work under the thread sanitizer, in a copy of the checkout.
#
# The sanitizer doesn't see a contended Synchronization.Mutex on Linux. The kernel hands over the lock, a
# priority-inheriting futex, without a trace in user space, so every access under such a lock is reported
# as a race. The copy therefore uses a Mutex made of pthread_mutex_t, which the sanitizer knows. The rest
# of the code is unchanged.
#
# The sanitizer also misses the order of events if a task is resumed before it has suspended, because
# Swift's runtime isn't built with it. A single report is therefore not a race if a task reads a result
# that it waited for, and the result was written before the task was resumed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root="$PWD"
copy="$root/.build-tsan/checkout"
suites="${1:-BundleRunTests|LiteRTBackendTests|InferenceModelTests|SessionPoolTests|EchoBackendTests|TrainerEndingTests|LiteRTTrainingTests}"

mkdir -p "$copy"
git ls-files -z --cached --others --exclude-standard | tar -cf - --null -T - | tar -xf - -C "$copy"
for module in TensorIO TensorIOLiteRT TensorIOTensorFlow TensorIOTesting; do
  cat >"$copy/Sources/$module/Mutex.swift" <<'SWIFT'
internal import Glibc

final class Mutex<Value>: @unchecked Sendable {
  // With a word of its own, because an empty value would share its address with another member.
  private var state: (value: Value, word: Int)
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init(_ value: sending Value) {
    state = (value, 0)
    pthread_mutex_init(lock, nil)
  }

  deinit {
    pthread_mutex_destroy(lock)
    lock.deallocate()
  }

  func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return try body(&state.value)
  }
}
SWIFT
done
cd "$copy"
export TSAN_OPTIONS="${TSAN_OPTIONS:-halt_on_error=0 exitcode=66}"
swift test --sanitize=thread --scratch-path "$root/.build-tsan/build" --filter "$suites"
