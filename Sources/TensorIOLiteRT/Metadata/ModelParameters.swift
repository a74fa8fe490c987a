// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The parameters that Silicon Labs' Machine Learning Toolkit (MLTK) writes into a .tflite file.
///
/// They are a dictionary in a flatbuffer without an identifier, which the model's list of metadata
/// names `SL_PARAMSv1`. The numbers of slots and types are those of MLTK's dictionary.fbs. Binary
/// values and lists of numbers are left out.
package struct ModelParameters: Hashable, Sendable {
  package enum Value: Hashable, Sendable {
    case number(Double)
    case text(String)
    case texts([String])
  }

  package private(set) var values: [String: Value] = [:]
  /// One sentence if the parameters could not be read; then ``values`` is empty.
  package private(set) var problem: String?

  static let metadataName = "SL_PARAMSv1"

  init(_ bytes: UnsafeRawBufferPointer) {
    do throws(FlatBufferError) {
      values = try Self.values(bytes)
    } catch {
      problem = "The model's parameters (\(Self.metadataName)) are damaged: \(error.reason)."
    }
  }

  package init(_ values: [String: Value]) { self.values = values }

  private static func values(
    _ bytes: UnsafeRawBufferPointer
  ) throws(FlatBufferError) -> [String: Value] {
    var reader = FlatBufferReader(bytes)
    let root = try reader.root()
    guard try reader.byte(0, of: root) == 1 else {
      throw FlatBufferError("their version isn't 1")
    }
    var values: [String: Value] = [:]
    for entry in try reader.tables(1, of: root) {
      guard let key = try reader.string(0, of: entry), let value = try reader.table(2, of: entry)
      else { continue }
      values[key] = try Self.value(value, ofType: try reader.byte(1, of: entry), &reader)
    }
    return values
  }

  private static func value(
    _ table: FlatBufferReader.Table, ofType type: UInt8, _ reader: inout FlatBufferReader
  ) throws(FlatBufferError) -> Value? {
    switch type {
    case 1, 3: .number(Double(try reader.byte(0, of: table)))
    case 2: .number(Double(Int8(bitPattern: try reader.byte(0, of: table))))
    case 4: .number(Double(Int16(bitPattern: try reader.short(0, of: table))))
    case 5: .number(Double(try reader.short(0, of: table)))
    case 6: .number(Double(Int32(bitPattern: try reader.integer(0, of: table))))
    case 7: .number(Double(try reader.integer(0, of: table)))
    case 8: .number(Double(Int64(bitPattern: try reader.long(0, of: table))))
    case 9: .number(Double(try reader.long(0, of: table)))
    case 10: .number(Double(try reader.float(0, of: table)))
    case 11: .number(Double(bitPattern: try reader.long(0, of: table)))
    case 12: try reader.string(0, of: table).map(Value.text)
    case 13: .texts(try reader.strings(0, of: table))
    default: nil
    }
  }
}

extension ModelParameters {
  package func number(_ key: String) -> Double? {
    if case .number(let number)? = values[key], number.isFinite { number } else { nil }
  }

  package func text(_ key: String) -> String? {
    if case .text(let text)? = values[key] { text } else { nil }
  }

  package func texts(_ key: String) -> [String] {
    if case .texts(let texts)? = values[key] { texts } else { [] }
  }

  /// Returns whether a value is a number other than zero, as Python's `True` is stored.
  package func flag(_ key: String) -> Bool { number(key) ?? 0 != 0 }
}
