// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ModelRepositoryAPI
import Testing

@testable import ModelRepositoryServer

@Suite struct S3LocationTests {
  @Test(arguments: [
    ("s3://models", nil, "us-east-1", "models", "", "https://s3.us-east-1.amazonaws.com"),
    ("s3://models/", nil, "eu-central-1", "models", "", "https://s3.eu-central-1.amazonaws.com"),
    ("s3://a.b-c/x/y ü/", "https://S3.a.com/", "x", "a.b-c", "x/y ü", "https://s3.a.com"),
    ("s3://models", "https://a:443", "x", "models", "", "https://a"),
    ("s3://models", "http://127.0.0.1:9000", "x", "models", "", "http://127.0.0.1:9000"),
    ("s3://models", "http://[::1]:9000", "x", "models", "", "http://[::1]:9000"),
    ("s3://models", "http://localhost", "x", "models", "", "http://localhost"),
  ])
  func `a location is parsed`(
    text: String, endpoint: String?, region: String, bucket: String, prefix: String, server: String
  ) throws {
    let place = try S3Location(text, endpoint: endpoint, region: region)
    #expect(place.bucket == bucket && place.prefix == prefix)
    #expect(place.endpoint == server && place.region == region)
    #expect(server.hasSuffix("://" + place.host))
    #expect(place.description.contains(place.name) && place.description.contains(server))
    let copy = try RepositoryJSON.decode(S3Location.self, from: RepositoryJSON.encode(place))
    #expect(copy == place)
  }

  @Test(arguments: [
    "", "models", "s3:/models", "s3://", "s3://ab", "s3:///prefix", "s3://mod els", "s3://...",
    "s3://models/../other", "s3://models/a//b", "s3://models/./a", "s3://models/a\nb",
    "https://models", "s3://" + String(repeating: "a", count: 64),
    "s3://models/" + String(repeating: "a", count: 801),
  ])
  func `an invalid location is rejected`(text: String) {
    let error = #expect(throws: RepositoryError.self) { try S3Location(text) }
    #expect(error?.code == .invalidOption)
    #expect(error?.message.contains("s3://BUCKET/PREFIX") == true)
  }

  @Test(arguments: [
    "http://s3.example.com", "http://127.0.0.1.example.com", "ftp://a", "s3.example.com", "",
    "https://user@a", "https://user:word@a", "https://a/path", "https://a?b", "https://a#b",
    "https://", "http://10.0.0.1:9000", "https://a:0", "https://a:70000",
  ])
  func `an invalid endpoint is rejected`(endpoint: String) {
    let error = #expect(throws: RepositoryError.self) {
      try S3Location("s3://models", endpoint: endpoint)
    }
    #expect(error?.code == .invalidOption)
  }

  @Test(arguments: ["", "a b", "eu/central", "eu\r\n"])
  func `an invalid region is rejected`(region: String) {
    #expect(throws: RepositoryError.self) { try S3Location("s3://models", region: region) }
  }
}
#endif
