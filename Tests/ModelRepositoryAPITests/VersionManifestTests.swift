// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import Testing

@testable import ModelRepositoryAPI

@Suite struct VersionManifestTests {
  private static func manifest(
    _ paths: [String], format: VersionManifest.Format = .bundle, size: Int = 1
  ) -> VersionManifest {
    VersionManifest(
      model: Samples.name("pets"), version: Samples.name("1.0"), format: format,
      files: paths.map {
        VersionManifest.File(path: $0, digest: BlobDigest(of: $0.utf8), size: size)
      })
  }

  @Test func `a manifest with safe paths is valid and is read back unchanged`() throws {
    let manifest = Self.manifest(["model.tflite", "model.json", "assets/labels.txt"])
    try manifest.validate()
    #expect(manifest.size == 3)
    #expect(manifest.files.map(\.path) == ["assets/labels.txt", "model.json", "model.tflite"])
    let bytes = try RepositoryJSON.encode(manifest)
    #expect(try RepositoryJSON.decode(VersionManifest.self, from: bytes) == manifest)
    // The version's name depends on these bytes, so they mustn't depend on a dictionary's order.
    #expect(try RepositoryJSON.encode(manifest) == bytes)
  }

  @Test(arguments: [
    ["../x"], ["/x"], ["a/../b"], ["a//b"], ["a/"], [".x"], ["a/.x"], ["a\\b"], ["C:x"], ["a\0b"],
    ["a\nb"], [""], ["a", "A"], ["a", "a/b"], ["a/b/c", "a/b"], [],
    [String(repeating: "a", count: 256)], [Array(repeating: "a", count: 33).joined(separator: "/")],
  ])
  func `paths that leave the folder, are hidden or collide are rejected`(paths: [String]) {
    #expect(throws: RepositoryError.self) { try Self.manifest(paths).validate() }
  }

  @Test(arguments: [
    (".gitattributes", "'.gitattributes' begins with a full stop"),
    ("a/.git/b", "'.git' begins with a full stop"),
    (".\u{301}x", "begins with a full stop"), ("C:x", "it contains ':'"),
    ("a:\u{301}", "it contains ':'"), ("a\\b", "it contains '\\'"),
    ("a\nb", "a control character"), ("a//b", "one of its names is empty"),
    (String(repeating: "a", count: 256), "256 bytes, but at most 255 are allowed"),
    (String(repeating: "a/", count: 600), "1200 bytes, but at most 1000 are allowed"),
    (Array(repeating: "a", count: 33).joined(separator: "/"), "it has 33 names"),
  ])
  func `a path that is refused is explained`(path: String, reason: String) {
    let error = #expect(throws: RepositoryError.self) { try Self.manifest([path]).validate() }
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    #expect(error?.message.hasSuffix("Rename or remove the file.") == true)
  }

  @Test func `impossible sizes and counts are rejected`() {
    #expect(throws: RepositoryError.self) { try Self.manifest(["a"], size: -1).validate() }
    #expect(throws: RepositoryError.self) { try Self.manifest(["a", "b"], size: .max).validate() }
    #expect(throws: RepositoryError.self) {
      try Self.manifest(["a", "b"], format: .tflite).validate()
    }
    #expect(throws: RepositoryError.self) {
      try Self.manifest((0...VersionManifest.maximumFiles).map { "f\($0)" }).validate()
    }
  }
}
#endif
