// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// An HTTP server that classifies the image in a request's body.
//
//     swift run --traits Servers classification-server Demo/digits.tiobundle
//     curl --data-binary @Demo/images/digit-7-01.png http://127.0.0.1:8080/classify
//     curl --data-binary @Demo/images/digit-7-01.png http://127.0.0.1:8080/classify?deadline_ms=50
//     curl http://127.0.0.1:8080/statistics

#if Servers
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import TensorIO
import TensorIOImageCodecs
import TensorIOLiteRT
import TensorIOObservability

/// A label and its score in a response.
struct Score: ResponseEncodable {
  let label: String
  let score: Float
}

/// What the model's sessions do, and how its runs have ended.
struct Statistics: ResponseEncodable {
  let sessions: Int
  let running: Int
  let waiting: Int
  let outcomes: [String: Int]
}

/// Returns the status for an error of the model.
func status(of error: TensorIOError) -> HTTPResponse.Status {
  switch error.code {
  case .unsupportedImage, .invalidImage, .imageTooLarge: .badRequest
  case .overloaded: .serviceUnavailable
  case .deadlineExceeded: .gatewayTimeout
  default: .internalServerError
  }
}

guard (2...3).contains(CommandLine.arguments.count),
  let port = CommandLine.arguments.count == 3 ? Int(CommandLine.arguments[2]) : 8080
else {
  print("usage: classification-server BUNDLE [PORT]")
  exit(64)
}
// Two requests can run the model at the same time, and a hundred wait without blocking a thread. The
// observer logs failures, and reports to the program's metrics.
let observer = ServiceObserver(logger: Logger(label: "classification"))
let loader = ModelLoader(
  backends: [.liteRT], sessions: 2, mostWaiting: 100, observer: observer)
let model = try InferenceModel(at: CommandLine.arguments[1], loader: loader)
try model.load()

let router = Router()
router.post("classify") { request, _ -> [Score] in
  let milliseconds = request.uri.queryParameters.get("deadline_ms", as: Int.self) ?? 2000
  let deadline = ContinuousClock.now + .milliseconds(min(max(milliseconds, 0), 60_000))
  // If the client closes the connection, the task is cancelled, and with it the run.
  return try await request.body.consumeWithCancellationOnInboundClose { body in
    let bytes = try await body.collect(upTo: 10 << 20)
    do {
      let image = ImageFile(bytes: bytes.readableBytesView, named: "The request's image")
      let outputs = try await model.run(image, deadline: deadline)
      return try outputs.value(at: 0, as: Classification.self).top(3)
        .map { Score(label: $0.label, score: $0.value) }
    } catch let error as TensorIOError {
      throw HTTPError(status(of: error), message: error.message)
    }
  }
}
router.get("statistics") { _, _ -> Statistics in
  let statistics = model.statistics
  let outcomes = statistics.outcomes.map { ($0.key.rawValue, $0.value) }
  return Statistics(
    sessions: statistics.sessions, running: statistics.running, waiting: statistics.waiting,
    outcomes: Dictionary(uniqueKeysWithValues: outcomes))
}
let application = Application(
  router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)))
try await application.runService()
#else
print("Build this example with '--traits Servers'.")
#endif
