// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension ModelRules {
  /// Whether the file holds the tensor's elements.
  func isConstant(_ tensor: ModelStructure.Tensor) -> Bool {
    structure.buffers.indices.contains(tensor.buffer) && structure.buffers[tensor.buffer] != nil
  }

  /// Checks a single tensor: its shape, its constant elements and its scales.
  func check(_ tensor: ModelStructure.Tensor) throws(FlatBufferError) {
    guard structure.buffers.indices.contains(tensor.buffer) else {
      throw FlatBufferError(
        "the tensor '\(tensor.name)' is in buffer \(tensor.buffer), which does not exist")
    }
    guard tensor.shape.count <= Self.maximumRank else {
      throw FlatBufferError(
        unsupported: "the tensor '\(tensor.name)' has \(tensor.shape.count) axes; LiteRT supports "
          + "at most \(Self.maximumRank)")
    }
    for shape in [tensor.shape, tensor.shapeSignature] where !shape.allSatisfy({ $0 >= -1 }) {
      throw FlatBufferError("the tensor '\(tensor.name)' has the impossible shape \(shape)")
    }
    guard tensor.hasOneShape else {
      throw FlatBufferError(
        "the tensor '\(tensor.name)' has the shape \(tensor.shape), which doesn't match its shape "
          + "signature \(tensor.shapeSignature)")
    }
    if let elements = structure.buffers[tensor.buffer] {
      try checkElements(elements, of: tensor)
    }
    try checkQuantization(of: tensor)
  }

  private func checkElements(
    _ elements: Range<Int>, of tensor: ModelStructure.Tensor
  ) throws(FlatBufferError) {
    if tensor.type == .string { return try checkStrings(elements, of: tensor) }
    guard !tensor.isSparse, tensor.type.bitWidth != nil else { return }
    guard let byteCount = tensor.byteCount, byteCount <= elements.count else {
      throw FlatBufferError(
        "the constant '\(tensor.name)' has the shape \(tensor.shape), but only \(elements.count) "
          + "bytes")
    }
  }

  /// Checks the table of offsets that precedes the strings.
  private func checkStrings(
    _ elements: Range<Int>, of tensor: ModelStructure.Tensor
  ) throws(FlatBufferError) {
    func number(_ index: Int) -> Int {
      let position = elements.lowerBound + 4 * index
      return Int(Int32(littleEndian: file.loadUnaligned(fromByteOffset: position, as: Int32.self)))
    }
    let fault = FlatBufferError("the strings of the constant '\(tensor.name)' are damaged")
    guard elements.count >= 4 else { throw fault }
    let count = number(0)
    if count == 0 { return }
    // The table holds the count itself and one more offset than there are strings.
    guard count > 0, count <= elements.count / 4 - 2, let most = tensor.elementCount, most <= count
    else { throw fault }
    var previous = number(1)
    guard previous >= 4 * (count + 2) else { throw fault }
    for index in 2...(count + 1) {
      let next = number(index)
      guard next >= previous, next <= elements.count else { throw fault }
      previous = next
    }
  }

  // MARK: - Scales

  private func checkQuantization(
    of tensor: ModelStructure.Tensor
  ) throws(FlatBufferError) {
    let quantization = tensor.quantization
    let (scales, zeroPoints) = (quantization.scales, quantization.zeroPoints)
    guard !quantization.isCustom, !scales.isEmpty else { return }
    if scales.count > 1 {
      guard tensor.shape.indices.contains(quantization.axis),
        Int(tensor.shape[quantization.axis]) == scales.count
      else {
        throw FlatBufferError(
          "the tensor '\(tensor.name)' of shape \(tensor.shape) has \(scales.count) scales along "
            + "axis \(quantization.axis), which isn't an axis of length \(scales.count)")
      }
    }
    guard zeroPoints.count <= 1 || zeroPoints.count == scales.count else {
      throw FlatBufferError(
        "the tensor '\(tensor.name)' has \(scales.count) scales but \(zeroPoints.count) zero points"
      )
    }
    if let range = tensor.type.zeroPoints,
      let wrong = zeroPoints.first(where: { !range.contains($0) })
    {
      throw FlatBufferError(
        "the tensor '\(tensor.name)' has the zero point \(wrong), which is outside the range of "
          + "its type")
    }
  }

  /// Checks the scales of a tensor that an operator computes with.
  func checkScales(
    of tensor: ModelStructure.Tensor, operator position: Int
  ) throws(FlatBufferError) {
    guard tensor.type.isQuantizable, !tensor.quantization.isCustom else { return }
    guard !tensor.quantization.scales.isEmpty else {
      throw FlatBufferError(
        "operator \(position) computes with the quantized tensor '\(tensor.name)', which has no "
          + "scale")
    }
    for scale in tensor.quantization.scales where !(scale > 0 && scale.isFinite) {
      throw FlatBufferError(
        "operator \(position) computes with the quantized tensor '\(tensor.name)', whose scale is "
          + "\(scale) instead of a positive, finite number")
    }
  }
}

extension ModelStructure.Tensor {
  /// Whether the shape signature equals the shape, except for axes of unknown length.
  fileprivate var hasOneShape: Bool {
    shapeSignature.isEmpty
      || shapeSignature.count == shape.count
        && zip(shapeSignature, shape).allSatisfy { $0 == -1 || $0 == $1 }
  }

  /// The memory that an empty string takes in the model and on the way to it, in bits.
  ///
  /// This is 80 bytes, as measured.
  private static let stringBits = 640

  /// The number of elements, or nil when it overflows.
  ///
  /// An axis of unknown length counts as 1.
  var elementCount: Int? {
    var count = 1
    for length in shape where length != -1 {
      let (product, overflows) = count.multipliedReportingOverflow(by: Int(length))
      if overflows { return nil }
      count = product
    }
    return count
  }

  /// The number of bytes that the elements take, or nil when it overflows.
  ///
  /// Resources and types that this library doesn't know count as 0 bytes.
  var byteCount: Int? {
    guard let bits = type == .string ? Self.stringBits : type.bitWidth else { return 0 }
    guard let elementCount else { return nil }
    let (product, overflows) = elementCount.multipliedReportingOverflow(by: bits)
    return overflows ? nil : (product + 7) / 8
  }
}
