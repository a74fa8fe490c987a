// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TensorIO
import TensorIOImageCodecs

/// The command `tensorio parity`.
struct ParityCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "parity",
    abstract: "Compare the tensor that a picture becomes here with the one that Python made of it.",
    discussion: """
      Examples:
        tensorio parity cats.tiobundle cat.jpg --write ours.npy
      """)

  @Argument(help: "The bundle: a folder NAME.tiobundle.", completion: .directory)
  var bundle: String

  @Argument(help: "The picture: a .jpg, .png, .bmp or .webp file.", completion: .file())
  var image: String

  @Option(name: .long, help: "The image input; needed where a model has several.")
  var input: String?

  @Option(
    name: .long, help: ArgumentHelp("Write our tensor to a .npy file.", valueName: "ours.npy"))
  var write: String?

  func validate() throws {
    guard write != nil else {
      throw ValidationError("There is nothing to do: pass --write OURS.npy.")
    }
  }

  func run() throws {
    let layer = try ImageLayer(of: ModelBundle(bundle), named: input)
    let picture = try ImageDecoder().decode(contentsOf: image)
    let ours = try layer.tensor(of: picture)
    if let write { try NumPyFile.write(ours, to: write) }
  }
}
