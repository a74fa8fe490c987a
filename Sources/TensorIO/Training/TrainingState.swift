// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Where a training stands, apart from the model's weights.
package struct TrainingState: Codable, Sendable {
  /// What a training must have in common with the one that it continues.
  struct Settings: Codable, Hashable, Sendable {
    var items: Int
    var validationItems: Int
    var batchSize: Int
    var seed: UInt64
    var shuffles: Bool
    var balances: Bool
    /// The augmentations; nil for none, as in files of earlier versions.
    var augmentations: [String]?
    /// What decides which epoch is the best; nil in files of earlier versions.
    var monitored: String?
    /// ``TrainingOptions/notes``; nil for none, as in files of earlier versions.
    var notes: [String: String]?
  }

  /// The form of the file.
  var version = Self.currentVersion
  var settings: Settings
  /// The number of completed epochs.
  var epochs = 0
  /// The number of steps of the next epoch that are done.
  var step = 0
  /// The means of those steps, summed over their items.
  var sums: [Double] = []
  /// The number of items of those steps.
  var items = 0
  /// The state of the random numbers before the next epoch.
  var generator: UInt64
  var progress = BestEpochTracker.Progress()
  /// The epoch with the best weights; nil before the first one.
  var bestEpoch: Int?

  static let currentVersion = 1

  /// The name of the checkpoint's folder.
  var folderName: String { Self.folderName(epochs: epochs, step: step) }

  /// Returns the name of a checkpoint's folder.
  static func folderName(epochs: Int, step: Int = 0) -> String {
    func digits(_ number: Int, _ count: Int) -> String {
      String(repeating: "0", count: max(0, count - "\(number)".count)) + "\(number)"
    }
    return "epoch-\(digits(epochs, 5))" + (step > 0 ? "-step-\(digits(step, 7))" : "")
  }

  /// Sorts the names of checkpoints' folders in the order in which they were written.
  ///
  /// From epoch 100,000 on, a name has more digits, so the order isn't that of the texts.
  package static func sorted(folders names: [String]) -> [String] {
    func numbers(_ name: String) -> [Int] { name.split(separator: "-").compactMap { Int($0) } }
    return names.sorted { numbers($0).lexicographicallyPrecedes(numbers($1)) }
  }

  /// Returns the notes that another training has other values for, in the order of their names.
  ///
  /// A state without notes has no differences.
  func changes(to other: Settings) -> [ChangedSetting] {
    guard let before = settings.notes, let now = other.notes else { return [] }
    return Set(before.keys).union(now.keys).sorted().filter { before[$0] != now[$0] }
      .map { ChangedSetting(name: $0, before: before[$0], now: now[$0]) }
  }

  /// Whether the numbers can be those of a training.
  var isPlausible: Bool {
    [epochs, step, items, bestEpoch ?? 0, progress.epochsWithoutImprovement]
      .allSatisfy { (0...1_000_000_000).contains($0) }
  }

  /// Checks that the training is the one that wrote the state.
  func check(_ other: Settings, in folder: String) throws {
    let differences = [
      ("items", "\(settings.items)", "\(other.items)"),
      ("validation items", "\(settings.validationItems)", "\(other.validationItems)"),
      ("a batch size of", "\(settings.batchSize)", "\(other.batchSize)"),
      ("the seed", "\(settings.seed)", "\(other.seed)"),
      ("shuffling", "\(settings.shuffles)", "\(other.shuffles)"),
      ("balancing", "\(settings.balances)", "\(other.balances)"),
      ("the augmentations", settings.augmentationText, other.augmentationText),
      ("the best epoch by", settings.monitored ?? other.monitored ?? "", other.monitored ?? ""),
    ].filter { $0.1 != $0.2 }
    guard let first = differences.first else { return }
    throw TensorIOError(
      .invalidOption,
      "The checkpoint '\(folder)' was written by a training with \(first.0) \(first.1), and this one has "
        + "\(first.2). Continue with the same data and options, or choose another folder.")
  }
}

/// A setting that changed between a checkpoint and the training that continues from it.
package struct ChangedSetting: Hashable, Sendable {
  package let name: String
  /// The value when the checkpoint was written; nil without one.
  package let before: String?
  /// The value of the training that continues; nil without one.
  package let now: String?
}

extension TrainingState.Settings {
  fileprivate var augmentationText: String { augmentations.map(quotedList) ?? "none" }
}

/// The checkpoints of a training: a folder for each, with the weights and the state.
struct TrainingCheckpoints: Sendable {
  private let folder: String
  private let kept: Int
  /// Keeps other trainings out of the folder; nil on a file system without locks.
  private let lock: FileLock?
  private static let stateFile = "training.json"

  /// Uses a folder, which is made if it doesn't exist.
  ///
  /// - Throws: ``TensorIOError`` when it can't be made or written, when another training writes into it, or
  ///   when it has checkpoints that the training doesn't continue from.
  init(_ options: CheckpointOptions) throws {
    let folder = options.folder
    self.folder = folder
    kept = options.kept
    try FileSystem.writing("The folder '\(folder)' for checkpoints can't be made") {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
    }
    lock = try Self.lock(folder)
    if !options.resumes, let name = try names().last {
      throw TensorIOError(
        .fileExists,
        "The folder '\(folder)' has the checkpoint '\(name)' of an earlier training. Continue from it "
          + "(`resumes`, or --resume), or choose another folder.")
    }
    try FileSystem.checkWritable(folder: folder)
    if lock != nil { try removeUnfinished() }
  }

  /// Locks a folder, so that two trainings don't replace each other's checkpoints.
  private static func lock(_ folder: String) throws -> FileLock? {
    do {
      if let lock = try FileLock.waitingBriefly(on: folder) { return lock }
    } catch let error where error.operation == .locked {
      // Some file systems of networks have no locks.
      return nil
    } catch {
      throw TensorIOError(reading: error)
    }
    throw TensorIOError(
      .fileExists,
      "Another training writes checkpoints into the folder '\(folder)'. Choose another folder, or end that "
        + "training first.")
  }

  /// Removes the checkpoints that a process didn't complete before it ended.
  private func removeUnfinished() throws {
    for name in try FileSystem.contents(of: folder) where name.hasPrefix(".epoch-") {
      try FileSystem.writing("The unfinished checkpoint '\(folder)/\(name)' can't be removed") {
        try FileManager.default.removeItem(atPath: folder + "/" + name)
      }
    }
  }

  /// The names of the complete checkpoints, in the order in which they were written.
  private func names() throws -> [String] {
    TrainingState.sorted(
      folders: try FileSystem.contents(of: folder).filter { name in
        name.hasPrefix("epoch-") && FileSystem.isFile("\(folder)/\(name)/\(Self.stateFile)")
      })
  }

  /// Returns the last checkpoint; nil if there is none.
  func last() throws -> (folder: String, state: TrainingState)? {
    guard let name = try names().last else { return nil }
    let path = folder + "/" + name
    let bytes = try FileSystem.read(path + "/" + Self.stateFile)
    func damaged(_ cause: (any Error)? = nil) -> TensorIOError {
      TensorIOError(
        .unreadableFile,
        "'\(path)/\(Self.stateFile)' is damaged. Delete '\(path)' to continue from an earlier checkpoint.",
        cause: cause)
    }
    do {
      let decoder = JSONDecoder()
      decoder.nonConformingFloatDecodingStrategy = Self.decodedNumbers
      let state = try decoder.decode(TrainingState.self, from: Data(bytes))
      guard state.version == TrainingState.currentVersion else {
        throw TensorIOError(
          .unreadableFile,
          "The checkpoint '\(path)' has the version \(state.version), and this program reads "
            + "\(TrainingState.currentVersion).")
      }
      guard state.isPlausible else { throw damaged() }
      return (path, state)
    } catch let error as DecodingError {
      throw damaged(error)
    }
  }

  /// Returns the folder with the weights of an epoch; nil if it wasn't kept.
  func folder(ofEpoch epoch: Int) throws -> String? {
    let name = TrainingState.folderName(epochs: epoch)
    return try names().contains(name) ? folder + "/" + name : nil
  }

  /// Writes a checkpoint, and then removes old ones.
  ///
  /// It appears under its name only when it is complete, so it doesn't matter when the process ends.
  func write(_ model: TrainableModel, _ state: TrainingState) throws {
    let path = folder + "/" + state.folderName
    let fresh = folder + "/.\(state.folderName)-\(UUID().uuidString)"
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    encoder.nonConformingFloatEncodingStrategy = Self.encodedNumbers
    // The weights after a step are always the same.
    if FileSystem.isFile(path + "/" + Self.stateFile) { return }
    do {
      let file = fresh + "/" + Self.stateFile
      try FileSystem.writing("The checkpoint '\(path)' can't be written") {
        try FileManager.default.createDirectory(
          atPath: fresh, withIntermediateDirectories: false)
        try encoder.encode(state).write(to: URL(filePath: file))
      }
      try FileSystem.flush(file)
      try model.export(to: fresh)
      if FileSystem.isFolder(path) {
        // Without its state, it is what remains of a checkpoint that was being removed.
        try FileSystem.writing("The incomplete checkpoint '\(path)' can't be removed") {
          try FileManager.default.removeItem(atPath: path)
        }
      }
      try FileSystem.rename(fresh, to: path)
    } catch {
      // What remains has a hidden name, and isn't a checkpoint.
      try? FileManager.default.removeItem(atPath: fresh)
      throw error
    }
    try removeOld(best: state.bestEpoch)
  }

  private func removeOld(best: Int?) throws {
    let bestFolder = try best.flatMap { try folder(ofEpoch: $0) }
    for name in try names().dropLast(kept) where folder + "/" + name != bestFolder {
      try FileSystem.writing("The old checkpoint '\(folder)/\(name)' can't be removed") {
        try FileManager.default.removeItem(atPath: folder + "/" + name)
      }
    }
  }

  private static let decodedNumbers = JSONDecoder.NonConformingFloatDecodingStrategy
    .convertFromString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
  private static let encodedNumbers = JSONEncoder.NonConformingFloatEncodingStrategy
    .convertToString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
}
