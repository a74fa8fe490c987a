// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import NetRunnerWeb

@Suite struct WebErrorTests {
  @Test func `errors of one code are equal`() {
    let error = WebError(status: .notFound, code: "model_not_found", message: "There is no model.")
    #expect(error.status.code == 404)
  }
}
