// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Testing

@testable import ModelRepositoryServer

@Suite struct S3ElementTests {
  private static let document = """
    \u{FEFF}<?xml version="1.0" encoding="UTF-8"?>
    <!-- a > comment -->
    <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
      <Name>a&amp;b &lt;&gt;&quot;&apos; &#228;&#x1F408;</Name><Prefix/>
      <x:Contents x:a="/"><Key><![CDATA[<raw>&amp;]]></Key></x:Contents>
      <Contents><Key>b</Key><Size>12</Size></Contents>
    </ListBucketResult>

    """

  @Test func `a document is parsed`() throws {
    let root = try #require(S3Element(Self.document.utf8))
    #expect(root.name == "ListBucketResult")
    #expect(root["Name"]?.text == "a&b <>\"' ä🐈")
    #expect(root["Prefix"]?.text == "" && root["None"] == nil)
    #expect(root.all("Contents").map { $0["Key"]?.text } == ["<raw>&amp;", "b"])
    #expect(root.all("Contents").last?["Size"]?.text == "12")
    #expect(S3Element.escaped("a&<b>") == "a&amp;&lt;b&gt;")
  }

  @Test(arguments: [
    "", " ", "text", "<a>", "</a>", "<a></b>", "<a/><b/>", "<a>&b;</a>", "<a>& b</a>", "<a/>x",
    "<a><b></a></b>", "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "<a", "<>",
    "< a/>", "<a>&#x110000;</a>",
    "<a b=\">\"/>", "<?xml", "<a><!-- </a>", "{\"a\": 1}",
    String(repeating: "<a>", count: 17) + String(repeating: "</a>", count: 17),
  ])
  func `an invalid document is rejected`(text: String) {
    #expect(S3Element(text.utf8) == nil)
  }

  @Test func `truncated and random bytes never crash the parser`() {
    let bytes = Array(Self.document.utf8)
    let end = bytes.lastIndex(of: UInt8(ascii: ">")) ?? 0
    for count in 0...end { #expect(S3Element(bytes[..<count]) == nil) }
    for _ in 0..<20_000 {
      var bytes = bytes
      for _ in 0..<Int.random(in: 1...4) {
        bytes[Int.random(in: bytes.indices)] = UInt8.random(in: 0...255)
      }
      _ = S3Element(bytes)
    }
  }
}
#endif
