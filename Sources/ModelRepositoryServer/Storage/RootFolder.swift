// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import ModelRepositoryAPI

/// The files `roots/N.json`: the signed root documents, numbered from 1 without a gap.
struct RootFolder: Sendable {
  /// The trust that the newest document defines, or nil if the folder has no document.
  var trust: RepositoryTrust?
  /// The signed documents as they are sent, the first one first.
  var documents: [Data] = []
  /// All keys that any of the documents has allowed to sign channel documents.
  var namedKeys: [VerificationKey] = []

  /// Reads the documents, each of which has to follow the previous one.
  static func load(_ folder: String) throws -> RootFolder {
    var content = RootFolder()
    let names = Set(try FileSystem.names(in: folder))
    var version = 1
    while names.contains("\(version).json") {
      let path = "\(folder)/\(version).json"
      guard let data = FileManager.default.contents(atPath: path) else {
        throw RepositoryError(.storage, "The root document '\(path)' cannot be read.")
      }
      do {
        let signed = try RepositoryJSON.decode(SignedDocument.self, from: data)
        if content.trust == nil {
          content.trust = try RepositoryTrust(root: signed)
        } else {
          try content.trust?.accept(signed)
        }
      } catch {
        throw RepositoryError(
          .storage,
          "The root document '\(path)' is damaged: \(error) Copy it from a backup, or from the "
            + "server's /v1/root/\(version).")
      }
      guard content.trust?.version == version else {
        throw RepositoryError(
          .storage,
          "'\(path)' contains root document \(content.trust?.version ?? 0). Copy the right one "
            + "from a backup.")
      }
      content.documents.append(data)
      content.namedKeys += try content.trust?.root?.channels.verificationKeys() ?? []
      version += 1
    }
    let later = names.compactMap { name in
      name.hasSuffix(".json") ? Int(name.dropLast(".json".count)) : nil
    }.filter { $0 > version }.min()
    if let later {
      throw RepositoryError(
        .storage,
        "'\(folder)' has \(later).json, but \(version).json is missing. Copy it from a backup.")
    }
    return content
  }
}
#endif
