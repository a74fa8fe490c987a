// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import MLModelInterpreter
import ModelRepositoryAPI
import ModelRepositoryClient
import ModelRepositoryServer
import TestSupport
import Testing

/// Runs interpreters in the way that code for ML Kit does.
enum Interpreting {
  /// One of the test models.
  static func model(_ name: String) -> CustomLocalModel {
    CustomLocalModel(
      modelPath: Python.root.appending(path: "Tests/Fixtures/Models/\(name).tflite").path)
  }

  static func options(
    inputs: [(ModelElementType, [NSNumber])], outputs: [(ModelElementType, [NSNumber])]
  ) throws -> ModelInputOutputOptions {
    let options = ModelInputOutputOptions()
    for (index, format) in inputs.enumerated() {
      try options.setInputFormat(
        index: UInt(index), type: format.0, dimensions: format.1)
    }
    for (index, format) in outputs.enumerated() {
      try options.setOutputFormat(
        index: UInt(index), type: format.0, dimensions: format.1)
    }
    return options
  }

  static func inputs(_ values: [Any]) throws -> ModelInputs {
    let inputs = ModelInputs()
    for value in values { try inputs.addInput(value) }
    return inputs
  }

  static func run(
    _ interpreter: ModelInterpreter, _ inputs: ModelInputs, _ options: ModelInputOutputOptions
  ) async throws -> ModelOutputs {
    try await withCheckedThrowingContinuation { continuation in
      interpreter.run(inputs: inputs, options: options) { outputs, error in
        switch (outputs, error) {
        case (let outputs?, nil): continuation.resume(returning: outputs)
        case (nil, let error?): continuation.resume(throwing: error)
        default: continuation.resume(throwing: NSError(domain: "neither or both", code: 0))
        }
      }
    }
  }

  /// Starts a repository's server, whose data is in a folder.
  static func host(in folder: String) async throws -> (
    address: String, publisher: ModelRepositoryPublisher, serving: Task<Void, any Error>
  ) {
    var options = ModelRepositoryOptions(dataFolder: folder + "/data")
    options.port = 0
    let token = try await RepositoryStore(options).makeToken(
      TokenRequest(name: "all", scopes: [.admin])
    ).secret
    let server = try ModelRepositoryServer(options)
    let addresses = AsyncStream.makeStream(of: String.self)
    let serving = Task { try await server.run { addresses.continuation.yield($0) } }
    let address = try #require(await addresses.stream.first { _ in true })
    return (address, try ModelRepositoryPublisher(server: address, token: token), serving)
  }

  /// Returns the error of a call, and records an issue if there is none.
  static func code(_ body: () async throws -> Void) async -> MLErrorCode? {
    do {
      try await body()
      Issue.record("There was no error.")
      return nil
    } catch let error as NSError {
      #expect(error.domain == MLErrorCode.domain && !error.localizedDescription.isEmpty)
      return MLErrorCode(rawValue: error.code)
    }
  }
}
#endif
