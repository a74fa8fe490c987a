// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import TensorIO

/// A client's request for an evaluation.
struct EvaluationRequest: Sendable, Hashable {
  /// The location of the images.
  enum Source: Sendable, Hashable {
    /// An upload's identifier.
    case upload(String)
    /// One of the server's folders, optionally followed by a path inside it.
    case folder(String)
    /// The sample images that come with the server.
    case samples
  }

  /// The models' identifiers.
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

  /// Reads a request.
  ///
  /// - Parameters:
  ///   - document: The request's body.
  ///   - maximumThreads: The maximum number of images that may be processed at once.
  /// - Throws: ``WebError`` if a member is invalid. The message names the member and says what it
  ///   takes.
  init(_ document: JSONValue, maximumThreads: Int) throws {
    guard case .object(let members) = document else {
      throw WebError.badRequest("The body must be a JSON object.")
    }
    models = try Self.models(members["models"] ?? .null)
    source = try Self.source(members)
    iterations = try Self.integer("iterations", members, 1...Self.maximumIterations)
    threads = try Self.integer("threads", members, 1...maximumThreads)
    limit = try Self.integer("limit", members, 1...Int(Int32.max))
  }

  private static func models(_ value: JSONValue) throws -> [String] {
    guard case .array(let elements) = value else {
      throw WebError.badRequest("'models' must be an array of model ids.")
    }
    let ids = try elements.map { element in
      guard case .string(let id) = element else {
        throw WebError.badRequest("'models' must contain only ids, which are strings.")
      }
      return id
    }
    guard (1...maximumModels).contains(ids.count), Set(ids).count == ids.count else {
      throw WebError.badRequest(
        "'models' must contain 1 to \(maximumModels) ids, each only once.")
    }
    return ids
  }

  private static func source(_ members: [String: JSONValue]) throws -> Source {
    var sources: [Source] = []
    switch members["upload"] {
    case .string(let id): sources.append(.upload(id))
    case nil, .null: break
    default: throw WebError.badRequest("'upload' must be an upload's id, as a string.")
    }
    switch members["folder"] {
    case .string(let folder): sources.append(.folder(folder))
    case nil, .null: break
    default:
      throw WebError.badRequest("'folder' must be one of the server's folders, as a string.")
    }
    switch members["sample"] {
    case .bool(true): sources.append(.samples)
    case nil, .null, .bool(false): break
    default: throw WebError.badRequest("'sample' must be true or false.")
    }
    guard sources.count == 1 else {
      throw WebError.badRequest(
        "Choose the images with exactly one of 'upload', 'folder' and '\"sample\": true'.")
    }
    return sources[0]
  }

  private static func integer(
    _ name: String, _ members: [String: JSONValue], _ range: ClosedRange<Int>
  ) throws -> Int? {
    let number: Int?
    switch members[name] {
    case nil, .null: return nil
    case .number(let value): number = Int(exactly: value)
    case .integer(let value): number = Int(exactly: value)
    default: number = nil
    }
    guard let number, range.contains(number) else {
      throw WebError.badRequest(
        "'\(name)' must be a whole number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }
}
#endif
