// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

/// Common mistakes in Python preprocessing, which a script makes and the command must identify.
@Suite(
  .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set to a Python with Pillow."))
struct PlantedFaultTests {
  /// A fault, and what the command must report.
  struct Fault: CustomStringConvertible, Sendable {
    let description: String
    /// The keys of a job for Tools/peers/plant_faults.py, as JSON.
    let job: String
    /// The image that the script makes; nil for a texture, or the photo if there is one.
    var image: String?
    var quantized = false
    /// Further members of the layer in model.json.
    var layer = #""normalize": {"standard": "[0,1]"}"#
    /// What each differing stage looks like; empty if the tensors are equal.
    let differences: [String: String]

    init(
      _ description: String, _ job: String, image: String? = nil, quantized: Bool = false,
      layer: String? = nil, _ differences: [String: String]
    ) {
      self.description = description
      self.job = job
      self.image = image
      self.quantized = quantized
      if let layer { self.layer = layer }
      self.differences = differences
    }
  }

  private static let unit = #""normalize": "[0,1]""#

  static let faults: [Fault] = [
    Fault("none", unit, [:]),
    Fault(
      "none, with a batch axis, as float64", unit + #", "batch": true, "dtype": "float64""#, [:]),
    Fault("none, of bytes", #""cast": null"#, quantized: true, layer: "", [:]),
    // Decode.
    Fault(
      "draft", unit + #", "decode": 2"#, ["decode": "JPEG decoded at 1/2 of its size"]),
    Fault(
      "alpha on white", unit + #", "decode": "white""#, image: "transparent.png",
      ["decode": "alpha composited on white"]),
    Fault(
      "alpha on black", unit + #", "decode": "black""#, image: "transparent.png",
      ["decode": "alpha composited on black"]),
    // Orientation.
    Fault(
      "no exif_transpose", unit + #", "turn": false"#, image: "rotated.jpg",
      ["orientation": "EXIF orientation ignored"]),
    // Crop.
    Fault("stretch", unit + #", "crop": "stretch""#, ["crop": "stretch"]),
    Fault("pad", unit + #", "crop": "pad""#, ["crop": "pad, color 114"]),
    Fault("fraction", unit + #", "crop": 0.875"#, ["crop": "center, fraction 0.875"]),
    Fault("corner", unit + #", "crop": "corner""#, ["crop": "the top left corner"]),
    Fault(
      "torchvision", unit + #", "crop": "torchvision""#,
      ["crop": "the short side resized to 110, then a center crop"]),
    Fault(
      "center instead of stretch", unit,
      layer: #""crop": "stretch", "normalize": {"standard": "[0,1]"}"#, ["crop": "center"]),
    // Resize.
    Fault("bicubic", unit + #", "resize": "BICUBIC""#, ["resize": "pillow-bicubic"]),
    Fault("nearest", unit + #", "resize": "NEAREST""#, ["resize": "nearest"]),
    Fault("tf1", unit + #", "resize": "tf1""#, ["resize": "tf1-bilinear"]),
    Fault("floats", unit + #", "resize": "floats""#, ["resize": "tf-bilinear-antialias"]),
    // Channel order.
    Fault("BGR", unit + #", "order": "BGR""#, ["channel order": "BGR"]),
    Fault("channels first", unit + #", "layout": "first""#, ["channel order": "channels-first"]),
    Fault(
      "BGR and channels first", unit + #", "order": "BGR", "layout": "first""#,
      ["channel order": "BGR, channels-first"]),
    Fault("gray", unit + #", "order": "GRAY""#, ["channel order": "gray in three channels"]),
    Fault("one channel", unit + #", "order": "L""#, ["channel order": "GRAY"]),
    Fault(
      "reshape", unit + #", "layout": "reshape""#,
      ["channel order": "channels-last pixels in a channels-first shape"]),
    // Normalization.
    Fault("[-1,1]", #""normalize": "[-1,1]""#, ["normalization": "[-1,1]"]),
    Fault(
      "ImageNet", #""normalize": "imagenet""#,
      ["normalization": "ImageNet's mean and deviation (torchvision)"]),
    Fault(
      "Caffe", #""normalize": "caffe", "order": "BGR""#,
      ["channel order": "BGR", "normalization": "Caffe's means"]),
    Fault(
      "standardization", #""normalize": "standardization""#,
      [
        "normalization": "each image's own mean and deviation (per_image_standardization)"
      ]),
    Fault(
      "numbers of one's own", #""normalize": [0.015625, 0.25]"#,
      ["normalization": "v * 0.015625 + 0.25"]),
    Fault("none as floats", #""dtype": "float32""#, ["normalization": "none (0...255)"]),
    // Quantization.
    Fault(
      "bytes for floats", #""cast": null"#, layer: "",
      ["quantization": "uint8 (bytes from 0 to 255)"]),
    Fault(
      "int8 for bytes", #""cast": "int8""#, quantized: true, layer: "",
      ["quantization": "int8 (bytes minus 128)"]),
    Fault(
      "truncation", #""resize": "tf1", "cast": "truncate""#, quantized: true,
      layer: #""resize": "tf1-bilinear""#,
      ["quantization": "truncated to bytes after the resize"]),
    // Several at once.
    Fault(
      "BGR and stretch", unit + #", "order": "BGR", "crop": "stretch""#,
      ["crop": "stretch", "channel order": "BGR"]),
    Fault(
      "four at once", #""order": "BGR", "crop": 0.875, "resize": "NEAREST", "normalize": "[-1,1]""#,
      [
        "crop": "center, fraction 0.875", "resize": "nearest", "channel order": "BGR",
        "normalization": "[-1,1]",
      ]),
    Fault(
      "draft and bicubic", unit + #", "decode": 2, "resize": "BICUBIC""#,
      ["decode": "JPEG decoded at 1/2 of its size", "resize": "pillow-bicubic"]),
    Fault(
      "no exif_transpose and stretch", unit + #", "turn": false, "crop": "stretch""#,
      image: "rotated.jpg", ["orientation": "EXIF orientation ignored", "crop": "stretch"]),
  ]

  private static let stages = [
    "decode", "orientation", "crop", "resize", "channel order", "normalization", "quantization",
  ]

  @Test(arguments: faults)
  func `a planted fault is attributed to its stage`(_ fault: Fault) async throws {
    try await check(fault, on: nil)
  }

  @Test(.enabled(if: SharedData.folder != nil, "The folder shared/data is missing."))
  func `a planted fault in a photo is attributed to its stage`() async throws {
    let photo = try #require(SharedData.folder).appending(path: "images/cat.jpg").path
    // The faults that depend on the detail in an image.
    let names: Set = [
      "draft", "fraction", "torchvision", "bicubic", "nearest", "tf1", "truncation",
    ]
    for fault in Self.faults where names.contains(fault.description) {
      try await check(fault, on: photo)
    }
  }

  private func check(_ fault: Fault, on photo: String?) async throws {
    let bundle = try PlaceholderBundle(quantized: fault.quantized, fault.layer)
    let (image, array) = try await Self.plant(fault.job, photo ?? fault.image, bundle)
    let (status, answer) = try await ParityAnswer.of(bundle, image, against: array)
    #expect(answer.differences == fault.differences, "\(fault): \(answer.message ?? "")")
    #expect(answer.equal == fault.differences.isEmpty)
    #expect(status == (fault.differences.isEmpty ? 0 : 1))
    #expect(answer.firstDifference == Self.stages.first { fault.differences[$0] != nil })
    #expect(answer.explained)
  }

  /// Makes an image and its array, and returns their paths.
  static func plant(
    _ job: String, _ name: String?, _ bundle: PlaceholderBundle
  ) async throws -> (image: String, array: String) {
    let name = name ?? "texture.jpg"
    let image = name.hasPrefix("/") ? name : bundle.pathBeside(name)
    let array = bundle.pathBeside("theirs.npy")
    var jobs = [#"{"image": "\#(image)", "out": "\#(array)", \#(job)}"#]
    if !name.hasPrefix("/") {
      let kind = name.prefix { $0 != "." }
      jobs.insert(#"{"make": "\#(kind)", "out": "\#(image)"}"#, at: 0)
    }
    let file = bundle.pathBeside("jobs.json")
    try "[\(jobs.joined(separator: ", "))]".write(toFile: file, atomically: true, encoding: .utf8)
    try await Python.run(["Tools/peers/plant_faults.py", file])
    return (image, array)
  }

  // MARK: - What can't be determined

  /// The number of resize methods besides the layer's own.
  private static let otherMethods = ResizeMethod.allCases.count - 1

  private func answer(_ job: String, _ name: String) async throws -> ParityAnswer {
    let bundle = try PlaceholderBundle(#""normalize": {"standard": "[0,1]"}"#)
    let (image, array) = try await Self.plant(job, name, bundle)
    return try await ParityAnswer.of(bundle, image, against: array).answer
  }

  @Test func `slight noise isn't attributed to a stage`() async throws {
    let answer = try await answer(Self.unit + #", "noise": 0.3"#, "texture.jpg")
    #expect(!answer.equal && answer.explained && answer.differences.isEmpty)
    #expect(answer.firstDifference == nil)
    #expect(answer.message?.hasPrefix("first difference: none found.") == true)
    #expect(abs((answer.residualBytes ?? 0) - 0.3) < 0.02)
  }

  @Test(arguments: [(2.0, "decode"), (20.0, "crop")])
  func `a difference that nothing explains is reported as unknown`(_ noise: Double, _ stage: String)
    async throws
  {
    let answer = try await answer(Self.unit + #", "noise": \#(noise)"#, "texture.jpg")
    #expect(!answer.explained && answer.firstDifference == stage)
    #expect(answer.stages.count == 7 && answer.stages.allSatisfy { $0.result == "unknown" })
    #expect(answer.message?.contains("no known variant explains it") == true)
    #expect(answer.stages.allSatisfy { $0.looksLike == nil })
  }

  @Test func `a different image isn't explained`() async throws {
    let bundle = try PlaceholderBundle(#""normalize": {"standard": "[0,1]"}"#)
    let (other, _) = try await Self.plant(Self.unit, "smooth.png", bundle)
    let (_, array) = try await Self.plant(Self.unit, "texture.jpg", bundle)
    let answer = try await ParityAnswer.of(bundle, other, against: array).answer
    #expect(!answer.explained && answer.firstDifference == "crop" && answer.differences.isEmpty)
  }

  @Test func `the channel order of a gray image can't be determined`() async throws {
    let answer = try await answer(#""normalize": "[-1,1]""#, "gray.png")
    #expect(answer.differences == ["normalization": "[-1,1]"])
    let order = try #require(answer.stages.first { $0.stage == "channel order" })
    #expect(order.result == "same" && order.cannotBeToldFrom.contains("BGR"))
  }

  @Test func `the suggestion for a gray layer has one scale and one bias`() async throws {
    let layer = #"{"name": "image", "type": "image", "shape": [96, 96, 1], "format": "GRAY"}"#
    let bundle = try PlaceholderBundle(inputs: [layer])
    let (image, array) = try await Self.plant(
      #""order": "L", "crop": "stretch", "normalize": [0.0125, 0.5]"#, "texture.jpg", bundle)
    let answer = try await ParityAnswer.of(bundle, image, against: array).answer
    #expect(answer.differences == ["crop": "stretch", "normalization": "v * 0.0125 + 0.5"])
    let normalization = try #require(answer.stages.first { $0.stage == "normalization" })
    #expect(normalization.suggestion?.contains(#"{"scale": 0.0125, "bias": 0.5}"#) == true)
  }

  @Test func `a plain image reveals only its normalization`() async throws {
    let answer = try await answer(#""normalize": "[-1,1]", "resize": "BICUBIC""#, "plain.png")
    #expect(answer.differences == ["normalization": "[-1,1]"])
    let resize = try #require(answer.stages.first { $0.stage == "resize" })
    #expect(resize.cannotBeToldFrom.count == Self.otherMethods)
  }

  @Test func `the resize method can't be determined if the image needs no resizing`()
    async throws
  {
    let bundle = try PlaceholderBundle(
      shape: "[150, 200, 3]", #""normalize": {"standard": "[0,1]"}"#)
    let (image, array) = try await Self.plant(
      Self.unit + #", "size": [200, 150], "order": "BGR", "resize": "BOX""#, "texture.png", bundle)
    let answer = try await ParityAnswer.of(bundle, image, against: array).answer
    #expect(answer.differences == ["channel order": "BGR"])
    let resize = try #require(answer.stages.first { $0.stage == "resize" })
    #expect(resize.result == "same" && resize.cannotBeToldFrom.count == Self.otherMethods)
  }

  @Test func `on a smooth image, the actual resize method is among those reported`() async throws {
    for method in ResizeMethod.pillowMethods where method != .pillowBilinear {
      let kernel = method.rawValue.replacing("pillow-", with: "").uppercased()
      let answer = try await answer(Self.unit + #", "resize": "\#(kernel)""#, "smooth.png")
      let resize = try #require(answer.stages.first { $0.stage == "resize" })
      let wanted = method.rawValue
      #expect(
        resize.looksLike == wanted || resize.cannotBeToldFrom.contains(wanted), "\(kernel)")
      #expect(Set(answer.differences.keys).isSubset(of: ["resize"]))
    }
  }
}
