// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO

/// The folders that tests read.
enum Fixtures {
  /// The checkout.
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static let documents = root.appending(path: "Tests/Fixtures/Documents")
  static let models = root.appending(path: "Tests/Fixtures/Models")
  static let schema = root.appending(path: "Schemas/model.schema.json")

  /// The original documents, which only developers of this library have next to their checkout.
  static let seeds = root.appending(path: "../shared/seeds")

  /// A file in Tests/Fixtures, which must be there.
  static func data(_ path: String) -> Data {
    guard let data = try? Data(contentsOf: root.appending(path: "Tests/Fixtures/" + path)) else {
      fatalError("\(path) cannot be read.")
    }
    return data
  }

  static func text(_ name: String) throws -> String {
    try String(contentsOf: documents.appending(path: name), encoding: .utf8)
  }

  static func decode<Value: Decodable>(_ type: Value.Type, from name: String) throws -> Value {
    try JSONDecoder().decode(
      Value.self, from: Data(contentsOf: documents.appending(path: name)))
  }
}

/// A temporary folder for one test.
///
/// It's removed when the process ends: a `deinit` could remove it after the last use of the value but
/// before the use of a path.
struct TemporaryFolder: Sendable {
  let path: String

  private static let root: URL = {
    let url = FileManager.default.temporaryDirectory.appending(path: "tensorio-tests-\(UUID())")
    atexit { try? FileManager.default.removeItem(at: TemporaryFolder.root) }
    return url
  }()

  init() throws {
    let url = Self.root.appending(path: "\(UUID())")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path(percentEncoded: false)
  }

  /// Writes a file, and makes the folders that contain it.
  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    try write(Data(text.utf8), to: name)
  }

  @discardableResult
  func write(_ data: Data, to name: String) throws -> String {
    let url = URL(filePath: path).appending(path: name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
    return url.path(percentEncoded: false)
  }

  @discardableResult
  func makeFolder(_ name: String) throws -> String {
    let url = URL(filePath: path).appending(path: name)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url.path(percentEncoded: false)
  }
}
