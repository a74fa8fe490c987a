// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TensorIO

@Suite struct ModelIDTests {
  @Test func `an identifier has three parts`() throws {
    let id = try #require(ModelID("tio:///models/cats/hyperparameters/9%20.a/checkpoints/é.1"))
    #expect(id.model == "cats")
    #expect(id.hyperparameters == "9%20.a")
    #expect(id.checkpoint == "é.1")
    #expect("\(id)" == "tio:///models/cats/hyperparameters/9%20.a/checkpoints/é.1")
    #expect(ModelID("\(id)") == id)
  }

  @Test(arguments: [
    "", "tio://", "tio:///", "tio:///models/a", "tio:///models/a/hyperparameters/b",
    "tio:///models/a/hyperparameters/b/checkpoints",
    "tio:///models/a/hyperparameters/b/checkpoints/",
    "tio:///models/a/hyperparameters/b/checkpoints/c/",
    "tio:///models//hyperparameters/b/checkpoints/c",
    "tio:///models/a/hyperparameters/b/checkpoints/c/d",
    "tio:///models/a/hyperparameters/b/checkpoints/c?x",
    "tio:///models/a/hyperparameters/b/checkpoints/c#x",
    "tio://models/a/hyperparameters/b/checkpoints/c",
    "tio:////models/a/hyperparameters/b/checkpoints/c",
    "tio:///model/a/hyperparameters/b/checkpoints/c",
    "tio:///Models/a/hyperparameters/b/checkpoints/c",
    "TIO:///models/a/hyperparameters/b/checkpoints/c",
    "http:///models/a/hyperparameters/b/checkpoints/c",
    " tio:///models/a/hyperparameters/b/checkpoints/c",
    "tio:///models/a/hyperparameters/b/checkpoints/c\n",
    "tio:///models/a b/hyperparameters/b/checkpoints/c",
    "tio:///models/a\0/hyperparameters/b/checkpoints/c",
    "tio:///hyperparameters/b/models/a/checkpoints/c",
    "x tio:///models/a/hyperparameters/b/checkpoints/c",
  ])
  func `an identifier in any other form is invalid`(_ text: String) {
    #expect(ModelID(text) == nil)
  }
}
