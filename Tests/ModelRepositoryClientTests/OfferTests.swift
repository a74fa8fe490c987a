// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import ModelRepositoryAPI
import Testing

@testable import ModelRepositoryClient

@Suite struct OfferTests {
  @Test func `an offer names the release that a download gets, and stores nothing`() async throws {
    let repository = try await TestRepository()
    let release = try repository.ship("1.0", 1)
    let offer = try await repository.client().offer(of: .digits)
    #expect(offer.release == release && offer.documentVersion == 1 && offer.format == .bundle)
    #expect(repository.names(in: "store").isEmpty && repository.names(in: "models").isEmpty)
    let version = try await repository.client().update(.digits)
    #expect(version.manifest == offer.release.manifest.digest)
    // Now the manifest comes from the store.
    try #expect(await repository.client().offer(of: .digits).release == release)
  }

  @Test func `an offer of an older document is rejected after a newer one was accepted`()
    async throws
  {
    let repository = try await TestRepository()
    let old = try repository.point(to: repository.publish("1.0", 1, TestRepository.files("1.0")))
    try repository.ship("2.0", 2)
    #expect(try await repository.use() == "2.0")
    try repository.serve(old)
    let client = try repository.client()
    let error = await #expect(throws: ModelRepositoryClientError.self) {
      try await client.offer(of: .digits)
    }
    #expect(error?.code == .replayed)
  }

  @Test func `a list has an offer or an error for each model, up to the limit`()
    async throws
  {
    let repository = try await TestRepository()
    try repository.ship("1.0", 1)
    let forged = RepositoryName.named("forged")
    try repository.serve(
      repository.point(to: repository.publish("1.0", 1, TestRepository.files("1.0"))), as: forged)
    let names = ["forged", "missing", "digits", "zebra"]
    let list = ModelList(models: names.map { .init(name: .named($0), versions: 1) })
    let bytes = Array(try RepositoryJSON.encode(list))
    repository.answers { $0.path == "/v1/models" ? .reply("200 OK", body: bytes) : nil }
    let offers = try await repository.client().offers(upTo: 3)
    #expect(offers.entries.map(\.model.text) == ["digits", "forged", "missing"])
    #expect(offers.leftOff == 1)
    let codes = offers.entries.map { entry -> ModelRepositoryClientError.Code? in
      if case .failure(let error) = entry.offer { error.code } else { nil }
    }
    // The document of another model isn't trusted.
    #expect(codes == [nil, .untrusted, .notFound])
  }

  @Test(arguments: ["{}", "no JSON", #"{"models": [{"name": "../x", "versions": 1}]}"#])
  func `an invalid list is an error`(body: String) async throws {
    let repository = try await TestRepository()
    repository.answers { _ in .reply("200 OK", body: Array(body.utf8)) }
    let client = try repository.client()
    let error = await #expect(throws: ModelRepositoryClientError.self) {
      try await client.offers(upTo: 10)
    }
    #expect(error?.code == .serverError)
  }
}
#endif
