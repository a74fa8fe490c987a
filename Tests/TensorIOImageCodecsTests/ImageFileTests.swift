// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import Testing

@testable import TensorIOImageCodecs

struct ImageFileTests {
  private static let crops = [
    ImageCrop(), ImageCrop(fraction: 0.7), ImageCrop(.stretch), ImageCrop(.pad),
  ]

  @Test(arguments: ImageFixtures.decodings)
  func `a file gives the same tensor as its decoded image`(_ fixture: ImageFixtures.Decoding) throws
  {
    let path = ImageFixtures.folder + fixture.file
    let image = try ImageDecoder().decode(contentsOf: path)
    for crop in Self.crops {
      for resize in [ResizeMethod.pillowBilinear, .tfBilinear, .openCVArea] {
        for (width, height) in [(13, 9), (9, 17), (29, 19)] {
          let spec = spec(width, height, resize, crop)
          let expected = try tensor(image, spec)
          #expect(try tensor(ImageFile(path), spec) == expected, "\(crop) \(resize)")
        }
      }
    }
    let spec = spec(11, 11, .pillowBilinear, ImageCrop())
    let bytes = ImageFile(bytes: ImageFixtures.bytes(fixture.file))
    #expect(try tensor(bytes, spec) == tensor(image, spec))
    let data = Data(ImageFixtures.bytes(fixture.file))
    for file in [
      ImageFile(bytes: data), ImageFile(URL(filePath: path)), ImageFile(bytes: data[...]),
    ] {
      #expect(try tensor(file, spec) == tensor(image, spec))
    }
  }

  @Test func `an image at an address isn't downloaded`() throws {
    let address = try #require(URL(string: "https://example.org/photo.jpg"))
    let error = #expect(throws: TensorIOError.self) {
      try tensor(ImageFile(address), spec(11, 11, .pillowBilinear, ImageCrop()))
    }
    #expect(error?.code == .unreadableFile)
    #expect(
      error?.message.hasPrefix("'https://example.org/photo.jpg' isn't the URL of a file.") == true)
  }

  @Test(arguments: 1...8)
  func `the transform can apply the orientation instead of the decoder`(_ number: Int) throws {
    let path = ImageFixtures.folder + "orientation-\(number).jpg"
    var decoder = ImageDecoder()
    decoder.appliesOrientation = false
    let spec = spec(13, 9, .pillowBilinear, ImageCrop())
    let expected = try tensor(decoder.decode(contentsOf: path), spec)
    #expect(try tensor(ImageFile(path, decoder: decoder), spec) == expected)
  }

  @Test(arguments: DecodeScaling.allCases)
  func `scaled decoding gives a similar image`(_ scaling: DecodeScaling) throws {
    for file in ["large-420.jpg", "large-progressive.jpg", "orientation-6.jpg", "rgb-8.png"] {
      let path = ImageFixtures.folder + file
      var decoder = ImageDecoder()
      decoder.scaling = scaling
      let spec = spec(5, 4, .pillowBilinear, ImageCrop())
      let expected = try tensor(ImageFile(path), spec)
      let scaled = try tensor(ImageFile(path, decoder: decoder), spec)
      let differences = zip(scaled, expected).map { abs(Int($0) - Int($1)) }
      #expect(differences.reduce(0, +) < expected.count * 12, "\(file)")
      if scaling == .exact { #expect(scaled == expected) }
    }
  }

  @Test(arguments: ImageFixtures.failures)
  func `an invalid file gives the decoder's error`(_ expected: ImageFixtures.Failure) {
    let spec = spec(5, 4, .pillowBilinear, ImageCrop())
    let path = ImageFixtures.folder + expected.file
    let error = #expect(throws: TensorIOError.self) { try tensor(ImageFile(path), spec) }
    #expect(error?.code.description == expected.code)
    #expect(error?.message.contains(expected.words) == true, "\(error?.message ?? "")")
  }

  @Test func `a layer of numbers rejects an image`() {
    let spec = TensorSpec(name: "x", shape: [3], dataType: .uint8, kind: .bytes)
    let error = #expect(throws: TensorIOError.self) { try tensor(ImageFile("a.jpg"), spec) }
    #expect(error?.code == .wrongKind)
    #expect(error?.message == "'x' takes uint8 values, got an image.")
  }

  private func spec(
    _ width: Int, _ height: Int, _ resize: ResizeMethod, _ crop: ImageCrop
  ) -> TensorSpec {
    TensorSpec(
      name: "x", shape: [height, width, 3], dataType: .uint8,
      kind: .imageInput(
        ImageShape(height: height, width: width), ImagePreprocessing(resize: resize, crop: crop)))
  }

  private func tensor(_ value: some TensorEncodable, _ spec: TensorSpec) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 7, count: spec.elementCount)
    try bytes.withUnsafeMutableBytes { bytes in
      var span = bytes.mutableBytes
      try value.encode(into: &span, as: spec)
    }
    return bytes
  }
}
