// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Hummingbird
import WebServing

/// Runs models on the bodies of requests, as long as their clients stay connected.
struct InferenceRequests: Sendable {
  let runner: InferenceRunner
  let bodies: BodyReader
  let clients: ClientConnections

  func run(
    _ model: ServedModel, on request: Request, _ context: WebContext, _ options: InferenceOptions
  ) async throws -> JSONObject {
    func run(on body: InferenceRunner.Body) async throws -> JSONObject {
      try await clients.whileConnected(context.channel) {
        try await runner.run(model, on: body, options)
      }
    }
    if request.isJSON { return try await run(on: .values(bodies.json(of: request))) }
    return try await bodies.withBody(
      of: request, limit: InferenceRunner.maximumImageBytes,
      as: model.subject == .recording ? "The recording" : "The image"
    ) { bytes in
      try await run(on: .file(bytes))
    }
  }
}
#endif
