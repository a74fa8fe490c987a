// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
import ModelCommands
import ModelTools
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A file of numbers over steps, which TensorBoard reads.
///
/// It is a sequence of records, each a message `Event` of TensorFlow's `event.proto` between two checksums.
final class EventFile {
  private let file: OpenFile

  /// Creates a file in a folder, which is made if it doesn't exist.
  ///
  /// - Throws: `TensorIOError` when it can't be made.
  init(in folder: String) throws {
    // TensorBoard reads files in the order of their names, and drops what an earlier one has of the
    // steps that a later one begins with. So the name comes after all others, also in the same second.
    let time = Int(Date().timeIntervalSince1970)
    let last = Self.times(in: folder).max() ?? 0
    let path =
      folder + "/" + Self.prefix + "\(max(time, last + 1))."
      + "\(ProcessInfo.processInfo.processIdentifier)"
    file = try FileSystem.writing("'\(path)' can't be written") {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      return try OpenFile(creating: path)
    }
    try add { $0.add(3, "brain.Event:2") }
  }

  /// TensorBoard finds files by this part of their name.
  private static let prefix = "events.out.tfevents."

  /// The times in the names of a folder's files, in seconds since 1970.
  private static func times(in folder: String) -> [Int] {
    // A folder that isn't there yet has no files.
    let names = (try? FileSystem.contents(of: folder)) ?? []
    return names.filter { $0.hasPrefix(prefix) }.compactMap { name in
      let digits = name.dropFirst(prefix.count).prefix { $0 != "." }
      return Int(digits).flatMap { (0..<1 << 40).contains($0) ? $0 : nil }
    }
  }

  /// Adds numbers, by name, in a step.
  func add(_ numbers: some Sequence<(name: String, value: Double)>, step: Int) throws {
    let summary = numbers.reduce(into: Message()) { summary, number in
      var value = Message()
      value.add(1, number.name)
      value.add(2, Float(number.value))
      summary.add(1, value)
    }
    guard !summary.bytes.isEmpty else { return }
    try add { event in
      event.add(2, UInt64(max(step, 0)))
      event.add(5, summary)
    }
  }

  /// Notes that a training continues with a step, so that readers drop what an earlier process wrote
  /// of this step and of later ones.
  func addStart(step: Int) throws {
    let isStart: UInt64 = 1
    var session = Message()
    session.add(1, isStart)
    try add { event in
      event.add(2, UInt64(max(step, 0)))
      event.add(7, session)
    }
  }

  private func add(_ fill: (inout Message) -> Void) throws {
    var event = Message()
    event.add(1, Date().timeIntervalSince1970)
    fill(&event)
    var record = Self.bytes(of: UInt64(event.bytes.count))
    record += Self.bytes(of: CRC32C.masked(record))
    record += event.bytes
    record += Self.bytes(of: CRC32C.masked(event.bytes))
    try FileSystem.writing("'\(file.path)' can't be written") { try file.write(record) }
  }

  private static func bytes(of number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }
}

/// A message of Protocol Buffers, written field by field.
private struct Message {
  private(set) var bytes: [UInt8] = []

  mutating func add(_ field: UInt64, _ text: String) {
    add(field, bytes: Array(text.utf8))
  }

  mutating func add(_ field: UInt64, _ message: Message) { add(field, bytes: message.bytes) }

  mutating func add(_ field: UInt64, _ number: UInt64) {
    addNumber(field << 3)
    addNumber(number)
  }

  mutating func add(_ field: UInt64, _ number: Double) {
    addNumber(field << 3 | 1)
    withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes += $0 }
  }

  mutating func add(_ field: UInt64, _ number: Float) {
    addNumber(field << 3 | 5)
    withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes += $0 }
  }

  private mutating func add(_ field: UInt64, bytes content: [UInt8]) {
    addNumber(field << 3 | 2)
    addNumber(UInt64(content.count))
    bytes += content
  }

  private mutating func addNumber(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}

/// The checksum of a TFRecord: CRC-32C, which TFRecord changes with `masked(_:)` before it is stored.
enum CRC32C {
  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in
      value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1
    }
  }

  static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { sum, byte in
      sum >> 8 ^ table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)]
    }
  }

  static func masked(_ bytes: [UInt8]) -> UInt32 {
    let sum = checksum(bytes)
    return (sum >> 15 | sum << 17) &+ 0xA282_EAD8
  }
}

/// What a training writes for TensorBoard: a run for its steps, one for its validation and one for
/// its evaluation.
struct TrainingEvents {
  private let folder: String
  private let resumes: Bool
  private let training: EventFile
  private var hasSteps = false
  private var validation: EventFile?
  private var evaluation: EventFile?

  /// Creates the file of the steps.
  ///
  /// - Parameters:
  ///   - folder: The folder of the runs.
  ///   - resumes: Whether the training may continue one whose process was killed, so that what that
  ///     process wrote after its last checkpoint is trained again.
  /// - Throws: `TensorIOError` when it can't be made.
  init(in folder: String, resumes: Bool) throws {
    self.folder = folder
    self.resumes = resumes
    training = try EventFile(in: folder + "/train")
  }

  mutating func add(_ step: TrainingStep) throws {
    let number = (step.epoch - 1) * step.stepsPerEpoch + step.step
    if resumes, !hasSteps { try training.addStart(step: number) }
    hasSteps = true
    try training.add(step.means, step: number)
  }

  /// Adds the means of an epoch, under the names that Keras gives them.
  mutating func add(_ result: EpochResult) throws {
    func named(_ means: OutputMeans) -> [(name: String, value: Double)] {
      means.map { ("epoch_" + $0.name, $0.value) }
    }
    try training.add(named(result.training), step: result.epoch)
    if let means = result.validation {
      if validation == nil { validation = try EventFile(in: folder + "/validation") }
      try validation?.add(named(means), step: result.epoch)
    }
    guard !result.metrics.isEmpty else { return }
    if evaluation == nil { evaluation = try EventFile(in: folder + "/evaluation") }
    try evaluation?.add(
      result.metrics.map { ("epoch_" + $0.name, $0.value) }, step: result.epoch)
  }
}
