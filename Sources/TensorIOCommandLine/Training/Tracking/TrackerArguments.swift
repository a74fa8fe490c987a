// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CSystemCalls
import ModelCommands
import TensorIO

/// The options of `train` that are about other programs, in which people look at its numbers.
struct TrackerArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Write the steps and epochs for TensorBoard into this folder.", valueName: "folder"),
    completion: .directory)
  var tensorboard: String?

  @Option(
    help: ArgumentHelp(
      """
      Send the steps and epochs to an MLflow tracking server. MLFLOW_TRACKING_TOKEN, or \
      MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, are used if they are set.
      """, valueName: "url"))
  var mlflow: String?

  @Option(help: "The experiment in MLflow (default: MLFLOW_EXPERIMENT_NAME, or Default).")
  var experiment: String?

  @Option(help: "The name of the run in MLflow.")
  var runName: String?

  func validate() throws {
    try checkUsage(
      mlflow != nil || (experiment == nil && runName == nil),
      "--experiment and --run-name need --mlflow URL.")
  }

  /// Begins the runs in these programs.
  ///
  /// - Parameters:
  ///   - parameters: The settings of the training.
  ///   - checkpoints: The folder of the checkpoints, where a training that is continued finds its run.
  ///   - resumes: Whether the training is continued if there are checkpoints.
  /// - Returns: The runs.
  /// - Throws: `TensorIOError` when a file can't be written, or a server refuses the run.
  func trackers(
    _ parameters: [(name: String, value: String)], checkpoints: String?, resumes: Bool
  ) throws -> [any TrainingTracker] {
    var trackers: [any TrainingTracker] = []
    if let tensorboard {
      trackers.append(try TrainingEvents(in: tensorboard, resumes: resumes))
    }
    if let mlflow {
      let variable = getenv("MLFLOW_EXPERIMENT_NAME").map { String(cString: $0) }
      let run = try MLflowRun(
        MLflowServer(mlflow), experiment: experiment ?? variable ?? "Default", name: runName,
        parameters: parameters, keptIn: checkpoints.map { $0 + "/mlflow.json" }, continues: resumes)
      Console.printMessage("mlflow: \(run.page)")
      trackers.append(run)
    }
    return trackers
  }
}
