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
