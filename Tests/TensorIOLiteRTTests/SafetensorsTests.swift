// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

@Suite struct SafetensorsTests {
  private static let types: [DataType] = DataType.allCases.filter { $0 != .string }

  private static let sample: [Safetensors.Tensor] = types.enumerated().map { index, type in
    let shape = [[2, 3], [], [0, 4], [5]][index % 4]
    let count = shape.reduce(1, *) * type.byteWidth
    return Safetensors.Tensor(
      name: "layer/\(index) \"\u{e9}\"", dataType: type, shape: shape,
      bytes: Data((0..<count).map { UInt8(type == .bool ? $0 % 2 : $0 % 251) }))
  }

  private func parse(_ data: Data) throws -> [Safetensors.Tensor] {
    try Safetensors(parsing: data, path: "a file").tensors
  }

  private func file(_ header: String, length: UInt64? = nil, byteCount: Int = 0) -> Data {
    let length = length ?? UInt64(header.utf8.count)
    return withUnsafeBytes(of: length.littleEndian) { Data($0) } + Data(header.utf8)
      + Data(count: byteCount)
  }

  @Test func `tensors of every type and shape are read back unchanged`() throws {
    let data = try Safetensors(tensors: Self.sample).serialized()
    let found = try parse(data)
    #expect(found.count == Self.sample.count)
    for tensor in Self.sample {
      let read = try #require(found.first { $0.name == tensor.name })
      #expect(read.dataType == tensor.dataType)
      #expect(read.shape == tensor.shape)
      #expect(Data(read.bytes) == tensor.bytes)
      #expect(
        (read.bytes.startIndex - found[0].bytes.startIndex) % max(1, tensor.dataType.byteWidth) == 0
      )
    }
    #expect(found[0].bytes.startIndex % 8 == 0)
    // They can also be read from the middle of other bytes.
    try #expect(parse((Data(count: 3) + data).dropFirst(3)).count == found.count)
    try #expect(parse(Safetensors(tensors: []).serialized()).isEmpty)
  }

  @Test func `files of other programs are read`() throws {
    let header = #"""
      { "__metadata__" : {"format":"pt"},
        "b": {"shape":[],"dtype":"I64","data_offsets":[4,12]},
        "a": {"dtype":"F16","shape":[1,2],"data_offsets":[0,4]} }
      """#
    let found = try parse(file(header + "   ", byteCount: 12))
    #expect(found.map(\.name) == ["a", "b"])
    #expect(found.map(\.shape) == [[1, 2], []])
  }

  @Test(arguments: [
    (#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}"#, "[0, 8]"),
    (#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}}"#, "[0, 8]"),
    (#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}"#, "[0, 8]"),
    (#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[-8,0]}}"#, "[0, 8]"),
    (#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0]}}"#, "[0, 8]"),
    (#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[]}}"#, "[0, 8]"),
    (#"{"a":{"dtype":"F32","shape":[5],"data_offsets":[0,20]}}"#, "within 16"),
    (#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#, "have 8 bytes"),
    (
      #"{"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},"#
        + #""b":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}}"#, "'b'"
    ),
    (
      #"{"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},"#
        + #""b":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}}"#, "at [0, 16]"
    ),
    (#"{"a":{"dtype":"F8_E4M3","shape":[16],"data_offsets":[0,16]}}"#, "'F8_E4M3'"),
    (#"{"a":{"dtype":"F32","shape":[-2,-2],"data_offsets":[0,16]}}"#, "impossible shape"),
    (
      #"{"a":{"dtype":"F32","shape":[4294967296,4294967296,4],"data_offsets":[0,16]}}"#,
      "impossible shape"
    ),
    (#"{"a":{"dtype":"F32","shape":[1e300],"data_offsets":[0,16]}}"#, "header"),
    (#"{"a":{"dtype":"F32","shape":[4.5],"data_offsets":[0,18]}}"#, "header"),
    (#"{"a":{"dtype":"F32","data_offsets":[0,16]}}"#, "header"),
    (#"{"a":{"dtype":4,"shape":[4],"data_offsets":[0,16]}}"#, "header"),
    (#"{"a":[0,16]}"#, "header"), ("[]", "header"), ("{", "header"), ("", "header"),
    ("null", "header"), ("\u{0}\u{1}", "header"), ("{}", "have 0 bytes"),
    (String(repeating: "[", count: 5_000), "header"),
    (String(repeating: #"{"a":"#, count: 5_000), "header"),
  ])
  func `a false header is rejected with the reason`(_ header: String, _ reason: String) {
    let error = #expect(throws: TensorIOError.self) {
      try parse(file(header, byteCount: 16))
    }
    #expect(error?.code == .invalidModel)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  @Test func `Booleans are 0 or 1`() {
    var data = file(#"{"a":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}}"#, byteCount: 2)
    #expect(throws: Never.self) { try parse(data) }
    data[data.count - 1] = 2
    #expect(throws: TensorIOError.self) { try parse(data) }
  }

  @Test(arguments: [0, 100, 1_000_000, 1 << 32, UInt64(Int64.max), .max, .max - 7] as [UInt64])
  func `a header's length is checked against the file`(_ length: UInt64) {
    #expect(throws: TensorIOError.self) { try parse(file("{}", length: length)) }
  }

  @Test func `a file cut at any byte is rejected`() throws {
    let data = try Safetensors(tensors: Self.sample).serialized()
    for count in 0..<data.count {
      #expect(throws: TensorIOError.self) { try parse(data.prefix(count)) }
    }
    #expect(throws: TensorIOError.self) { try parse(data + [0]) }
  }

  @Test func `damaged files give consistent tensors or an error`() throws {
    let data = try Safetensors(tensors: Self.sample).serialized()
    var random = RandomBytes(seed: 7)
    func number(below limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
    let pieces = ["9", "-", "[", "]", "{", "}", ",", "\"", ":", "e9", "null", "\u{0}", "F64", "4"]
    var refused = 0
    for _ in 0..<2_000 {
      var damaged = data
      for _ in 0...number(below: 3) {
        let place = number(below: damaged.count)
        switch number(below: 4) {
        case 0: damaged[place] = UInt8(number(below: 256))
        case 1: damaged[place] ^= UInt8(1 << number(below: 8))
        case 2: damaged.remove(at: place)
        default:
          damaged.insert(contentsOf: pieces[number(below: pieces.count)].utf8, at: place)
        }
      }
      do {
        for tensor in try parse(damaged) {
          #expect(tensor.bytes.count == tensor.shape.reduce(1, *) * tensor.dataType.byteWidth)
        }
      } catch {
        #expect(error is TensorIOError)
        refused += 1
      }
    }
    #expect(refused > 1_000, "\(refused)")
  }

  @Test func `tensors that couldn't be read again aren't written`() {
    let bytes = Data(count: 4)
    for tensors in [
      [Safetensors.Tensor(name: "a", dataType: .string, shape: [4], bytes: bytes)],
      [Safetensors.Tensor(name: "a", dataType: .uint8, shape: [5], bytes: bytes)],
      [Safetensors.Tensor(name: "__metadata__", dataType: .uint8, shape: [4], bytes: bytes)],
      Array(
        repeating: Safetensors.Tensor(name: "a", dataType: .uint8, shape: [4], bytes: bytes),
        count: 2),
    ] {
      #expect(throws: TensorIOError.self) { try Safetensors(tensors: tensors).serialized() }
    }
  }

  @Test func `a header can be limited further than by the format`() throws {
    let data = try Safetensors(tensors: Self.sample).serialized()
    #expect(throws: TensorIOError.self) {
      try Safetensors(parsing: data, path: "a file", longestHeader: 100)
    }
  }

  // MARK: - Python

  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; the test needs safetensors."))
  func `Python's package reads and writes the same tensors`() async throws {
    let folder = try TemporaryFolder()
    let (ours, theirs) = (folder.path + "/ours.safetensors", folder.path + "/theirs.safetensors")
    try Safetensors(tensors: Self.sample).write(to: ours)
    try await Python.run(["Tools/peers/safetensors_files.py", "copy", ours, theirs])
    let found = try parse(Data(contentsOf: URL(filePath: theirs)))
    let sorted = { (tensors: [Safetensors.Tensor]) in tensors.sorted { $0.name < $1.name } }
    #expect(sorted(found) == sorted(Self.sample))
  }

  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; the test needs safetensors."))
  func `what Python's package refuses is refused`() async throws {
    let folder = try TemporaryFolder()
    let data = try Safetensors(tensors: Self.sample).serialized()
    var random = RandomBytes(seed: 11)
    func number(below limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
    var files: [String: Data] = [:]
    for index in 0..<600 {
      var damaged = data
      // Most of the damage is to the header, because the data can have any values.
      let place = number(below: index % 4 == 0 ? data.count : min(data.count, 700))
      switch index % 3 {
      case 0: damaged[place] = UInt8(number(below: 256))
      case 1: damaged.remove(at: place)
      default: damaged.insert(UInt8(48 + number(below: 10)), at: place)
      }
      files["\(index)"] = damaged
      try damaged.write(to: URL(filePath: folder.path + "/\(index)"))
    }
    let output = try await Python.run(["Tools/peers/safetensors_files.py", "judge", folder.path])
    let judged = try JSONDecoder().decode([String: Bool].self, from: Data(output.utf8))
    #expect(judged.count == files.count)
    for (name, content) in files {
      let isRead = (try? parse(content)) != nil
      // The reader may be stricter, for example about bytes of Booleans, but never laxer.
      #expect(!isRead || judged[name] == true, "\(name)")
    }
    let (read, accepted) = (
      files.values.count { (try? parse($0)) != nil }, judged.values.count { $0 }
    )
    #expect(read > 10 && accepted - read < 30, "\(read) \(accepted)")
  }
}
