// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CLiteRT
import CSystemCalls
import Synchronization

/// Removes one line from standard error, which LiteRT writes once per process at any log severity.
///
/// The line is `INFO: Created TensorFlow Lite XNNPACK delegate for CPU.` While the first model is
/// compiled, standard error is redirected to a file in memory. Everything else that any thread
/// writes in the meantime is passed on right afterwards.
enum StandardErrorFilter {
  private static let hasBegun = Atomic(false)
  /// Held while a stream is replaced.
  ///
  /// If two calls replaced it at once, the one that ends last would restore the other one's file.
  private static let replacing = Mutex(())
  private static let unwanted = "INFO: Created TensorFlow Lite XNNPACK delegate"

  /// The beginnings of lines that the GPU's libraries write.
  private static let ofGPU = [
    "INFO: ", "WARNING: Logging before", "Warning: ", "    at ", "=== ", "third_party/", "I0000",
    "W0000", "E0000",
  ]

  /// Calls a closure that uses the GPU's libraries, and returns their own explanation of a failure.
  static func whileUsingGPU(
    _ body: () -> LiteRtStatus
  ) -> (status: LiteRtStatus, reason: String) {
    replacing.withLock { _ in filteringGPU(body) }
  }

  private static func filteringGPU(
    _ body: () -> LiteRtStatus
  ) -> (status: LiteRtStatus, reason: String) {
    hasBegun.store(true, ordering: .releasing)
    // They also write to standard output, where results go.
    fflush(nil)
    let output = Capture(STDOUT_FILENO)
    defer { _ = output?.end(without: ofGPU) }
    guard let capture = Capture(STDERR_FILENO) else { return (body(), "") }
    let status = body()
    let lines = capture.end(without: ofGPU).map { String(decoding: $0, as: UTF8.self) }
    guard status != LiteRT.ok else { return (status, "") }
    let warning = lines.first { $0.hasPrefix("Warning: ") }?.dropFirst(9)
    let error = lines.first { $0.hasPrefix("E0000") }?.split(separator: "] ", maxSplits: 1).last
    return (status, (warning ?? error).map { " (\($0))" } ?? "")
  }

  static func whileCreatingFirstDelegate<Result>(_ body: () -> Result) -> Result {
    // Only the first compilation is filtered, so that others don't wait for it.
    guard !hasBegun.exchange(true, ordering: .acquiringAndReleasing) else { return body() }
    return replacing.withLock { _ in
      guard let capture = Capture(STDERR_FILENO) else { return body() }
      defer { _ = capture.end(without: [unwanted]) }
      return body()
    }
  }

  /// A standard stream's descriptor, a copy of it, and the file that replaces it.
  private struct Capture {
    private let stream: Int32
    private let original: Int32
    private let file: Int32

    init?(_ stream: Int32) {
      self.stream = stream
      file = open_memory_file()
      guard file >= 0 else { return nil }
      original = copy_descriptor(stream)
      guard original >= 0, dup2(file, stream) >= 0 else {
        close(file)
        if original >= 0 { close(original) }
        return nil
      }
    }

    /// Passes everything on but the lines with some beginnings, which it returns.
    func end(without unwanted: [String]) -> [ArraySlice<UInt8>] {
      fflush(nil)
      dup2(original, stream)
      close(original)
      let count = Int(lseek(file, 0, SEEK_END))
      var bytes = [UInt8](repeating: 0, count: max(count, 0))
      let got = pread(file, &bytes, bytes.count, 0)
      close(file)
      var removed: [ArraySlice<UInt8>] = []
      for line in bytes.prefix(max(got, 0)).split(separator: 0x0A) {
        if unwanted.contains(where: { line.starts(with: $0.utf8) }) {
          removed.append(line)
          continue
        }
        let text = Array(line) + [0x0A]
        _ = write(stream, text, text.count)
      }
      return removed
    }
  }
}
