// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO

@testable import NetRunner

/// A temporary folder of files that is removed after the test.
final class DatasetFolder {
  let path: String

  init(_ files: [String: String] = [:]) throws {
    path = FileManager.default.temporaryDirectory.appending(path: "datasets-\(UUID())").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for (file, text) in files { try write(text, to: file) }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  @discardableResult
  func write(_ text: String, to file: String) throws -> String {
    try write(Array(text.utf8), to: file)
  }

  @discardableResult
  func write(_ bytes: [UInt8], to file: String) throws -> String {
    let whole = path + "/" + file
    try FileManager.default.createDirectory(
      atPath: FileSystem.folder(of: whole), withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(filePath: whole))
    return whole
  }

  func link(_ file: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: path + "/" + file, withDestinationPath: target)
  }

  /// Reads one of its files or folders as a dataset.
  func dataset(
    _ file: String = "", layout: Dataset.Layout? = nil, options: DatasetOptions = DatasetOptions()
  ) throws -> Dataset {
    try Dataset(
      contentsOf: file.isEmpty ? path : path + "/" + file, layout: layout, options: options)
  }
}

extension Dataset {
  var ids: [String] { samples.map(\.id) }
  var truths: [GroundTruth?] { samples.map(\.truth) }
}

/// A repeatable, damaged copy of a text: with flipped bits, other bytes, a cut or a repeated part.
func damagedCopy(_ whole: String, _ number: Int) -> [UInt8] {
  var bytes = Array(whole.utf8)
  var state = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
  func next(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % bound
  }
  switch number % 4 {
  case 0: bytes.removeSubrange(next(bytes.count)...)
  case 1: for _ in 0...next(4) { bytes[next(bytes.count)] ^= 1 << UInt8(next(8)) }
  case 2:
    let marks = Array("\",:[]{}\\\n\r\0-e;\t".utf8) + [0x80, 0xFF]
    for _ in 0...next(4) { bytes[next(bytes.count)] = marks[next(marks.count)] }
  default:
    let start = next(bytes.count)
    let end = start + next(bytes.count - start)
    bytes.insert(contentsOf: bytes[start..<end], at: next(bytes.count))
  }
  return bytes
}
