// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import TestSupport
import Testing

@testable import ModelRepositoryAPI

@Suite struct RepositoryTrustTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private let roots = (0..<4).map { _ in SigningKey() }
  private let channel = SigningKey()

  private func root(
    _ version: Int, _ keys: [SigningKey], threshold: Int = 1, channels: [SigningKey]? = nil,
    revoked: [SigningKey] = []
  ) -> RootDocument {
    RootDocument(
      version: version, issued: Self.now, expires: Self.now + 30 * 24 * 3600,
      root: RootDocument.RootRole(threshold: threshold, keys: keys.map(\.verificationKey)),
      channels: RootDocument.ChannelRole(
        keys: (channels ?? [channel]).map { RootDocument.ChannelKey($0.verificationKey) },
        revoked: revoked.map(\.verificationKey)))
  }

  private func code(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch {
      return (error as? RepositoryError)?.code.rawValue ?? "\(error)"
    }
  }

  @Test func `a pinned key verifies the first root document, which alone decides afterwards`()
    throws
  {
    let next = SigningKey()
    var trust = RepositoryTrust(keys: [channel.verificationKey])
    #expect(try trust.keys(at: Self.now) == [channel.verificationKey])
    let strange = try SignedDocument(root(1, [roots[0]]), by: [roots[0]])
    #expect(code { try trust.accept(strange) } == "untrusted")
    try trust.accept(SignedDocument(root(1, [roots[0]]), by: [roots[0], channel]))
    #expect(trust.version == 1)
    // The pinned key isn't a root key.
    let thief = try SignedDocument(root(2, [channel], channels: [next]), by: [channel])
    #expect(code { try trust.accept(thief) } == "untrusted")
    try trust.accept(
      SignedDocument(root(2, [roots[0]], channels: [next], revoked: [channel]), by: [roots[0]]))
    #expect(try trust.keys(at: Self.now) == [next.verificationKey])
    try #expect(trust.revokedKeyIDs == [channel.verificationKey.id])
  }

  @Test func `versions increase by one and need signatures of the old and new root keys`() throws {
    let first = try SignedDocument(root(1, [roots[0]]), by: [roots[0]])
    func next(_ version: Int, _ keys: [SigningKey], by signers: [SigningKey]) -> String? {
      code {
        var trust = try RepositoryTrust(root: first)
        try trust.accept(SignedDocument(root(version, keys), by: signers))
      }
    }
    #expect(next(2, [roots[0]], by: [roots[0]]) == nil)
    #expect(next(1, [roots[0]], by: [roots[0]]) == "replayed")
    #expect(next(3, [roots[0]], by: [roots[0]]) == "replayed")
    #expect(next(2, [roots[1]], by: [roots[0]]) == "untrusted")
    #expect(next(2, [roots[1]], by: [roots[1]]) == "untrusted")
    #expect(next(2, [roots[1]], by: [roots[1], roots[0]]) == nil)
    #expect(next(.max, [roots[0]], by: [roots[0]]) == "invalid_document")
  }

  @Test func `several signatures by one key count once`() throws {
    var signed = try SignedDocument(root(1, [roots[0], roots[1]], threshold: 2), by: [roots[0]])
    #expect(code { _ = try RepositoryTrust(root: signed) } == "untrusted")
    signed.signatures += signed.signatures + signed.signatures
    // Ed25519 signatures are random here: another signature by the same key.
    signed.signatures.append(
      SignedDocument.Signature(
        keyID: roots[0].verificationKey.id, signature: try roots[0].signature(of: signed.document)))
    signed.signatures.append(
      SignedDocument.Signature(
        keyID: roots[1].verificationKey.id, signature: try roots[0].signature(of: signed.document)))
    #expect(code { _ = try RepositoryTrust(root: signed) } == "untrusted")
    try signed.sign(by: [roots[1]])
    _ = try RepositoryTrust(root: signed)
  }

  @Test func `invalid root documents are rejected`() throws {
    var documents: [RootDocument] = []
    func add(_ change: (inout RootDocument) -> Void) {
      var document = root(1, [roots[0], roots[1]])
      change(&document)
      documents.append(document)
    }
    add { $0.root.threshold = 0 }
    add { $0.root.threshold = -1 }
    add { $0.root.threshold = 3 }
    add { $0.root.keys = [] }
    add { $0.root.keys.append($0.root.keys[0]) }
    add { $0.root.keys[0] = "AAAA" }
    add { $0.root.keys += (0..<40).map { _ in SigningKey().verificationKey.text } }
    add { $0.channels.keys = [] }
    add { $0.channels.keys.append($0.channels.keys[0]) }
    add { $0.channels.keys[0].key = $0.root.keys[0] }
    add { $0.channels.revoked = [$0.channels.keys[0].key] }
    add { $0.type = "channel" }
    add { $0.version = 0 }
    add { $0.expires = $0.issued }
    for document in documents {
      let signed = try SignedDocument(document, by: Array(roots.prefix(2)))
      #expect(throws: RepositoryError.self, "\(document)") { try RepositoryTrust(root: signed) }
    }
    // A channel's document isn't a root document, and vice versa.
    let other = try SignedDocument(Samples.document(), by: [roots[0]])
    #expect(code { _ = try other.selfSignedRoot() } == "invalid_document")
    let signed = try SignedDocument(root(1, [roots[0]]), by: [roots[0]])
    #expect(throws: RepositoryError.self) {
      try signed.verified(by: [roots[0].verificationKey])
    }
    var huge = signed
    huge.document.append(Data(repeating: 0x20, count: RootDocument.maximumBytes))
    #expect(code { _ = try huge.selfSignedRoot() } == "invalid_document")
  }

  @Test func `unknown members are signed too, and have no effect`() throws {
    var text = String(
      decoding: try RepositoryJSON.encode(root(1, [roots[0]])), as: UTF8.self)
    text = text.replacing("\"type\":\"root\"", with: "\"later\":{\"x\":[1]},\"type\":\"root\"")
    var signed = SignedDocument(document: Data(text.utf8), signatures: [])
    try signed.sign(by: [roots[0]])
    #expect(try RepositoryTrust(root: signed).version == 1)
  }

  @Test func `a root document and its keys expire`() throws {
    var document = root(1, [roots[0]], channels: [channel, roots[3]])
    document.channels.keys[0].expires = Self.now + 10
    let trust = try RepositoryTrust(root: SignedDocument(document, by: [roots[0]]))
    #expect(try trust.keys(at: Self.now).count == 2)
    #expect(try trust.keys(at: Self.now + 10) == [roots[3].verificationKey])
    #expect(code { _ = try trust.keys(at: document.expires) } == "expired")
    #expect(code { _ = try trust.keys(at: Self.now - 3601) } == "not_yet_valid")
  }

  @Test func `stored root documents are loaded again, but never an older version`() throws {
    let first = try SignedDocument(root(1, [roots[0]]), by: [roots[0], channel])
    let second = try SignedDocument(root(2, [roots[0]]), by: [roots[0]])
    var trust = RepositoryTrust(keys: [channel.verificationKey])
    try trust.restore(second)
    #expect(trust.version == 2)
    try trust.restore(first)
    #expect(trust.version == 2)
    #expect(RepositoryTrust(keys: [roots[1].verificationKey]).anchor != trust.anchor)
    #expect(try RepositoryTrust(root: first).anchor != RepositoryTrust(root: second).anchor)
  }

  // MARK: - python-tuf

  private struct Case: Codable {
    struct Root: Codable {
      var version: Int
      var threshold: Int
      var keys: [Int]
      var signers: [Int]
    }

    var chain: [Root]
  }

  @Test(
    .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set."))
  func `chains of root documents are accepted exactly when python-tuf accepts them`() async throws {
    var random = SystemRandomNumberGenerator()
    func subset(_ minimum: Int) -> [Int] {
      Array((0..<4).shuffled(using: &random).prefix(Int.random(in: minimum...4, using: &random)))
    }
    let cases = (0..<400).map { _ in
      var version = 1
      let chain = (0..<3).map { number in
        let keys = subset(1)
        // Most of them are valid, so that many chains are accepted.
        if number > 0 { version += [1, 1, 1, 1, 0, 2][Int.random(in: 0..<6, using: &random)] }
        return Case.Root(
          version: version, threshold: Int.random(in: 1...min(2, keys.count), using: &random),
          keys: keys, signers: Bool.random(using: &random) ? Array(0..<4) : subset(0))
      }
      return Case(chain: chain)
    }
    let answer = try await Python.run(
      ["Tools/peers/tuf_roots.py"], input: try JSONEncoder().encode(cases))
    let theirs = try JSONDecoder().decode([Int].self, from: Data(answer.utf8))
    let ours = try cases.map { one in
      var trust: RepositoryTrust?
      var count = 0
      for step in one.chain {
        let signed = try SignedDocument(
          root(step.version, step.keys.map { roots[$0] }, threshold: step.threshold),
          by: step.signers.map { roots[$0] })
        do {
          if trust == nil {
            trust = try RepositoryTrust(root: signed)
          } else {
            try trust?.accept(signed)
          }
        } catch is RepositoryError {
          break
        }
        count += 1
      }
      return count
    }
    #expect(ours == theirs)
    #expect(Set(ours) == [0, 1, 2, 3])
  }
}
#endif
