// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import Hummingbird
import HummingbirdTesting
import Testing

@testable import ModelRepositoryAPI
@testable import ModelRepositoryServer

@Suite struct OpenAPITests {
  private let document: JSONDocument
  /// The operations by method and path, such as `get /v1/models`.
  private let operations: [String: JSONDocument]
  private let schemas: [String: JSONDocument]

  init() throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/ModelRepositoryServer/Assets/openapi.json")
    document = try JSONDecoder().decode(JSONDocument.self, from: Data(contentsOf: path))
    var operations: [String: JSONDocument] = [:]
    for (path, methods) in document["paths"]?.members ?? [:] {
      for (method, operation) in methods.members { operations["\(method) \(path)"] = operation }
    }
    self.operations = operations
    schemas = document["components"]?["schemas"]?.members ?? [:]
  }

  @Test func `the document lists exactly the routes of the server`() async throws {
    let fixture = try await TestRepository()
    let server = try await fixture.server()
    let routes = server.router().routes
      .map { "\($0.method.rawValue.lowercased()) \($0.path)" }
    #expect(Set(routes).symmetricDifference(operations.keys) == [])
    #expect(routes.count == operations.count)
  }

  @Test func `the server sends the document`() async throws {
    let fixture = try await TestRepository()
    try await fixture.serve { client in
      let response = try await client.with(nil).send(.get, "/v1/openapi.json")
      let sent = try JSONDecoder().decode(JSONDocument.self, from: Data(response.text.utf8))
      #expect(sent["openapi"] == "3.1.0")
      #expect(sent["paths"] == document["paths"])
      #expect(sent["info"]?["version"] == .text(fixture.options.version))
    }
  }

  @Test func `every reference can be resolved`() {
    var references: Set<String> = []
    func collect(_ value: JSONDocument) {
      switch value {
      case .object(let members):
        if case .text(let reference) = members["$ref"] { references.insert(reference) }
        members.values.forEach(collect)
      case .list(let elements): elements.forEach(collect)
      default: break
      }
    }
    collect(document)
    #expect(references.count > 20)
    for reference in references {
      let parts = reference.split(separator: "/").dropFirst().map(String.init)
      let target = parts.reduce(document as JSONDocument?) { $0?[$1] }
      #expect(target != nil, "\(reference)")
    }
  }

  @Test func `every operation has a unique ID`() {
    let names = operations.values.compactMap { $0["operationId"] }
    #expect(Set(names.map { "\($0)" }).count == operations.count)
  }

  /// Every value that the server writes must have exactly the members in its schema.
  @Test func `schemas match the JSON that the server writes`() async throws {
    let time = Date(timeIntervalSince1970: 1_800_000_000)
    let name = try #require(RepositoryName("a"))
    let blob = BlobReference(digest: BlobDigest(of: [1]), size: 1)
    let record = VersionRecord(version: name, sequence: 1, manifest: blob, size: 1, published: time)
    let experiment = ChannelContent.Experiment(
      salt: "s",
      arms: [ChannelContent.Arm(name: name, threshold: 1, version: name, parameters: [:])],
      isPaused: true)
    let content = ChannelContent(
      version: name, experiment: experiment, parameters: ["a": "b"], minimumSafeSequence: 1)
    let document = ChannelDocument(
      model: name, channel: name, documentVersion: 1, issued: time, expires: time + 1,
      release: record.release,
      experiment: ChannelDocument.Experiment(
        salt: "s",
        arms: [ChannelDocument.Arm(name: name, threshold: 1, release: record.release)]), root: 1)
    let key = SigningKey()
    var token = TokenRecord(id: "1", name: "n", scopes: [.read], models: ["*"], created: time)
    (token.expires, token.revoked) = (time, time)
    let revision = ChannelHistory.Revision(
      documentVersion: 1, cause: .change, times: DocumentTimes(issued: time, expires: time),
      content: content)
    var audit = AuditRecord(id: 1, time: time, action: "a", subject: "s")
    (audit.token, audit.detail, audit.before, audit.after) = ("t", "d", "b", "c")
    let manifest = VersionManifest(
      model: name, version: name, format: .tflite,
      files: [VersionManifest.File(path: "a", digest: blob.digest, size: 1)], details: "d")
    let values: [String: any Encodable] = [
      "Name": name, "Digest": blob.digest, "BlobReference": blob, "VersionManifest": manifest,
      "ProblemDetails": ProblemDetails(status: 1, code: "c", title: "t"),
      "UploadState": UploadState(id: "1"),
      "VersionPublication": VersionPublication(manifest: blob.digest), "VersionRecord": record,
      "VersionList": VersionList(versions: [record]),
      "ModelList": ModelList(models: [ModelList.Model(name: name, versions: 1)]),
      "ChannelContent": content, "ChannelDocument": document, "Release": record.release,
      "SignedDocument": try SignedDocument(document, by: [key]),
      "ChannelList": ChannelList(
        channels: [ChannelList.Channel(name: name, documentVersion: 1, version: name)]),
      "ChannelHistory": ChannelHistory(revisions: [revision]),
      "KeyList": KeyList(keys: [KeyList.Key(key.verificationKey)]),
      "TokenRequest": TokenRequest(name: "n", scopes: [.read], models: ["*"], expires: time),
      "TokenRecord": token, "NewToken": NewToken(token: token, secret: "s"),
      "TokenList": TokenList(tokens: [token]), "AuditLog": AuditLog(records: [audit]),
      "CollectionReport": CollectionReport(),
    ].merging(try roundValues(record.release, time)) { first, _ in first }
    #expect(Set(values.keys) == Set(schemas.keys))
    for (name, value) in values {
      let schema = try #require(schemas[name])
      let json = try JSONDecoder().decode(
        JSONDocument.self, from: RepositoryJSON.encode(AnyEncodable(value)))
      compare(json, schema, name)
    }
  }

  /// The values of federated rounds.
  private func roundValues(
    _ release: ChannelDocument.Release, _ time: Date
  ) throws -> [String: any Encodable] {
    let name = release.version
    let plan = RoundTask.Plan(
      placeholders: ["rate": 0.5], clipNorm: 0.5, noiseMultiplier: 0.5, delta: 0.5,
      minimumClients: 1)
    let weights = [RoundTask.Weights(name: "w", shape: [1])]
    var status = RoundStatus(
      model: name, round: name, state: .open, base: name, issued: time, deadline: time + 1)
    (status.reason, status.ended, status.refused) = ("r", time, ["round_over": 1])
    status.privacy = RoundStatus.Privacy(epsilon: 0.5, delta: 0.5)
    return [
      "RoundTask": RoundTask(
        model: name, round: name, base: release, issued: time, deadline: time + 1, plan: plan,
        weights: weights, root: 1),
      "RoundRequest": RoundRequest(
        round: name, base: name, seconds: 1, plan: plan, weights: weights),
      "RoundStatus": status,
      "RoundList": RoundList(
        rounds: [RoundList.Round(round: name, state: .open, deadline: time)]),
      "RoundEnrolment": RoundEnrolment(client: "c", secret: "s"),
      "RoundReceipt": RoundReceipt(digest: BlobDigest(of: [1]), examples: 1),
    ]
  }

  private func compare(_ value: JSONDocument, _ schema: JSONDocument, _ place: String) {
    if case .text(let reference) = schema["$ref"] {
      let name = String(reference.split(separator: "/").last ?? "")
      return compare(value, schemas[name] ?? [:], place)
    }
    switch value {
    case .object(let members):
      #expect(schema["type"] == "object", "\(place)")
      guard case .object(let properties) = schema["properties"] else {
        #expect(schema["additionalProperties"] != nil, "\(place)")
        return
      }
      #expect(Set(members.keys) == Set(properties.keys), "\(place)")
      for (key, member) in members {
        compare(member, properties[key] ?? [:], place + "." + key)
      }
    case .list(let elements):
      #expect(schema["type"] == "array", "\(place)")
      for element in elements { compare(element, schema["items"] ?? [:], place) }
    case .text(let text):
      if case .list(let choices) = schema["enum"] {
        #expect(choices.contains(.text(text)), "\(place)")
      } else {
        #expect(schema["type"] == "string", "\(place)")
      }
    case .number: #expect(schema["type"] == "integer", "\(place)")
    case .decimal: #expect(schema["type"] == "number", "\(place)")
    case .flag: #expect(schema["type"] == "boolean", "\(place)")
    }
  }
}

private struct AnyEncodable: Encodable {
  let value: any Encodable
  init(_ value: any Encodable) { self.value = value }
  func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

/// A part of a JSON document that can be written as a literal.
private indirect enum JSONDocument: Decodable, Equatable {
  case text(String)
  case number(Int)
  case decimal(Double)
  case flag(Bool)
  case list([JSONDocument])
  case object([String: JSONDocument])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? container.decode(Int.self) {
      self = .number(number)
    } else if let decimal = try? container.decode(Double.self) {
      self = .decimal(decimal)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let list = try? container.decode([JSONDocument].self) {
      self = .list(list)
    } else {
      self = .object(try container.decode([String: JSONDocument].self))
    }
  }

  /// The members of an object, or an empty dictionary for other values.
  var members: [String: JSONDocument] {
    if case .object(let members) = self { members } else { [:] }
  }

  subscript(_ key: String) -> JSONDocument? { members[key] }
}

extension JSONDocument: ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral {
  init(stringLiteral value: String) { self = .text(value) }
  init(dictionaryLiteral elements: (String, JSONDocument)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}
#endif
