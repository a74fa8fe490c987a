// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Crops, resizes and turns an image so that it fits an image layer.
///
/// By default, the largest central part with the target's aspect ratio is cropped, resized with an
/// antialiased bilinear filter and turned upright. An upright image of the target's size is used
/// unchanged. Alpha is ignored. An image of any size fits any target, and is enlarged if necessary.
///
/// The result equals that of the Python library that ``resize`` names. With the defaults, it is bit
/// for bit that of Pillow's `image.crop(...).resize(size, BILINEAR)`.
///
/// ```swift
/// let preview = ImageTransform(width: 224, height: 224).apply(to: image)
/// ```
public struct ImageTransform: Hashable, Sendable {
  /// The width of the result in pixels.
  public let width: Int
  /// The height of the result in pixels.
  public let height: Int
  /// How the image is resized.
  public var resize: ResizeMethod
  /// Which part of the image is used.
  public var crop: ImageCrop
  /// Whether the result is gray.
  ///
  /// The image is converted before it is resized, in the same way as by Pillow's `convert("L")`.
  public var isGray: Bool

  /// Makes a transform.
  ///
  /// - Parameters:
  ///   - width: The width of the result in pixels, at least 1.
  ///   - height: The height of the result in pixels, at least 1.
  ///   - resize: How the image is resized.
  ///   - crop: Which part of the image is used.
  ///   - isGray: Whether the result is gray.
  public init(
    width: Int, height: Int, resize: ResizeMethod = .pillowBilinear,
    crop: ImageCrop = ImageCrop(), isGray: Bool = false
  ) {
    precondition(width > 0 && height > 0, "An image must have at least one pixel.")
    self.width = width
    self.height = height
    self.resize = resize
    self.crop = crop
    self.isGray = isGray
  }

  /// Makes the transform for an image layer.
  public init(_ shape: ImageShape, _ preprocessing: ImagePreprocessing) {
    self.init(
      width: shape.width, height: shape.height, resize: preprocessing.resize,
      crop: preprocessing.crop, isGray: shape.format == .gray)
  }

  /// Returns the image as a model with this transform sees it: RGB or gray, and upright.
  public func apply(to image: PixelBuffer) -> PixelBuffer {
    PixelBuffer(fillingWidth: width, height: height, format: isGray ? .gray : .rgb) { span in
      transform(image, into: &span, as: resultEncoding)
    }
  }

  /// The encoding of the result of ``apply(to:)``.
  package var resultEncoding: PixelEncoding {
    PixelEncoding(format: isGray ? .gray : .rgb, element: .uint8)
  }

  /// Returns where an upright image of this size goes.
  package func placement(ofWidth width: Int, height: Int) -> ImagePlacement {
    ImagePlacement(of: (width, height), in: (self.width, self.height), by: crop)
  }

  /// Writes the transformed image into a tensor's memory, which may have any alignment.
  ///
  /// - Throws: ``TensorIOError`` when the memory does not have the size of the result.
  package func write(
    _ image: PixelBuffer, into tensor: inout MutableRawSpan, as encoding: PixelEncoding
  ) throws {
    try check(tensor.byteCount, encoding)
    transform(image, into: &tensor, as: encoding)
  }

  /// Writes an upright image whose placement is already known.
  package func write(
    _ image: PixelBuffer, _ placement: ImagePlacement, into tensor: inout MutableRawSpan,
    as encoding: PixelEncoding
  ) throws {
    try check(tensor.byteCount, encoding)
    tensor.withUnsafeMutableBytes { target in
      image.withRows { rows in
        guard let target = target.baseAddress else { return }
        resample(&rows, placement, into: target, as: encoding)
      }
    }
  }

  /// Writes an upright image whose rows are read one by one, and whose placement is already known.
  package func write(
    _ rows: inout some PixelRows & ~Copyable, _ placement: ImagePlacement,
    into tensor: inout MutableRawSpan, as encoding: PixelEncoding
  ) throws {
    try check(tensor.byteCount, encoding)
    try tensor.withUnsafeMutableBytes { target in
      guard let target = target.baseAddress else { return }
      try resample(&rows, placement, into: target, as: encoding)
    }
    try rows.finish()
  }

  private func check(_ byteCount: Int, _ encoding: PixelEncoding) throws {
    let channels = encoding.format.channels
    let expected = width * height * channels * encoding.bytesPerElement
    guard byteCount == expected else {
      throw TensorIOError(
        .wrongElementCount,
        "An image of \(width) x \(height) x \(channels) elements of \(encoding.bytesPerElement) "
          + "bytes takes \(expected) bytes, but the tensor has \(byteCount).")
    }
  }

  private func transform(
    _ image: PixelBuffer, into tensor: inout MutableRawSpan, as encoding: PixelEncoding
  ) {
    tensor.withUnsafeMutableBytes { target in
      image.withRows { rows in
        guard let target = target.baseAddress else { return }
        if image.orientation == .up {
          let placement = placement(ofWidth: image.width, height: image.height)
          resample(&rows, placement, into: target, as: encoding)
        } else {
          turn(&rows, image.orientation, into: target, as: encoding)
        }
      }
    }
  }

  private func resample<Rows: PixelRows & ~Copyable>(
    _ rows: inout Rows, _ placement: ImagePlacement, into target: UnsafeMutableRawPointer,
    as encoding: PixelEncoding
  ) throws(Rows.Failure) {
    let reader = PixelReader(rows.format, crop: placement.crop, makesGray: isGray)
    defer { reader.deallocate() }
    let writer = writer(target, placement, encoding, isBGR: reader.isBGR)
    defer { writer.deallocate() }
    try resampler(placement).forEachRow(
      bytesPerPixel: reader.bytesPerPixel,
      row: { (y) throws(Rows.Failure) in try reader.row(y, of: &rows) },
      { writer.write($0, row: $1) })
  }

  /// Resizes the image in its stored orientation, then turns the smaller result upright.
  private func turn(
    _ rows: inout BufferedRows, _ orientation: ImageOrientation,
    into target: UnsafeMutableRawPointer, as encoding: PixelEncoding
  ) {
    let swaps = orientation.swapsAxes
    var placement = ImagePlacement(
      of: (rows.width, rows.height), in: swaps ? (height, width) : (width, height), by: crop)
    let reader = PixelReader(rows.format, crop: placement.crop, makesGray: isGray)
    defer { reader.deallocate() }
    let bytesPerPixel = resize.givesFloats ? 12 : 3
    let bytesPerRow = placement.width * bytesPerPixel
    let stored = UnsafeMutableRawPointer.allocate(
      byteCount: bytesPerRow * placement.height, alignment: 16)
    defer { stored.deallocate() }
    func keep(_ row: ResampledRow, _ y: Int) {
      let start = stored + y * bytesPerRow
      switch row {
      case .bytes(let bytes): start.copyMemory(from: bytes, byteCount: bytesPerRow)
      case .floats(let floats): start.copyMemory(from: floats, byteCount: bytesPerRow)
      }
    }
    resampler(placement).forEachRow(
      bytesPerPixel: reader.bytesPerPixel, row: { y throws(Never) in reader.row(y, of: &rows) },
      keep)

    let walk = PixelWalk(
      width: placement.width, height: placement.height, bytesPerPixel: bytesPerPixel,
      bytesPerRow: bytesPerRow, orientation: orientation)
    if swaps {
      (placement.width, placement.height) = (placement.height, placement.width)
      (placement.x, placement.y) = (placement.y, placement.x)
    }
    let writer = writer(target, placement, encoding, isBGR: reader.isBGR)
    defer { writer.deallocate() }
    let turned = UnsafeMutableRawPointer.allocate(
      byteCount: walk.width * bytesPerPixel, alignment: 16)
    defer { turned.deallocate() }
    for y in 0..<walk.height {
      writer.write(walk.row(y, of: stored, into: turned, bytesPerPixel: bytesPerPixel), row: y)
    }
  }

  private func resampler(_ placement: ImagePlacement) -> any Resampler {
    let source = (width: placement.crop.width, height: placement.crop.height)
    let target = (width: placement.width, height: placement.height)
    if let window = placement.window, resize.isAntialiased {
      return SpanResampler(window, of: source, to: target, resize)
    }
    return resize.resampler(from: source, to: target)
  }

  private func writer(
    _ target: UnsafeMutableRawPointer, _ placement: ImagePlacement, _ encoding: PixelEncoding,
    isBGR: Bool
  ) -> PixelRowWriter {
    PixelRowWriter(
      target: target, size: (width, height), encoding: encoding, placement: placement,
      margin: crop.color, isBGR: isBGR)
  }
}

extension PixelWalk {
  /// Gathers one upright row, with three bytes or three floats for each pixel.
  fileprivate func row(
    _ y: Int, of stored: UnsafeMutableRawPointer, into row: UnsafeMutableRawPointer,
    bytesPerPixel: Int
  ) -> ResampledRow {
    for x in 0..<width {
      let source = start &+ y &* rowStep &+ x &* columnStep
      (row + x &* bytesPerPixel).copyMemory(from: stored + source, byteCount: bytesPerPixel)
    }
    return bytesPerPixel == 3
      ? .bytes(row.assumingMemoryBound(to: UInt8.self))
      : .floats(row.assumingMemoryBound(to: Float.self))
  }
}
