// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A number that can be stored in a tensor: Swift's integers and floating-point types.
///
/// An integer that is not exact in the layer's type is an error. Floating-point numbers are rounded
/// to the layer's type. It is an error if one becomes infinite, is out of the range of bytes, or
/// loses a fraction in an integer with more than 8 bits.
public protocol TensorNumber: TensorEncodable, TensorDecodable, BitwiseCopyable, Numeric {
  /// The data type with the same bytes; nil when tensors have no such type.
  static var matchingDataType: DataType? { get }
  /// The number as float32, rounded to nearest, which quantization uses.
  var float32: Float { get }
  /// The number as float64, rounded to nearest.
  var float64: Double { get }
  /// Makes a number that equals an integer; nil when this type cannot hold it.
  init?(exactlyInteger value: Int64)
  /// Makes the number nearest to a floating-point one; nil when the change would be more than
  /// rounding.
  init?(rounding value: Double)
  /// The same number in another type; nil when that type cannot hold it.
  func converted<Number: TensorNumber>(to type: Number.Type) -> Number?
}

extension TensorNumber where Self: FixedWidthInteger {
  public static var matchingDataType: DataType? {
    switch (Self.isSigned, Self.bitWidth) {
    case (true, 8): .int8
    case (true, 16): .int16
    case (true, 32): .int32
    case (true, 64): .int64
    case (false, 8): .uint8
    case (false, 16): .uint16
    case (false, 32): .uint32
    default: nil
    }
  }

  @inline(__always) public var float32: Float { Float(self) }
  @inline(__always) public var float64: Double { Double(self) }
  @inline(__always) public init?(exactlyInteger value: Int64) { self.init(exactly: value) }

  @inline(__always)
  public init?(rounding value: Double) {
    if let integer = Int64(exactly: value) {
      self.init(exactly: integer)
    } else if let integer = UInt64(exactly: value) {
      self.init(exactly: integer)
    } else {
      return nil
    }
  }

  @inline(__always)
  public func converted<Number: TensorNumber>(to type: Number.Type) -> Number? {
    if let integer = Int64(exactly: self) { return Number(exactlyInteger: integer) }
    return convertedBeyondInt64(to: Number.self)
  }

  /// Converts integers from 2^63 on: to integer types, and to equal floating-point numbers.
  private func convertedBeyondInt64<Number: TensorNumber>(to type: Number.Type) -> Number? {
    if let integers = type as? any FixedWidthInteger.Type { return exactly(integers) as? Number }
    guard let double = Double(exactly: self), let number = Number(rounding: double),
      number.float64 == double
    else { return nil }
    return number
  }

  private func exactly<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
    Integer(exactly: self)
  }
}

extension TensorNumber where Self: BinaryFloatingPoint {
  @inline(__always) public init?(exactlyInteger value: Int64) { self.init(exactly: value) }

  @inline(__always)
  public init?(rounding value: Double) {
    self.init(value)
    if isInfinite && value.isFinite { return nil }
  }

  @inline(__always)
  public func converted<Number: TensorNumber>(to type: Number.Type) -> Number? {
    Number(rounding: float64)
  }
}

extension TensorNumber {
  public static var tensorKindName: String { "a number" }
  public var tensorElementCount: Int? { 1 }
}

extension Int: TensorNumber {}
extension Int8: TensorNumber {}
extension Int16: TensorNumber {}
extension Int32: TensorNumber {}
extension Int64: TensorNumber {}
extension UInt: TensorNumber {}
extension UInt8: TensorNumber {}
extension UInt16: TensorNumber {}
extension UInt32: TensorNumber {}
extension UInt64: TensorNumber {}

extension Float16: TensorNumber {
  public static var matchingDataType: DataType? { .float16 }
  public var float32: Float { Float(self) }
  public var float64: Double { Double(self) }
}

extension Float: TensorNumber {
  public static var matchingDataType: DataType? { .float32 }
  public var float32: Float { self }
  public var float64: Double { Double(self) }
}

extension Double: TensorNumber {
  public static var matchingDataType: DataType? { .float64 }
  public var float32: Float { Float(self) }
  public var float64: Double { self }
}
