// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

extension Dataset {
  /// The number of failures after which no further archive is tried.
  private static let mostFailures = 3

  /// Finds out what the samples are if the first ones are in an archive or below a prefix.
  ///
  /// In datasets such as WebDataset's, files with the same name up to the first dot belong together. If
  /// the first of them have several kinds, images take precedence, then recordings.
  ///
  /// - Parameter access: Reads archives and lists objects elsewhere.
  /// - Throws: `TensorIOError` if the first archives can't be read, or if they have no samples.
  package mutating func findContent(with access: ObjectAccess?) throws {
    guard let first = samples.first, CollectionReader.isCollection(first.source) else { return }
    var failures: [TensorIOError] = []
    for sample in samples where failures.count < Self.mostFailures {
      guard CollectionReader.isCollection(sample.source) else {
        foundContent = Content(ofFile: sample.source.id)
        return
      }
      let selection = CollectionReader.Selection(
        isWanted: ImageFolder.isSample, isDone: { _ in false })
      let reader = CollectionReader(sample.id, access, selection)
      var found: [Content] = []
      var record: String?
      search: while failures.count < Self.mostFailures, let entry = reader.next() {
        switch entry {
        case .failure(let name, let error) where !ImageFolder.isSample(name):
          failures.append(error)
        case .object(let name), .member(let name, _), .done(let name), .failure(let name, _):
          if record != nil, record != Self.record(of: name) { break search }
          record = Self.record(of: name)
          found.append(Content(ofFile: name))
        }
      }
      foundContent = [.images, .recordings, .values].first(where: found.contains)
      if foundContent != nil { return }
    }
    throw failures.first ?? DatasetReader.noImages(in: samples.map(\.id), [], code: .fileNotFound)
  }

  /// The path up to the first dot of the file's name.
  private static func record(of name: String) -> String {
    FileSystem.folder(of: name) + "/" + FileSystem.name(of: name).prefix { $0 != "." }
  }
}
