// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
import Synchronization

/// Removes one line from standard error, which LiteRT writes once per process at any log severity.
///
/// The line is `INFO: Created TensorFlow Lite XNNPACK delegate for CPU.` While the first model is
/// compiled, standard error is redirected to a file in memory. Everything else that any thread
/// writes in the meantime is passed on right afterwards.
enum StandardErrorFilter {
  private static let hasBegun = Atomic(false)
  private static let unwanted = "INFO: Created TensorFlow Lite XNNPACK delegate"

  static func whileCreatingFirstDelegate<Result>(_ body: () -> Result) -> Result {
    // Only the first compilation is filtered, so that others don't wait for it.
    guard !hasBegun.exchange(true, ordering: .acquiringAndReleasing), let capture = Capture()
    else { return body() }
    defer { capture.end() }
    return body()
  }

  /// Standard error's descriptor and the file that replaces it.
  private struct Capture {
    private let original: Int32
    private let file: Int32

    init?() {
      file = open_memory_file()
      guard file >= 0 else { return nil }
      original = copy_descriptor(STDERR_FILENO)
      guard original >= 0, dup2(file, STDERR_FILENO) >= 0 else {
        close(file)
        if original >= 0 { close(original) }
        return nil
      }
    }

    func end() {
      fflush(nil)
      dup2(original, STDERR_FILENO)
      close(original)
      let count = Int(lseek(file, 0, SEEK_END))
      var bytes = [UInt8](repeating: 0, count: max(count, 0))
      let got = pread(file, &bytes, bytes.count, 0)
      close(file)
      for line in bytes.prefix(max(got, 0)).split(separator: 0x0A)
      where !line.starts(with: unwanted.utf8) {
        let text = Array(line) + [0x0A]
        _ = write(STDERR_FILENO, text, text.count)
      }
    }
  }
}
