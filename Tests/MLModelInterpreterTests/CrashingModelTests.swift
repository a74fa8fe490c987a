// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import MLModelInterpreter
import ModelRepositoryAPI
import ModelRepositoryClient
import Testing

/// Runs a hosted model that crashes its process, in processes that may crash.
@Suite(.timeLimit(.minutes(10))) struct CrashingModelTests {
  /// What a process of an app is given.
  struct App: Codable, Sendable {
    var server: String
    var key: String
    var folder: String
    let model = "image"

    enum CodingKeys: CodingKey { case server, key, folder }

    /// Starts as apps do: fetches updates, then runs the model on an image of a shape.
    ///
    /// - Returns: The output's values.
    func use(_ shape: [Int], downloads: Bool) async throws -> [Float] {
      try ModelManager.configure(
        ModelRepositoryConfiguration(
          server: server, keys: [VerificationKey(key)], folder: folder))
      let remote = CustomRemoteModel(name: model)
      if downloads { try await download(remote) }
      let dimensions = shape.map { NSNumber(value: $0) }
      let values = (0..<shape.reduce(1, *)).map { Float($0) }
      let outputs = try await Interpreting.run(
        .modelInterpreter(remoteModel: remote),
        Interpreting.inputs([values.withUnsafeBytes { Data($0) }]),
        Interpreting.options(
          inputs: [(.float32, dimensions)], outputs: [(.float32, dimensions)]))
      return Self.flattened(try outputs.output(index: 0))
    }

    private func download(_ model: CustomRemoteModel) async throws {
      let progress = ModelManager.modelManager().download(
        model,
        conditions: ModelDownloadConditions(
          allowsCellularAccess: true, allowsBackgroundDownloading: true))
      for _ in 0..<30_000 where !progress.isFinished {
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(progress.isFinished)
    }

    private static func flattened(_ value: Any) -> [Float] {
      if let number = value as? NSNumber { return [number.floatValue] }
      return (value as? [Any] ?? []).flatMap(flattened)
    }
  }

  @Test func `a version that crashes twice is quarantined, and the previous one is used`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: "crash-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (place, publisher, serving) = try await Interpreting.host(in: folder)
    defer { serving.cancel() }
    let name = try #require(RepositoryName("image"))
    func publish(_ file: String, _ version: String) async throws {
      let version = try #require(RepositoryName(version))
      _ = try await publisher.publish(
        Interpreting.model(file).modelPath, as: name, version: version)
      try await publisher.changeChannel(.stable, of: name) { $0.version = version }
    }
    let key = try #require(try await publisher.keys().first).key
    let app = App(server: place, key: key, folder: folder + "/cache")

    try await publish("identity_image", "1.0")
    await #expect(processExitsWith: .success) { [app = app as App] in
      let values = try await app.use([1, 8, 6, 3], downloads: true)
      guard values == (0..<144).map({ Float($0) }) else { exit(3) }
    }
    try await publish("crash_on_run", "2.0")
    await #expect(processExitsWith: .signal(SIGSEGV)) { [app = app as App] in
      _ = try await app.use([1, 4, 4, 1], downloads: true)
    }
    await #expect(processExitsWith: .signal(SIGSEGV)) { [app = app as App] in
      _ = try await app.use([1, 4, 4, 1], downloads: false)
    }
    for _ in 0..<2 {
      await #expect(processExitsWith: .success) { [app = app as App] in
        let values = try await app.use([1, 8, 6, 3], downloads: false)
        guard values == (0..<144).map({ Float($0) }) else { exit(3) }
      }
    }
    let client = try ModelRepositoryClient(
      ModelRepositoryConfiguration(
        server: place, keys: [VerificationKey(key)], folder: folder + "/cache"))
    let model = try #require(try client.models().first)
    #expect(model.quarantined.count == 1 && model.pending == nil)
    #expect((model.active ?? model.previous)?.version.text == "1.0")
    let error = await #expect(throws: ModelRepositoryClientError.self) {
      try await client.update(name)
    }
    #expect(error?.code == .quarantined)
  }
}
#endif
