// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import Testing

@testable import NetRunner

@Suite struct ManifestTests {
  /// A folder with names whose order is easy to get wrong.
  private static func photos() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for name in [
      "p/a.png", "p/a/b.png", "p/a-b/c.png", "p/a/é.png", "p/Z.jpg", "p/b/c/d.webp", "p/b/c.bmp",
      "p/.hidden/x.png", "p/quote\".png", "p/line\nfeed.png", "p/back\\slash.png", "p/notes.txt",
      "p/sound.wav", "q/one.wav", "q/two.flac", "q/three.npy",
    ] {
      let file = URL(filePath: folder.path + "/" + name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data().write(to: file)
    }
    return folder
  }

  private static func items(_ manifest: Manifest) throws -> [String] {
    var items = ManifestItems(manifest.file, from: manifest.start, to: manifest.end)
    var found: [String] = []
    while let item = try items.next() { found.append(item) }
    return found
  }

  @Test func `a manifest lists what a run on the inputs reads, in the same order`() throws {
    let folder = try Self.photos()
    let inputs = [folder.path + "/q", "https://example.com/x.png", folder.path + "/p/", "a.png"]
    let path = folder.path + "/all.manifest"
    let outcome = try ManifestListing.list(inputs, in: path)
    let dataset = try Dataset(images: inputs)
    let manifest = try Manifest(path)
    #expect(try Self.items(manifest) == dataset.samples.map(\.id))
    #expect(manifest.count == dataset.samples.count && outcome.count == manifest.count)
    #expect(outcome.notes == dataset.notes && outcome.isComplete)
    #expect(manifest.first == folder.path + "/q/one.wav")
    // A complete manifest is left as it is.
    #expect(try ManifestListing.list(inputs, in: path).count == manifest.count)
    #expect(try Manifest(path).sha256 == manifest.sha256)
  }

  @Test func `a listing that was cut off anywhere continues to the same bytes`() throws {
    let folder = try Self.photos()
    let inputs = [folder.path + "/p", folder.path + "/q", folder.path + "/p/../p/sound.wav"]
    let path = folder.path + "/all.manifest"
    _ = try ManifestListing.list(inputs.dropLast(), in: path)
    let whole = try Data(contentsOf: URL(filePath: path))
    let head = try #require(whole.firstIndex(of: lineFeed))
    for end in (head + 1)..<whole.count {
      try whole.prefix(end).write(to: URL(filePath: path))
      let error = #expect(throws: TensorIOError.self) { try Manifest(path) }
      #expect(error?.message.contains("--resume") == true)
      _ = try ManifestListing.list(inputs.dropLast(), in: path)
      #expect(try Data(contentsOf: URL(filePath: path)) == whole, "\(end)")
    }
    for end in 1...head {
      try whole.prefix(end).write(to: URL(filePath: path))
      let error = #expect(throws: TensorIOError.self) {
        try ManifestListing.list(inputs.dropLast(), in: path)
      }
      #expect(error?.code == .wrongKind)
    }
    let error = #expect(throws: TensorIOError.self) { try ManifestListing.list(inputs, in: path) }
    #expect(error?.message.contains("is inside of") == true)
  }

  @Test func `a listing that was stopped continues`() throws {
    let folder = try Self.photos()
    let path = folder.path + "/all.manifest"
    var count = 0
    var pauses = 0
    while try !ManifestListing.list(
      [folder.path + "/p"], in: path,
      until: {
        count += 1
        return count % 3 == 0
      }
    ).isComplete { pauses += 1 }
    #expect(pauses == 4)
    let ids = try Dataset(images: [folder.path + "/p"]).samples.map(\.id)
    #expect(try Self.items(Manifest(path)) == ids)
  }

  @Test func `a manifest of very many inputs can be read`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/all.manifest"
    let inputs = (0..<40_000).map { "https://example.com/photos/number-\($0).png" }
    _ = try ManifestListing.list(inputs, in: path)
    let manifest = try Manifest(path)
    #expect(manifest.start > 1 << 20)
    #expect(manifest.count == inputs.count && manifest.first == inputs[0])
    #expect(try ManifestListing.list(inputs, in: path).count == inputs.count)
  }

  @Test func `a manifest is only replaced if its inputs are right and nobody writes it`() throws {
    let folder = try Self.photos()
    let path = folder.path + "/all.manifest"
    _ = try ManifestListing.list([folder.path + "/p"], in: path)
    let before = try Data(contentsOf: URL(filePath: path))
    for inputs in [["/q", "/q"], ["/missing.tar"]] {
      #expect(throws: TensorIOError.self) {
        try ManifestListing.list(inputs.map { folder.path + $0 }, in: path, replacing: true)
      }
    }
    let lock = try LogLock(for: path)
    let error = #expect(throws: TensorIOError.self) {
      try ManifestListing.list([folder.path + "/q"], in: path, replacing: true)
    }
    #expect(error?.message.hasPrefix("Another run is writing to") == true)
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
    withExtendedLifetime(lock) {}
  }

  @Test func `an existing manifest is replaced on request`() throws {
    let folder = try Self.photos()
    let path = folder.path + "/all.manifest"
    _ = try ManifestListing.list([folder.path + "/p"], in: path)
    _ = try ManifestListing.list([folder.path + "/q"], in: path, replacing: true)
    #expect(try Self.items(Manifest(path)).first == folder.path + "/q/one.wav")
  }

  @Test func `changed manifests and other files are refused`() throws {
    let folder = try Self.photos()
    let path = folder.path + "/all.manifest"
    _ = try ManifestListing.list([folder.path + "/p"], in: path)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    func message(_ text: String) throws -> String {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      return #expect(throws: TensorIOError.self) { try Manifest(path) }?.message ?? ""
    }
    #expect(try message(text.replacing("a.png", with: "x.png")).contains("was changed after"))
    #expect(
      try message(text.replacing("\"items\":10", with: "\"items\":8")).contains("was changed"))
    #expect(try message("").contains("isn't a manifest"))
    #expect(try message("a.png\nb.png\n").contains("isn't a manifest"))
    #expect(
      try message(text.replacing("\"schema_version\":1", with: "\"schema_version\":2"))
        .contains("manifest of version 2"))
    let error = #expect(throws: TensorIOError.self) {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      _ = try ManifestListing.list([folder.path + "/q"], in: path)
    }
    #expect(error?.message.contains("lists other inputs: '\(folder.path)/p'") == true)
  }

  @Test func `inputs that would list an item twice are refused`() throws {
    let folder = try Self.photos()
    func message(_ inputs: [String]) -> String {
      #expect(throws: TensorIOError.self) {
        try ManifestListing.list(inputs.map { folder.path + $0 }, in: folder.path + "/x.manifest")
      }?.message ?? ""
    }
    #expect(message(["/p", "/p/"]).contains("are the same input"))
    #expect(message(["/p/a/b.png", "/p"]).contains("is inside of"))
    #expect(message(["/p/.hidden/../b", "/q/../p"]).contains("is inside of"))
    #expect(message(["/rows.csv"]).contains("is a table"))
    try FileManager.default.createDirectory(
      atPath: folder.path + "/empty", withIntermediateDirectories: true)
    #expect(message(["/empty"]).hasPrefix("There are no images"))
    #expect(
      FileManager.default.createFile(atPath: folder.path + "/empty/1.tar", contents: nil))
    #expect(message(["/empty"]).hasSuffix("such as '\(folder.path)/empty/*.tar'."))
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/x.manifest"))
  }
}
