// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import Hummingbird
import ModelRepositoryAPI
import WebServing

extension Request {
  /// Reads the body, which must be a JSON document of at most `limit` bytes.
  ///
  /// A member that the type doesn't have is an error. Otherwise, a misspelt one would be lost, and with
  /// it a version, a limit or a date.
  func json<Value: Codable>(
    _ type: Value.Type, limit: Int = 1 << 16, _ options: ModelRepositoryOptions
  ) async throws -> Value {
    guard isJSON else {
      throw Problem(
        .unsupportedMediaType, "not_json",
        "The body must be JSON, with 'Content-Type: application/json'.")
    }
    func check(_ count: Int) throws {
      guard count <= limit else {
        throw Problem(
          .contentTooLarge, "body_too_large", "The body has more than \(limit) bytes.",
          endsConnection: true)
      }
    }
    // A body that announces too many bytes is rejected before any of it is read.
    try check(announcedLength ?? 0)
    var pace = MinimumRateCheck(options)
    var bytes = Data()
    for try await part in body {
      try pace.received(part.readableBytes)
      try check(bytes.count + part.readableBytes)
      bytes.append(contentsOf: part.readableBytesView)
    }
    let (value, unknown): (Value, String?)
    do {
      value = try RepositoryJSON.decode(type, from: bytes)
      unknown = try Self.unknownMember(of: bytes, read: value)
    } catch let error as DecodingError {
      throw Problem(
        .badRequest, "invalid_body", "The body isn't a valid \(type): \(Self.reason(error))")
    } catch {
      throw Problem(.badRequest, "invalid_body", "The body isn't JSON.")
    }
    guard let unknown else { return value }
    throw Problem(
      .badRequest, "invalid_body",
      "The body isn't a valid \(type): '\(unknown.prefix(200))' is unknown. Check its spelling; "
        + "/v1/openapi.json lists the members.")
  }

  /// Returns the path of a member that the value doesn't have, or nil if it has all.
  private static func unknownMember(
    of body: Data, read value: some Encodable
  ) throws -> String? {
    let known = try JSONSerialization.jsonObject(with: RepositoryJSON.encode(value))
    return unknownMember(of: try JSONSerialization.jsonObject(with: body), known, at: [])
  }

  private static func unknownMember(of given: Any, _ known: Any?, at path: [String]) -> String? {
    if let given = given as? [Any] {
      let known = known as? [Any] ?? []
      return given.enumerated().lazy.compactMap { index, element in
        index < known.count
          ? unknownMember(of: element, known[index], at: path + ["\(index)"]) : nil
      }.first
    }
    guard let given = given as? [String: Any], let known = known as? [String: Any] else {
      return nil
    }
    return given.lazy.compactMap { name, value in
      // An optional member may be null.
      guard !(value is NSNull) else { return nil }
      let place = path + [name]
      guard let own = known[name] else { return place.joined(separator: ".") }
      return unknownMember(of: value, own, at: place)
    }.first
  }

  private static func reason(_ error: DecodingError) -> String {
    func location(_ context: DecodingError.Context) -> String {
      context.codingPath.map(\.stringValue).joined(separator: ".")
    }
    return switch error {
    case .keyNotFound(let key, _): "'\(key.stringValue)' is missing."
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .dataCorrupted(let context):
      "'\(location(context))': \(context.debugDescription)"
    @unknown default: "it cannot be read."
    }
  }
}

/// Rejects bodies that arrive too slowly, so that a few clients can't occupy all connections
/// forever.
///
/// The idle timeout handles clients that send nothing at all.
struct MinimumRateCheck {
  private let minimumRate: Int
  private let patience: Duration
  private let start = ContinuousClock.now
  private var count = 0

  init(_ options: ModelRepositoryOptions) {
    minimumRate = options.minimumBodyRate
    patience = options.slowBodyTime
  }

  /// Records that bytes arrived, and throws if the body has arrived too slowly so far.
  mutating func received(_ bytes: Int) throws {
    count += bytes
    let time = ContinuousClock.now - start
    guard time < patience || Double(count) >= Double(minimumRate) * (time / .seconds(1)) else {
      throw Problem(
        .requestTimeout, "body_too_slow",
        "The body arrives at less than \(minimumRate) bytes per second.", endsConnection: true)
    }
  }
}

extension Response {
  static func json(
    _ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
  ) throws -> Response {
    .data(
      try RepositoryJSON.encode(value), type: "application/json", status: status, headers: headers)
  }

  /// Returns the response to a HEAD request: the same header fields, including the body's length.
  func withoutBody() -> Response {
    Response(status: status, headers: headers)
  }

  /// Creates the response for a client that already has the current content.
  static func notModified(_ headers: HTTPFields) -> Response {
    var response = Response(status: .notModified, headers: headers)
    // The field would have to give the length of the body that isn't sent, which isn't 0.
    response.headers[.contentLength] = nil
    return response
  }
}
#endif
