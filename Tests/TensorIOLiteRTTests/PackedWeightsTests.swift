// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

@testable import TensorIOLiteRT

struct PackedWeightsTests {
  private static let digits = Python.root.path + "/Demo/digits.tiobundle/model.tflite"
  private static let int8 = Python.root.path + "/Demo/digits-int8.tiobundle/model.tflite"

  /// Returns the outputs of a model of images in new sessions, whose inputs are a fixed pattern.
  private static func outputs(
    of path: String, sessions: Int = 1, cache: LiteRTWeightCache?
  ) throws -> [[UInt8]] {
    let model = try LiteRTBackend(weightCache: cache).loadModel(at: path, for: .predict)
    let made = try (0..<sessions).map { _ in
      try model.makeSession(signature: 0, options: SessionOptions())
    }
    return try made.map { try output(of: $0) }
  }

  private static func files(in folder: TemporaryFolder) throws -> [String] {
    try FileSystem.contents(of: folder.path).map { folder.path + "/" + $0 }
  }

  @Test(arguments: [digits, int8])
  func `sessions that share packed weights give the same outputs`(path: String) throws {
    let expected = try Self.outputs(of: path, cache: nil)
    let folder = try TemporaryFolder()
    for cache in [LiteRTWeightCache(), LiteRTWeightCache(folder: folder.path)] {
      #expect(
        try Self.outputs(of: path, sessions: 3, cache: cache)
          == Array(repeating: expected[0], count: 3))
    }
    let file = try #require(try Self.files(in: folder).first)
    let saved = try Data(contentsOf: URL(filePath: file))
    #expect(file.hasSuffix(".xnnpack") && saved.count > 10_000)
    // The next start reads the file, and leaves it alone.
    let date = try FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? Int
    let again = try Self.outputs(
      of: path, sessions: 2, cache: LiteRTWeightCache(folder: folder.path))
    #expect(again == [expected[0], expected[0]])
    let later = try FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? Int
    #expect(date == later)
    #expect(try Data(contentsOf: URL(filePath: file)) == saved)
    #expect(try Self.files(in: folder) == [file])
  }

  @Test func `a damaged or foreign file changes nothing, and is replaced`() throws {
    let folder = try TemporaryFolder()
    let cache = LiteRTWeightCache(folder: folder.path)
    let expected = try Self.outputs(of: Self.digits, cache: cache)
    let file = try #require(try Self.files(in: folder).first)
    let saved = [UInt8](try Data(contentsOf: URL(filePath: file)))
    let other = try TemporaryFolder()
    _ = try Self.outputs(of: Self.int8, cache: LiteRTWeightCache(folder: other.path))
    let foreign = [UInt8](
      try Data(contentsOf: URL(filePath: #require(try Self.files(in: other).first))))
    var random = SystemRandomNumberGenerator()
    var damaged: [[UInt8]] = [
      [], [0], Array(saved.dropLast()), Array(saved.prefix(saved.count / 2)), saved + [0], foreign,
      Array(repeating: 0, count: saved.count), Array(foreign.dropLast(48) + saved.suffix(48)),
    ]
    for place in stride(from: 0, to: saved.count, by: saved.count / 60) {
      var copy = saved
      copy[place] ^= UInt8.random(in: 1...255, using: &random)
      damaged.append(copy)
    }
    for bytes in damaged {
      try Data(bytes).write(to: URL(filePath: file))
      #expect(
        try Self.outputs(of: Self.digits, sessions: 2, cache: cache) == [expected[0], expected[0]])
      #expect([UInt8](try Data(contentsOf: URL(filePath: file))) == saved)
    }
  }

  @Test func `a folder that can't be used only means that weights are packed again`() throws {
    let expected = try Self.outputs(of: Self.digits, cache: nil)
    let missing = LiteRTWeightCache(folder: "/missing/folder")
    #expect(try Self.outputs(of: Self.digits, cache: missing) == expected)
    // A folder in place of the file.
    let folder = try TemporaryFolder()
    let cache = LiteRTWeightCache(folder: folder.path)
    _ = try Self.outputs(of: Self.digits, cache: cache)
    let file = try #require(try Self.files(in: folder).first)
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
    #expect(try Self.outputs(of: Self.digits, cache: cache) == expected)
  }

  @Test func `every fixture gives the same outputs with shared weights`() throws {
    let skipped: Set = ["crash_on_run.tflite", "slow.tflite", "string.tflite"]
    let folder = Fixtures.models.path()
    var compared = 0
    for name in try FileSystem.contents(of: folder)
    where name.hasSuffix(".tflite") && !skipped.contains(name) {
      guard
        let expected = try? Self.outputs(of: "\(folder)/\(name)", cache: nil)
      else { continue }
      let shared = try Self.outputs(
        of: "\(folder)/\(name)", sessions: 2, cache: LiteRTWeightCache())
      #expect(shared == [expected[0], expected[0]], "\(name)")
      compared += 1
    }
    #expect(compared > 20)
  }

  @Test func `sessions that are made at once share the weights`() async throws {
    let expected = try Self.outputs(of: Self.digits, cache: nil)
    let backend = LiteRTBackend(weightCache: LiteRTWeightCache())
    let model = try backend.loadModel(at: Self.digits, for: .predict)
    try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for _ in 0..<8 {
        group.addTask { try Self.output(of: model) }
      }
      for try await output in group { #expect(output == expected[0]) }
    }
  }

  private static func output(of model: any LoadedModel) throws -> [UInt8] {
    try output(of: model.makeSession(signature: 0, options: SessionOptions()))
  }

  private static func output(of session: any Session) throws -> [UInt8] {
    try session.withInput(at: 0) { bytes in
      bytes.withUnsafeMutableBytes { bytes in
        for index in bytes.indices { bytes[index] = index % 4 == 3 ? 0x3d : UInt8(index & 0x7f) }
      }
    }
    try session.run()
    var output: [UInt8] = []
    try session.withOutput(at: 0) { output = $0.withUnsafeBytes { Array($0) } }
    return output
  }

  @Test func `hashes tell contents and lengths apart`() {
    func hash(_ bytes: [UInt8]) -> String {
      var hash = ContentHash()
      bytes.withUnsafeBytes { hash.add($0) }
      return hash.hexadecimal
    }
    var seen: Set<String> = []
    for count in 0..<70 { seen.insert(hash(Array(repeating: 0, count: count))) }
    for bit in 0..<(64 * 8) {
      var bytes = [UInt8](repeating: 0, count: 64)
      bytes[bit / 8] = 1 << (bit % 8)
      seen.insert(hash(bytes))
    }
    #expect(seen.count == 70 + 512)
    #expect(hash([1, 2, 3]).count == 32)
  }
}
