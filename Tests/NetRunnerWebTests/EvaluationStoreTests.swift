// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import NetRunner
import TensorIO
import Testing

@testable import NetRunnerWeb

@Suite struct EvaluationStoreTests {
  @Test func `an evaluation that is refused removes no other one`() throws {
    let uploads = try UploadStore(
      scratch: ScratchFolder(), disk: WorkQueue(threads: 1, limit: 1))
    let locations = DatasetLocations(uploads: uploads, folders: [WebFixture.demo], samples: "")
    func job(_ models: [String], iterations: Int = 1) throws -> EvaluationJob {
      let text = #"{"models": ["digits"], "folder": "Demo/digits.testbundle"}"#
      let request = try EvaluationRequest(JSONValue(parsing: Data(text.utf8)), maximumThreads: 1)
      let location = try locations.location(of: request.source)
      var options = EvaluationOptions()
      options.iterations = iterations
      return EvaluationJob(
        request, location: location,
        run: try EvaluationRun(location.dataset(), options: options),
        bundles: try models.map { try ModelBundle("\(WebFixture.demo)/\($0).tiobundle") })
    }
    let store = EvaluationStore(try WebFixture().options, rowLimit: 50)
    defer { store.end() }
    let running = try job(["digits"], iterations: 1000)
    let ended = try job(["digits"])
    // Each model has 20 rows, so this one needs the place of both.
    let large = try job(["digits", "digits-int8"])
    try store.add(running)
    try store.add(ended)
    ended.cancel()
    let error = #expect(throws: WebError.self) { try store.add(large) }
    #expect(error?.code == "too_busy")
    #expect(store.all.map(\.id) == [ended.id, running.id])
    try store.cancel(ended.id)
    #expect(store.all.map(\.id) == [ended.id, running.id])
  }
}
#endif
