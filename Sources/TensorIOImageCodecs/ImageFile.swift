// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import TensorIO

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An encoded image that is decoded straight into a model's tensor.
///
/// The result is the same as decoding the image first and giving the `PixelBuffer` to the model.
/// However, only the part that the model sees is decoded, row by row, so the whole image is never
/// in memory. With ``ImageDecoder/scaling``, a JPEG is also decoded at a fraction of its size.
///
/// ```swift
/// let decoder = ImageDecoder()
/// let results = try model.run(ImageFile("cat.jpg", decoder: decoder))
/// ```
///
/// The file is read when the model runs, which is also when problems with it throw an error.
public struct ImageFile: Sendable {
  private enum Source {
    case path(String)
    case bytes(any Collection<UInt8> & Sendable, name: String)
    case address(String)
  }

  /// A timer that measures decoding separately, if set.
  package var timer: DecodeTimer?

  private let source: Source
  private let decoder: ImageDecoder
  private let header = ReadHeader()

  /// The size of the upright image, once its header has been read.
  ///
  /// This is a class, because encoding must not change the value.
  private final class ReadHeader: Sendable {
    let size = Mutex<(width: Int, height: Int)?>(nil)
  }

  /// Makes an image from a file.
  ///
  /// - Parameters:
  ///   - path: The file's path; its name and extension don't matter.
  ///   - decoder: The decoder to use. Use one for many images, because it reuses its memory.
  public init(_ path: String, decoder: ImageDecoder = ImageDecoder()) {
    source = .path(path)
    self.decoder = decoder
  }

  /// Makes an image from a file at a `file:` URL.
  ///
  /// An image of another URL is an error when the model runs.
  ///
  /// - Parameters:
  ///   - url: The file's URL.
  ///   - decoder: The decoder to use. Use one for many images, because it reuses its memory.
  public init(_ url: URL, decoder: ImageDecoder = ImageDecoder()) {
    source = url.isFileURL ? .path(url.path(percentEncoded: false)) : .address(url.absoluteString)
    self.decoder = decoder
  }

  /// Makes an image from bytes in memory.
  ///
  /// Bytes that are contiguous aren't copied, such as those of an array, of `Data`, or of a view of
  /// SwiftNIO's `ByteBuffer`.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - name: The image's name in error messages.
  ///   - decoder: The decoder to use. Use one for many images, because it reuses its memory.
  public init(
    bytes: some Collection<UInt8> & Sendable, named name: String = "The image",
    decoder: ImageDecoder = ImageDecoder()
  ) {
    source = .bytes(bytes, name: name)
    self.decoder = decoder
  }
}

extension ImageFile: DecodingInput {
  package func timed() -> (value: ImageFile, time: @Sendable () -> Duration) {
    var file = self
    let timer = DecodeTimer()
    file.timer = timer
    return (file, { timer.time })
  }
}

extension ImageFile: ImageEncodable {
  public static var tensorKindName: String { "an image" }
  public var tensorElementCount: Int? { nil }
  public var encodedImageSize: (width: Int, height: Int)? { header.size.withLock { $0 } }

  public func encode(into memory: inout MutableRawSpan, as spec: TensorSpec) throws {
    let (transform, encoding) = try ImageTransform.ofInput(spec)
    try memory.withUnsafeMutableBytes { target in
      try withReader { reader in
        try write(reader, by: transform, into: target, as: encoding)
      }
    }
  }

  private func withReader(_ body: (ImageReader) throws -> Void) throws {
    switch source {
    case .path(let path):
      let file = try timer.measure {
        try readFile(path, limit: decoder.limits.maximumFileBytes, pool: decoder.pool)
      }
      try withExtendedLifetime(file.buffer) {
        try body(open(file.bytes, named: "'\(path)'"))
      }
    case .bytes(let bytes, let name):
      try withContiguousBytes(of: bytes) { try body(open($0, named: name)) }
    case .address(let address):
      throw TensorIOError(
        .unreadableFile,
        "'\(address)' isn't the URL of a file. Download the image, and pass its bytes.")
    }
  }

  private func open(_ bytes: UnsafeRawBufferPointer, named name: String) throws -> ImageReader {
    let reader = try timer.measure {
      try ImageReader(bytes, named: name, limits: decoder.limits, pool: decoder.pool)
    }
    let swaps = decoder.appliesOrientation && reader.orientation.swapsAxes
    let size = swaps ? (reader.height, reader.width) : (reader.width, reader.height)
    timer?.size = size
    header.size.withLock { $0 = size }
    return reader
  }

  private func write(
    _ reader: ImageReader, by transform: ImageTransform,
    into target: UnsafeMutableRawBufferPointer, as encoding: PixelEncoding
  ) throws {
    let orientation = reader.orientation
    var span = target.mutableBytes
    if orientation != .up && !decoder.appliesOrientation {
      let image = try timer.measure { try reader.image() }
      return try transform.write(image, into: &span, as: encoding)
    }
    let size = orientation.swapsAxes ? (reader.height, reader.width) : (reader.width, reader.height)
    var placement = transform.placement(ofWidth: size.0, height: size.1)
    var options = DecodeOptions(readsAll: decoder.scaling != .fast)
    if reader.canScale {
      options.denominator = decoder.scaling.denominator(
        used: (placement.crop.width, placement.crop.height),
        target: (placement.width, placement.height))
    }
    placement = placement.scaled(by: options.denominator, of: size, orientation)
    let bounds = reader.bounds(denominator: options.denominator)
    let region = PixelCrop(stored: placement.crop, orientation, in: bounds)
    placement.crop.x = 0
    placement.crop.y = 0
    if orientation == .up {
      var rows = try timer.measure { try reader.rows(of: region, options: options) }
      guard let timer else {
        return try transform.write(&rows, placement, into: &span, as: encoding)
      }
      var timed = TimedRows(rows: rows, timer: timer)
      return try transform.write(&timed, placement, into: &span, as: encoding)
    }
    let part = try timer.measure { try reader.image(of: region, options: options) }.upright()
    try transform.write(part, placement, into: &span, as: encoding)
  }
}

extension PixelCrop {
  /// Makes the stored region of a part of an upright image; `bounds` is the whole image as stored.
  init(stored crop: PixelCrop, _ orientation: ImageOrientation, in bounds: PixelCrop) {
    let swaps = orientation.swapsAxes
    self.init(
      x: swaps ? crop.y : crop.x, y: swaps ? crop.x : crop.y,
      width: swaps ? crop.height : crop.width, height: swaps ? crop.width : crop.height)
    if orientation.reverses.columns { x = bounds.width - x - width }
    if orientation.reverses.rows { y = bounds.height - y - height }
  }
}
