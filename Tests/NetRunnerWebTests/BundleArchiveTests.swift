// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import NetRunner
import TensorIO
import TestSupport
import Testing

@testable import NetRunnerWeb

/// Tests zip files that could do harm, and zip files that are only unusual.
///
/// Python makes most of them; see Tools/attack_zips.py.
@Suite struct BundleArchiveTests {
  private static let hasPython = Python.path != nil

  private static let unsafe = [
    "absolute", "parent", "parent-within", "parent-at-end", "dot", "empty-part", "backslash",
    "drive", "newline", "escape", "delete", "next-line", "nul", "latin", "long-name",
    "long-name-in-bytes", "too-deep", "macos-parent", "duplicate", "duplicate-case",
    "duplicate-folder-case", "duplicate-accent", "folder-twice", "file-as-folder", "link",
    "link-of-dos", "link-then-file", "pipe", "device", "socket", "folder-as-file",
    "folder-with-content", "file-with-folder-name", "encrypted", "bzip2", "lzma",
  ]

  private static let others: [(String, ImportError.Code)] = [
    ("entries", .zipTooLarge), ("ratio", .zipTooLarge), ("size-of-2-gib", .zipTooLarge),
    ("size-of-2-eib", .zipTooLarge), ("directory-of-12-mib", .zipTooLarge),
    ("count-of-2-to-40", .zipTooLarge), ("large-manifest", .zipTooLarge),
    ("large-asset", .zipTooLarge),
    ("says-less", .damagedZip), ("says-less-in-both", .damagedZip), ("says-more", .damagedZip),
    ("packed-says-more", .damagedZip), ("overlap", .damagedZip), ("checksum", .damagedZip),
    ("cut", .damagedZip), ("cut-at-end", .damagedZip), ("cut-at-start", .damagedZip),
    ("count-more", .damagedZip), ("count-less", .damagedZip), ("two-disks", .damagedZip),
    ("empty-file", .notAZip), ("page", .notAZip), ("noise", .notAZip),
    ("empty-zip", .noBundle), ("no-folder", .noBundle), ("in-a-folder", .noBundle),
    ("other-files", .noBundle), ("bundle-is-a-file", .noBundle), ("no-name", .noBundle),
    ("only-macos", .noBundle), ("several", .severalBundles), ("path-of-4-kib", .cannotWrite),
  ]

  @Test(.enabled(if: hasPython, "TENSORIO_PYTHON isn't set."), arguments: unsafe)
  func `a zip file with a harmful entry isn't unpacked`(
    _ kind: String
  ) async throws {
    let sandbox = try ImportSandbox()
    try await sandbox.attack(kind)
    let error = #expect(throws: ImportError.self) { try sandbox.unpack() }
    #expect(error?.code == .unsafeZip)
    try #expect(sandbox.contents == [])
    let message = try #require(error?.message)
    #expect(message.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
    #expect(!message.contains(sandbox.root.path))
  }

  @Test(.enabled(if: hasPython, "TENSORIO_PYTHON isn't set."), arguments: others)
  func `each kind of failure has its code and leaves no files`(
    _ kind: String, _ code: ImportError.Code
  ) async throws {
    let sandbox = try ImportSandbox()
    try await sandbox.attack(kind)
    let error = #expect(throws: ImportError.self) { try sandbox.unpack() }
    #expect(error?.code == code)
    try #expect(sandbox.contents == [])
    #expect(error?.message.contains(sandbox.root.path) == false)
  }

  @Test(
    .enabled(if: hasPython, "TENSORIO_PYTHON isn't set."),
    arguments: [
      "good", "stored", "macos", "with-a-read-me", "folders", "dos", "executable", "streamed",
      "zip64", "comment", "newline-at-end",
    ])
  func `unusual but harmless zip files are unpacked`(_ kind: String) async throws {
    let sandbox = try ImportSandbox()
    try await sandbox.attack(kind)
    try #expect(sandbox.unpack() == ImportSandbox.demoContent())
    try #expect(sandbox.contents == [])
  }

  @Test(.enabled(if: hasPython, "TENSORIO_PYTHON isn't set."))
  func `a zip file with two ends is read as one of them or rejected`() async throws {
    let sandbox = try ImportSandbox()
    try await sandbox.attack("two-ends")
    do {
      try #expect(sandbox.unpack()["model.json"] != nil)
    } catch let error as ImportError {
      #expect(error.code == .damagedZip)
    }
    try #expect(sandbox.contents == [])
  }

  @Test(.enabled(if: hasPython, "TENSORIO_PYTHON isn't set."))
  func `unpacked files are never executable`() async throws {
    let sandbox = try ImportSandbox()
    try await sandbox.attack("executable")
    let archive = try BundleArchive(sandbox.zip)
    try archive.withUnpackedBundle(in: sandbox.models) { bundle in
      for name in try FileManager.default.subpathsOfDirectory(atPath: bundle) {
        let path = "\(bundle)/\(name)"
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        let bits = try #require(mode as? NSNumber).intValue
        #expect(bits & 0o7022 == 0)
        #expect(FileSystem.isFolder(path) == (bits & 0o111 != 0))
      }
    }
  }

  @Test func `messages say how to fix the problem`() throws {
    let sandbox = try ImportSandbox()
    for (files, words) in [
      ([("model.json", "{}")], "Zip the .tiobundle folder itself."),
      ([("a/x.tiobundle/model.json", "{}")], "Zip 'x.tiobundle' itself."),
      ([("a.txt", "")], "no .tiobundle folder, only 'a.txt'"),
      ([("a.tiobundle/x", ""), ("b.tfbundle/x", "")], "2 bundles: 'a.tiobundle', 'b.tfbundle'"),
    ] {
      try? FileManager.default.removeItem(atPath: sandbox.zip)
      try sandbox.zip(files.map { (name: $0.0, text: $0.1) })
      let error = #expect(throws: ImportError.self) { try BundleArchive(sandbox.zip) }
      #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }
    let error = #expect(throws: ImportError.self) { try BundleArchive("/nowhere/x.zip") }
    #expect(error?.code == .damagedZip)
  }

  @Test func `limits can be set`() throws {
    let sandbox = try ImportSandbox()
    try sandbox.zip([("x.tiobundle/model.json", "{}"), ("x.tiobundle/a/b.txt", "0123456789")])
    var limits = ArchiveLimits()
    limits.bytes = 12
    limits.entries = 2
    limits.depth = 3
    try #expect(sandbox.unpack(limits).count == 2)
    for narrow: WritableKeyPath<ArchiveLimits, Int> in [\.bytes, \.entries, \.depth] {
      var fewer = limits
      fewer[keyPath: narrow] -= 1
      let error = #expect(throws: ImportError.self) { try sandbox.unpack(fewer) }
      #expect(error?.code == (narrow == \.depth ? .unsafeZip : .zipTooLarge))
    }
  }

  @Test func `progress rises to one, and unpacking can be cancelled`() throws {
    let sandbox = try ImportSandbox()
    try sandbox.zipDemo()
    let archive = try BundleArchive(sandbox.zip)
    var steps: [Double] = []
    try archive.withUnpackedBundle(in: sandbox.models, onProgress: { steps.append($0) }, { _ in })
    #expect(steps.first == 0)
    #expect(steps.last == 1)
    #expect(steps == steps.sorted())
    for patience in 0..<4 {
      var questions = 0
      func isOver() -> Bool {
        questions += 1
        return questions > patience
      }
      let error = #expect(throws: ImportError.self) {
        try archive.withUnpackedBundle(in: sandbox.models, until: isOver, { _ in })
      }
      #expect(error?.code == .cancelled)
      try #expect(sandbox.contents == [])
    }
  }

  @Test func `a flipped bit gives an error or does no harm`() throws {
    let sandbox = try ImportSandbox()
    try sandbox.zipDemo()
    let whole = Array(try FileSystem.read(sandbox.zip))
    let content = Set(try ImportSandbox.demoContent().values)
    var random = SplitMix(state: 7)
    var codes: [String: Int] = [:]
    for round in 0..<500 {
      var bytes = whole
      // Most bytes belong to the model, so every other flip is in the directory.
      let start = round.isMultiple(of: 2) ? whole.count - 300 : 0
      bytes[start + random.next(below: whole.count - start)] ^= 1 << UInt8(random.next(below: 8))
      try Data(bytes).write(to: URL(filePath: sandbox.zip))
      do {
        let files = try sandbox.unpack()
        #expect(files.values.allSatisfy(content.contains), "round \(round)")
        codes["none", default: 0] += 1
      } catch let error as ImportError {
        codes[error.code.rawValue, default: 0] += 1
      }
      try #expect(sandbox.contents == [], "round \(round)")
    }
    #expect(codes["damaged_zip", default: 0] > 200, "\(codes)")
    #expect(codes.values.reduce(0, +) == 500)
  }

  @Test func `truncated and damaged zip files give errors or do no harm`() throws {
    let sandbox = try ImportSandbox()
    try sandbox.zipDemo()
    let whole = Array(try FileSystem.read(sandbox.zip))
    var random = SplitMix(state: 8)
    for round in 0..<300 {
      var bytes = whole
      switch round % 3 {
      case 0: bytes.removeSubrange(random.next(below: bytes.count)...)
      case 1:
        let start = bytes.count - 400
        for _ in 0..<4 { bytes[start + random.next(below: 400)] = UInt8(random.next(below: 256)) }
      default:
        // The numbers in the end record, which say where everything is.
        for place in 0..<4 where random.next(below: 2) == 0 {
          bytes[bytes.count - 14 + 4 * place + random.next(below: 2)] =
            [0, 1, 0xFF][
              random.next(below: 3)]
        }
      }
      try Data(bytes).write(to: URL(filePath: sandbox.zip))
      _ = try? sandbox.unpack()
      try #expect(sandbox.contents == [], "round \(round)")
    }
  }
}

/// Pseudo-random numbers that are the same on every run.
struct SplitMix {
  var state: UInt64

  mutating func next(below bound: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((mixed ^ (mixed >> 31)) >> 16) % bound
  }
}
#endif
