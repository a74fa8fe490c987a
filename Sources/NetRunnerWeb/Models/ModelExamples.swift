// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import Hummingbird
import NetRunner
import TensorIO
import WebServing

/// The files in a bundle's folder `examples`, which people can try the model with.
///
/// An example is an image, a recording, or a JSON object with a value for each input. Other files, and
/// links that lead out of the folder, are left out.
struct ModelExamples: Sendable {
  static let folderName = "examples"
  /// Examples beyond these aren't listed.
  private static let maximumCount = 200
  private static let types = [
    "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "bmp": "image/bmp",
    "webp": "image/webp", "wav": "audio/wav", "flac": "audio/flac", "ogg": "audio/ogg",
    "json": "application/json",
  ]
  private let folder: ConfinedFolder?
  private let model: String

  init(of bundle: ModelBundle) {
    folder = ConfinedFolder(bundle.path + "/" + Self.folderName)
    model = bundle.manifest.id
  }

  /// The names of the examples, in the order of the folder's names.
  var names: [String] {
    get throws {
      guard let folder else { return [] }
      let names = try FileSystem.contents(of: folder.path).filter { name in
        path(of: name, in: folder).flatMap(FileSystem.byteCount)
          .map { $0 <= InferenceRunner.maximumImageBytes } ?? false
      }
      return Array(names.sorted().prefix(Self.maximumCount))
    }
  }

  /// Makes a response with an example's bytes.
  ///
  /// - Throws: A `WebError` if the model has no example with this name.
  func response(for name: String) throws -> Response {
    guard try names.contains(name), let folder, let path = path(of: name, in: folder) else {
      throw WebError(
        status: .notFound, code: "example_not_found",
        message: "The model '\(model.prefix(100))' has no example '\(name.prefix(100))'.")
    }
    return .data(
      try FileSystem.read(path), type: Self.type(of: name) ?? "",
      headers: [.cacheControl: "no-cache"])
  }

  /// Returns an example's path, or nil if it isn't one.
  private func path(of name: String, in folder: ConfinedFolder) -> String? {
    guard !name.hasPrefix("."), !name.contains("/"), Self.type(of: name) != nil else { return nil }
    return folder.confinedPath(of: folder.path + "/" + name)
  }

  private static func type(of name: String) -> String? {
    types[String(name.split(separator: ".").last ?? "").lowercased()]
  }
}
#endif
