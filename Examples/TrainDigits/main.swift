// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// Trains the demo model on the demo images, and writes what it learned as a bundle for inference.
//
//     swift run train-digits trained.tiobundle

import Foundation
import TensorIO
import TensorIOImageCodecs
import TensorIOTensorFlow

guard CommandLine.arguments.count == 2 else {
  print("usage: train-digits OUTPUT.tiobundle")
  exit(64)
}

/// Returns an item for each image; the images of each digit are in a folder of its name.
func digits(in folder: String) throws -> [Batch.Item] {
  try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
    .filter { $0.hasSuffix(".png") }
    .compactMap { path in
      guard let label = Int(path.prefix(1)) else { return nil }
      return ["image": ImageFile("\(folder)/\(path)"), "label": label]
    }
}

do {
  let loader = ModelLoader(backends: [.tensorFlow])
  let model = try TrainableModel(at: "Demo/digits-train.tiobundle", loader: loader)
  var options = TrainingOptions(epochs: 15, placeholders: ["learning_rate": 0.005])
  options.validationShare = 0.1
  options.keepsBest = true
  let trainer = try Trainer(model, data: digits(in: "Demo/digits-training"), options: options)
  for try await epoch in trainer.epochs() {
    print("epoch \(epoch.epoch): \(epoch.training), validation \(epoch.validation?["loss"] ?? 0)")
  }
  try model.exportBundle(to: CommandLine.arguments[1], outputs: ["probabilities"])
} catch {
  FileHandle.standardError.write(Data("error: \(error)\n".utf8))
  exit(1)
}
