// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Crypto
import Files
import Foundation
import GRDB
import ModelRepositoryAPI

extension DataFolder {
  /// The folder of a round.
  func round(of task: RoundTask) -> String { "\(rounds)/\(task.model)/\(task.round)" }

  /// The folder of a round, and those in which a new one has to be noted, the innermost first.
  func folders(of task: RoundTask) -> [String] {
    [round(of: task), "\(rounds)/\(task.model)", rounds, path]
  }

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
  ///   - action: What is done with the averages, such as "restored".
  /// - Throws: An error of the file system or of the database, or `RepositoryError` for a damaged
  ///   average.
  static func copyAverages(
    _ source: DataFolder, _ destination: DataFolder, _ database: DatabaseQueue, _ action: String
  ) throws {
    for round in try database.read({ try RoundStore.rounds([.finished], $0) }) {
      let task = round.task
      let (original, copy) = (source.average(of: task), destination.average(of: task))
      guard let size = try FileSystem.size(of: original) else { continue }
      let folders = destination.folders(of: task)
      try FileSystem.makeFolder(folders[0])
      try FileManager.default.copyItem(atPath: original, toPath: copy)
      if let digest = round.average {
        let found = BlobDigest(try UploadFile.hash(of: copy, count: size).finalize())
        guard found == digest else {
          throw RepositoryError(
            .storage,
            "The average of round '\(task.round)' of '\(task.model)' is damaged, so it can't be "
              + "\(action). Take it from another backup, or delete the round: tensorio repository "
              + "federated delete \(task.model) \(task.round)")
        }
      }
      for path in [copy] + folders { try FileSystem.flush(path) }
    }
  }
}
#endif
