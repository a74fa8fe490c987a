// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import TensorIO

/// A client's request for an evaluation.
struct EvaluationRequest: Sendable, Hashable {
  enum Source: Sendable, Hashable {
    /// An upload's identifier.
    case upload(String)
    /// One of the server's folders, optionally followed by a path inside it.
    case folder(String)
    case samples
  }

  var models: [String]
  var source: Source
  /// How many times to run each image, or nil to use the dataset's own number.
  var iterations: Int?
  /// How many images to process at once, or nil to use the server's default.
  var threads: Int?
  /// The maximum number of images to evaluate, or nil for all of them.
  var limit: Int?

  static let maximumIterations = 1000
  private static let maximumModels = 16

  init(_ document: JSONValue, maximumThreads: Int) throws {
    let body = try JSONObjectReader(document, "The body")
    models = try body.array("models", isRequired: true).map { element in
      guard case .string(let id) = element else {
        throw WebError.badRequest("'models' must contain only ids, which are strings.")
      }
      return id
    }
    guard (1...Self.maximumModels).contains(models.count), Set(models).count == models.count else {
      throw WebError.badRequest(
        "'models' must contain 1 to \(Self.maximumModels) ids, each only once.")
    }
    source = try Self.source(body)
    iterations = try body.integer("iterations", in: 1...Self.maximumIterations)
    threads = try body.integer("threads", in: 1...maximumThreads)
    limit = try body.integer("limit", in: 1...Int(Int32.max))
  }

  private static func source(_ body: JSONObjectReader) throws -> Source {
    let chosen: [Source?] = [
      try body.text("upload").map { .upload($0) }, try body.text("folder").map { .folder($0) },
      try body.bool("sample") == true ? .samples : nil,
    ]
    let sources = chosen.compactMap(\.self)
    guard sources.count == 1 else {
      throw WebError.badRequest(
        "Choose the images with exactly one of 'upload', 'folder' and '\"sample\": true'.")
    }
    return sources[0]
  }
}
#endif
