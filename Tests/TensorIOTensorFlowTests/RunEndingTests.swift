// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import Testing

/// Runs that a deadline ends in TensorFlow, on a model that counts to its input.
///
/// A run that went on would take hours, and these tests with it.
struct RunEndingTests {
  /// More steps than a test can wait for.
  private static let endless = ModelInputs([Int32.max])

  private func withModel(_ body: (InferenceModel) async throws -> Void) async throws {
    let bundle = try TestBundle(
      "slow", inputs: [TestBundle.layer("limit", [1], dtype: "int32")],
      outputs: [TestBundle.layer("reached", [1], dtype: "int32")])
    let loader = ModelLoader(backends: [SavedModels.backend])
    try await body(try InferenceModel(at: bundle.path, loader: loader))
    withExtendedLifetime(bundle) {}
  }

  private func reached(_ outputs: ModelOutputs) throws -> Int32 {
    try outputs.value(at: 0, as: [Int32].self)[0]
  }

  @Test func `a blocking run ends at its deadline, and later runs are right`() async throws {
    try await withModel { model in
      for _ in 0..<3 {
        let error = #expect(throws: TensorIOError.self) {
          try model.run(Self.endless, deadline: .now + .milliseconds(50))
        }
        #expect(error?.code == .deadlineExceeded)
        let outputs = try model.run(ModelInputs([Int32(1000)]), deadline: .now + .seconds(600))
        let count = try reached(outputs)
        #expect(count == 1000)
      }
    }
  }

  @Test func `the session of a late task's run comes back`() async throws {
    try await withModel { model in
      let error = await #expect(throws: TensorIOError.self) {
        try await model.run(Self.endless, deadline: .now + .milliseconds(50))
      }
      #expect(error?.code == .deadlineExceeded)
      // The model has one session, which the first run holds until TensorFlow ends it.
      let count = try reached(await model.run(ModelInputs([Int32(7)])))
      #expect(count == 7)
      #expect(model.statistics.outcomes[.deadlineExceeded] == 1)
    }
  }
}
