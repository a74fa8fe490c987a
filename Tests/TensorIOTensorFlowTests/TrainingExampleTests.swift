// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOImageCodecs
import TensorIOTensorFlow
import Testing

/// Tests the example of the README and of the documentation.
@Suite struct TrainingExampleTests {
  @Test func `the example trains, and the exported bundle recognizes digits`() async {
    // This runs in its own process and folder, because the example's paths are relative.
    await #expect(processExitsWith: .success) {
      let files = FileManager.default
      let root = SavedModels.root.path
      let folder = files.temporaryDirectory.appending(path: "example-\(UUID())").path
      try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? files.removeItem(atPath: folder) }
      try files.createSymbolicLink(
        atPath: folder + "/Demo", withDestinationPath: root + "/Demo")
      guard files.changeCurrentDirectoryPath(folder) else { throw CocoaError(.fileNoSuchFile) }

      // The example begins.
      let loader = ModelLoader(backends: [.tensorFlow])
      let trainable = try TrainableModel(at: "Demo/digits-train.tiobundle", loader: loader)
      let images = try FileManager.default.subpathsOfDirectory(atPath: "Demo/digits-training")
        .sorted()
      let items = images.filter { $0.hasSuffix(".png") }.map { path -> Batch.Item in
        ["image": ImageFile("Demo/digits-training/" + path), "label": Int(path.prefix(1)) ?? 0]
      }
      var options = TrainingOptions(epochs: 15, placeholders: ["learning_rate": 0.005])
      options.validationShare = 0.1
      try Trainer(trainable, data: items, options: options).train(onEpoch: { print($0.training) })
      try trainable.exportBundle(to: "digits.tiobundle")
      // The example ends.

      let model = try loader.model(at: "digits.tiobundle")
      var right = 0
      for digit in 0..<10 {
        let picture = ImageFile("Demo/images/digit-\(digit)-01.png")
        let probabilities: [Float] = try model.run(picture)["probabilities"]
        if probabilities.firstIndex(of: probabilities.max() ?? 0) == digit { right += 1 }
      }
      guard right >= 9 else { throw TensorIOError(.internalFault, "\(right) of 10 are right.") }
    }
  }

  @Test(arguments: ["README.md", "Sources/TensorIO/Documentation.docc/TrainingModels.md"])
  func `the documents show the code that the test runs`(_ page: String) throws {
    let lines = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
    let first = try #require(lines.firstIndex { $0.hasSuffix("// The example begins.") })
    let last = try #require(lines.firstIndex { $0.hasSuffix("// The example ends.") })
    let example = lines[(first + 1)..<last].map { $0.dropFirst(6) }.joined(separator: "\n")
    let text = try String(contentsOf: SavedModels.root.appending(path: page), encoding: .utf8)
    #expect(text.contains(example + "\n```"))
  }
}
