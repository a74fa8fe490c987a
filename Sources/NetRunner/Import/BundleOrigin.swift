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

/// Which version of which repository a bundle of the models folder is.
///
/// It lies in the bundle's folder, so that both come and go in one step. No archive brings one:
/// ``BundleImporter`` writes it, or takes it away.
package struct BundleOrigin: Hashable, Sendable, Codable {
  /// The repository's address.
  package var repository: String
  /// The channel that gave the version.
  package var channel: String
  /// The model's name in the repository.
  package var model: String
  /// The version's name.
  package var version: String
  /// The digest of the version's manifest.
  package var manifest: String
  /// The channel's document that named the version.
  package var documentVersion: Int

  /// Makes an origin.
  package init(
    repository: String, channel: String, model: String, version: String, manifest: String,
    documentVersion: Int
  ) {
    self.repository = repository
    self.channel = channel
    self.model = model
    self.version = version
    self.manifest = manifest
    self.documentVersion = documentVersion
  }

  enum CodingKeys: String, CodingKey {
    case repository, channel, model, version, manifest
    case documentVersion = "document_version"
  }
}

extension BundleOrigin {
  /// Hidden: no version of a repository may have such a file, and nobody takes it for a part of the
  /// model.
  static let fileName = ".origin.json"
  /// The most bytes that the file may have.
  private static let maximumBytes = 64 << 10

  /// The origin of a bundle; nil for one that came another way, or whose file is no origin.
  ///
  /// - Parameter bundle: The bundle's folder.
  package init?(ofBundle bundle: String) {
    guard let file = try? FileParts("\(bundle)/\(Self.fileName)"),
      (1...Self.maximumBytes).contains(file.count), let bytes = try? file.bytes(0..<file.count),
      let origin = try? JSONDecoder().decode(Self.self, from: Data(bytes))
    else { return nil }
    self = origin
  }

  /// Makes an origin that of a bundle, and takes away what the bundle said of it itself.
  ///
  /// The file system finds the file, and not a comparison of names: it may take 'É' for 'é'.
  ///
  /// - Parameters:
  ///   - bundle: The bundle's folder.
  ///   - origin: Where it came from; nil for one that came another way.
  /// - Throws: What the system says.
  static func replace(in bundle: String, with origin: BundleOrigin?) throws {
    let path = "\(bundle)/\(fileName)"
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch let error as CocoaError where error.code == .fileNoSuchFile {
      // That is how it should be.
    }
    guard let origin else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let file = try ExclusiveFile(path)
    try encoder.encode(origin).withUnsafeBytes { try file.write($0) }
    try file.flush()
  }

  /// Refuses what is older than what is there: somebody sends what was true once.
  ///
  /// - Parameter present: The origin of the bundle that would be replaced.
  /// - Throws: ``ImportError`` with the code `replayed`.
  package func refuseOlder(than present: BundleOrigin?) throws(ImportError) {
    guard let present, present.repository == repository, present.channel == channel,
      present.model == model, present.documentVersion > documentVersion
    else { return }
    throw ImportError(
      .replayed,
      "Version '\(version)' of '\(model)' is by version \(documentVersion) of the document of channel"
        + " '\(channel)', but version \(present.documentVersion) gave the model that is here. Ask who"
        + " runs the repository.")
  }
}
