// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CPixelKernels
import FoundationEssentials
import Testing

@testable import TensorIO

/// Compares whole image layers with the results of Pillow, TensorFlow and OpenCV that
/// `make_resize_goldens.py` wrote.
struct ResizeGoldenTests {
  @Test(arguments: ResizeGolden.all)
  func `a tensor equals the Python library's`(_ golden: ResizeGolden) throws {
    let difference = try golden.largestDifference()
    #expect(difference <= golden.bound)
  }

  @Test(arguments: [PIXEL_BASELINE, PIXEL_AVX2])
  func `processors with fewer instructions give the same results`(_ most: pixel_instructions) throws
  {
    pixel_limit_instructions(most)
    defer { pixel_limit_instructions(PIXEL_AVX512) }
    #expect(pixel_current_instructions().rawValue <= most.rawValue)
    for golden in ResizeGolden.all {
      let difference = try golden.largestDifference()
      #expect(difference <= golden.bound, "\(golden)")
    }
  }

  @Test func `every method and crop has golden results`() {
    var found: Set<String> = []
    for golden in ResizeGolden.all { found.insert("\(golden.resize) \(golden.cropMode)") }
    for method in ResizeMethod.allCases {
      for mode in ImageCrop.Mode.allCases {
        #expect(found.contains("\(method.rawValue) \(mode.rawValue)"))
      }
    }
  }
}

/// A layer, an image, and the tensor that a Python library made of it.
struct ResizeGolden: Decodable, Sendable, CustomStringConvertible {
  var name: String
  var resize: String
  var shape: [Int]
  var source: Int
  var dtype: String
  var offset: Int
  var bound: Double

  var description: String { name }

  private struct Source: Decodable {
    var offset: Int
    var width: Int
    var height: Int
  }

  private struct File: Decodable {
    var sources: [Source]
    var cases: [ResizeGolden]
  }

  private static let file: File = {
    guard
      let file = try? JSONDecoder().decode(File.self, from: Fixtures.data("Resizing/cases.json"))
    else {
      fatalError("cases.json cannot be decoded.")
    }
    return file
  }()

  static let all = file.cases

  /// The RGB bytes of the sources.
  private static let pixels = [UInt8](Fixtures.data("Resizing/sources.bin"))

  /// The tensors of each method.
  private static let tensors: [String: [UInt8]] = {
    let methods = Set(all.map(\.resize))
    return Dictionary(
      uniqueKeysWithValues: methods.map { ($0, [UInt8](Fixtures.data("Resizing/\($0).bin"))) })
  }()

  /// The layers as in model.json, with some members that only this file has.
  private static let layers: [[String: JSONValue]] = {
    guard case .object(let file)? = try? JSONValue(parsing: Fixtures.data("Resizing/cases.json")),
      case .array(let cases)? = file["cases"]
    else { return [] }
    return cases.map { member in
      guard case .object(let members) = member else { return [:] }
      let keys = ["resize", "crop", "format", "layout", "shape", "normalize"]
      return members.filter { keys.contains($0.key) }
        .merging(["type": .string("image"), "name": .string("image")]) { one, _ in one }
    }
  }()

  /// The name of the crop, which may also be an object.
  var cropMode: String {
    let index = Self.all.firstIndex { $0.name == name }
    switch index.flatMap({ Self.layers[$0]["crop"] }) {
    case .string(let mode): return mode
    case .object(let members):
      if case .string(let mode)? = members["mode"] { return mode }
      return ""
    default: return "center"
    }
  }

  /// Reads the layer as if from a model.json, encodes the image, and compares every element.
  func largestDifference() throws -> Double {
    let index = try #require(Self.all.firstIndex { $0.name == name })
    var reader = ManifestReader(isQuantized: dtype == "uint8")
    let layer = reader.read(Self.layers[index], .input, at: "inputs[0]")
    #expect(reader.issues.isEmpty)
    guard case .imageInput(let shape, let preprocessing)? = layer?.kind else {
      throw TensorIOError(.invalidBundle, "no image")
    }
    let source = Self.file.sources[self.source]
    let image = PixelBuffer(
      width: source.width, height: source.height, format: .rgb,
      bytes: Array(Self.pixels[source.offset..<source.offset + source.width * source.height * 3]))
    let spec = TensorSpec(
      name: "image", shape: self.shape, dataType: dtype == "uint8" ? .uint8 : .float32,
      kind: .imageInput(shape, preprocessing))
    var tensor = [UInt8](repeating: 0xa5, count: spec.byteCount)
    var span = tensor.mutableSpan
    var memory = span.mutableBytes
    try image.encode(into: &memory, as: spec)
    let tensors = try #require(Self.tensors[resize])
    return tensor.withUnsafeBytes { ours in
      tensors.withUnsafeBytes { all in
        let theirs = UnsafeRawBufferPointer(rebasing: all[offset..<offset + spec.byteCount])
        return Self.largestDifference(ours, theirs, isFloat: dtype != "uint8")
      }
    }
  }

  private static func largestDifference(
    _ ours: UnsafeRawBufferPointer, _ theirs: UnsafeRawBufferPointer, isFloat: Bool
  ) -> Double {
    var largest = 0.0
    for index in 0..<ours.count / (isFloat ? 4 : 1) {
      let difference =
        isFloat
        ? Double(
          abs(
            ours.loadUnaligned(fromByteOffset: index * 4, as: Float.self)
              - theirs.loadUnaligned(fromByteOffset: index * 4, as: Float.self)))
        : Double(abs(Int(ours[index]) - Int(theirs[index])))
      // NaNs are compared too.
      if !(difference <= largest) { largest = difference }
    }
    return largest
  }
}
