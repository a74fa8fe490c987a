// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import Testing

@testable import ModelRepositoryAPI
@testable import ModelRepositoryServer

/// Drafts of root documents that several people sign.
@Suite struct DraftTests {
  private let roots = [SigningKey(), SigningKey(), SigningKey()]

  private func ceremony(_ fixture: TestRepository, _ keys: [SigningKey]) -> RepositoryKeys.Ceremony
  {
    RepositoryKeys.Ceremony(rootKeys: keys, now: fixture.now)
  }

  /// Creates a repository whose root documents need two signatures, and the draft of a rotation
  /// that revokes the stolen key.
  private func robbed() async throws -> (
    fixture: TestRepository, keys: RepositoryKeys, draft: String, pending: SignedDocument
  ) {
    let fixture = try await TestRepository()
    _ = try await fixture.open()
    let keys = try RepositoryKeys(dataFolder: fixture.folder)
    let role = RootDocument.RootRole(threshold: 2, keys: roots.map(\.verificationKey))
    _ = try keys.makeRoot(role, ceremony(fixture, Array(roots.prefix(2))))
    let outcome = try keys.rotate(
      to: try #require(RepositoryName("next")), isStolen: true, ceremony(fixture, [roots[0]]))
    guard case .draft(_, let path) = outcome else {
      throw RepositoryError(.invalidOption, "One key isn't enough.")
    }
    let pending = try RepositoryJSON.decode(
      SignedDocument.self, from: Data(contentsOf: URL(filePath: path)))
    return (fixture, keys, path, pending)
  }

  private func write(_ signed: SignedDocument, to path: String) throws {
    try RepositoryJSON.encode(signed).write(to: URL(filePath: path))
  }

  @Test func `a pending draft is neither replaced nor passed over, and no key is made`()
    async throws
  {
    let (fixture, keys, draft, pending) = try await robbed()
    let before = try FileSystem.names(in: fixture.folder + "/keys")
    let other = try #require(RepositoryName("other"))
    for signers in [[roots[1]], roots] {
      let ceremony = ceremony(fixture, signers)
      let role = RootDocument.RootRole(threshold: 1, keys: [SigningKey().verificationKey])
      let attempts: [() throws -> RepositoryKeys.Outcome?] = [
        { try keys.renew(ceremony) }, { try keys.addKey(other, ceremony) },
        { try keys.rotate(to: other, isStolen: false, ceremony) },
        { try keys.rotateRoot(to: role, ceremony) },
      ]
      for attempt in attempts {
        let error = #expect(throws: RepositoryError.self) { _ = try attempt() }
        #expect(error?.message.contains(draft) == true)
      }
    }
    #expect(try FileSystem.names(in: fixture.folder + "/keys") == before)
    // A draft that was made elsewhere doesn't replace it either, however many keys signed it.
    var root = try RepositoryJSON.decode(RootDocument.self, from: pending.document)
    root.channels.revoked = []
    let foreign = fixture.folder + "/foreign.draft"
    for signers in [[roots[1]], roots] {
      try write(try SignedDocument(root, by: signers), to: foreign)
      #expect(throws: RepositoryError.self) { try keys.sign(foreign, by: []) }
    }
    #expect(try keys.root()?.version == 1)
    #expect(try Data(contentsOf: URL(filePath: draft)) == RepositoryJSON.encode(pending))
    // Without it, another document can be made.
    try FileSystem.remove(draft)
    guard case .draft = try keys.renew(ceremony(fixture, [roots[1]])) else {
      return #expect(Bool(false), "one key isn't enough")
    }
  }

  @Test func `signatures of the same draft are added up`() async throws {
    let (fixture, keys, draft, pending) = try await robbed()
    // The second holder got the document without the signature of the first one.
    let copy = fixture.folder + "/copy.draft"
    var other = SignedDocument(document: pending.document, signatures: [])
    try other.sign(by: [roots[1]])
    try write(other, to: copy)
    guard case .published(let root) = try keys.sign(copy, by: []) else {
      return #expect(Bool(false), "two keys are enough")
    }
    #expect(root.version == 2 && root.channels.revoked.count == 1)
    #expect(try !FileSystem.exists(draft) && !FileSystem.exists(copy))
  }
}
#endif
