// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ModelTools
import TensorIO
import TensorIODecoding

/// Runs a bundle on photos and prints the first results of each.
struct BundleCheck {
  /// The path of the bundle.
  let bundle: String
  let signature: String?
  let memoryLimit: MemoryLimit

  /// The most labels or objects of an output that are printed.
  private static let shownResults = 3

  /// Runs the bundle on all photos, and reports those that it can't be run on.
  ///
  /// - Throws: An exit code after all photos if there was such a photo, and `TensorIOError` if the
  ///   bundle itself can't be run.
  func run(on photos: [String]) throws {
    let loader = ModelLoader(
      backends: Backends.isolated(by: memoryLimit), signatureKey: signature)
    let model = try InferenceModel(at: bundle, loader: loader)
    let signature = try model.loadSignature()
    let printer = OutputPrinter(top: Self.shownResults, threshold: nil)
    var failures = 0
    for photo in photos {
      do {
        let inputs = try InputReader().readInputs(photo, for: signature)
        let values = try model.measure(inputs).outputs.values()
        Console.printData(Console.bold(photo.printable) + ":")
        try printer.printText(values)
      } catch {
        failures += 1
        Console.printMessage("error: \(photo): \(error)".printable)
      }
    }
    if failures > 0 { throw ExitCode(65) }
  }
}
