// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

internal import TensorIO

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What the program asks of the process that runs a model.
enum WorkerRequest: Codable {
  case load(path: String, backend: String, modes: Int, threads: Int)
  case describe(inputs: [String], outputs: [String], operations: [String], SignatureDescription)
  case makeSession(SignatureDescription)
  case resizeInputs([[Int]])
  case setStrings(input: Int, [Data])
  case useDefault(input: Int)
  case readStrings(output: Int)
}

/// What it answers.
///
/// A run has no message of its own: it is the empty one, and so is its answer unless something
/// changed.
enum WorkerReply: Codable {
  case loaded(signatures: [SignatureDescription], keepsState: Bool)
  case described(SignatureDescription)
  case layout(SessionLayout)
  case strings([Data])
  case done
  case failed(code: String, message: String)
}

/// Where a session's tensors stand in the memory that both processes share.
struct SessionLayout: Codable, Hashable {
  struct Region: Codable, Hashable {
    var shape: [Int]
    /// Where the elements begin, in bytes.
    var offset: Int
    /// Zero for strings, which are sent, and for outputs that only a run makes.
    var byteCount: Int

    var range: Range<Int> { offset..<(offset + byteCount) }
  }

  var inputs: [Region]
  var outputs: [Region]

  /// Bytes behind each tensor that kernels may read, since they load whole vectors.
  static let slack = 128

  /// The bytes that the memory needs.
  var byteCount: Int { (inputs + outputs).map(\.range.upperBound).max() ?? 0 }

  /// Whether every region lies within so many bytes.
  func fits(in byteCount: Int) -> Bool {
    (inputs + outputs).allSatisfy { region in
      region.offset >= 0 && region.byteCount >= 0 && region.offset <= byteCount
        && region.byteCount <= byteCount - region.offset
    }
  }
}
