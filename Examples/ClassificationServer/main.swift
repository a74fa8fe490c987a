// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// An HTTP server that classifies the image in a request's body.
//
//     swift run --traits Servers classification-server Demo/digits.tiobundle
//     curl --data-binary @Demo/images/digit-7-01.png http://127.0.0.1:8080/classify

#if Servers
import Foundation
import Hummingbird
import NIOCore
import TensorIO
import TensorIOImageCodecs
import TensorIOLiteRT

/// A label and its score in a response.
struct Score: Encodable {
  let label: String
  let score: Float
}

/// The errors that are about the request's image and not about the server.
let imageErrors: Set<TensorIOError.Code> = [.unsupportedImage, .invalidImage, .imageTooLarge]

guard CommandLine.arguments.count == 2 else {
  print("usage: classification-server BUNDLE")
  exit(64)
}
// Two requests can run the model at the same time. Others wait without blocking a thread.
let loader = ModelLoader(backends: [.liteRT], sessions: 2)
let model = try loader.model(at: CommandLine.arguments[1])
try model.load()

let router = Router()
router.post("classify") { request, _ -> [Score] in
  let body = try await request.body.collect(upTo: 10 << 20)
  do {
    let image = ImageFile(bytes: Array(body.readableBytesView), named: "The request's image")
    let scores = try await model.run(image).value(at: 0, as: Classification.self)
    return scores.top(3).map { Score(label: $0.label, score: $0.value) }
  } catch let error as TensorIOError where imageErrors.contains(error.code) {
    throw HTTPError(.badRequest, message: error.message)
  }
}
let application = Application(
  router: router, configuration: .init(address: .hostname("127.0.0.1", port: 8080)))
try await application.runService()
#else
print("Build this example with '--traits Servers'.")
#endif
