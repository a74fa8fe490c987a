// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ModelCommands

/// The root command, `tensorio`.
struct TensorIOCommand: ParsableCommand {
  // This is evaluated only after `TensorIOTool.main` has stored what the program adds.
  static let configuration = CommandConfiguration(
    commandName: "tensorio",
    abstract: "Run, train, inspect and measure models that a model.json describes.",
    discussion: """
      A bundle is a folder NAME.tiobundle. It contains a model.json that describes the inputs and \
      outputs, and the model itself: a TensorFlow Lite file or a TensorFlow SavedModel.

      Exit codes: 0 success, 64 wrong usage, 65 a bad bundle, model or input, 66 a file is \
      missing, 69 a native library or a program is missing, 70 a bug in this program; parity: 1 if \
      the tensors differ; evaluate, merge: 1 if a gate is not met; evaluate, bulk: 130 interrupted.
      """,
    version: Version.current,
    subcommands: [
      ModelCommands.run, ModelCommands.inspect, ValidateCommand.self, ModelCommands.initialize,
      ModelCommands.parity, BenchCommand.self, ModelCommands.train,
      EvaluateCommand.self, MergeCommand.self, CompareCommand.self, BulkCommand.self,
      LabelCommand.self, DoctorCommand.self, SessionWorkerCommand.self,
    ] + TensorIOTool.current.commands + ExternalPrograms.displayed)
}
