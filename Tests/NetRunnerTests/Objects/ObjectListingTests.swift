// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import Testing

@testable import NetRunner

/// Manifests of prefixes and archives, with objects that a test keeps in memory.
@Suite struct ObjectListingTests {
  private static let prefix = "s3://bucket/photos/"
  private static let names = [
    ".hidden.png", "a.png", "b.json", "c.tar", "d/e f\"\\.png", "d/g.tgz", "h.npy", "i.wav",
    "é.png",
  ]

  private static func access(_ names: [String] = names) -> ObjectAccess {
    let archive = MemoryObjects.archive([("1.png", [1])])
    return MemoryObjects.access(
      Dictionary(names.map { (prefix + $0, archive) }) { first, _ in first })
  }

  /// A folder with the name of an archive, in which are an image and an archive.
  private static func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let path = folder.path + "/p.tar"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try Data().write(to: URL(filePath: path + "/1.jpg"))
    try Data(MemoryObjects.archive([("2.jpg", [2])])).write(to: URL(filePath: path + "/a.tar"))
    return folder
  }

  private static func items(_ path: String) throws -> [String] {
    let manifest = try Manifest(path)
    var items = ManifestItems(manifest.file, from: manifest.start, to: manifest.end)
    var found: [String] = []
    while let item = try items.next() { found.append(item) }
    return found
  }

  private static func error(
    _ inputs: [String], _ access: ObjectAccess = access()
  ) throws -> TensorIOError? {
    let folder = try TemporaryFolder()
    let path = folder.path + "/x.manifest"
    let error = #expect(throws: TensorIOError.self) {
      try ManifestListing.list(inputs, in: path, with: access)
    }
    #expect(!FileManager.default.fileExists(atPath: path))
    return error
  }

  @Test func `objects and archives are listed in the order of the inputs`() throws {
    let folder = try Self.folder()
    let path = folder.path + "/all.manifest"
    let photos = folder.path + "/p.tar"
    let inputs = [Self.prefix, photos, "https://host/x.tar?key=1", photos + "/a.tar"]
    let outcome = try ManifestListing.list(inputs, in: path, with: Self.access())
    let listed = ["a.png", "c.tar", "d/e f\"\\.png", "d/g.tgz", "é.png"].map { Self.prefix + $0 }
    #expect(try Self.items(path) == listed + [photos + "/1.jpg"] + inputs[2...])
    #expect(outcome == ManifestListing.Outcome(count: 8))
    #expect(try Manifest(path).content == .images)
    // What the first sample is decides for all objects, as in a run without a manifest.
    for (first, name) in [("x.flac", "i.wav"), ("x.npy", "h.npy")] {
      let path = "\(folder.path)/\(first).manifest"
      _ = try ManifestListing.list([first, Self.prefix], in: path, with: Self.access())
      let names = ["c.tar", "d/g.tgz", name].map { Self.prefix + $0 }
      #expect(try Self.items(path) == [first] + names)
      #expect(try Manifest(path).content == Dataset.Content(ofFile: first))
    }
  }

  @Test func `a listing of objects that was cut off anywhere continues to the same bytes`() throws {
    let folder = try Self.folder()
    let path = folder.path + "/all.manifest"
    let inputs = [folder.path + "/p.tar", "s3://bucket", "s3://bucket2/photos/", "z.png"]
    var access = MemoryObjects.access([
      "s3://bucket/a.png": [], "s3://bucket/b/c.png": [], "s3://bucket/b.tar": [],
      "s3://bucket2/photos/1.png": [], "s3://bucket2/photos/2.png": [], "s3://bucket2/x.png": [],
    ])
    _ = try ManifestListing.list(inputs, in: path, with: access)
    #expect(try Self.items(path).count == 7)
    let whole = try Data(contentsOf: URL(filePath: path))
    let head = try #require(whole.firstIndex(of: lineFeed))
    let list = access.list
    let bucket2 = try #require(whole.range(of: Data("bucket2/photos/1.png".utf8)))
    for end in (head + 1)..<whole.count {
      access.list = { prefix, last in
        // Listed objects aren't requested again.
        #expect(end <= bucket2.upperBound + 1 || (prefix == inputs[2] && last != nil))
        return try list(prefix, last)
      }
      // The first samples aren't looked at again.
      access.open = { throw TensorIOError(.unreadableFile, $0) }
      try whole.prefix(end).write(to: URL(filePath: path))
      _ = try ManifestListing.list(inputs, in: path, with: access)
      #expect(try Data(contentsOf: URL(filePath: path)) == whole, "\(end)")
    }
  }

  @Test func `a listing stops between objects, also between those that aren't samples`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/all.manifest"
    let names = ["0.png"] + (1...9).map { "\($0).txt" } + ["a.png", "b.png"]
    var (count, pauses) = (0, 0)
    while try !ManifestListing.list(
      [Self.prefix], in: path, with: Self.access(names),
      until: {
        count += 1
        return count == 3
      }
    ).isComplete {
      pauses += 1
      let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
      #expect(count == 3 && lines.count == 2)
    }
    #expect(pauses == 1)
    #expect(try Self.items(path) == ["0.png", "a.png", "b.png"].map { Self.prefix + $0 })
  }

  @Test func `what was listed before the store failed is kept`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/all.manifest"
    var access = Self.access()
    let list = access.list
    access.list = { prefix, last in
      let next = try list(prefix, last)
      return {
        let address = try next()
        guard address?.hasSuffix("é.png") != true else {
          throw TensorIOError(.unreadableFile, "The store is gone.")
        }
        return address
      }
    }
    let error = #expect(throws: TensorIOError.self) {
      try ManifestListing.list([Self.prefix], in: path, with: access)
    }
    #expect(
      error?.message
        == "The store is gone. --resume continues after the 4 items that were listed.")
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 5 && lines.last == "\"\(Self.prefix)d/g.tgz\"")
    access.list = { prefix, last in
      #expect(last == Self.prefix + "d/g.tgz")
      return try list(prefix, last)
    }
    #expect(try ManifestListing.list([Self.prefix], in: path, with: access).count == 5)
  }

  @Test func `prefixes without samples, and objects that would be listed twice, are named`() throws
  {
    let nothing = try Self.error(["s3://bucket/nothing/"])
    #expect(nothing?.code == .fileNotFound)
    #expect(nothing?.message.hasPrefix("There are no images") == true)
    #expect(nothing?.message.hasSuffix("in 's3://bucket/nothing/'.") == true)
    #expect(try Self.error([Self.prefix], Self.access(["a.txt"]))?.code == .fileNotFound)
    for inner in [Self.prefix, Self.prefix + "x.png", "s3://bucket/x.tar", "s3://bucket/a/b/"] {
      #expect(
        try Self.error([inner, "s3://bucket"])?.message
          == "'\(inner)' is inside of 's3://bucket', so its items would be listed twice. Name one of "
          + "them.")
    }
    let same = try Self.error(["s3://bucket/", "s3://bucket"])
    #expect(same?.message.contains("are the same input") == true)
    let folder = try Self.folder()
    let noAccess = #expect(throws: TensorIOError.self) {
      try ManifestListing.list(["s3://bucket/"], in: folder.path + "/y.manifest")
    }
    #expect(noAccess?.message.contains("this program doesn't download anything") == true)
    // Beside other inputs, it is a note.
    let outcome = try ManifestListing.list(
      [folder.path + "/p.tar", "s3://bucket/nothing/"], in: folder.path + "/x.manifest",
      with: Self.access())
    #expect(outcome.count == 1 && outcome.notes == ["s3://bucket/nothing/: it has no images"])
  }
}
