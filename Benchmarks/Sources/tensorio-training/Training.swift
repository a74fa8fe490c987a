// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CBaseline
import Foundation
import TensorIO
import TensorIOImageCodecs
import TensorIOTensorFlow

/// Trains as fast as it can, for `Benchmarks/training.py`.
///
///     tensorio-training steps BUNDLE THREADS IMAGE...
///     tensorio-training small LIBRARY SAVED_MODEL
///
/// `steps`: the pictures are one batch, labelled 0, 1, 0 and so on. For each number on standard input
/// it makes that many steps and prints their median in milliseconds, and the loss.
///
/// `small`: a vector of four numbers through `x` and `y`, ours and the bare C calls in turn, for each
/// number on standard input that many calls; prints the microseconds of a call, ours and C's.
@main
struct Training {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "steps" where arguments.count >= 4:
      try answer(steps(bundle: arguments[1], threads: Int(arguments[2]) ?? 1, arguments[3...]))
    case "small" where arguments.count == 3:
      try answer(small(library: arguments[1], model: arguments[2]))
    default:
      print("usage: tensorio-training steps BUNDLE THREADS IMAGE... | small LIBRARY SAVED_MODEL")
      exit(64)
    }
  }

  private static func answer(_ work: (Int) throws -> String) throws {
    print("ready")
    fflush(nil)
    while let line = readLine(), let count = Int(line) {
      print(try work(count))
      fflush(nil)
    }
  }

  private static func steps(
    bundle: String, threads: Int, _ images: ArraySlice<String>
  ) throws -> (Int) throws -> String {
    let loader = ModelLoader(
      backends: [.tensorFlow], sessionOptions: SessionOptions(threads: threads))
    let model = try TrainableModel(at: bundle, loader: loader)
    var batch = Batch(keys: ["image", "labels"])
    for (index, image) in images.enumerated() {
      try batch.addItem(["image": try pixels(of: image, for: model), "labels": index % 2])
    }
    try model.train(batch)
    let clock = ContinuousClock()
    return { count in
      var times: [Double] = []
      var loss: Float = 0
      for _ in 0..<count {
        times.append(
          try microseconds(clock.measure { loss = try model.train(batch).value(at: 0) }) / 1e3)
      }
      return #"{"milliseconds": \#(times.sorted()[count / 2]), "loss": \#(loss)}"#
    }
  }

  /// The numbers that the model sees, as Python's side holds them.
  private static func pixels(of image: String, for model: TrainableModel) throws -> Tensor {
    let spec = try model.loadSignature().inputs[0]
    let picture = try ImageDecoder().decode(contentsOf: image)
    var numbers = [Float](repeating: 0, count: spec.elementCount)
    var span = numbers.mutableSpan
    var bytes = span.mutableBytes
    try picture.encode(into: &bytes, as: spec)
    return try Tensor(numbers, shape: spec.itemShape)
  }

  private static func small(library: String, model path: String) throws -> (Int) throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: "small-\(UUID()).tiobundle")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.copyItem(atPath: path, toPath: folder.path + "/model")
    let json = """
      {"name": "", "details": "", "id": "", "version": "", "author": "", "license": "",
       "model": {"file": "model", "quantized": false},
       "inputs": [{"name": "x", "type": "array", "shape": [4]}],
       "outputs": [{"name": "y", "type": "array", "shape": [4]}]}
      """
    try Data(json.utf8).write(to: folder.appending(path: "model.json"))
    let model = try ModelLoader(backends: [.tensorFlow]).model(at: folder.path)
    try model.load()
    let config: [UInt8] = [0x10, 1, 0x28] + [UInt8](repeating: 0xFF, count: 9) + [1]
    guard
      let baseline = tensorflow_baseline_open(library, path, "x", "y", config, config.count)
    else { throw TensorIOError(.internalFault, "The C peer could not be made.") }
    let input: [Float] = [1, 2, 3, 4]
    let clock = ContinuousClock()
    return { count in
      let ours = try clock.measure {
        for _ in 0..<count {
          let output: [Float] = try model.run(input)["y"]
          precondition(output[0] == 3)
        }
      }
      var output: [Float] = [0, 0, 0, 0]
      let bare = clock.measure {
        for _ in 0..<count {
          precondition(tensorflow_baseline_run(baseline, input, 4, &output) == 0 && output[0] == 3)
        }
      }
      let (one, other) = (microseconds(ours) / Double(count), microseconds(bare) / Double(count))
      return #"{"ours": \#(one), "bare": \#(other)}"#
    }
  }

  private static func microseconds(_ duration: Duration) -> Double {
    let (seconds, attoseconds) = duration.components
    return Double(seconds) * 1e6 + Double(attoseconds) / 1e12
  }
}
