// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import HummingbirdTesting
import NetRunner
import NIOCore
import TensorIO
import TensorIOImageCodecs
import TensorIOLiteRT
import Testing
import TestSupport

@testable import NetRunnerWeb

@Suite struct EvaluationRouteTests {
  private static let bundle = WebFixture.demo + "/digits.testbundle"

  @Test(arguments: [false, true])
  func `the server evaluates a test bundle just like the library`(isLive: Bool) async throws {
    var options = EvaluationOptions()
    options.threads = 2
    let models = try ["digits", "digits-int8"].map {
      try ModelBundle("\(WebFixture.demo)/\($0).tiobundle")
    }
    let expected = try EvaluationRun(Dataset(contentsOf: Self.bundle), options: options)
      .evaluate(models, with: [.liteRT])
    try await WebFixture.testDemo(isLive ? .live : .router) { client in
      let upload = try await client.upload(Self.bundle, as: "digits")
      let id = try await client.evaluate(
        ["upload": upload, "threads": 2], with: ["digits", "digits-int8"])
      let answer = try await client.end(of: id)
      let evaluation = answer["evaluation"]
      #expect(evaluation["state"].text == "done")
      #expect(evaluation["error"] == .null)
      #expect(evaluation["photos_per_second"].double ?? 0 > 0)
      #expect(evaluation["dataset"]["layout"].text == "test_bundle")
      #expect(evaluation["dataset"]["has_truth"].bool == true)
      #expect(evaluation["models"][1]["done"].double == 20)
      let report = answer["report"]
      #expect(report["results"] == .null)
      for (index, model) in expected.models.enumerated() {
        let values = report["models"][index]["metrics"]["classification"]["values"].elements
        let top1 = values.first { $0["name"].text == "top1" }?["value"].double
        let found = model.metrics["classification"]?.values.first { $0.name == "top1" }?.value
        #expect(top1 == found)
        #expect(found ?? 0 > 0.9)
      }
      #expect(report["dataset"]["sha256"].text == expected.dataset.sha256)
      // The report doesn't reveal paths of the server.
      #expect(!Self.text(report).contains(Python.root.path))
      #expect(!Self.text(report).contains("tensorio-netrunner"))
      let rows = try await client.send(
        .get, "evaluations/\(id)/rows?model=digits-int8&offset=5&limit=10"
      ).json
      #expect(rows["count"].double == 20)
      #expect(
        rows["rows"].elements.map { $0["predicted"].text }
          == expected.results[25..<35].map(\.predicted))
      let row = rows["rows"][0]
      #expect(row["index"].double == 5)
      #expect(row["model"].text == "digits-int8")
      #expect(row["correct"].bool == expected.results[25].isCorrect)
      #expect(row["classes"].elements.count == 5)
      #expect(row["classes"][0]["label"].text == row["predicted"].text)
      #expect(row["latency_ms"]["total"].double ?? 0 > 0)
      let wrong = try await client.send(.get, "evaluations/\(id)/rows?only=wrong").json
      #expect(
        wrong["count"].double.map(Int.init) == expected.results.count { $0.isCorrect == false })
    }
  }

  @Test func `folders of classes are evaluated, and reports are exported in every format`()
    async throws
  {
    try await WebFixture.testDemo { client in
      let upload = try await client.upload(
        WebFixture.demo + "/digits-training", as: "my%20digits"
      ) { $0.hasSuffix("1.png") }
      let id = try await client.evaluate(["upload": upload])
      let answer = try await client.end(of: id)
      let evaluation = answer["evaluation"]
      #expect(evaluation["dataset"]["layout"].text == "folders")
      #expect(evaluation["dataset"]["name"].text == "my digits")
      let count = try #require(evaluation["dataset"]["pictures"].double.map { Int($0) })
      #expect(count >= 10)

      let json = try await client.send(.get, "evaluations/\(id)/export?format=json")
      let report = try EvaluationReport(json: String(buffer: json.body))
      #expect(report.results.count == count)
      #expect(json.headers[.contentDisposition]?.contains("my-digits-evaluation.json") == true)
      let csv = try await client.send(.get, "evaluations/\(id)/export?format=csv")
      #expect(csv.headers[.contentType] == "text/csv; charset=utf-8")
      #expect(String(buffer: csv.body).split(separator: "\r\n").count == count + 1)
      let html = try await client.send(.get, "evaluations/\(id)/export?format=html")
      #expect(String(buffer: html.body).hasPrefix("<!DOCTYPE html>"))
      let old = try await client.send(.get, "evaluations/\(id)/export?format=netrunner").json
      #expect(old["results"].elements.count == count)
      #expect(old["results"][0]["evaluation"]["inference_results"] != .null)
      #expect(old["summary"].elements.count == 1)
      #expect(
        try await client.send(.get, "evaluations/\(id)/export?format=pdf", expects: 400).code != nil
      )

      let list = try await client.send(.get, "evaluations").json
      #expect(list["evaluations"].elements.map { $0["id"].text } == [id])
      try await client.send(.delete, "evaluations/\(id)", expects: 204)
      #expect(
        try await client.send(.get, "evaluations/\(id)", expects: 404).code
          == "evaluation_not_found")
    }
  }

  @Test func `images are scaled down and never enlarged`() async throws {
    let folder = try TestFolder()
    let image = PixelBuffer(width: 600, height: 300, format: .rgb) { _ in }
    try folder.write(
      Data(try ImageEncoder().encode(image, as: .jpeg(quality: 80))), to: "wide.jpg")
    try folder.write(Data("no picture".utf8), to: "broken.png")
    let name = FileSystem.name(of: folder.path)
    try await WebFixture.testDemo(folders: [folder.path]) { client in
      let id = try await client.evaluate(["folder": name])
      let evaluation = try await client.end(of: id)["evaluation"]
      #expect(evaluation["dataset"]["layout"].text == "pictures")
      #expect(evaluation["models"][0]["failed"].double == 1)
      for (size, width) in [(64, 64), (1024, 600)] {
        let small = try await client.send(.get, "evaluations/\(id)/pictures/1?size=\(size)")
        #expect(small.headers[.contentType] == "image/jpeg")
        let decoded = try ImageDecoder().decode(Array(small.body.readableBytesView))
        #expect((decoded.width, decoded.height) == (width, width / 2))
      }
      #expect(
        try await client.send(.get, "evaluations/\(id)/pictures/0", expects: 400).code
          == "not_a_picture")
      for index in ["2", "-1", "x"] {
        #expect(
          try await client.send(.get, "evaluations/\(id)/pictures/\(index)", expects: 404).code
            == "picture_not_found")
      }
      for size in [31, 1025] {
        try await client.send(.get, "evaluations/\(id)/pictures/1?size=\(size)", expects: 400)
      }
      let errors = try await client.send(.get, "evaluations/\(id)/rows?only=errors").json
      #expect(errors["rows"][0]["image"].text == "broken.png")
      #expect(errors["rows"][0]["error_description"].text?.contains(folder.path) == false)
      try FileManager.default.removeItem(atPath: folder.path + "/wide.jpg")
      try await client.send(.get, "evaluations/\(id)/pictures/1", expects: 404)
    }
  }

  @Test func `a cancelled evaluation keeps its results, and another one waits`() async throws {
    try await WebFixture.testDemo { client in
      let first = try await client.evaluate(
        ["sample": true, "iterations": 1000, "threads": 1])
      let second = try await client.evaluate(["sample": true, "limit": 3])
      #expect(
        try await client.send(.get, "evaluations/\(second)").json["evaluation"]["queued"].bool
          == true)
      #expect(
        try await client.send(.get, "evaluations/\(second)/export", expects: 409).code
          == "no_report")
      let hasBegun = try await eventually {
        let models = try await client.send(.get, "evaluations/\(first)").json["evaluation"][
          "models"]
        return models[0]["done"].double ?? 0 > 0
      }
      #expect(hasBegun)
      try await client.send(.post, "evaluations/\(first)/cancel", expects: 204)
      let answer = try await client.end(of: first)
      #expect(answer["evaluation"]["state"].text == "cancelled")
      let done = try #require(answer["evaluation"]["models"][0]["done"].double)
      #expect(done > 0 && done < 10)
      #expect(
        try await client.send(.get, "evaluations/\(first)/rows").json["count"].double == done)
      #expect(answer["report"]["models"][0]["pictures"].double == done)
      let other = try await client.end(of: second)
      #expect(other["evaluation"]["state"].text == "done")
      #expect(other["evaluation"]["models"][0]["done"].double == 3)
      #expect(other["evaluation"]["dataset"]["has_truth"].bool == false)
    }
  }

  @Test func `cancelling an evaluation that has ended keeps it`() async throws {
    try await WebFixture.testDemo(folders: [WebFixture.demo]) { client in
      let id = try await client.evaluate(["folder": "Demo/digits.testbundle"])
      _ = try await client.end(of: id)
      try await client.send(.post, "evaluations/\(id)/cancel", expects: 204)
      let answer = try await client.send(.get, "evaluations/\(id)").json
      #expect(answer["evaluation"]["state"].text == "done" && answer["report"] != .null)
      let missing = try await client.send(.post, "evaluations/none/cancel", expects: 404)
      try #expect(missing.code == "evaluation_not_found")
    }
  }

  @Test func `a waiting evaluation is cancelled at once`() async throws {
    try await WebFixture.testDemo { client in
      let first = try await client.evaluate(
        ["sample": true, "iterations": 1000, "threads": 1])
      let second = try await client.evaluate(["sample": true])
      try await client.send(.delete, "evaluations/\(second)", expects: 204)
      let state = try await client.send(.get, "evaluations/\(second)").json["evaluation"]["state"]
        .text
      #expect(state == "cancelled")
      try await client.send(.delete, "evaluations/\(first)", expects: 204)
      _ = try await client.end(of: first)
    }
  }

  @Test func `the error for an invalid request has the reason`() async throws {
    try await WebFixture.testDemo { client in
      let digits = ["digits"]
      let empty = try await client.makeUpload()
      for (request, status, code) in [
        (["models": digits], 400, "bad_request"),
        (["models": digits, "sample": true, "folder": "x"], 400, "bad_request"),
        (["models": [String](), "sample": true], 400, "bad_request"),
        (["models": digits, "sample": true, "iterations": 0], 400, "bad_request"),
        (["models": ["cat"], "sample": true], 404, "model_not_found"),
        (["models": digits, "upload": "../x"], 404, "upload_not_found"),
        (["models": digits, "folder": "photos"], 404, "folder_not_found"),
        (["models": digits, "upload": empty], 422, "invalid_dataset"),
      ] as [(JSONObject, Int, String)] {
        let response = try await client.send(
          .post, "evaluations", json: request, expects: status)
        try #expect(response.code == code)
      }
    }
  }

  static func text(_ value: JSONValue) -> String {
    String(decoding: (try? JSONEncoder().encode(value)) ?? Data(), as: UTF8.self)
      .replacing("\\/", with: "/")
  }
}
#endif
