// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The information that a process needs to load a model.
struct ModelAddress: Codable {
  var path: String
  var backend: String
  var modes: Int
  var threads: Int
  var accelerator = Accelerator.cpu
  var weights: String?
}

/// A request to the process that runs a model.
enum WorkerRequest: Codable {
  case load(ModelAddress)
  case describe(LayerNames, SignatureDescription)
  case makeSession(SignatureDescription)
  case resizeInputs([[Int]])
  case reset
  case setStrings(input: Int, [Data])
  case useDefault(input: Int)
  case readStrings(output: Int)
}

/// A reply of the process that runs a model.
///
/// A run has no request of its own: it uses the empty message. Its reply is also empty unless the
/// layout changed.
enum WorkerReply: Codable {
  case loaded(signatures: [SignatureDescription], keepsState: Bool)
  case described(SignatureDescription)
  case layout(SessionLayout)
  case strings([Data])
  case done
  case failed(code: String, message: String, subject: String?)

  static func failed(_ error: TensorIOError) -> WorkerReply {
    .failed(code: error.code.description, message: error.message, subject: error.subject)
  }
}

/// The positions of a session's tensors in the memory that both processes share.
struct SessionLayout: Codable, Hashable {
  struct Region: Codable, Hashable {
    var shape: [Int]
    /// The offset of the elements in bytes.
    var offset: Int
    /// The number of bytes.
    ///
    /// It is 0 for strings, which are sent in messages, and for outputs whose size only a run
    /// determines.
    var byteCount: Int

    var range: Range<Int> { offset..<(offset + byteCount) }
  }

  var inputs: [Region]
  var outputs: [Region]

  /// The number of bytes after each tensor that kernels may read, because they load whole vectors.
  static let slack = 128

  /// The number of bytes that the memory needs, for a layout that is possible.
  var byteCount: Int { (inputs + outputs).map(\.range.upperBound).max() ?? 0 }

  /// Whether memory can have every region and the bytes after it.
  ///
  /// Another process has computed the numbers, so they can be anything.
  var isPossible: Bool {
    (inputs + outputs).allSatisfy { region in
      region.offset >= 0 && region.byteCount >= 0
        && region.offset <= Int.max - Self.slack - region.byteCount
    }
  }
}
