// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import ModelRepositoryAPI
import TestSupport
import Testing

@Suite struct SignedDocumentTests {
  private let key = SigningKey()

  @Test func `a document signed with a known key is read`() throws {
    let document = Samples.document(experiment: Samples.experiment(("rollout", 2000)))
    let other = SigningKey()
    let signed = try SignedDocument(document, by: [other, key])
    #expect(try signed.verified(by: [key.verificationKey]) == document)
    #expect(try signed.verified(by: [other.verificationKey]) == document)
    let sent = try RepositoryJSON.decode(
      SignedDocument.self, from: RepositoryJSON.encode(signed))
    #expect(try sent.verified(by: [key.verificationKey]) == document)
    let read = try VerificationKey(key.verificationKey.text)
    #expect(read == key.verificationKey && read.id.count == 16)
    #expect(try SigningKey(key.text).verificationKey == key.verificationKey)
  }

  @Test func `a document without a signature of a known key isn't read`() throws {
    let signed = try SignedDocument(Samples.document(), by: [key])
    #expect(throws: RepositoryError.self) {
      try signed.verified(by: [SigningKey().verificationKey])
    }
    #expect(throws: RepositoryError.self) { try signed.verified(by: []) }
    var bare = signed
    bare.signatures = []
    #expect(throws: RepositoryError.self) { try bare.verified(by: [key.verificationKey]) }
    // Another key's signature under this key's name.
    var forged = try SignedDocument(Samples.document(), by: [SigningKey()])
    forged.signatures[0].keyID = key.verificationKey.id
    #expect(throws: RepositoryError.self) { try forged.verified(by: [key.verificationKey]) }
  }

  @Test func `changing any bit of the document or the signature invalidates it`() throws {
    let signed = try SignedDocument(Samples.document(), by: [key])
    for place in signed.document.indices {
      var changed = signed
      changed.document[place] ^= 1 << UInt8.random(in: 0..<8)
      #expect(throws: RepositoryError.self) { try changed.verified(by: [key.verificationKey]) }
    }
    for place in signed.signatures[0].signature.indices {
      var changed = signed
      changed.signatures[0].signature[place] ^= 1 << UInt8.random(in: 0..<8)
      #expect(throws: RepositoryError.self) { try changed.verified(by: [key.verificationKey]) }
    }
  }

  @Test func `a malformed signed document is rejected`() throws {
    var documents: [ChannelDocument] = []
    func add(_ change: (inout ChannelDocument) -> Void) {
      var document = Samples.document(experiment: Samples.experiment(("a", 1000), ("b", 2000)))
      change(&document)
      documents.append(document)
    }
    add { $0.documentVersion = 0 }
    add { $0.expires = $0.issued }
    add { $0.minimumSafeSequence = 2 }
    add { $0.minimumSafeSequence = -1 }
    add { $0.release?.size = -1 }
    add { $0.release?.manifest.size = 1 << 30 }
    add { $0.experiment?.arms = [] }
    add { $0.experiment?.salt = "" }
    add { $0.experiment?.arms[0].threshold = 3000 }
    add { $0.experiment?.arms[1].threshold = 10_001 }
    add { $0.experiment?.arms[0].threshold = -1 }
    add { document in
      guard let name = document.experiment?.arms[0].name else { return }
      document.experiment?.arms[1].name = name
    }
    for document in documents {
      let signed = try SignedDocument(document, by: [key])
      #expect(throws: RepositoryError.self) { try signed.verified(by: [key.verificationKey]) }
    }
  }

  @Test(arguments: ["", "AAAA", "not base 64", String(repeating: "A", count: 88)])
  func `an invalid key is rejected`(text: String) {
    #expect(throws: RepositoryError.self) { try VerificationKey(text) }
    #expect(throws: RepositoryError.self) { try SigningKey(text) }
  }

  @Test(
    .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set."))
  func `Python verifies our signatures, and we verify Python's`() async throws {
    let document = Samples.document(experiment: Samples.experiment(("rollout", 2000)))
    let signed = try SignedDocument(document, by: [key])
    let theirs = try await Python.run(
      ["Tools/peers/repository.py", "verify", key.verificationKey.text],
      input: RepositoryJSON.encode(signed))
    #expect(Data(theirs.utf8) == signed.document)
    let answer = try await Python.run(
      ["Tools/peers/repository.py", "sign", key.text], input: signed.document)
    let python = try RepositoryJSON.decode(SignedDocument.self, from: Data(answer.utf8))
    #expect(try python.verified(by: [key.verificationKey]) == document)
  }
}
#endif
