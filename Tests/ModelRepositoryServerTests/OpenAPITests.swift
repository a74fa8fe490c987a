// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import ModelRepositoryAPI
import Testing

@testable import ModelRepositoryServer

@Suite struct OpenAPITests {
  private static let document = OpenAPIDocument.document(version: "1.2.3")

  @Test func `the document has each route, and no other`() async throws {
    let fixture = try await TestRepository()
    let server = try await fixture.server()
    let routes = server.router().routes
      .map { "\($0.method.rawValue.lowercased()) \($0.path)" }
    let documented = OpenAPIDocument.operations.map { "\($0.method) \($0.path)" }
    #expect(Set(routes).symmetricDifference(documented) == [])
    #expect(routes.count == documented.count)
  }

  @Test func `the document is sent`() async throws {
    let fixture = try await TestRepository()
    try await fixture.serve { client in
      let response = try await client.with(nil).send(.get, "/v1/openapi.json")
      #expect(response.text.contains("\"openapi\":\"3.1.0\""))
    }
  }

  @Test func `every reference leads to something`() {
    var references: Set<String> = []
    func collect(_ value: OpenAPIValue) {
      switch value {
      case .object(let members):
        if case .text(let reference) = members["$ref"] { references.insert(reference) }
        members.values.forEach(collect)
      case .list(let elements): elements.forEach(collect)
      default: break
      }
    }
    collect(Self.document)
    #expect(references.count > 20)
    for reference in references {
      let parts = reference.split(separator: "/").dropFirst().map(String.init)
      let target = parts.reduce(Self.document as OpenAPIValue?) { $0?[$1] }
      #expect(target != nil, "\(reference)")
    }
  }

  @Test func `every operation has a name of its own`() {
    let names = OpenAPIDocument.operations.compactMap { $0.value["operationId"] }
    #expect(Set(names.map { "\($0)" }).count == OpenAPIDocument.operations.count)
  }

  /// What is written has just the members that the schemas tell of.
  @Test func `schemas are of what is written`() async throws {
    let time = Date(timeIntervalSince1970: 1_800_000_000)
    let name = try #require(RepositoryName("a"))
    let blob = BlobReference(digest: BlobDigest(of: [1]), size: 1)
    let record = VersionRecord(
      version: name, sequence: 1, manifest: blob, size: 1, published: time)
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
    let token = TokenRecord(
      id: "1", name: "n", scopes: [.read], models: ["*"], created: time, expires: time,
      revoked: time)
    let revision = ChannelHistory.Revision(
      documentVersion: 1, cause: .change, issued: time, expires: time, content: content)
    let audit = AuditRecord(
      id: 1, time: time, token: "t", action: "a", subject: "s", detail: "d", before: "b", after: "c"
    )
    let manifest = VersionManifest(
      model: name, version: name, format: .tflite,
      files: [VersionManifest.File(path: "a", digest: blob.digest, size: 1)], details: "d")
    let values: [String: any Encodable] = [
      "Name": name, "Digest": blob.digest, "BlobReference": blob, "VersionManifest": manifest,
      "ProblemDetails": ProblemDetails(status: 1, code: "c", title: "t"),
      "UploadState": UploadState(id: "1", offset: 0),
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
    ]
    #expect(Set(values.keys) == Set(OpenAPIDocument.schemas.keys))
    for (name, value) in values {
      let schema = try #require(OpenAPIDocument.schemas[name])
      let json = try JSONDecoder().decode(
        OpenAPIValue.self, from: RepositoryJSON.encode(AnyEncodable(value)))
      compare(json, schema, name)
    }
  }

  private func compare(_ value: OpenAPIValue, _ schema: OpenAPIValue, _ place: String) {
    if case .text(let reference) = schema["$ref"] {
      let name = String(reference.split(separator: "/").last ?? "")
      return compare(value, OpenAPIDocument.schemas[name] ?? [:], place)
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
    case .flag: #expect(schema["type"] == "boolean", "\(place)")
    }
  }
}

private struct AnyEncodable: Encodable {
  let value: any Encodable
  init(_ value: any Encodable) { self.value = value }
  func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension OpenAPIValue: Decodable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? container.decode(Int.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let list = try? container.decode([OpenAPIValue].self) {
      self = .list(list)
    } else {
      self = .object(try container.decode([String: OpenAPIValue].self))
    }
  }

  subscript(_ key: String) -> OpenAPIValue? {
    if case .object(let members) = self { members[key] } else { nil }
  }
}
#endif
