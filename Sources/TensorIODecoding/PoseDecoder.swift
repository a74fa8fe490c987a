// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Decoders
import TensorIO

/// Decodes the keypoints of poses.
struct PoseDecoder: PreparedDecoder {
  private enum Kernel {
    case moveNet(MoveNetDecoder)
    case heatmaps(HeatmapDecoder, offsets: Int?)
    case simCC(SimCCDecoder, rows: Int)
  }

  private let kernel: Kernel
  private let outputs: DecoderOutputs
  private let names: [String]
  /// The least score of a pose.
  private let threshold: Float

  init(_ outputs: DecoderOutputs, image: TensorSpec?) throws {
    self.outputs = outputs
    let options = outputs.options
    threshold = options.float("threshold") ?? -.infinity
    let names = PointNames(options).names
    switch outputs.type {
    case "movenet":
      kernel = .moveNet(
        try MoveNetDecoder(
          shape: outputs.shape, points: names.count,
          threshold: options.float("threshold") ?? 0.25, top: options.count("top") ?? 100))
      self.names = names
    case "heatmaps":
      var size = (width: 0, height: 0)
      if case .imageInput(let shape, _)? = image?.kind { size = (shape.width, shape.height) }
      let offsets = outputs.output("offsets")
      let decoder = try HeatmapDecoder(
        shape: outputs.shape, offsetShape: offsets.map(outputs.shape(of:)), input: size,
        options: HeatmapOptions(
          layout: options.text("layout").flatMap(HeatmapOptions.Layout.init) ?? .channelsLast,
          refinement: options.text("refine").flatMap(HeatmapOptions.Refinement.init)
            ?? (offsets == nil ? .none : .offsets),
          stride: options.float("stride"),
          activation: options.text("activation").flatMap(BoxActivation.init) ?? .none))
      kernel = .heatmaps(decoder, offsets: offsets)
      self.names = try Self.names(names, count: decoder.count)
    default:
      let rows = try outputs.requiredOutput("y")
      let decoder = try SimCCDecoder(
        columnShape: outputs.shape, rowShape: outputs.shape(of: rows),
        split: options.float("split") ?? 2)
      kernel = .simCC(decoder, rows: rows)
      self.names = try Self.names(names, count: decoder.count)
    }
  }

  /// The names of all keypoints, which are numbers if model.json doesn't name them.
  private static func names(_ names: [String], count: Int) throws -> [String] {
    if names.isEmpty { return (0..<count).map(String.init) }
    guard names.count == count else {
      throw DecodingError(
        "\"keypoints\" has \(counted(names.count, "name")), but the output has "
          + "\(counted(count, "keypoint")).")
    }
    return names
  }

  func decode(_ values: ModelOutputs) throws -> DecodedValue {
    let frame = try ImageFrame(values.imageInput, size: values.imageSize)
    let poses = try values.withFloats(at: outputs.index) { tensor in
      switch kernel {
      case .moveNet(let decoder): return try decoder.decode(tensor)
      case .heatmaps(let decoder, nil): return [try decoder.decode(tensor)]
      case .heatmaps(let decoder, let offsets?):
        return try values.withFloats(at: offsets) { [try decoder.decode(tensor, offsets: $0)] }
      case .simCC(let decoder, let rows):
        return try values.withFloats(at: rows) { [try decoder.decode(columns: tensor, rows: $0)] }
      }
    }
    let isFraction = if case .moveNet = kernel { true } else { false }
    let factor = isFraction ? frame.input : (1, 1)
    return .objects(
      poses.filter { $0.box.score >= threshold }.map { detection($0, frame, factor) })
  }

  private func detection(
    _ pose: DecodedPose, _ frame: ImageFrame, _ factor: (Double, Double)
  ) -> Detection {
    let box = pose.box
    return Detection(
      classIndex: 0, label: outputs.options.labels?.names.first ?? "pose",
      score: box.score,
      box: frame.box(
        left: Double(box.left) * factor.0, top: Double(box.top) * factor.1,
        right: Double(box.right) * factor.0, bottom: Double(box.bottom) * factor.1),
      keypoints: zip(names, pose.points).map { name, point in
        Keypoint(
          name: name, x: frame.x(Double(point.x) * factor.0),
          y: frame.y(Double(point.y) * factor.1), score: point.score)
      })
  }
}
