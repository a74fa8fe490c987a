// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import ModelRepositoryAPI
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import ModelRepositoryServer

@Suite struct S3SignatureTests {
  struct Example: Sendable {
    var request: S3Request
    var path: String
    var signature: String
  }

  /// The examples of "Signature Calculations for the Authorization Header" in Amazon's
  /// documentation.
  static let examples = [
    Example(
      request: S3Request(method: .GET, key: nil, purpose: "", fields: [("Range", "bytes=0-9")]),
      path: "/test.txt",
      signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
    Example(
      request: S3Request(
        method: .PUT, key: nil, purpose: "",
        fields: [
          ("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
        ], body: .bytes(ByteBuffer(string: "Welcome to Amazon S3."))),
      path: "/" + S3Signature.escaped("test$file.text", keepingSlashes: true),
      signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
    Example(
      request: S3Request(method: .GET, key: nil, purpose: "", query: [("lifecycle", "")]),
      path: "/",
      signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
    Example(
      request: S3Request(
        method: .GET, key: nil, purpose: "", query: [("prefix", "J"), ("max-keys", "2")]),
      path: "/",
      signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
  ]

  @Test(arguments: examples)
  func `the signatures of Amazon's examples match`(example: Example) {
    let signature = S3Signature(
      credentials: S3Credentials(
        accessKey: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
      region: "us-east-1")
    let fields = signature.fields(
      example.request, host: "examplebucket.s3.amazonaws.com", path: example.path,
      at: Date(timeIntervalSince1970: 1_369_353_600))
    #expect(fields.last?.value.hasSuffix("Signature=" + example.signature) == true)
  }

  @Test(.enabled(if: S3Peer.isThere, "TENSORIO_PYTHON isn't set."))
  func `the signatures of 500 requests match botocore's`() async throws {
    var generator = SystemRandomNumberGenerator()
    let letters = Array("abcXYZ019-._~ +/=&%#?*'()!$,;:@[]\"<>|\\^`{}äé漢🐈\u{301}")
    func text(_ count: Int) -> String {
      String((0..<count).map { _ in letters.randomElement(using: &generator) ?? "a" })
    }
    var asked: [[String: Any]] = []
    var ours: [String] = []
    for number in 0..<500 {
      let credentials = S3Credentials(
        accessKey: "AKIDPEERS3EXAMPLE", secret: text(1 + number % 60),
        sessionToken: number % 3 == 0 ? "token\(number)/+=" : nil)
      let region = ["us-east-1", "eu-central-1", "x"][number % 3]
      var request = S3Request(
        method: [.GET, .PUT, .POST, .DELETE, .HEAD][number % 5], key: nil, purpose: "",
        query: (0..<number % 5).map { (name: "\(text(3))\($0)", value: text($0 * 3)) })
      request.fields = [("Range", "bytes=0-\(number)"), ("x-amz-meta-a", "  a   b \(number) ")]
      if number % 2 == 0 { request.body = .bytes(ByteBuffer(string: text(number))) }
      let path = "/bucket/" + S3Signature.escaped("k" + text(number % 40), keepingSlashes: true)
      let fields = S3Signature(credentials: credentials, region: region).fields(
        request, host: "s3.example.com:9000", path: path,
        at: Date(timeIntervalSince1970: Double(1_000_000_000 + number * 7_777_777)))
      let query = S3Signature.query(request.query)
      asked.append([
        "method": request.method.rawValue, "region": region, "secret": credentials.secret,
        "url": "http://s3.example.com:9000" + path + (query.isEmpty ? "" : "?" + query),
        "fields": Dictionary(fields.dropLast().map { ($0.name, $0.value) }) { first, _ in first },
      ])
      ours.append(String(try #require(fields.last?.value.split(separator: "=").last)))
    }
    let answer = try await S3Peer.ask(["do": "sign", "requests": asked])
    let theirs = try #require(answer["signatures"] as? [String])
    #expect(theirs.count == 500 && Set(theirs).count == 500)
    for (number, (our, their)) in zip(ours, theirs).enumerated() {
      #expect(our == their, "\(asked[number])")
    }
  }

  @Test func `credentials are read from the environment and never printed`() throws {
    var environment = [
      "AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "secret!", "AWS_SESSION_TOKEN": "",
    ]
    var credentials = try S3Credentials(environment: environment)
    #expect(credentials.sessionToken == nil && credentials.secret == "secret!")
    environment["AWS_SESSION_TOKEN"] = "token!"
    credentials = try S3Credentials(environment: environment)
    var dumped = ""
    dump(credentials, to: &dumped)
    for text in [dumped, "\(credentials)", String(reflecting: credentials)] {
      #expect(!text.contains("secret!") && !text.contains("token!"))
    }
    #expect(credentials.hiding(in: "a secret! b token!") == "a ... b ...")
    for (name, value) in [
      ("AWS_SECRET_ACCESS_KEY", nil), ("AWS_ACCESS_KEY_ID", ""), ("AWS_ACCESS_KEY_ID", "a\r\nb"),
      ("AWS_SESSION_TOKEN", "a b"),
    ] {
      var environment = environment
      environment[name] = value
      let error = #expect(throws: RepositoryError.self) {
        try S3Credentials(environment: environment)
      }
      #expect(error?.message.contains(name) == true && error?.code == .invalidOption)
      #expect(error?.message.contains("secret!") == false)
    }
  }
}
#endif
