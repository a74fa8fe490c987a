// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO
import TestSupport
import Testing

/// The page's models in a browser: importing, correcting and saving a description, and looking at a graph.
@Suite(
  .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; see Tools/requirements.txt."))
struct NetRunnerModelsTests {
  /// Writes a graph of additions in a row.
  private static func writeChain(of count: Int, to path: String) async throws {
    try await Python.run(["Tools/make_chain_model.py", path, "\(count)"])
  }

  @Test(arguments: PageSize.allCases)
  func `the page imports, corrects, saves and shows models in a browser`(
    size: PageSize
  ) async throws {
    let folder = try TemporaryFolder()
    let models = folder.path + "/models"
    try FileManager.default.createDirectory(atPath: models, withIntermediateDirectories: true)
    for name in ["digits", "digits-int8"] {
      try FileManager.default.copyItem(
        atPath: "\(CommandRunner.packageFolder.path)/Demo/\(name).tiobundle",
        toPath: "\(models)/\(name).tiobundle")
    }
    let labels = folder.path + "/labels.txt"
    try (0..<10).map { "number \($0)\n" }.joined()
      .write(toFile: labels, atomically: true, encoding: .utf8)
    let chain = folder.path + "/chain.tflite"
    try await Self.writeChain(of: 1000, to: chain)
    let server = try RunningServer(["--models", models])
    // 200 models take long to read, and don't depend on the size.
    let many = size == .medium ? ["--many", models] : []
    let members = try await size.use(
      "browse_models.py",
      [server.address, "Demo/digits.tiobundle/model.tflite", labels, chain] + many)
    for (what, value) in members {
      if case .bool(let bool) = value { #expect(bool, "\(what): \(members)") }
    }
    #expect(members.count == (many.isEmpty ? 46 : 52), "\(members.keys.sorted())")
    #expect(!members.values.contains(.null), "a key had no answer: \(members)")
    #expect(members["operators"] == .string("1,000"))
    #expect(members["axe"] == .array([]))
    #expect(members["console"] == .array([]))
    #expect(await server.end(with: SIGTERM) == 0)
    // The drafts of the form are gone with the server.
    try #expect(FileSystem.contents(of: models).allSatisfy { !$0.hasPrefix(".import-") })
  }

  @Test(arguments: PageSize.allCases)
  func `without models and with an unreachable repository, the page says what to do`(
    size: PageSize
  ) async throws {
    let folder = try TemporaryFolder()
    let key = Data(repeating: 7, count: 32).base64EncodedString()
    let server = try RunningServer([
      "--models", folder.path, "--repository", "http://127.0.0.1:1", "--repository-key", key,
    ])
    let members = try await size.use("browse_models.py", [server.address, "--empty"])
    for (what, value) in members where what != "axe" {
      #expect(value == .bool(true), "\(what): \(members)")
    }
    #expect(members.count == 6)
    #expect(members["axe"] == .array([]))
  }
}
#endif
