// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import NetRunner
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The option of commands that do a part of the work, so that several machines can share it.
struct PartArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Do only a part, such as 3/8, for 'tensorio merge'. 'job' takes it from a Slurm array, and "
        + "'job/8' from an Indexed Job of Kubernetes or a Slurm array.", valueName: "k/n"))
  var part: PartChoice?

  /// Returns the part, or nil without the option.
  ///
  /// - Throws: `TensorIOError` if the environment of the process doesn't say which part it is.
  func record() throws -> PartRecord? {
    switch part {
    case nil: nil
    case .record(let record): record
    case .job(let count): try Self.record(of: ProcessInfo.processInfo.environment, count: count)
    }
  }

  /// Returns the part of a job; Kubernetes counts from 0, and Slurm's arrays count from 1.
  private static func record(
    of environment: [String: String], count: Int?
  ) throws -> PartRecord {
    func number(_ name: String) throws -> Int? {
      guard let text = environment[name] else { return nil }
      guard let number = Int(text), number >= 0, number < 1 << 31 else {
        throw TensorIOError(
          .invalidOption, "The variable \(name) is '\(text)', but a number was expected.")
      }
      return number
    }
    if let index = try number("JOB_COMPLETION_INDEX") {
      guard let count else {
        throw TensorIOError(
          .invalidOption,
          "Kubernetes doesn't tell a pod the number of parts. Pass --part job/N with the Job's "
            + "`completions`.")
      }
      return try record(index + 1, count, "JOB_COMPLETION_INDEX is \(index), which counts from 0")
    }
    guard let index = try number("SLURM_ARRAY_TASK_ID") else {
      throw TensorIOError(
        .invalidOption,
        "--part job needs JOB_COMPLETION_INDEX of an Indexed Job of Kubernetes, or SLURM_ARRAY_TASK_ID "
          + "of a Slurm array, but neither is set. Pass a part such as --part 3/8.")
    }
    if let count { return try record(index, count, "SLURM_ARRAY_TASK_ID is \(index)") }
    // A task that is submitted again on its own is an array of one task.
    let limits = try ["MIN", "MAX", "COUNT"].map { try number("SLURM_ARRAY_TASK_" + $0) }
    guard limits[0] == 1, let last = limits[1], limits[2] == last else {
      throw TensorIOError(
        .invalidOption,
        "The Slurm array isn't numbered from 1 without gaps, so it doesn't say how many parts there "
          + "are. Submit it with --array=1-N, or pass --part job/N.")
    }
    return try record(index, last, "SLURM_ARRAY_TASK_ID is \(index)")
  }

  private static func record(_ index: Int, _ count: Int, _ origin: String) throws -> PartRecord {
    guard (1...count).contains(index) else {
      throw TensorIOError(
        .invalidOption,
        "There is no part \(index) of \(count): \(origin). The parts are numbered 1 to \(count).")
    }
    return PartRecord(index: index, count: count)
  }
}

/// The part of the work as it is named: `3/8`, `job` or `job/8`.
enum PartChoice: ExpressibleByArgument {
  case record(PartRecord)
  case job(count: Int?)

  init?(argument: String) {
    if argument == "job" {
      self = .job(count: nil)
    } else if argument.hasPrefix("job/") {
      guard let count = Int(argument.dropFirst(4)), count >= 1 else { return nil }
      self = .job(count: count)
    } else {
      guard let record = PartRecord(argument: argument) else { return nil }
      self = .record(record)
    }
  }
}

/// The part of a run, such as `2/4`.
extension PartRecord: ExpressibleByArgument {
  public init?(argument: String) {
    let numbers = argument.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard numbers.count == 2, let index = numbers[0], let count = numbers[1], count >= 1,
      (1...count).contains(index)
    else { return nil }
    self.init(index: index, count: count)
  }

  /// Returns a path in which the part is written in place of `{part}`, as in `rows-3-of-8.sqlite`.
  func naming(_ path: String) -> String {
    path.replacing("{part}", with: "\(index)-of-\(count)")
  }
}
