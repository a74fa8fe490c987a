// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TensorIO

/// The command `tensorio parity`.
struct ParityCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "parity",
    abstract: "Compare what a picture becomes here with the tensor that Python made of it.",
    discussion: """
      In Python, save the array that goes into the model, and compare:

        numpy.save("theirs.npy", array)   # what set_tensor gets
        tensorio parity cats.tiobundle cat.jpg --against theirs.npy

      Where they differ, the first stage that does is named: decode, orientation, crop, resize, \
      channel order, normalization or quantization. It is found by trying the usual ways, alone \
      and together; where several fit as well, or none does, the report says so. What is left \
      unexplained is counted in bytes: steps of 1 of a picture from 0 to 255.

      The array may have a batch axis of 1 in front, any type, and its channels first or last.

      Two tensors are equal when no element differs by more than the tolerance. Unless told, it \
      is 0 for whole numbers, and for floats 1e-5 of the range that the normalization gives, so \
      1e-5 for [0,1], 2e-5 for [-1,1] and 2.55e-3 for 0...255; for float16 100 times that.

      Write our own tensor, to compare it in Python:

        tensorio parity cats.tiobundle cat.jpg --write ours.npy

      With --json, one object: equal, first_difference, message, explained, residual_bytes, \
      largest_difference, mean_difference, differing_elements, elements, tolerance, stages (a \
      list of stage, result, looks_like, instead_of, suggestion, cannot_be_told_from), fitted (the \
      scale and bias of each colour that fit best), nearest, ours, theirs, input, bundle, image, \
      against, written (the file of --write). What is not known is null. Without --against, it has \
      only written, ours, input, bundle and image.

      Exit codes: 0 equal, 1 different, others as for every command.
      """)

  @Argument(help: "The bundle: a folder NAME.tiobundle.", completion: .directory)
  var bundle: String

  @Argument(help: "The picture: a .jpg, .png, .bmp or .webp file.", completion: .file())
  var image: String

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The array that Python made of the same picture.", valueName: "theirs.npy"))
  var against: String?

  @Option(name: .long, help: "The image input; needed where a model has several.")
  var input: String?

  @Option(
    name: .long, parsing: .unconditional,
    help: "By how much elements may differ and still be called equal.")
  var tolerance: Double?

  @Option(
    name: .long, help: ArgumentHelp("Write our tensor to a .npy file.", valueName: "ours.npy"))
  var write: String?

  @Flag(name: .long, help: "Print JSON.")
  var json = false

  func validate() throws {
    guard write != nil || against != nil else {
      throw ValidationError(
        "There is nothing to do: pass --against THEIRS.npy, --write OURS.npy, or both.")
    }
    if let tolerance, !(tolerance >= 0 && tolerance.isFinite) {
      throw ValidationError("--tolerance takes a number from 0, got \(tolerance).")
    }
  }

  func run() throws {
    let layer = try ImageLayer(of: ModelBundle(bundle), named: input)
    let maker = try PictureMaker(path: image, target: (layer.shape.width, layer.shape.height))
    let ours = try layer.tensor(of: maker.upright)
    if let write { try NumPyFile.write(ours, to: write) }
    guard let against else {
      if json { try Console.printJSON(.object(layer.json(image: image, bundle, written: write))) }
      return
    }
    let reference = try ReferenceTensor(against, for: layer)
    let report = try ParityReport(ours, of: maker, layer, reference, tolerance: tolerance)
    if json {
      try Console.printJSON(report.json(image: image, bundle: bundle, written: write))
    } else {
      for line in report.lines(image: image, bundle: bundle) { Console.printData(line) }
    }
    if !report.isEqual { throw ExitCode(1) }
  }
}
