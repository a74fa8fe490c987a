// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import TensorIOLiteRT

/// Reads metadata without the native library: LiteRT mustn't see files that are damaged here.
@Suite struct MetadataReaderTests {
  private static let models = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures/Models")

  /// A fixture: the whole file, and its metadata flatbuffer.
  private struct Fixture {
    var file: [UInt8]
    var metadata: [UInt8]

    init(_ name: String) throws {
      let file = [UInt8](try Data(contentsOf: models.appending(path: name)))
      let identifier = Array("M001".utf8)
      let start = try #require(
        file.indices.first { file[$0...].starts(with: identifier) }, "no metadata in \(name)")
      let zip = file.indices.last { file[$0...].starts(with: [0x50, 0x4B, 0x03, 0x04]) }
      self.file = file
      metadata = Array(file[(start - 4)..<(zip ?? file.count)])
    }

    func read() -> ModelMetadata { read(metadata, file) }

    func read(_ metadata: [UInt8], _ file: [UInt8]) -> ModelMetadata {
      file.withUnsafeBytes { MetadataReader.read(metadata, file: $0) }
    }
  }

  @Test func `metadata has the model's name, author and tensors`() throws {
    let metadata = try Fixture("with_metadata.tflite").read()
    let expected = ModelMetadata(
      name: "Shirt sizes", description: "Tells a shirt's size from four measures.",
      version: "1.2", author: "TensorIO for Swift", license: "Apache-2.0",
      inputs: [
        TensorMetadata(name: "measures", description: "Chest, waist, hip and arm, from -1 to 1.")
      ],
      outputs: [
        TensorMetadata(
          name: "size", description: "A probability for each size.",
          labels: ["small", "medium", "large"])
      ])
    #expect(metadata == expected)
  }

  @Test func `an image has a size, a colour space and a normalization`() throws {
    let metadata = try Fixture("image_with_metadata.tflite").read()
    let image = try #require(metadata.inputs.first)
    #expect(image.content == .image(.rgb, width: 6, height: 8))
    #expect(image.normalization == .init(mean: [127.5], std: [127.5]))
    #expect(metadata.outputs.first?.labels == ["red", "green", "blue"])
    #expect(metadata.problems.isEmpty)
  }

  @Test func `a wrong identifier is a problem, not an error`() throws {
    let fixture = try Fixture("with_metadata.tflite")
    var metadata = fixture.metadata
    metadata[4] = UInt8(ascii: "X")
    #expect(
      fixture.read(metadata, fixture.file)
        == ModelMetadata(problems: [
          "The model's metadata is damaged: its first bytes don't contain the identifier 'M001'."
        ]))
  }

  @Test func `metadata without its zip keeps the descriptions`() throws {
    let fixture = try Fixture("with_metadata.tflite")
    let read = fixture.read(fixture.metadata, Array(fixture.file.dropLast(300)))
    #expect(read.name == "Shirt sizes")
    #expect(read.outputs.first?.labels == nil)
    #expect(
      read.problems == [
        "The metadata's file 'labels.txt' cannot be read: the model doesn't contain a zip archive."
      ])
  }

  @Test func `a damaged labels file is detected by its checksum`() throws {
    let fixture = try Fixture("with_metadata.tflite")
    var file = fixture.file
    let text = try #require(file.indices.last { file[$0...].starts(with: "small\n".utf8) })
    file[text] = UInt8(ascii: "S")
    #expect(
      fixture.read(fixture.metadata, file).problems == [
        "The metadata's file 'labels.txt' cannot be read: 'labels.txt' is damaged: its "
          + "checksum is wrong."
      ])
  }

  @Test(arguments: ["with_metadata.tflite", "image_with_metadata.tflite"])
  func `metadata cut at any byte doesn't crash`(name: String) throws {
    let fixture = try Fixture(name)
    let whole = fixture.read()
    // The result equals that of the whole metadata, or it has a problem.
    func check(_ read: ModelMetadata, _ cut: String) {
      #expect(read == whole || !read.problems.isEmpty, "\(cut): \(read)")
    }
    for count in fixture.metadata.indices {
      check(fixture.read(Array(fixture.metadata.prefix(count)), fixture.file), "metadata \(count)")
    }
    for count in fixture.file.indices {
      check(fixture.read(fixture.metadata, Array(fixture.file.prefix(count))), "first \(count)")
      check(fixture.read(fixture.metadata, Array(fixture.file.suffix(count))), "last \(count)")
    }
  }

  @Test(arguments: ["with_metadata.tflite", "image_with_metadata.tflite"])
  func `metadata with any single changed byte doesn't crash`(name: String) throws {
    let fixture = try Fixture(name)
    let whole = fixture.read()
    var differing = 0
    func check(_ read: ModelMetadata, isChanged: Bool, at index: Int) {
      #expect(isChanged || read == whole, "byte \(index)")
      #expect(read.problems.count <= 21, "byte \(index): \(read.problems)")
      if read != whole { differing += 1 }
    }
    let values: [UInt8] = [0, 1, 4, 0x7F, 0x80, 0xFF]
    for value in values {
      for index in fixture.metadata.indices {
        var metadata = fixture.metadata
        metadata[index] = value
        check(
          fixture.read(metadata, fixture.file), isChanged: fixture.metadata[index] != value,
          at: index)
      }
      for index in (fixture.file.count - 250)..<fixture.file.count {
        var file = fixture.file
        file[index] = value
        check(
          fixture.read(fixture.metadata, file), isChanged: fixture.file[index] != value, at: index)
      }
    }
    #expect(differing > fixture.metadata.count, "damage is detected")
  }

  @Test func `thousands of spliced copies don't crash`() throws {
    let fixtures = try ["with_metadata.tflite", "image_with_metadata.tflite"].map {
      try Fixture($0)
    }
    var random = SplitMix(state: 2024)
    for round in 0..<6000 {
      let fixture = fixtures[round % 2]
      var metadata = fixture.metadata
      var file = fixture.file
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        Self.damage(&metadata, with: fixtures[(round + 1) % 2].metadata, using: &random)
        if Bool.random(using: &random) { Self.damageEnd(of: &file, using: &random) }
      }
      let read = fixture.read(metadata, file)
      #expect(read.problems.count <= 21)
    }
  }

  /// A few bytes that refer to one table again and again mustn't keep the reader busy.
  @Test(.timeLimit(.minutes(10))) func `a list that multiplies itself is rejected`() throws {
    let count = 20_000
    var bytes: [UInt8] = []
    func append(_ value: Int) {
      withUnsafeBytes(of: Int32(value)) { bytes.append(contentsOf: $0) }
    }
    func appendShorts(_ values: [Int16]) {
      for value in values { withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) } }
    }
    /// A list of references to one and the same table.
    func appendReferences(to table: Int) {
      append(count)
      for _ in 0..<count { append(table - bytes.count) }
    }
    append(20)
    bytes.append(contentsOf: "M001".utf8)
    appendShorts([12, 8, 0, 0, 0, 4])
    for value in [12, 4] { append(value) }  // The root at 20; its graphs at 28.
    for value in [1, 16] { append(value) }  // One graph, at 48.
    appendShorts([10, 8, 0, 0, 4, 0])
    for value in [12, 4] { append(value) }  // The graph; its inputs at 56.
    let tensor = 76 + 4 * count
    appendReferences(to: tensor)
    appendShorts([14, 8, 0, 0, 0, 0, 4, 0])
    for value in [16, 4] { append(value) }  // The tensor, followed by its process units.
    appendReferences(to: tensor + 16 + 4 * count)
    appendShorts([4, 4])
    append(4)  // The process unit, without any field.
    let read = [UInt8]().withUnsafeBytes { MetadataReader.read(bytes, file: $0) }
    #expect(read.problems == ["The model's metadata is damaged: it has too many parts."])
  }

  // MARK: - Damage

  private static func damage(
    _ bytes: inout [UInt8], with other: [UInt8], using random: inout SplitMix
  ) {
    guard bytes.count > 8 else { return }
    let place = Int.random(in: 0..<bytes.count, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1: bytes[place] = .random(in: 0...255, using: &random)
    case 2: bytes.removeLast(Int.random(in: 0..<(bytes.count / 4), using: &random))
    case 3:
      let start = Int.random(in: 0..<other.count, using: &random)
      let end = min(other.count, start + Int.random(in: 1...40, using: &random))
      bytes.replaceSubrange(place..<min(bytes.count, place + end - start), with: other[start..<end])
    default:
      // An offset that leads far out of bounds, or back to itself.
      let start = min(place & ~3, bytes.count - 4)
      let offset: UInt32 =
        [0, 4, 0x7FFF_FFFF, 0xFFFF_FFFF, 0x8000_0000].randomElement(
          using: &random) ?? 0
      withUnsafeBytes(of: offset) { bytes.replaceSubrange(start..<(start + 4), with: $0) }
    }
  }

  /// Damages the last bytes, where the zip is.
  private static func damageEnd(of bytes: inout [UInt8], using random: inout SplitMix) {
    guard bytes.count > 250 else { return }
    let place = bytes.count - Int.random(in: 1...250, using: &random)
    bytes[place] =
      [0, 1, 0xFF, .random(in: 0...255, using: &random)].randomElement(
        using: &random) ?? 0
  }
}

/// A generator that gives the same numbers in every run.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
