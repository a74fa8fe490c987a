// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

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
