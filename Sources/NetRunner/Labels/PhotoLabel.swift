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

/// What a person says that a model should find in a photo.
///
/// In JSON it is a text or an array of numbers.
public enum PhotoLabel: Sendable, Hashable {
  /// A class.
  case text(String)
  /// Numbers, in the order of the model's output.
  case numbers([Double])

  /// The label as metrics read it.
  public var truth: GroundTruth {
    switch self {
    case .text(let text): .label(text)
    case .numbers(let numbers): .values(numbers)
    }
  }

  /// Refuses a label that says nothing, or that no file can hold.
  func check() throws {
    switch self {
    case .text(let text):
      guard !text.isEmpty else {
        throw TensorIOError(.wrongKind, "A label has at least one character; remove it instead.")
      }
    case .numbers(let numbers):
      guard !numbers.isEmpty, numbers.allSatisfy(\.isFinite) else {
        throw TensorIOError(
          .wrongKind, "A label takes at least one finite number, got \(numbers).")
      }
    }
  }
}

extension PhotoLabel: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      self = .text(text)
    } else {
      self = .numbers(try container.decode([Double].self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .numbers(let numbers): try container.encode(numbers)
    }
  }
}

extension PhotoLabel: CustomStringConvertible {
  /// The text, or the numbers with commas between them.
  public var description: String {
    switch self {
    case .text(let text): text
    case .numbers(let numbers): numbers.map(\.shortText).joined(separator: ", ")
    }
  }
}

/// A photo that has a label for a model.
public struct LabelledPhoto: Sendable, Hashable {
  /// Its path from the store's root; a whole path for photos outside of it.
  public var path: String
  /// SHA-256 of its bytes when it was labelled, as 64 hexadecimal digits.
  public var sha256: String
  /// The label.
  public var label: PhotoLabel

  /// Makes a labelled photo.
  public init(path: String, sha256: String, label: PhotoLabel) {
    self.path = path
    self.sha256 = sha256
    self.label = label
  }

  /// What has become of a photo since it was labelled.
  public enum State: String, Sendable, Codable {
    /// It is as it was.
    case present
    /// Another picture has its name now.
    case changed
    /// It is gone.
    case missing
  }
}

/// A label that was set, replaced or removed.
public struct LabelChange: Sendable, Hashable {
  /// The model's identifier.
  public var model: String
  /// The photo's path, as ``LabelledPhoto/path``.
  public var photo: String
  /// The label before; nil without one.
  public var before: PhotoLabel?
  /// The label after; nil where it was removed.
  public var after: PhotoLabel?
}
