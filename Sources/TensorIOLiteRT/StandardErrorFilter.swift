// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

internal import CProcessCalls
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Keeps one line from standard error: `INFO: Created TensorFlow Lite XNNPACK delegate for CPU.`,
/// which LiteRT writes once a process, whatever its log severity.
///
/// While the first model is compiled, standard error goes to a file in memory; what else was
/// written meanwhile, by any thread, is passed on right after.
enum StandardErrorFilter {
  private static let hasBegun = Atomic(false)
  private static let unwanted = "INFO: Created TensorFlow Lite XNNPACK delegate"

  static func whileCreatingFirstDelegate<Result>(_ body: () -> Result) -> Result {
    #if os(Linux)
    // Only the first compilation is filtered, so that the others need not wait for it.
    guard !hasBegun.exchange(true, ordering: .acquiringAndReleasing), let capture = Capture()
    else { return body() }
    defer { capture.end() }
    return body()
    #else
    return body()
    #endif
  }

  #if os(Linux)
  /// Standard error's descriptor and the file that stands in for it.
  private struct Capture {
    private let original: Int32
    private let file: Int32

    init?() {
      file = open_memory_file()
      guard file >= 0 else { return nil }
      original = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
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
  #endif
}
