// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ModelCommands
import ModelTools
import NetRunner
import TensorIO

struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List photos or recordings for a bulk run on several machines.",
    discussion: """
      The manifest has a line for each photo or recording, or for each NumPy file if there are none of \
      them. 'tensorio bulk photos.manifest --part 1/8' to 8/8 then each run an eighth of them, and \
      'tensorio merge' merges the rows. After Ctrl-C, a crash or kill -9, --resume continues where the \
      listing stopped.

      The objects in a folder of S3 are listed one by one, with the keys in AWS_ACCESS_KEY_ID and \
      AWS_SECRET_ACCESS_KEY. A tar archive is one line, and a part of a run takes all of its photos.

      Examples:
        tensorio list photos -o photos.manifest
        tensorio list s3://bucket/photos/ shards/*.tar -o photos.manifest
        tensorio list photos more/photos https://example.com/1.jpg -o photos.manifest
      """)

  @Argument(
    help: ArgumentHelp(
      "Folders of photos or recordings, files, tar archives, or addresses of photos, of archives or of "
        + "folders in S3 (s3://bucket/folder/)."),
    completion: .file())
  var inputs: [String]

  @Option(
    name: [.short, .long],
    help: ArgumentHelp("The manifest, which ends in .manifest.", valueName: "file"),
    completion: .file(extensions: ["manifest"]))
  var output: String

  @Flag(help: "Continue a manifest that was cut off.")
  var resume = false

  @Flag(help: "Start from the beginning, and remove an existing manifest.")
  var force = false

  @Flag(help: "Print the number of items as JSON.")
  var json = false

  func validate() throws {
    try checkUsage(!resume || !force, "Pass either --resume or --force, not both.")
    try checkUsage(
      output.hasSuffix(Manifest.fileExtension),
      "'\(output)' must end in \(Manifest.fileExtension), as in photos.manifest.")
  }

  func run() throws {
    try BulkCommand.checkExistence(of: inputs)
    try FileSystem.checkOutput(output, "A manifest")
    if !force, !resume, FileSystem.isFile(output) {
      throw TensorIOError(
        .fileExists,
        "'\(output)' exists. Pass --resume to continue it, or --force to start from the beginning.")
    }
    let interruption = Interruption()
    let outcome = try ManifestListing.list(
      inputs, in: output, replacing: force, with: ObjectStore.access,
      until: { interruption.isRequested })
    for note in outcome.notes { Console.printMessage("note: \(note.printable)") }
    if json {
      try Console.printJSON(.object(["items": .integer(Int64(outcome.count))]))
    } else {
      Console.printData("\(output.printable): \(counted(outcome.count, "item"))")
    }
    guard outcome.isComplete else {
      Console.printMessage("interrupted; --resume continues")
      throw Interruption.exitCode
    }
  }
}
