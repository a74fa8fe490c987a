// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Hashing
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ModelBundle {
  /// The SHA-256 of the model's file, or of the names and bytes of all files in its folder.
  func sha256() throws -> String {
    guard let modelPath else { return try SHA256.digest(of: [UInt8]()).hexadecimal }
    if FileSystem.isFile(modelPath) { return try SHA256.digest(ofFile: modelPath).hexadecimal }
    var hash = try SHA256.start()
    for name in try Self.files(in: modelPath) {
      let digest = try SHA256.digest(ofFile: modelPath + "/" + name)
      hash.update(data: Array("\(name)\n\(digest.hexadecimal)\n".utf8))
    }
    return hash.finalize().hexadecimal
  }

  /// The SHA-256 of everything in the bundle that decides the results.
  ///
  /// This covers the model's files, the members of model.json apart from those that only describe
  /// the model to people, and the files that these members name, such as weights and labels.
  ///
  /// - Parameter sha256: The SHA-256 of the model's file or files.
  /// - Returns: 64 hexadecimal digits.
  /// - Throws: `TensorIOError` if a file can't be read.
  func contentSHA256(ofModel sha256: String) throws -> String {
    let document = try JSONValue(parsing: FileSystem.read(path + "/model.json"))
    guard case .object(var members) = document else {
      throw TensorIOError(.invalidBundle, "'\(path)/model.json' must be a JSON object.")
    }
    for name in Self.descriptions { members[name] = nil }
    let kept = JSONValue.object(members)
    var hash = try SHA256.start()
    hash.update(data: Array("\(sha256)\n\(try StableJSON(kept).text)\n".utf8))
    for name in kept.texts.sorted(by: ImageFolder.precedes) where FileSystem.staysInside(name) {
      // Weights are beside model.json, and all other files in the folder of the assets.
      for file in [path + "/" + name, assetPath(name)]
      where file != modelPath && FileSystem.isFile(file) {
        let digest = try SHA256.digest(ofFile: file)
        hash.update(data: Array("\(file.dropFirst(path.count))\n\(digest.hexadecimal)\n".utf8))
      }
    }
    return hash.finalize().hexadecimal
  }

  /// The members of model.json that decide no result.
  ///
  /// The identifier isn't among them, because rows have it.
  private static let descriptions = ["name", "details", "version", "author", "license"]

  /// The paths of all files relative to a folder, in the same order on every machine.
  private static func files(in folder: String) throws -> [String] {
    var found: [String] = []
    for name in try FileSystem.contents(of: folder) {
      let path = folder + "/" + name
      if FileSystem.isFolder(path) {
        found += try files(in: path).map { name + "/" + $0 }
      } else {
        found.append(name)
      }
    }
    return found.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
  }
}

extension JSONValue {
  /// All distinct texts in the value, apart from the names of members.
  fileprivate var texts: Set<String> {
    switch self {
    case .string(let text): [text]
    case .array(let elements): elements.reduce(into: []) { $0.formUnion($1.texts) }
    case .object(let members): members.values.reduce(into: []) { $0.formUnion($1.texts) }
    case .null, .bool, .number, .integer: []
    }
  }
}
