// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
import Foundation
import TensorIO
import Testing

@testable import NetRunner

@Suite struct ConfinedFolderTests {
  @Test func `files that are outside or missing have no path`() throws {
    let folder = try DatasetFolder(["in/a.png": "", "in-other/b.png": ""])
    try folder.link("in/out", to: folder.path + "/in-other")
    try folder.link("in/again", to: "a.png")
    let confinedFolder = try #require(ConfinedFolder(folder.path + "/in"))
    let real = try #require(FileOperations.realPath(folder.path))
    #expect(confinedFolder.confinedPath(of: folder.path + "/in/a.png") == real + "/in/a.png")
    #expect(confinedFolder.confinedPath(of: folder.path + "/in/again") == real + "/in/a.png")
    #expect(confinedFolder.confinedPath(of: folder.path + "/in") == real + "/in")
    for path in ["/in/out", "/in/out/b.png", "/in/../in-other/b.png", "/in-other", "/in/gone", ""] {
      #expect(confinedFolder.confinedPath(of: folder.path + path) == nil, "\(path)")
    }
    #expect(confinedFolder.confinedPath(of: "/etc/passwd") == nil)
    #expect(ConfinedFolder(folder.path + "/in/a.png") == nil)
    #expect(ConfinedFolder(folder.path + "/gone") == nil)
  }

  @Test func `images outside are rejected, and their bytes don't change the hash`() throws {
    let folder = try DatasetFolder([
      "in/a.png": "a", "secret.png": "one", "in/list.csv": "a.png\n../secret.png\n/etc/passwd\n",
    ])
    var options = DatasetOptions()
    options.confinedFolder = ConfinedFolder(folder.path + "/in")
    let dataset = try folder.dataset("in/list.csv", options: options)
    #expect(dataset.ids == ["a.png", "../secret.png", "/etc/passwd"])
    for sample in dataset.samples.dropFirst() {
      guard case .refused(let reason, let name) = sample.source else {
        Issue.record("\(sample.id) was read")
        continue
      }
      #expect(name == sample.id)
      #expect(reason.contains("'\(sample.id)'"))
    }
    let hash = try dataset.sha256()
    try folder.write("two", to: "secret.png")
    #expect(try folder.dataset("in/list.csv", options: options).sha256() == hash)
    #expect(throws: TensorIOError.self) { try folder.dataset("secret.png", options: options) }
  }
}
