// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

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
