// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Files
import Foundation

/// The repository and version that a bundle in the models folder came from.
///
/// It is stored in the bundle's folder, so that both appear and disappear together. Archives can't
/// supply an origin: ``BundleImporter`` writes the file, or removes it.
struct BundleOrigin: Hashable, Sendable, Codable {
  var repository: String
  var channel: String
  var model: String
  var version: String
  /// The digest of the version's manifest.
  var manifest: String
  /// The version of the channel's document that named this version of the model.
  var documentVersion: Int

  enum CodingKeys: String, CodingKey {
    case repository, channel, model, version, manifest
    case documentVersion = "document_version"
  }
}

extension BundleOrigin {
  /// The file's name, which is hidden so that nobody mistakes it for a part of the model.
  ///
  /// A repository's versions can't contain a file with such a name.
  static let fileName = ".origin.json"
  private static let maximumBytes = 64 << 10

  /// Reads the origin, which is nil if the bundle came from elsewhere or the file isn't valid.
  init?(ofBundle bundle: String) {
    guard let file = try? OpenFile(reading: "\(bundle)/\(Self.fileName)"),
      let size = try? file.status.size, (1...Self.maximumBytes).contains(size),
      let bytes = try? file.bytes(in: 0..<size),
      let origin = try? JSONDecoder().decode(Self.self, from: Data(bytes))
    else { return nil }
    self = origin
  }

  /// Sets a bundle's origin, and removes any origin that the bundle brought with it.
  ///
  /// The file is deleted by its path instead of comparing names, because only the file system knows
  /// which names it treats as the same, such as 'É' and 'é'.
  static func replace(in bundle: String, with origin: BundleOrigin?) throws {
    let path = "\(bundle)/\(fileName)"
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch let error as CocoaError where error.code == .fileNoSuchFile {
      // This is the usual case: the bundle has no such file.
    }
    guard let origin else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let file = try OpenFile(creating: path)
    try encoder.encode(origin).withUnsafeBytes { try file.write($0) }
    try file.flush()
  }

  /// Throws if this origin is older than the present one, so that a document that used to be valid
  /// can't be sent again.
  func refuseOlder(than present: BundleOrigin?) throws(ImportError) {
    guard let present, present.repository == repository, present.channel == channel,
      present.model == model, present.documentVersion > documentVersion
    else { return }
    throw ImportError(
      .replayed,
      "Version '\(version)' of '\(model)' comes from version \(documentVersion) of the document of"
        + " channel '\(channel)', but the installed model comes from version"
        + " \(present.documentVersion). Ask the operator of the repository.")
  }
}
#endif
