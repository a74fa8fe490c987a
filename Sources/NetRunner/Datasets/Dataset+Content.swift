// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

extension Dataset {
  /// What the samples of a dataset are.
  public enum Content: String, Sendable, Codable {
    /// Images.
    case images
    /// Recordings.
    case recordings
    /// Numbers and text that are passed to a model as they are, whatever it takes.
    case values
  }

  /// What the dataset consists of, as the first sample shows.
  package var content: Content {
    if let foundContent { return foundContent }
    return switch samples.first?.source {
    case .file(let path), .url(let path): Content(ofFile: path)
    case .tensor, .row, .numbers: .values
    default: .images
    }
  }
}

/// The words for samples in reports, notes and errors.
extension Dataset.Content {
  init(ofFile path: String) {
    self =
      ImageFolder.isSound(path) ? .recordings : ImageFolder.isArray(path) ? .values : .images
  }

  /// The word for one sample.
  package var noun: String {
    switch self {
    case .images: "image"
    case .recordings: "recording"
    case .values: "sample"
    }
  }

  package var plural: String { noun + "s" }

  /// The word at the start of a sentence.
  package var title: String { noun.prefix(1).uppercased() + noun.dropFirst() }

  package var withArticle: String { (self == .images ? "an " : "a ") + noun }

  /// Returns a number with the word.
  package func counted(_ count: Int) -> String { TensorIO.counted(count, noun) }
}
