// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOLiteRT
import Testing

@Suite struct ModelRulesTests {
  static let hostile = Fixtures.root.appending(path: "Tests/Fixtures/Hostile")

  static func expected() throws -> [String: String] {
    try JSONDecoder().decode(
      [String: String].self, from: Data(contentsOf: hostile.appending(path: "expected.json")))
  }

  /// The error with which a file is rejected.
  private func refusal(_ path: String, _ limits: LiteRTLimits = LiteRTLimits()) -> TensorIOError? {
    do {
      let model = try LiteRTBackend(limits: limits).liteRTModel(at: path)
      _ = try model.makeSession(signature: 0, options: SessionOptions())
      return nil
    } catch {
      return error as? TensorIOError
    }
  }

  @Test func `for a file with one harmful field, the error names that field`() throws {
    let expected = try Self.expected()
    #expect(expected.count > 20)
    for (file, part) in expected.sorted(by: { $0.key < $1.key }) {
      let error = refusal(Self.hostile.appending(path: file).path)
      #expect(error?.message.contains(part) == true, "\(file): \(error?.message ?? "accepted")")
      #expect([.invalidModel, .unsupportedModel].contains(error?.code), "\(file)")
    }
  }

  @Test func `every valid model passes`() throws {
    let sound = ["add", "two_signatures", "per_channel", "string", "train_builtin", "lstm_int8"]
    for name in sound {
      #expect(refusal(Fixtures.model("\(name).tflite")) == nil, "\(name)")
    }
  }

  @Test func `the caller can choose the limit`() {
    let path = Fixtures.model("photo_classes.tflite")
    #expect(refusal(path) == nil)
    let error = refusal(path, LiteRTLimits(tensorBytes: 100 << 10))
    #expect(error?.code == .unsupportedModel)
    #expect(error?.message.contains("100 KiB") == true, "\(error?.message ?? "")")
  }

  @Test(.enabled(if: Fixtures.sharedData != nil, "There is no shared data next to the checkout."))
  func `models that crash the runtime are rejected`() throws {
    guard let folder = Fixtures.sharedData?.appending(path: "hostile") else { return }
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      #expect(refusal(folder.appending(path: file).path) != nil, "\(file)")
    }
  }
}
