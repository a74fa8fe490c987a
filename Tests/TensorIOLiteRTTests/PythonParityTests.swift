// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOLiteRT
import TestSupport
import Testing

/// Runs sessions on pseudo-random bytes, and compares them bit for bit with Python's interpreter on
/// the same machine: for the fixtures, and for the models of shared data next to the checkout.
@Suite struct PythonParityTests {
  /// Every model except those that the runtime rejects, or that we reject because it computes them
  /// incorrectly.
  static let models: [String] = {
    // The elements after a detector's count are whatever the memory contained.
    let refused = GoldenTests.refused.union(Refusals.files)
      .union(["oversized.tflite", "detector.tflite"])
    return Fixtures.models.models.filter { !refused.contains(URL(filePath: $0).lastPathComponent) }
      + (Fixtures.sharedData?.models ?? []).filter { !$0.contains("/hostile/") }
  }()

  @Test(
    .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; the test needs ai-edge-litert."),
    arguments: models)
  func `outputs equal Python's for the same bytes`(_ path: String) async throws {
    let content = try Data(contentsOf: URL(filePath: path))
    let model = try LiteRTBackend().liteRTModel(at: path)
    var cases: [(ours: [Data], job: Job)] = []
    for (index, signature) in model.signatures.enumerated() {
      for round in 0..<3 {
        var random = RandomBytes(seed: UInt64(content.count * 10 + round))
        let shapes = signature.inputs.map { $0.shape.map { $0 < 0 ? round + 1 : $0 } }
        let inputs = zip(signature.inputs, shapes).map { tensor, shape in
          random.content(tensor.typeName, count: shape.reduce(1, *))
        }
        let session = try model.makeSession(signature: index, options: SessionOptions())
        let ours = try run(session, signature, shapes, inputs)
        let job = Job(
          model: path, signature: signature.key.isEmpty ? nil : signature.key, shapes: shapes,
          inputs: inputs.map(\.packed))
        cases.append((ours, job))
      }
    }
    let theirs = try await runPython(cases.map(\.job))
    try #require(theirs.count == cases.count)
    for (outputs, item) in zip(theirs, cases) {
      #expect(outputs.map(\.bytes) == item.ours, "\(item.job.signature ?? "")")
    }
  }

  private func run(
    _ session: any Session, _ signature: SignatureDescription, _ shapes: [[Int]],
    _ inputs: [RandomBytes.Content]
  ) throws -> [Data] {
    if signature.inputs.map(\.shape) != shapes { try session.resizeInputs(to: shapes) }
    for (position, input) in inputs.enumerated() {
      switch input {
      case .strings(let strings): try session.setInput(at: position, to: strings)
      case .bytes(let bytes):
        try session.withInput(at: position) { memory in
          #expect(memory.byteCount == bytes.count)
          memory.withUnsafeMutableBytes { $0.copyBytes(from: bytes) }
        }
      }
    }
    try session.run()
    return try signature.outputs.enumerated().map { position, tensor in
      if tensor.typeName == "string" {
        return RandomBytes.Content.strings(try session.strings(ofOutput: position)).packed
      }
      var data = Data()
      try session.withOutput(at: position) { bytes in data = bytes.withUnsafeBytes { Data($0) } }
      return data
    }
  }

  // MARK: - Python

  /// One run of a model; keys as the script below reads them.
  private struct Job: Encodable {
    let model: String
    let signature: String?
    let shapes: [[Int]]
    let inputs: [Data]
  }

  /// Runs all jobs in one process, because starting Python takes longer than most models.
  private static let script = """
    import base64, json, sys
    from pathlib import Path
    import run_model
    def outputs(job):
        inputs = [base64.b64decode(text) for text in job["inputs"]]
        content = Path(job["model"]).read_bytes()
        result = run_model.run(content, inputs, job.get("signature"), dict(enumerate(job["shapes"])))
        return result["outputs"]
    print(json.dumps([outputs(job) for job in json.load(sys.stdin)]))
    """

  private func runPython(_ jobs: [Job]) async throws -> [[GoldenTensor]] {
    let output = try await Python.run(["-c", Self.script], input: JSONEncoder().encode(jobs))
    return try JSONDecoder().decode([[GoldenTensor]].self, from: Data(output.utf8))
  }
}

/// The models in expected.json that mustn't run.
private enum Refusals {
  static let files: Set<String> = {
    let url = Fixtures.models.appending(path: "expected.json")
    guard let data = try? Data(contentsOf: url),
      let table = try? JSONDecoder().decode(Table.self, from: data)
    else { return [] }
    return Set(table.refusals.map(\.file) + table.crashes)
  }()

  private struct Table: Decodable {
    struct Refusal: Decodable { let file: String }
    let refusals: [Refusal]
    let crashes: [String]
  }
}

extension URL {
  /// The paths of the .tflite files in this folder and its subfolders.
  fileprivate var models: [String] {
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
    return names.filter { $0.hasSuffix(".tflite") }.sorted().map { appending(path: $0).path }
  }
}
