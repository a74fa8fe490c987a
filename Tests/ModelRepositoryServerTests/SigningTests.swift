// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import HummingbirdTesting
import ModelRepositoryAPI
import Testing
import TestSupport

@testable import ModelRepositoryServer

/// Tests keys that are lost, exposed, replaced while a server runs, or used with a wrong clock.
@Suite(.timeLimit(.minutes(10))) struct SigningTests {
  private func filled() async throws -> TestRepository {
    let fixture = try await TestRepository()
    try await fixture.serve { client in
      try await client.publish("1.0")
      _ = try await client.set(to: "1.0", tag: nil)
    }
    return fixture
  }

  private func ceremony(_ fixture: TestRepository, _ keys: [SigningKey]) -> RepositoryKeys.Ceremony
  {
    RepositoryKeys.Ceremony(rootKeys: keys, now: fixture.now)
  }

  private func role(_ keys: [SigningKey], threshold: Int = 1) -> RootDocument.RootRole {
    RootDocument.RootRole(threshold: threshold, keys: keys.map(\.verificationKey))
  }

  private func trust(_ client: TestClient, from keys: [VerificationKey]) async throws
    -> RepositoryTrust
  {
    var trust = RepositoryTrust(keys: keys)
    while true {
      let answer = try await client.execute(uri: "/v1/root/\(trust.version + 1)", method: .get)
      guard answer.status == .ok else { return trust }
      try trust.accept(answer.decoded(SignedDocument.self))
    }
  }

  /// Waits until the server, which checks once a second, has read a root document.
  private func waitForRoot(_ version: Int, _ client: TestClient) async throws {
    let isRead = try await eventually {
      let signed = try await client.send(.get, "/v1/models/cats/channels/stable")
        .decoded(SignedDocument.self)
      return try RepositoryJSON.decode(ChannelDocument.self, from: signed.document).root == version
    }
    #expect(isRead)
  }

  @Test func `lost keys aren't replaced silently, and the error says what to do`() async throws {
    let fixture = try await filled()
    let keys = fixture.folder + "/keys"
    let away = fixture.folder + "-away"
    defer { try? FileManager.default.removeItem(atPath: away) }
    try FileManager.default.moveItem(atPath: keys, toPath: away)
    for _ in 0..<2 {
      let error = await #expect(throws: RepositoryError.self) { _ = try await fixture.server() }
      #expect(error?.code == .missingKeys)
      #expect(error?.message.contains("Put the key file back") == true)
      #expect(try FileSystem.names(in: keys).isEmpty)
    }
    // Other keys don't help.
    _ = try SigningKeys.make("signing", in: keys)
    await #expect(throws: RepositoryError.self) { _ = try await fixture.server() }
    try FileManager.default.removeItem(atPath: keys)
    try FileManager.default.moveItem(atPath: away, toPath: keys)
    let document = try await fixture.serve { try await $0.document().document }
    #expect(document.documentVersion == 1)
    // The owner has no copy and replaces the keys explicitly.
    try FileManager.default.removeItem(atPath: keys)
    let name = try #require(RepositoryName("fresh"))
    let key = try await RepositoryStore(fixture.open()).replaceLostKeys(with: name)
    try await fixture.serve { client in
      let response = try await client.send(.get, "/v1/models/cats/channels/stable")
      let document = try response.decoded(SignedDocument.self).verified(by: [key])
      #expect(document.documentVersion == 2)
    }
  }

  @Test(arguments: [0o644, 0o640, 0o604, 0o660, 0o777])
  func `a key file that others can read is rejected`(mode: Int) async throws {
    let fixture = try await filled()
    let path = fixture.folder + "/keys/signing.key"
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    let error = await #expect(throws: RepositoryError.self) { _ = try await fixture.server() }
    #expect(error?.code == .exposedKey)
    #expect(error?.message.contains("chmod 600 '\(path)'") == true)
    #expect(error?.message.contains(String(mode, radix: 8)) == true)
    for mode in [0o600, 0o400] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      _ = try await fixture.server()
    }
  }

  @Test func `a document signed with a clock ten years ahead is signed again`() async throws {
    let fixture = try await filled()
    let years = 10 * 365 * 24 * 3600.0
    fixture.pass(years)
    try await fixture.serve { client in
      let tag = try await client.document().tag
      _ = try await client.set(to: "1.0", tag: tag)
      #expect(try await client.document().document.issued == fixture.now)
      // The clock is corrected while the server runs.
      fixture.pass(-years)
      let document = try await client.document().document
      #expect(document.issued == fixture.now && document.expires < fixture.now + 31 * 24 * 3600)
      fixture.pass(years)
      _ = try await client.document()
    }
    // At the start, the document is renewed before any request.
    fixture.pass(-years)
    let repository = try await fixture.open()
    #expect(try await repository.renewDocuments() == ["cats/stable"])
    #expect(try await repository.renewDocuments() == [])
    let name = try #require(RepositoryName("cats"))
    let state = try await repository.channel(.stable, of: name)
    #expect(state.document.issued == fixture.now)
    // Setting the clock back by a minute doesn't cause a renewal.
    fixture.pass(-60)
    #expect(try await repository.renewDocuments() == [])
  }

  @Test func `a document lifetime over 400 days is rejected`() async throws {
    let fixture = try await TestRepository { $0.documentLifetime = 3650 * 24 * 3600 }
    let error = await #expect(throws: RepositoryError.self) { _ = try await fixture.server() }
    #expect(error?.message.contains("400 days") == true)
  }

  @Test func `a running server follows changes of the root document`() async throws {
    let fixture = try await filled()
    let (root, other) = (SigningKey(), SigningKey())
    try await fixture.serve { client in
      let pinned = client.repository.keys.map(\.verificationKey)
      try await client.send(.get, "/v1/root", expects: 404, code: "root_not_found")
      try await client.send(.get, "/v1/root/x", expects: 404, code: "root_not_found")
      let keys = try RepositoryKeys(dataFolder: fixture.folder)
      _ = try keys.makeRoot(role([root]), ceremony(fixture, [root]))
      try await waitForRoot(1, client)
      let signed = try await client.send(.get, "/v1/models/cats/channels/stable")
        .decoded(SignedDocument.self)
      #expect(try signed.verified(by: pinned).root == 1)
      #expect(try await trust(client, from: pinned).keys(at: fixture.now) == pinned)

      let name = try #require(RepositoryName("second"))
      #expect(throws: RepositoryError.self) {
        try keys.rotate(to: name, isStolen: true, ceremony(fixture, [other]))
      }
      #expect(try FileSystem.names(in: fixture.folder + "/keys") == ["signing.key"])
      _ = try keys.rotate(to: name, isStolen: true, ceremony(fixture, [root]))
      #expect(
        try FileSystem.names(in: fixture.folder + "/keys") == ["second.key", "signing.key.retired"])
      try await waitForRoot(2, client)
      let next = try await client.send(.get, "/v1/models/cats/channels/stable")
        .decoded(SignedDocument.self)
      #expect(throws: RepositoryError.self) { try next.verified(by: pinned) }
      let trust = try await trust(client, from: pinned)
      let document = try next.verified(by: trust.keys(at: fixture.now))
      #expect(document.root == 2 && document.documentVersion == 3)
      try #expect(trust.revokedKeyIDs == Set(pinned.map(\.id)))
      try await client.send(.get, "/readyz")
    }
    // If the old key returns, as a thief would have it, it isn't used for signing.
    try FileManager.default.moveItem(
      atPath: fixture.folder + "/keys/signing.key.retired",
      toPath: fixture.folder + "/keys/signing.key")
    try await fixture.serve { client in #expect(client.repository.keys.count == 1) }
    try FileSystem.remove(fixture.folder + "/keys/second.key")
    let error = await #expect(throws: RepositoryError.self) { _ = try await fixture.server() }
    #expect(error?.code == .missingKeys && error?.message.contains("keys rotate") == true)
    // The root key can authorize another signing key.
    let third = try #require(RepositoryName("third"))
    _ = try RepositoryKeys(dataFolder: fixture.folder).rotate(
      to: third, isStolen: false, ceremony(fixture, [root]))
    let document = try await fixture.serve { try await $0.document().document }
    #expect(document.root == 3)
  }

  @Test func `keys that were replaced without a server aren't reported as damage`() async throws {
    let fixture = try await filled()
    let root = SigningKey()
    let keys = try RepositoryKeys(dataFolder: fixture.folder)
    _ = try keys.makeRoot(role([root]), ceremony(fixture, [root]))
    let name = try #require(RepositoryName("second"))
    _ = try keys.rotate(to: name, isStolen: true, ceremony(fixture, [root]))
    let before = try await RepositoryStore(fixture.open()).fsck()
    #expect(before.outdated == ["cats/stable"] && before.untrusted.isEmpty && before.isSound)
    try await fixture.serve { _ = try await $0.document() }
    let after = try await RepositoryStore(fixture.open()).fsck()
    #expect(after.outdated.isEmpty && after.untrusted.isEmpty && after.isSound)
  }

  @Test func `a threshold of root keys can sign one after another`() async throws {
    let fixture = try await filled()
    let roots = [SigningKey(), SigningKey(), SigningKey()]
    let keys = try RepositoryKeys(dataFolder: fixture.folder)
    guard
      case .published = try keys.makeRoot(
        role(roots, threshold: 2), ceremony(fixture, Array(roots.prefix(2))))
    else { return #expect(Bool(false), "two keys are enough") }
    let name = try #require(RepositoryName("next"))
    guard
      case .draft(_, let path) = try keys.rotate(
        to: name, isStolen: false, ceremony(fixture, [roots[0]]))
    else { return #expect(Bool(false), "one key is not enough") }
    #expect(try keys.root()?.version == 1)
    // Signing with the same key again doesn't help.
    guard case .draft = try keys.sign(path, by: [roots[0]]) else {
      return #expect(Bool(false), "one key counts once")
    }
    _ = try RepositoryKeys.signDraft(path, by: [roots[2]])
    guard case .published(let root) = try keys.sign(path, by: []) else {
      return #expect(Bool(false), "two keys are enough")
    }
    #expect(root.version == 2 && !FileManager.default.fileExists(atPath: path))
    // The same rule applies to changing the root keys.
    let fresh = SigningKey()
    guard
      case .draft(_, let second) = try keys.rotateRoot(
        to: role([fresh]), ceremony(fixture, [fresh, roots[0]])),
      case .published(let last) = try keys.sign(second, by: [roots[1]])
    else { return #expect(Bool(false), "two old keys and the new one are needed") }
    #expect(last.version == 3)
    let renewed = try keys.renew(ceremony(fixture, [fresh]))
    guard case .published = renewed else { return #expect(Bool(false), "the new key is enough") }
  }

  @Test func `a rotation that ends between any two steps leaves a working repository`() async throws
  {
    let root = SigningKey()
    for step in 0..<3 {
      let fixture = try await filled()
      let keys = try RepositoryKeys(dataFolder: fixture.folder)
      _ = try keys.makeRoot(role([root]), ceremony(fixture, [root]))
      let name = try #require(RepositoryName("next"))
      switch step {
      case 0:
        // Only the key was created.
        _ = try SigningKeys.make("next", in: fixture.folder + "/keys")
      default:
        _ = try keys.rotate(to: name, isStolen: true, ceremony(fixture, [root]))
        if step == 1 {
          // The root document exists, and the old key hasn't been renamed yet.
          try FileManager.default.moveItem(
            atPath: fixture.folder + "/keys/signing.key.retired",
            toPath: fixture.folder + "/keys/signing.key")
        }
        // There is also an incomplete root document.
        try Data("{".utf8).write(to: URL(filePath: fixture.folder + "/roots/3.json.new"))
      }
      try await fixture.serve { client in
        let newest = try await client.send(.get, "/v1/root").decoded(SignedDocument.self)
        let trust = try RepositoryTrust(root: newest)
        let signed = try await client.send(.get, "/v1/models/cats/channels/stable")
          .decoded(SignedDocument.self)
        let document = try signed.verified(by: trust.keys(at: fixture.now))
        #expect(document.root == (step == 0 ? 1 : 2))
      }
      // A later rotation succeeds.
      let again = try #require(RepositoryName("again"))
      _ = try keys.rotate(to: again, isStolen: true, ceremony(fixture, [root]))
      #expect(
        try RepositoryKeys.list(fixture.folder, at: fixture.now).count { $0.state == .signing } == 1
      )
    }
  }

  @Test func `the server rejects damaged or missing root documents and names them`()
    async throws
  {
    let fixture = try await filled()
    let root = SigningKey()
    do {
      let keys = try RepositoryKeys(dataFolder: fixture.folder)
      _ = try keys.makeRoot(role([root]), ceremony(fixture, [root]))
      _ = try keys.renew(ceremony(fixture, [root]))
      _ = try keys.renew(ceremony(fixture, [root]))
    }
    let second = fixture.folder + "/roots/2.json"
    let bytes = try Data(contentsOf: URL(filePath: second))
    for damage in [Data(), Data("{}".utf8), bytes.dropLast(9)] as [Data] {
      try damage.write(to: URL(filePath: second))
      let error = await #expect(throws: RepositoryError.self) { _ = try await fixture.server() }
      #expect(error?.message.contains("2.json") == true)
    }
    try FileSystem.remove(second)
    let error = await #expect(throws: RepositoryError.self) { _ = try await fixture.server() }
    #expect(error?.message.contains("2.json") == true)
    try bytes.write(to: URL(filePath: second))
    _ = try await fixture.server()
    // A backup includes the root documents but not the keys.
    let copy = fixture.folder + "-copy"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    try await RepositoryStore.backup(fixture.options, to: copy)
    #expect(try FileSystem.names(in: copy + "/keys").isEmpty)
    #expect(try RootFolder.load(copy + "/roots").documents.count == 3)
    let report = try await RepositoryStore(ModelRepositoryOptions(dataFolder: copy)).fsck()
    #expect(report.untrusted.isEmpty)
  }
}
#endif
