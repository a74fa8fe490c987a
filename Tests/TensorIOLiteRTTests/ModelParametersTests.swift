// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import TensorIOLiteRT

/// Reads parameters without the native library: LiteRT mustn't see files that are damaged here.
@Suite struct ModelParametersTests {
  private static let models = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures/Recognized")

  /// Returns the flatbuffer that a fixture's list of metadata refers to.
  private func bytes(of name: String) throws -> [UInt8] {
    let file = [UInt8](
      try Data(contentsOf: Self.models.appending(path: "parameters_\(name).tflite")))
    return try file.withUnsafeBytes { bytes in
      var reader = FlatBufferReader(bytes)
      let structure = try ModelStructure(bytes, &reader)
      let index = try #require(structure.metadataBuffers.first)
      let range = try #require(structure.buffers[index])
      return Array(bytes[range])
    }
  }

  private func read(_ bytes: [UInt8]) -> ModelParameters {
    bytes.withUnsafeBytes { ModelParameters($0) }
  }

  @Test func `parameters are texts, lists of texts and numbers of each size`() throws {
    let parameters = read(try bytes(of: "sound"))
    #expect(parameters.problem == nil)
    #expect(parameters.text("name") == "own_name")
    #expect(parameters.texts("classes") == ["yes", "no", "_unknown_", "_silence_"])
    #expect(parameters.number("version") == 3)
    #expect(parameters.number("fe.sample_rate_hz") == 16_000)
    #expect(parameters.number("fe.pcan_offset") == 80)
    #expect(parameters.number("fe.pcan_strength") == Double(Float(0.95)))
    #expect(parameters.number("samplewise_norm.rescale") == 0)
    #expect(parameters.flag("fe.pcan_enable"))
    #expect(!parameters.flag("samplewise_norm.mean_and_std"))
    #expect(parameters.number("name") == nil)
    #expect(parameters.text("version") == nil)
    #expect(parameters.texts("missing") == [])
  }

  @Test func `numbers that aren't finite don't count`() {
    let parameters = ModelParameters(["a": .number(.nan), "b": .number(.infinity)])
    #expect(parameters.number("a") == nil)
    #expect(!parameters.flag("b"))
  }

  @Test(arguments: ["sound", "image"])
  func `parameters cut at any byte don't crash`(name: String) throws {
    let bytes = try bytes(of: name)
    let whole = read(bytes)
    for count in bytes.indices {
      let parameters = read(Array(bytes.prefix(count)))
      #expect(parameters == whole || parameters.problem != nil, "\(count) bytes")
    }
  }

  @Test(arguments: ["sound", "image"])
  func `parameters with any changed byte don't crash`(name: String) throws {
    let bytes = try bytes(of: name)
    let whole = read(bytes)
    var (differing, damaged) = (0, 0)
    for value in [0, 1, 4, 0x7F, 0x80, 0xFF] as [UInt8] {
      for index in bytes.indices {
        var changed = bytes
        changed[index] = value
        let parameters = read(changed)
        #expect(parameters.problem == nil || parameters.values.isEmpty)
        if parameters != whole { differing += 1 }
        if parameters.problem != nil { damaged += 1 }
      }
    }
    #expect(differing > bytes.count && damaged > bytes.count / 2, "damage is detected")
  }

  @Test func `a damaged dictionary says what is wrong`() throws {
    var bytes = try bytes(of: "image")
    #expect(
      read([1, 2]).problem
        == "The model's parameters (SL_PARAMSv1) are damaged: an offset points outside the data.")
    let version = try #require(
      bytes.indices.first { index in
        var changed = bytes
        changed[index] = 2
        return read(changed).problem?.hasSuffix("their version isn't 1.") ?? false
      })
    bytes[version] = 9
    #expect(read(bytes).values.isEmpty)
  }

  /// A few bytes that refer to one text again and again mustn't keep the reader busy.
  @Test func `a list of one text that is repeated is rejected`() {
    let count = 200_000
    var bytes: [UInt8] = []
    func append(_ value: Int) {
      withUnsafeBytes(of: Int32(value).littleEndian) { bytes.append(contentsOf: $0) }
    }
    func appendShorts(_ values: [Int16]) {
      for value in values {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
      }
    }
    append(12)  // The root is at 12.
    appendShorts([8, 12, 8, 4])
    for value in [8, 8, 1] { append(value) }  // The entries are at 24; the version is 1.
    for value in [1, 16] { append(value) }  // One entry, at 44.
    appendShorts([10, 16, 4, 8, 12, 0])
    for value in [12, 12, 13, 20] { append(value) }  // The key is at 60, the value at 76.
    append(1)
    bytes += [UInt8(ascii: "a"), 0, 0, 0]
    appendShorts([6, 8, 4, 0])
    for value in [8, 4] { append(value) }  // The list is at 84.
    append(count)
    for _ in 0..<count { append(4 * count + 88 - bytes.count) }
    append(1)
    bytes += [UInt8(ascii: "b"), 0, 0, 0]
    #expect(
      read(bytes).problem
        == "The model's parameters (SL_PARAMSv1) are damaged: it has too many parts.")
  }
}
