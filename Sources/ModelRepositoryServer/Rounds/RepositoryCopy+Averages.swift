// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Files
import Foundation
import GRDB
import ModelRepositoryAPI

extension DataFolder {
  /// The folder of a round.
  func round(of task: RoundTask) -> String { "\(rounds)/\(task.model)/\(task.round)" }

  /// The file of a round's average, which exists when the round has finished.
  func average(of task: RoundTask) -> String { round(of: task) + "/average.safetensors" }
}

extension RepositoryCopy {
  /// Copies the averages of the rounds that have finished.
  ///
  /// The updates of open rounds stay where they are: a single one says more about a client than an
  /// average does, and a backup is kept for longer than a round.
  ///
  /// - Parameters:
  ///   - source: The folder of the averages.
  ///   - destination: The copy's folder.
  ///   - database: The copy's database. An average that it has not is left out, and so is one whose
  ///     file was lost.
  /// - Throws: An error of the file system or of the database.
  static func copyAverages(
    _ source: DataFolder, _ destination: DataFolder, _ database: DatabaseQueue
  ) throws {
    for task in try database.read({ try RoundStore.tasks([.finished], $0) }) {
      let (original, copy) = (source.average(of: task), destination.average(of: task))
      guard try FileSystem.size(of: original) != nil else { continue }
      let folders = [
        destination.round(of: task), "\(destination.rounds)/\(task.model)", destination.rounds,
      ]
      for folder in folders.reversed() { try FileSystem.makeFolder(folder) }
      try FileManager.default.copyItem(atPath: original, toPath: copy)
      for path in [copy] + folders { try FileSystem.flush(path) }
    }
  }
}
#endif
