// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TensorIO

@Suite struct ModelLibraryTests {
  @Test func `bundles are sorted by model name, ignoring case`() throws {
    let folder = try TemporaryFolder()
    for (file, name) in [
      ("1.tiobundle", "zebra"), ("2.tiobundle", "Ant"), ("3.tfbundle", "bee"),
      ("4.tiobundle", "ant"),
      ("5.tiobundle", "Émile"),
    ] {
      _ = try TestBundle(
        named: file, in: folder, set: ["/name": .string(name), "/id": .string("id-" + file)])
    }
    let library = try ModelLibrary(scanning: folder.path)
    #expect(library.bundles.map(\.manifest.name) == ["Ant", "ant", "bee", "zebra", "Émile"])
    #expect(library.failures.isEmpty)
    #expect(library[id: "id-3.tfbundle"]?.manifest.name == "bee")
    #expect(library[id: "none"] == nil)
  }

  @Test func `an unreadable bundle is reported and doesn't hide the others`() throws {
    let folder = try TemporaryFolder()
    _ = try TestBundle(named: "good.tiobundle", in: folder)
    try folder.write("{", to: "bad.tiobundle/model.json")
    try folder.write("", to: "file.tiobundle")
    let library = try ModelLibrary(scanning: folder.path)
    #expect(library.bundles.map(\.manifest.id) == ["two-vectors"])
    #expect(
      library.failures.map(\.path) == [
        folder.path + "/bad.tiobundle", folder.path + "/file.tiobundle",
      ])
    #expect(library.failures.map(\.error.issues.first?.code) == [.malformedJSON, .notFound])
  }

  @Test func `other files and nested folders are ignored`() throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "notes.txt")
    _ = try TestBundle(named: "deeper/inner.tiobundle", in: folder)
    let library = try ModelLibrary(scanning: folder.path)
    #expect(library.bundles.isEmpty && library.failures.isEmpty)
  }

  @Test func `a folder that can't be read is an error`() throws {
    let folder = try TemporaryFolder()
    let missing = #expect(throws: TensorIOError.self) {
      try ModelLibrary(scanning: folder.path + "/none")
    }
    #expect(missing?.code == .fileNotFound)
    let path = try folder.write("", to: "file")
    #expect(throws: TensorIOError.self) { try ModelLibrary(scanning: path) }
  }
}
