// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// `tensorio label`.
@Suite struct LabelCommandTests {
  private let folder: TemporaryFolder
  private let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = folder.path + "/labels.sqlite"
    for photo in ["a.jpg", "b.jpg", "dog/c.jpg", "cat/d.jpg"] {
      let file = URL(filePath: folder.path + "/" + photo)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(photo.utf8).write(to: file)
    }
  }

  @discardableResult
  private func label(_ arguments: String...) async throws -> CommandRunner.Result {
    try await CommandRunner.run(["label"] + arguments)
  }

  @Test func `labels can be set, listed, undone and removed`() async throws {
    let photo = folder.path + "/a.jpg"
    #expect(try await label("set", store, "m", photo, "rocking chair") == (0, "", ""))
    #expect(try await label("set", store, "m", folder.path + "/b.jpg", "[0.5, -2]").status == 0)
    #expect(try await label("set", store, "m", photo, "-7").status == 0)
    #expect(
      try await label("list", store, "--model", "m") == (
        0, "photo  label\na.jpg  -7\nb.jpg  0.5, -2\n", ""
      ))
    #expect(
      try await label("undo", store) == (0, "", "a.jpg: 'rocking chair' restored\n"))
    try FileManager.default.removeItem(atPath: photo)
    let list = try await label("list", store, "--model", "m", "--json")
    #expect(
      list.output.hasPrefix(
        #"[{"label":"rocking chair","path":"a.jpg","sha256":""#))
    #expect(list.output.contains(#""state":"missing"},{"label":[0.5,-2],"path":"b.jpg""#))
    #expect(try await label("remove", store, "m", photo) == (0, "", ""))
    #expect(try await label("remove", store, "m", photo).status == 66)
    #expect(try await label("list", store) == (0, "m: 1 label\n", ""))
    #expect(try await label("list", store, "--json") == (0, "{\"m\":1}\n", ""))
  }

  @Test func `a label that starts like an array must be one unless --text is passed`() async throws
  {
    let photo = folder.path + "/a.jpg"
    let result = try await label("set", store, "m", photo, "[0.5")
    #expect(result.status == 65)
    #expect(result.error.contains("--text"))
    #expect(try await label("set", store, "m", photo, "[0.5", "--text").status == 0)
    #expect(try await label("list", store, "--model", "m").output.contains("[0.5\n"))
  }

  @Test func `folders of classes are imported and exported in every format`() async throws {
    try FileManager.default.removeItem(atPath: folder.path + "/a.jpg")
    try FileManager.default.removeItem(atPath: folder.path + "/b.jpg")
    let read = try await label("import", store, folder.path, "--model", "m", "--json")
    #expect(read.status == 0)
    #expect(read.output == "{\"labels\":2,\"notes\":[]}\n")
    #expect(
      read.error == "note: read as one folder per class: 2 classes, 2 images\n")
    for name in ["x.testbundle", "x.csv", "x.zip"] {
      let path = folder.path + "/" + name
      #expect(
        try await label("export", store, "--model", "m", "--to", path) == (
          0, "", "2 labels written to '\(path)'\n"
        ))
      #expect(try await label("export", store, "--model", "m", "--to", path).status == 64)
      #expect(
        try await label("export", store, "--model", "m", "--to", path, "--replace").status == 0)
    }
    #expect(
      try String(contentsOfFile: folder.path + "/x.csv", encoding: .utf8)
        == "path,label\ncat/d.jpg,cat\ndog/c.jpg,dog\n")
    #expect(
      try await label("undo", store).error
        == "cat/d.jpg: label removed\ndog/c.jpg: label removed\n")
  }

  @Test func `find-moved finds a photo that was moved`() async throws {
    try await label("set", store, "m", folder.path + "/a.jpg", "x")
    try FileManager.default.moveItem(
      atPath: folder.path + "/a.jpg", toPath: folder.path + "/dog/new.jpg")
    #expect(try await label("find-moved", store) == (0, "a.jpg -> dog/new.jpg\n", ""))
  }

  @Test func `a missing store, an invalid store and a missing photo are errors`() async throws {
    #expect(try await label("list", store).status == 66)
    let result = try await label("set", folder.path + "/b.jpg", "m", folder.path + "/a.jpg", "x")
    #expect(result.status == 65)
    #expect(result.error.contains("isn't a label store"))
    #expect(try await label("set", store, "m", folder.path + "/none.jpg", "x").status == 66)
  }

  @Test func `no label is lost when another writer is killed`() async throws {
    let photo = folder.path + "/a.jpg"
    try await label("set", store, "m0", photo, "x")
    for round in 1...6 {
      let process = try ChildProcess(
        "/bin/sh",
        [
          "-c",
          "for i in 1 2 3 4 5 6 7 8 9; do "
            + "\"$0\" label set \"$1\" m-$2-$i \"$3\" x && echo $i; done",
          CommandRunner.binary.path, store, "\(round)", photo,
        ])
      // Another process is killed while it writes.
      let victim = try ChildProcess(
        CommandRunner.binary.path, ["label", "set", store, "victim-\(round)", photo, "x"])
      try await Task.sleep(for: .milliseconds(10 + 15 * round))
      kill(victim.identifier, SIGKILL)
      _ = await victim.finish()
      let done = await process.finish().output
      #expect(done.split(separator: "\n").count == 9)
    }
    let list = try await label("list", store, "--json")
    #expect(list.status == 0)
    for round in 1...6 {
      for index in 1...9 { #expect(list.output.contains("\"m-\(round)-\(index)\":1")) }
    }
  }
}
