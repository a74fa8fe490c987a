// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// What a model should find in a photo, which is a string or an array of numbers in JSON.
package enum PhotoLabel: Sendable, Hashable {
  /// The name of a class.
  case text(String)
  /// Numbers, in the order of the model's output.
  case numbers([Double])

  package var truth: GroundTruth {
    switch self {
    case .text(let text): .label(text)
    case .numbers(let numbers): .values(numbers)
    }
  }

  /// Throws if the label is empty or has numbers that aren't finite.
  func check() throws {
    switch self {
    case .text(let text):
      guard !text.isEmpty else {
        throw TensorIOError(
          .wrongKind, "A label needs at least one character. To clear it, remove it.")
      }
    case .numbers(let numbers):
      guard !numbers.isEmpty, numbers.allSatisfy(\.isFinite) else {
        throw TensorIOError(
          .wrongKind, "A label needs one or more finite numbers, got \(numbers).")
      }
    }
  }
}

extension PhotoLabel: Codable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      self = .text(text)
    } else {
      self = .numbers(try container.decode([Double].self))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .numbers(let numbers): try container.encode(numbers)
    }
  }
}

extension PhotoLabel: CustomStringConvertible {
  /// The text, or the numbers separated by commas.
  package var description: String {
    switch self {
    case .text(let text): text
    case .numbers(let numbers): numbers.map(\.shortText).joined(separator: ", ")
    }
  }
}

package struct LabelledPhoto: Sendable, Hashable {
  /// The path relative to the store's root, or an absolute path for a photo outside the root.
  package var path: String
  /// The SHA-256 of the photo's bytes when it was labelled, as 64 hexadecimal digits.
  package var sha256: String
  package var label: PhotoLabel

  /// Whether a photo has changed since it was labelled.
  package enum State: String, Sendable, Codable {
    /// The photo is unchanged.
    case present
    /// The file's bytes have changed.
    case changed
    /// The photo is missing.
    case missing
  }
}

package struct LabelChange: Sendable, Hashable {
  package var model: String
  /// The photo's path, in the same form as ``LabelledPhoto/path``.
  package var photo: String
  package var before: PhotoLabel?
  package var after: PhotoLabel?
}
