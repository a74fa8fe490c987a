// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Finds out what the samples are if the first ones are in an archive or below a prefix.
///
/// In datasets such as WebDataset's, files with the same name up to the first dot belong together. If
/// the first of them have several kinds, images take precedence, then recordings.
struct ContentSearch {
  /// Why archives or prefixes couldn't be read.
  private(set) var failures: [TensorIOError] = []
  /// Whether no further archive is to be tried.
  var isOver: Bool { failures.count >= Self.mostFailures }

  private let access: ObjectAccess?
  private static let mostFailures = 3

  /// Makes a search, for which `access` reads archives and lists objects elsewhere.
  init(with access: ObjectAccess?) { self.access = access }

  /// Returns what the samples of a source are; nil if it has none.
  mutating func content(of source: ImageSource) -> Dataset.Content? {
    guard CollectionReader.isCollection(source) else { return Dataset.Content(ofFile: source.id) }
    let selection = CollectionReader.Selection(
      isWanted: ImageFolder.isSample, isDone: { _, _ in false })
    let reader = CollectionReader(source.id, access, selection)
    var found: [Dataset.Content] = []
    var record: String?
    search: while !isOver, let entry = reader.next() {
      switch entry {
      case .failure(let name, let error) where !ImageFolder.isSample(name):
        failures.append(error)
      case .object(let name), .member(let name, _), .done(let name), .failure(let name, _):
        if record != nil, record != Self.record(of: name) { break search }
        record = Self.record(of: name)
        found.append(Dataset.Content(ofFile: name))
      }
    }
    return [.images, .recordings, .values].first(where: found.contains)
  }

  /// The path up to the first dot of the file's name.
  private static func record(of name: String) -> String {
    FileSystem.folder(of: name) + "/" + FileSystem.name(of: name).prefix { $0 != "." }
  }
}
