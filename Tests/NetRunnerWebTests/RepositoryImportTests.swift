// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import HummingbirdTesting
import ModelRepositoryAPI
import ModelRepositoryClient
import TensorIO
import TensorIOLiteRT
import Testing

@testable import NetRunner
@testable import NetRunnerWeb

@Suite struct RepositoryImportTests {
  private static func values(_ client: any TestClientProtocol, _ model: String) async throws
    -> [Double]
  {
    let image = try WebFixture.image()
    let answer = try await client.send(
      .post, "models/\(model)/infer?top=10&threshold=0", image
    ).json
    return answer["classes"].elements.sorted { ($0["label"].text ?? "") < ($1["label"].text ?? "") }
      .compactMap { $0["value"].double }
  }

  private static func localValues(_ demo: String) throws -> [Double] {
    let model = try InferenceModel(
      bundle: ModelBundle("\(WebFixture.demo)/\(demo).tiobundle"),
      loader: ModelLoader(backends: [.liteRT]))
    let image = "\(WebFixture.demo)/images/digit-7-01.png"
    let result = try Evaluator(model).evaluate(.file(image)).result.get()
    return try #require(result.classification).top(10, threshold: 0)
      .sorted { $0.label < $1.label }.map(\.value.shortestDouble)
  }

  /// Returns the names in the models folder, including hidden ones.
  private static func names(_ fixture: WebFixture) throws -> [String] {
    try FileSystem.contents(of: fixture.options.models).sorted()
  }

  @Test func `a model is listed, imported, run and updated`() async throws {
    let repository = try await RepositoryFixture()
    try await repository.publish(repository.bundle(), "1.0", details: "Handwritten digits")
    let fixture = try await repository.netRunner()
    let models = fixture.options.models
    try await fixture.test { client in
      let server = try await client.send(.get, "server").json
      #expect(server["repository"]["address"].text == repository.place)
      #expect(server["repository"]["channel"].text == "stable")
      var row = try await client.listed()
      #expect(row["state"].text == "new" && row["version"].text == "1.0")
      #expect(row["details"].text == "Handwritten digits")
      #expect(row["imported"] == .null && row["problem"] == .null)

      var job = try await client.importModel()
      #expect(job["state"].text == "done" && job["model"].text == "hosted", "\(job)")
      #expect(job["url"] == .null && job["repository_model"].text == "hosted")
      #expect(job["total"] == row["size_bytes"] && job["received"] == row["size_bytes"])
      let model = try await client.send(.get, "models/hosted").json
      #expect(model["size_bytes"] == row["size_bytes"])
      #expect(model["origin"]["version"].text == "1.0")
      #expect(model["origin"]["repository"].text == repository.place)
      #expect(model["origin"]["document_version"].double == 1)
      try #expect(await Self.values(client, "hosted") == Self.localValues("digits"))

      // Importing the same version again repairs it.
      row = try await client.listed()
      #expect(row["state"].text == "imported" && row["imported"]["version"].text == "1.0")
      try FileManager.default.removeItem(atPath: models + "/hosted.tiobundle/assets/labels.txt")
      job = try await client.importModel()
      #expect(job["state"].text == "done", "\(job)")
      try #expect(await Self.values(client, "hosted") == Self.localValues("digits"))

      try await repository.publish(repository.bundle("digits-int8"), "2.0")
      row = try await client.listed()
      #expect(row["state"].text == "update" && row["version"].text == "2.0")
      #expect(row["imported"]["version"].text == "1.0")
      job = try await client.importModel()
      #expect(job["state"].text == "done", "\(job)")
      try #expect(await Self.values(client, "hosted") == Self.localValues("digits-int8"))
      row = try await client.listed()
      #expect(row["state"].text == "imported" && row["imported"]["version"].text == "2.0")

      // A rollback is a newer document, so it counts as an update.
      try await repository.publisher.rollBack(.stable, of: #require(RepositoryName("hosted")))
      try #expect(await client.listed()["state"].text == "update")
      job = try await client.importModel()
      #expect(job["state"].text == "done", "\(job)")
      try #expect(await Self.values(client, "hosted") == Self.localValues("digits"))

      // An imported model can be published without the record of its origin.
      try await repository.publish(models + "/hosted.tiobundle", "3.0")
      try #expect(await client.listed()["state"].text == "update")

      try await client.send(.delete, "models/hosted", expects: 204)
      try #expect(await client.listed()["state"].text == "new")
    }
    try #expect(Self.names(fixture).isEmpty)
  }

  @Test func `an update with an invalid model keeps the previous version`() async throws {
    let repository = try await RepositoryFixture()
    try await repository.publish(repository.bundle(), "1.0")
    let broken = try repository.bundle()
    try Data("no model".utf8).write(to: URL(filePath: broken + "/model.tflite"))
    let fixture = try await repository.netRunner()
    let bad = [
      (broken, "invalid_bundle"),
      (try repository.bundle(id: "digits"), "model_is_shipped"),
      (Self.tflite, "no_bundle"),
    ]
    try await fixture.test { client in
      try #expect(await client.importModel()["state"].text == "done")
      for (number, (path, code)) in bad.enumerated() {
        try await repository.publish(path, "2.\(number)")
        let job = try await client.importModel()
        #expect(job["state"].text == "failed" && job["error"]["code"].text == code, "\(job)")
        #expect(job["error"]["message"].text?.contains(repository.folder) == false, "\(job)")
        try #expect(await Self.values(client, "hosted") == Self.localValues("digits"))
        try #expect(await client.listed()["imported"]["version"].text == "1.0")
      }
      let row = try await client.listed()
      #expect(row["state"].text == "unavailable")
      #expect(row["problem"]["message"].text?.contains("tensorio init") == true)
    }
    try #expect(Self.names(fixture) == ["hosted.tiobundle"])
  }

  private static let tflite = WebFixture.demo + "/digits.tiobundle/model.tflite"

  @Test func `a model signed with an unknown key is listed as unavailable and not imported`()
    async throws
  {
    let repository = try await RepositoryFixture()
    try await repository.publish(repository.bundle(), "1.0")
    let fixture = try await repository.netRunner(keys: [SigningKey().verificationKey])
    try await fixture.test { client in
      let row = try await client.listed()
      #expect(row["state"].text == "unavailable" && row["problem"]["code"].text == "untrusted")
      #expect(row["version"] == .null)
      let job = try await client.importModel()
      #expect(job["error"]["code"].text == "untrusted", "\(job)")
    }
    try #expect(Self.names(fixture).isEmpty)
  }

  @Test func `a blob that was changed in the repository is rejected`() async throws {
    let repository = try await RepositoryFixture()
    try await repository.publish(repository.bundle(), "1.0")
    try await repository.stop()
    let blob = repository.blob(BlobDigest(of: try FileSystem.read(Self.tflite)))
    var bytes = try FileSystem.read(blob)
    bytes[bytes.count / 2] ^= 1
    try FileManager.default.removeItem(atPath: blob)
    try bytes.write(to: URL(filePath: blob))
    try await repository.start()
    let fixture = try await repository.netRunner()
    try await fixture.test { client in
      let job = try await client.importModel()
      #expect(job["error"]["code"].text == "server_error", "\(job)")
    }
    try #expect(Self.names(fixture).isEmpty)
  }

  @Test(arguments: ["model.json", "model.tflite", "manifest"])
  func `a blob that was changed in transit is rejected`(_ changed: String) async throws {
    let repository = try await RepositoryFixture()
    let bundle = try repository.bundle()
    try await repository.publish(bundle, "1.0")
    let name = try #require(RepositoryName("hosted"))
    let channel = try #require(try await repository.publisher.channel(.stable, of: name))
    let document = Array(try RepositoryJSON.encode(channel.signed))
    let manifest = try #require(channel.document.release).manifest.digest
    let digest =
      changed == "manifest" ? manifest : BlobDigest(of: try FileSystem.read("\(bundle)/\(changed)"))
    // The server sends the repository's data with one bit changed.
    let liar = try await ScriptedServer { path in
      if path.hasSuffix("/channels/stable") { return .reply("200 OK", body: document) }
      guard let asked = BlobDigest(FileSystem.name(of: path)),
        var bytes = try? Array(FileSystem.read(repository.blob(asked)))
      else { return .reply("404 Not Found") }
      if asked == digest { bytes[bytes.count / 2] ^= 1 }
      return .reply("200 OK", body: bytes)
    }
    let fixture = try await repository.netRunner()
    fixture.options.repository?.server = liar.url("")
    try await fixture.test { client in
      let job = try await client.importModel()
      #expect(job["error"]["code"].text == "corrupt", "\(job)")
      #expect(job["error"]["message"].text?.contains("\(digest)") == true, "\(job)")
    }
    try #expect(Self.names(fixture).isEmpty)
    try await liar.close()
  }

  @Test func `a model that is too large is rejected before the download`() async throws {
    let repository = try await RepositoryFixture()
    try await repository.publish(repository.bundle(), "1.0")
    let fixture = try await repository.netRunner()
    fixture.options.maximumBundleBytes = 10_000
    try await fixture.test { client in
      try #expect(await client.listed()["problem"]["code"].text == "too_large")
      let job = try await client.importModel()
      #expect(job["error"]["code"].text == "too_large" && job["received"].double == 0, "\(job)")
      #expect(job["error"]["message"].text?.contains("at most 9.8 KiB") == true, "\(job)")
    }
    try #expect(FileSystem.contents(of: repository.cache + "/store").isEmpty)
    try #expect(Self.names(fixture).isEmpty)
  }

  @Test func `a cancelled import leaves no model, and the next one succeeds`() async throws {
    let repository = try await RepositoryFixture()
    let bundle = try repository.bundle()
    try Data(count: 64 << 20).write(to: URL(filePath: bundle + "/weights.bin"))
    try await repository.publish(bundle, "1.0")
    let fixture = try await repository.netRunner()
    let models = fixture.options.models
    try await fixture.test { client in
      let started = try await client.send(
        .post, "imports", json: ["repository_model": "hosted"], expects: 202
      ).json
      let id = try #require(started["import"]["id"].text)
      var received = 0.0
      while received == 0 {
        received =
          try await client.send(.get, "imports/" + id).json["import"]["received"].double ?? 0
      }
      try await client.send(.delete, "imports/" + id, expects: 204)
      let job = try await client.endOfImport(id)
      #expect(job["state"].text == "cancelled", "\(job)")
      try #expect(FileSystem.contents(of: models).isEmpty)
      try #expect(await client.importModel()["state"].text == "done")
    }
    try #expect(Self.names(fixture) == ["hosted.tiobundle"])
  }

  @Test func `an unreachable repository is reported, and imported models still work`() async throws
  {
    let repository = try await RepositoryFixture()
    try await repository.publish(repository.bundle(), "1.0")
    let fixture = try await repository.netRunner()
    try await fixture.test { client in
      try #expect(await client.importModel()["state"].text == "done")
      try await repository.stop()
      #expect(try await client.send(.get, "repository", expects: 502).code == "connection_failed")
      let job = try await client.importModel()
      #expect(job["error"]["code"].text == "connection_failed", "\(job)")
      try #expect(await Self.values(client, "hosted") == Self.localValues("digits"))
    }
  }

  @Test func `an older document is rejected as a replay, even without the cache`() async throws {
    let repository = try await RepositoryFixture()
    let files = FileManager.default
    try await repository.publish(repository.bundle(), "1.0")
    try await repository.stop()
    try files.copyItem(atPath: repository.data, toPath: repository.folder + "/backup")
    try await repository.start()
    try await repository.publish(repository.bundle("digits-int8"), "2.0")
    let fixture = try await repository.netRunner()
    try await fixture.test { client in
      try #expect(await client.importModel()["state"].text == "done")
      try await repository.stop()
      try files.removeItem(atPath: repository.data)
      try files.moveItem(atPath: repository.folder + "/backup", toPath: repository.data)
      try await repository.start()
      for isFresh in [false, true] {
        if isFresh {
          try files.removeItem(atPath: repository.cache)
          for folder in ["store", "partial", "models"] {
            try files.createDirectory(
              atPath: "\(repository.cache)/\(folder)", withIntermediateDirectories: true)
          }
        }
        try #expect(await client.listed()["problem"]["code"].text == "replayed")
        let job = try await client.importModel()
        #expect(job["error"]["code"].text == "replayed", "\(job)")
        try #expect(await Self.values(client, "hosted") == Self.localValues("digits-int8"))
      }
    }
  }
}
#endif
