// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// Classifies images, and prints the three best labels of each.
//
//     swift run classify Demo/digits.tiobundle Demo/images/digit-7-01.png

import Foundation
import TensorIO
import TensorIOImageCodecs
import TensorIOLiteRT

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count >= 2, let bundle = arguments.first else {
  print("usage: classify BUNDLE IMAGE...")
  exit(64)
}

do {
  let model = try ModelLoader(backends: [.liteRT]).model(at: bundle)
  // Without this, a missing library or a damaged model would be reported for every image.
  try model.load()
  var failures = 0
  for path in arguments.dropFirst() {
    do {
      let outputs = try model.run(ImageFile(path))
      let scores = try outputs.value(at: 0, as: Classification.self)
      let best = scores.top(3).map { label, score in "\(label) \(score)" }
      print("\(path): \(best.joined(separator: ", "))")
    } catch {
      failures += 1
      FileHandle.standardError.write(Data("\(path): \(error)\n".utf8))
    }
  }
  exit(failures == 0 ? 0 : 1)
} catch {
  FileHandle.standardError.write(Data("error: \(error)\n".utf8))
  exit(1)
}
