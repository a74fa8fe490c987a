// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ModelTools
import TensorIO
import TensorIODecoding
import TensorIOEncoding

struct ParityCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "parity",
    abstract: "Compare the tensor of an image or recording here with the one that Python makes.",
    discussion: """
      In Python, save the array that goes into the model. Then compare:

        numpy.save("theirs.npy", array)   # what set_tensor gets
        tensorio parity cats.tiobundle cat.jpg --against theirs.npy

      If they differ, the report names the first stage that differs: decode, orientation, crop, \
      resize, channel order, normalization or quantization. It is found by trying common \
      variants of each stage, alone and in combination. If several fit equally well, or none \
      fits, the report says so. The unexplained rest is given in bytes: steps of 1 on the scale \
      of pixel values from 0 to 255.

      For a recording, the stages are channels, sample rate, length, amplitude, function, frames, \
      spectrum, mel, logarithm, coefficients, axes, scale and bias, and quantization. The rest is \
      given as a part of the standard deviation of Python's values. The array may lack the axes \
      of 1.

        tensorio parity words.tiobundle yes.wav --against theirs.npy

      The array may have a leading batch axis of 1, any type, and its channels first or last.

      Two tensors are equal if no element differs by more than the tolerance. The default \
      tolerance is 0 for whole numbers. For floats it is 1e-5 of the range of the normalization: \
      1e-5 for [0,1], 2e-5 for [-1,1] and 2.55e-3 for 0...255. For float16 it is 100 times that. \
      For features of a recording it is 1e-4 of their range, and 1e-3 for float16.

      To compare in Python instead, write our tensor to a file:

        tensorio parity cats.tiobundle cat.jpg --write ours.npy

      With --json, the output is one object: equal, first_difference, message, explained, \
      residual_bytes, largest_difference, mean_difference, differing_elements, elements, \
      tolerance, stages (a list of stage, result, looks_like, instead_of, suggestion, \
      cannot_be_told_from), fitted (the scale and bias of each colour that fit best), nearest, \
      ours, theirs, input, bundle, image, against, written (the file of --write). Unknown \
      values are null. Without --against, it has only written, ours, input, bundle and image. \
      For a recording, it has recording and residual in place of image and residual_bytes.

      Exit codes: 0 equal, 1 different, others as for every command.
      """)

  @Argument(help: "The bundle: a folder NAME.tiobundle.", completion: .directory)
  var bundle: String

  @Argument(
    help: "The image (.jpg, .png, .bmp, .webp) or the recording (.wav, .flac, .ogg).",
    completion: .file())
  var image: String

  @Option(
    help: ArgumentHelp("The array that Python made from the same file.", valueName: "theirs.npy"))
  var against: String?

  @Option(help: "The image or audio input; required if the model has several.")
  var input: String?

  @Option(parsing: .unconditional, help: "The largest difference of elements that count as equal.")
  var tolerance: Double?

  @Option(help: ArgumentHelp("Write our tensor to a .npy file.", valueName: "ours.npy"))
  var write: String?

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    try checkUsage(
      write != nil || against != nil, "Pass --against THEIRS.npy, --write OURS.npy, or both.")
    if let tolerance, !(tolerance >= 0 && tolerance.isFinite) {
      throw ValidationError("--tolerance takes 0 or a positive number, got \(tolerance).")
    }
  }

  func run() throws {
    let opened = try ModelBundle(bundle)
    if let layer = try AudioLayer(of: opened, named: input, backends: Backends.all) {
      try compare(layer)
      return
    }
    let layer = try ImageLayer(of: opened, named: input, backends: Backends.all)
    let maker = try ImageMaker(path: image, target: layer.size)
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

  private func compare(_ layer: AudioLayer) throws {
    let clip = try AudioClip(contentsOf: image)
    let ours = try layer.tensor(of: clip)
    if let write { try NumPyFile.write(ours, to: write) }
    guard let against else {
      if json {
        try Console.printJSON(.object(layer.json(recording: image, bundle, written: write)))
      }
      return
    }
    let report = try AudioParityReport(
      ours, of: image, clip, layer, AudioReference(against, for: layer), tolerance: tolerance)
    if json {
      try Console.printJSON(report.json(recording: image, bundle: bundle, written: write))
    } else {
      for line in report.lines(recording: image, bundle: bundle) { Console.printData(line) }
    }
    if !report.isEqual { throw ExitCode(1) }
  }
}
