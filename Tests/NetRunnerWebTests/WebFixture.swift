// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import TensorIO
import TensorIOLiteRT
import TestSupport

@testable import NetRunnerWeb

/// A server for one test with its own folder of models.
final class WebFixture {
  let folder: String
  var options: NetRunnerOptions

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "netrunner-\(UUID())").path
    let models = folder + "/models"
    try FileManager.default.createDirectory(atPath: models, withIntermediateDirectories: true)
    options = NetRunnerOptions(models: models, backends: [.liteRT])
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  static let demo = Python.root.path + "/Demo"

  /// Adds a bundle with a fixture model to the folder.
  func addBundle(
    _ model: String, id: String, inputs: [String], outputs: [String], type: String = "test"
  )
    throws
  {
    let bundle = options.models + "/\(id).tiobundle"
    try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: Python.root.path + "/Tests/Fixtures/Models/\(model).tflite",
      toPath: bundle + "/model.tflite")
    try """
    {"name": "\(id)", "details": "", "id": "\(id)", "version": "1", "author": "", "license": "",
     "model": {"file": "model.tflite", "quantized": false, "type": "\(type)"},
     "inputs": [\(inputs.joined(separator: ","))], "outputs": [\(outputs.joined(separator: ","))]}
    """.write(toFile: bundle + "/model.json", atomically: true, encoding: .utf8)
  }

  /// Runs a test with a client of the server.
  func test(
    _ setup: TestingSetup = .router,
    _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void
  ) async throws {
    let router = try NetRunnerServer(options).router()
    try await Application(router: router).test(setup) { client in try await body(client) }
  }

  static func picture(_ name: String = "digit-7-01.png") throws -> ByteBuffer {
    ByteBuffer(bytes: try Data(contentsOf: URL(filePath: "\(demo)/images/\(name)")))
  }
}

extension TestResponse {
  /// The body as JSON.
  var json: JSONValue {
    get throws { try JSONValue(parsing: Data(body.readableBytesView)) }
  }

  /// The code of an error.
  var code: String? {
    get throws { try json["error"]["code"].text }
  }
}
#endif
