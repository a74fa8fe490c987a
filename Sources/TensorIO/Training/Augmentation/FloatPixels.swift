// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls

/// The values of an image from 0 to 255, as interleaved floats: gray, or red, green and blue.
struct FloatPixels {
  let width: Int
  let height: Int
  let channels: Int
  private var values: [Float]

  init(width: Int, height: Int, channels: Int) {
    (self.width, self.height, self.channels) = (width, height, channels)
    values = [Float](repeating: 0, count: width * height * channels)
  }

  /// Lets a closure write all values.
  mutating func fill(_ body: (inout MutableRawSpan) throws -> Void) rethrows {
    var span = values.mutableSpan
    var memory = span.mutableBytes
    try body(&memory)
  }

  mutating func apply(_ change: ImageChange) {
    switch change {
    case .flip(let mode): flip(horizontally: mode != .vertical, vertically: mode != .horizontal)
    case .crop(let x, let y, let margin): crop(x: x, y: y, margin: margin)
    case .rotation(let degrees, let fill): rotate(degrees, fill)
    case .brightness(let delta): mapValues { value, _ in value + delta }
    case .contrast(let factor):
      let means = channelMeans()
      mapValues { value, channel in (value - means[channel]) * factor + means[channel] }
    case .saturation(let factor):
      mapColors { _, saturation in saturation = min(max(saturation * factor, 0), 1) }
    case .hue(let delta):
      mapColors { hue, _ in
        hue += delta
        if hue > 1 { hue -= 1 }
        if hue < 0 { hue += 1 }
      }
    }
  }

  // MARK: - Places

  private mutating func flip(horizontally: Bool, vertically: Bool) {
    let (right, bottom) = (width - 1, height - 1)
    self = taking(width: width, height: height) { x, y in
      (horizontally ? right - x : x, vertically ? bottom - y : y)
    }
  }

  private mutating func crop(x: Int, y: Int, margin: Int) {
    self = taking(width: width - margin, height: height - margin) { ($0 + x, $1 + y) }
  }

  /// Returns an image whose pixels are taken from other places of this one.
  private func taking(
    width: Int, height: Int, from source: (Int, Int) -> (x: Int, y: Int)
  ) -> FloatPixels {
    var result = FloatPixels(width: width, height: height, channels: channels)
    var index = 0
    for y in 0..<height {
      for x in 0..<width {
        let place = source(x, y)
        let start = (place.y * self.width + place.x) * channels
        for channel in 0..<channels {
          result.values[index] = values[start + channel]
          index += 1
        }
      }
    }
    return result
  }

  /// Rotates about the centre, with bilinear interpolation in float32.
  private mutating func rotate(_ degrees: Double, _ fill: Augmentation.FillMode) {
    let radians = Float(degrees) * (Float.pi / 180)
    let (cosine, sine) = (cosf(radians), sinf(radians))
    let (centerX, centerY) = (0.5 * Float(width - 1), 0.5 * Float(height - 1))
    let offsetX = centerX - centerX * cosine + centerY * sine
    let offsetY = centerY - centerX * sine - centerY * cosine
    let source = values
    for y in 0..<height {
      for x in 0..<width {
        let sourceX = fill.place(cosine * Float(x) - sine * Float(y) + offsetX, length: width)
        let sourceY = fill.place(sine * Float(x) + cosine * Float(y) + offsetY, length: height)
        let (left, top) = (sourceX.rounded(.down), sourceY.rounded(.down))
        let (right, below) = (left + 1, top + 1)
        for channel in 0..<channels {
          func value(_ x: Float, _ y: Float) -> Float {
            guard x >= 0, y >= 0, x < Float(width), y < Float(height) else { return 0 }
            return source[(Int(y) * width + Int(x)) * channels + channel]
          }
          let upper =
            (right - sourceX) * value(left, top) + (sourceX - left) * value(right, top)
          let lower =
            (right - sourceX) * value(left, below) + (sourceX - left) * value(right, below)
          values[(y * width + x) * channels + channel] =
            (below - sourceY) * upper + (sourceY - top) * lower
        }
      }
    }
  }

  // MARK: - Values

  /// Changes each value, and clamps the result to 0...255.
  private mutating func mapValues(_ body: (_ value: Float, _ channel: Int) -> Float) {
    for start in stride(from: 0, to: values.count, by: channels) {
      for channel in 0..<channels {
        values[start &+ channel] = min(max(body(values[start &+ channel], channel), 0), 255)
      }
    }
  }

  private func channelMeans() -> [Float] {
    (0..<channels).map { channel in
      let sum = stride(from: channel, to: values.count, by: channels).reduce(0.0) {
        $0 + Double(values[$1])
      }
      return Float(sum / Double(width * height))
    }
  }

  /// Changes the hue and saturation of each pixel, both from 0 to 1.
  private mutating func mapColors(_ body: (_ hue: inout Float, _ saturation: inout Float) -> Void) {
    guard channels == 3 else { return }
    func ramp(_ value: Float) -> Float { min(max(value, 0), 1) }
    for start in stride(from: 0, to: values.count, by: 3) {
      let (red, green, blue) = (
        values[start] / 255, values[start + 1] / 255, values[start + 2] / 255
      )
      let most = max(red, green, blue)
      let range = most - min(red, green, blue)
      var saturation = most > 0 ? range / most : 0
      var hue: Float = 0
      if range > 0 {
        let unit = 1 / (6 * range)
        if red == most {
          hue = unit * (green - blue)
        } else if green == most {
          hue = unit * (blue - red) + 2.0 / 6
        } else {
          hue = unit * (red - green) + 4.0 / 6
        }
        if hue < 0 { hue += 1 }
      }
      body(&hue, &saturation)
      let sixths = hue * 6
      func store(_ part: Float, _ channel: Int) {
        let value = (1 - saturation + saturation * ramp(part)) * most
        values[start + channel] = ramp(value) * 255
      }
      store(abs(sixths - 3) - 1, 0)
      store(2 - abs(sixths - 2), 1)
      store(2 - abs(sixths - 4), 2)
    }
  }

  // MARK: - Elements

  /// Writes the values into a tensor's memory.
  func write(to memory: inout MutableRawSpan, as encoding: PixelEncoding) {
    let scales: [Float]
    let biases: [Float]
    if case .float32(let normalization) = encoding.element {
      scales = (normalization?.scale ?? ColorValues(all: 1)).ordered(encoding.format)
      biases = (normalization?.bias ?? ColorValues()).ordered(encoding.format)
    } else {
      (scales, biases) = ([], [])
    }
    let pixels = width * height
    memory.withUnsafeMutableBytes { bytes in
      guard let target = bytes.baseAddress else { return }
      for pixel in 0..<pixels {
        for channel in 0..<channels {
          let source = encoding.format == .bgr ? 2 - channel : channel
          let value = values[pixel &* channels &+ source]
          let index =
            encoding.layout == .channelsLast
            ? pixel &* channels &+ channel : channel &* pixels &+ pixel
          let place = target + index &* encoding.bytesPerElement
          switch encoding.element {
          case .uint8:
            place.storeBytes(
              of: UInt8(min(max(value.rounded(.toNearestOrEven), 0), 255)), as: UInt8.self)
          case .float32:
            place.storeBytes(of: scales[channel] * value + biases[channel], as: Float.self)
          case .other(let element): element.convert(value, channel, place)
          }
        }
      }
    }
  }
}

extension Augmentation.FillMode {
  /// Returns where a coordinate is taken from, in TensorFlow's arithmetic.
  fileprivate func place(_ coordinate: Float, length: Int) -> Float {
    let last = Float(length - 1)
    guard coordinate < 0 || coordinate > last else { return coordinate }
    switch self {
    case .constant: return coordinate
    case .nearest: return min(max(coordinate, 0), last)
    case .reflect, .wrap:
      guard length > 1 else { return 0 }
      let place = self == .reflect ? reflected(coordinate, length) : wrapped(coordinate, length)
      return min(max(place, 0), last)
    }
  }

  private func reflected(_ coordinate: Float, _ length: Int) -> Float {
    let period = Float(2 * length)
    var place = coordinate
    if place < 0 {
      place += period * Float(Int(-place / period))
      return place < -Float(length) ? place + period : -place - 1
    }
    place -= period * Float(Int(place / period))
    return place >= Float(length) ? period - place - 1 : place
  }

  private func wrapped(_ coordinate: Float, _ length: Int) -> Float {
    let last = Float(length - 1)
    return coordinate < 0
      ? coordinate + Float(length) * Float(Int(-coordinate / last) + 1)
      : coordinate - Float(length) * Float(Int(coordinate / last))
  }
}
