// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// Names the digits on images, with a type that the plugin TensorIOModels generates for the bundle
// in this folder. If a label or a name in the bundle changes, this file no longer compiles.
//
//     swift run typed-digits Demo/images/digit-7-01.png

import Foundation
import TensorIO
import TensorIOImageCodecs

@main
struct TypedDigits {
  static func main() async {
    let paths = CommandLine.arguments.dropFirst()
    guard !paths.isEmpty else {
      print("usage: typed-digits IMAGE...")
      exit(64)
    }
    do {
      let digits = try Digits()
      for path in paths {
        let answer = try await digits(image: ImageFile(path))
        let best = answer.classification.best
        print("\(path): \(best) \(answer.classification[best])")
        if best == .seven { print("\(path): lucky") }
      }
    } catch {
      FileHandle.standardError.write(Data("error: \(error)\n".utf8))
      exit(1)
    }
  }
}
