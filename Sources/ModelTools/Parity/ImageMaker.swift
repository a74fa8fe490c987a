// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO
import TensorIOImageCodecs

/// Makes images of the target's size by any recipe, and decodes the file only once in each way.
package struct ImageMaker {
  /// The image that the bundle's own preprocessing takes.
  package let upright: PixelBuffer
  /// The ways to decode this file, apart from the full decode.
  let otherDecodings: [Decoding]
  /// Whether the file's EXIF orientation turns the image.
  let isTurnedByEXIF: Bool

  private let target: ImageSize
  private let bytes: [UInt8]
  private let name: String
  private let decoder: ImageDecoder
  private var images: [Source: PixelBuffer] = [:]
  private var byteCount = 0

  private struct Source: Hashable {
    var decoding: Decoding
    var turning: Turning
  }

  /// The most memory that cached images may take, in bytes; a phone's photo takes 36 MB.
  private static let maximumBytes = 200_000_000

  package init(path: String, target: ImageSize) throws {
    self.target = target
    name = "'\(path)'"
    bytes = [UInt8](try FileSystem.read(path))
    var decoder = ImageDecoder()
    decoder.appliesOrientation = false
    self.decoder = decoder
    let stored = try decoder.decode(bytes, named: name)
    isTurnedByEXIF = stored.orientation != .up
    upright = stored.upright()
    images[Source(decoding: .full, turning: .upright)] = upright
    if bytes.starts(with: [0xFF, 0xD8]) {
      let options = [
        DecodeOptions(denominator: 2), DecodeOptions(denominator: 4), DecodeOptions(denominator: 8),
        DecodeOptions(fancyUpsampling: false), DecodeOptions(fastDCT: true),
        DecodeOptions(fancyUpsampling: false, fastDCT: true),
      ]
      otherDecodings = options.map(Decoding.jpeg)
    } else if stored.format.alphaOffset != nil {
      otherDecodings = [.over(PixelColor(red: 255, green: 255, blue: 255)), .over(PixelColor())]
    } else {
      otherDecodings = []
    }
  }

  /// Returns the frame of a recipe; nil if the recipe doesn't fit the image.
  mutating func frame(of recipe: Recipe) throws -> Framing.Frame? {
    let image = try image(recipe.decoding, recipe.turning)
    return recipe.framing.frame(of: (image.width, image.height), in: target)
  }

  /// Returns the image of the target's size, as planes of values from 0 to 255.
  ///
  /// The planes are red, green and blue, or one of brightness. The result is nil if the recipe
  /// doesn't fit the image.
  mutating func planes(_ recipe: Recipe, isGray: Bool) throws -> [[Float]]? {
    var image = try image(recipe.decoding, recipe.turning)
    guard let frame = recipe.framing.frame(of: (image.width, image.height), in: target)
    else { return nil }
    if (frame.part.width, frame.part.height) != (image.width, image.height) {
      image = image.part(frame.part)
    }
    let transform = ImageTransform(
      width: frame.scaledWidth, height: frame.scaledHeight, resize: recipe.resize,
      crop: ImageCrop(.stretch), isGray: isGray)
    let channels = isGray ? 1 : 3
    let size = frame.scaledWidth * frame.scaledHeight
    var values = [Float](repeating: 0, count: size * channels)
    var span = values.mutableSpan
    var memory = span.mutableBytes
    try transform.write(
      image, into: &memory,
      as: PixelEncoding(
        format: isGray ? .gray : .rgb, layout: .channelsFirst, element: .float32(nil)))
    let planes = (0..<channels).map { Array(values[$0 * size..<($0 + 1) * size]) }
    guard (frame.scaledWidth, frame.scaledHeight) != target else { return planes }
    let color = frame.color ?? PixelColor()
    let margin = isGray ? [color.gray] : [color.red, color.green, color.blue]
    return zip(planes, margin).map { place($0, frame, margin: Float($1)) }
  }

  private func place(_ plane: [Float], _ frame: Framing.Frame, margin: Float) -> [Float] {
    var result = [Float](repeating: margin, count: target.width * target.height)
    let columns =
      max(0, frame.left)..<max(frame.left, min(target.width, frame.left + frame.scaledWidth))
    for y in max(0, frame.top)..<min(target.height, frame.top + frame.scaledHeight) {
      let source = (y - frame.top) * frame.scaledWidth - frame.left
      for x in columns { result[y * target.width + x] = plane[source + x] }
    }
    return result
  }

  // MARK: - Decoding

  private mutating func image(_ decoding: Decoding, _ turning: Turning) throws -> PixelBuffer {
    let source = Source(decoding: decoding, turning: turning)
    if let image = images[source] { return image }
    var image: PixelBuffer
    switch turning {
    case .upright:
      image = try stored(decoding).upright()
    case .asStored:
      image = try stored(decoding)
      image.orientation = .up
    case .turned(let orientation):
      image = try self.image(decoding, .upright)
      image.orientation = orientation
      image = image.upright()
    }
    byteCount += image.bytesPerRow * image.height
    if byteCount > Self.maximumBytes {
      images = [Source(decoding: .full, turning: .upright): upright]
      byteCount = 0
    }
    images[source] = image
    return image
  }

  private func stored(_ decoding: Decoding) throws -> PixelBuffer {
    switch decoding {
    case .full: return try decoder.decode(bytes, named: name)
    case .over(let color): return try decoder.decode(bytes, named: name).composited(over: color)
    case .jpeg(let options):
      return try bytes.withUnsafeBytes { bytes in
        try ImageReader(bytes, named: name, limits: decoder.limits, pool: decoder.pool)
          .image(options: options)
      }
    }
  }
}

extension PixelBuffer {
  fileprivate func part(_ part: PixelCrop) -> PixelBuffer {
    let count = part.width * format.bytesPerPixel
    let bytes = (part.y..<(part.y + part.height)).flatMap { y in
      let start = y * bytesPerRow + part.x * format.bytesPerPixel
      return self.bytes(start..<(start + count))
    }
    return PixelBuffer(width: part.width, height: part.height, format: format, bytes: bytes)
  }

  private func bytes(_ range: Range<Int>) -> [UInt8] {
    withBytes { $0.extracting(range).withUnsafeBytes { Array($0) } }
  }

  /// Returns the image on a plain background, rounded to the nearest values.
  fileprivate func composited(over color: PixelColor) -> PixelBuffer {
    guard let alphaOffset = format.alphaOffset else { return self }
    let offsets = format.colorOffsets
    let parts = [
      (offsets.red, color.red), (offsets.green, color.green), (offsets.blue, color.blue),
    ]
    let step = format.bytesPerPixel
    var opaque: [UInt8] = []
    opaque.reserveCapacity(width * height * 3)
    for y in 0..<height {
      let row = bytes((y * bytesPerRow)..<(y * bytesPerRow + width * step))
      for pixel in 0..<width {
        let alpha = Int(row[pixel * step + alphaOffset])
        for (offset, ground) in parts {
          let value = Int(row[pixel * step + offset])
          opaque.append(UInt8((value * alpha + Int(ground) * (255 - alpha) + 127) / 255))
        }
      }
    }
    return PixelBuffer(
      width: width, height: height, format: .rgb, orientation: orientation, bytes: opaque)
  }
}
