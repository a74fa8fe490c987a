// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// `tensorio list`, and parts of `bulk` and `evaluate`.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct PartCommandTests {
  private static let models = ["--model", "Demo/digits.tiobundle"]
  /// The variables of the machine that runs the tests must not count.
  private static let noJob: [String: String?] = [
    "JOB_COMPLETION_INDEX": nil, "SLURM_ARRAY_TASK_ID": nil, "SLURM_ARRAY_TASK_MIN": nil,
    "SLURM_ARRAY_TASK_MAX": nil, "SLURM_ARRAY_TASK_COUNT": nil,
  ]

  private static func run(
    _ arguments: [String], _ variables: [String: String] = [:]
  ) async throws -> CommandRunner.Result {
    let environment = noJob.merging(variables.mapValues(Optional.some)) { $1 }
    return try await CommandRunner.run(arguments, environment: environment)
  }

  private static func slurm(_ id: Int, of count: Int) -> [String: String] {
    [
      "SLURM_ARRAY_TASK_ID": "\(id)", "SLURM_ARRAY_TASK_MIN": "1",
      "SLURM_ARRAY_TASK_MAX": "\(count)", "SLURM_ARRAY_TASK_COUNT": "\(count)",
    ]
  }

  @Test func `the jobs of Kubernetes and Slurm share a run`() async throws {
    let folder = try TemporaryFolder()
    let manifest = folder.path + "/photos.manifest"
    let listed = try await Self.run(["list", "Demo/images", "-o", manifest])
    #expect(listed.status == 0 && listed.output == "\(manifest): 20 items\n", "\(listed.error)")
    let script = "head -n -1 \"$0\" | sha256sum; tail -n 1 \"$0\""
    let sums = try await ChildProcess("/bin/sh", ["-c", script, manifest]).finish()
    let sum = try #require(sums.output.split(separator: " ").first)
    #expect(sums.output.hasSuffix("{\"items\":20,\"sha256\":\"\(sum)\"}\n"))

    let whole = folder.path + "/whole.csv"
    #expect(try await Self.run(["bulk", "Demo/images", "-o", whole] + Self.models).status == 0)
    for (name, jobs) in [
      ("job/3", (0..<3).map { ["JOB_COMPLETION_INDEX": "\($0)"] }),
      ("job", (1...3).map { Self.slurm($0, of: 3) }),
    ] {
      for job in jobs {
        let result = try await Self.run(
          ["bulk", manifest, "--part", name, "--force", "-o", folder.path + "/rows-{part}.sqlite"]
            + Self.models, job)
        #expect(result.status == 0, "\(result.error)")
      }
      let parts = (1...3).map { folder.path + "/rows-\($0)-of-3.sqlite" }
      let merged = try await Self.run(
        [
          "merge", "-o", folder.path + "/all.csv", "-o", folder.path + "/all.db", "--force",
          "--json",
        ]
          + parts.reversed())
      #expect(merged.status == 0 && merged.output.contains("\"rows\":20"), "\(merged)")
      #expect(try Self.columns(folder.path + "/all.csv") == Self.columns(whole))
    }
    let missing = try await Self.run(
      ["merge", folder.path + "/rows-1-of-3.sqlite", "-o", folder.path + "/some.jsonl"])
    #expect(missing.status == 64)
    #expect(missing.error.contains("1 of 3 parts was given. Missing: 2, 3."))
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/some.jsonl"))
    let exists = try await Self.run(
      ["merge", folder.path + "/all.db", "-o", folder.path + "/all.csv"])
    #expect(exists.status == 64 && exists.error.contains("--force"))
  }

  /// The columns of each row that aren't times.
  private static func columns(_ path: String) throws -> [[Substring]] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\r\n").map {
      Array($0.split(separator: ",", omittingEmptySubsequences: false).prefix(11))
    }
  }

  @Test func `parts of an evaluation are named by the job, and merged`() async throws {
    let folder = try TemporaryFolder()
    for part in 1...2 {
      let result = try await Self.run(
        ["evaluate", "Demo/digits.testbundle", "--part", "job"] + Self.models
          + ["--report", folder.path + "/{part}.json"], Self.slurm(part, of: 2))
      #expect(result.status == 0, "\(result.error)")
    }
    let parts = ["1-of-2", "2-of-2"].map { "\(folder.path)/\($0).json" }
    let merged = try await Self.run(["merge"] + parts + ["--fail-under", "top1=0.9"])
    #expect(merged.status == 0, "\(merged.error)")
    #expect(try await Self.run(["merge"] + parts + ["-o", "x.csv"]).status == 64)
  }

  private struct Report: Decodable {
    struct Row: Decodable, Equatable {
      let model: String
      let index: Int
      let predicted: String?
    }
    let results: [Row]

    init(at path: String) throws {
      self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(filePath: path)))
    }
  }

  /// Evaluates ten samples that a seed chooses, and writes a report.
  private static func evaluate(_ options: [String], to path: String) async throws {
    let result = try await CommandRunner.run(
      ["evaluate", "Demo/digits.testbundle", "--models", "Demo", "--limit", "10", "--seed", "7"]
        + options + ["--report", path])
    try #require(result.status == 0, "\(result.error)")
  }

  @Test(arguments: [1, 3, 20])
  func `parts of samples that a seed chooses merge to the whole`(count: Int) async throws {
    let folder = try TemporaryFolder()
    let (whole, path) = (folder.path + "/whole.json", folder.path + "/merged.json")
    try await Self.evaluate([], to: whole)
    let parts = (1...count).map { "\(folder.path)/part\($0).json" }
    for (index, part) in parts.enumerated() {
      try await Self.evaluate(["--part", "\(index + 1)/\(count)"], to: part)
    }
    let merged = try await CommandRunner.run(["merge"] + parts + ["--report", path])
    #expect(merged.status == 0, "\(merged.error)")
    let (found, expected) = (try Report(at: path).results, try Report(at: whole).results)
    #expect(found == expected && expected.count >= 20)
    let replaced = try await CommandRunner.run(["merge"] + parts + ["--report", parts[0]])
    let lost = try await CommandRunner.run([
      "evaluate", "Demo/digits.testbundle", "--models", "Demo", "--part", "1/2", "--report",
      folder.path + "/{part}.html",
    ])
    #expect(lost.status == 64 && lost.error.contains("one of the reports must end in .json"))
    #expect(replaced.status == 64 && replaced.error.contains("is one of the parts"))
  }

  @Test func `a job that doesn't say which part it is gets an error`() async throws {
    let folder = try TemporaryFolder()
    let manifest = folder.path + "/photos.manifest"
    _ = try await Self.run(["list", "Demo/images", "-o", manifest])
    for (part, variables, message) in [
      ("job", [:], "neither is set"),
      ("job", ["JOB_COMPLETION_INDEX": "1"], "Pass --part job/N"),
      ("job/3", ["JOB_COMPLETION_INDEX": "3"], "There is no part 4 of 3"),
      ("job/3", ["JOB_COMPLETION_INDEX": "x"], "is 'x'"),
      ("job/3", ["SLURM_ARRAY_TASK_ID": "0"], "There is no part 0 of 3"),
      ("job", ["SLURM_ARRAY_TASK_ID": "2"], "isn't numbered from 1"),
      (
        "job",
        [
          "SLURM_ARRAY_TASK_ID": "2", "SLURM_ARRAY_TASK_MIN": "2", "SLURM_ARRAY_TASK_MAX": "2",
          "SLURM_ARRAY_TASK_COUNT": "1",
        ], "isn't numbered from 1"
      ),
      ("4/3", [:], "is invalid"), ("job/0", [:], "is invalid"),
    ] {
      let result = try await Self.run(
        ["bulk", manifest, "--part", part, "-o", folder.path + "/rows.jsonl"] + Self.models,
        variables)
      #expect(result.status == 64 && result.error.contains(message), "\(part) \(result)")
    }
    #expect(try folder.contents == ["photos.manifest"])
    for (arguments, message) in [
      (["Demo/images", "--part", "1/2", "-o", "x.jsonl"], "--part needs a manifest"),
      ([manifest, "Demo/images", "-o", "x.jsonl"], "can't be combined"),
      ([manifest, "--part", "1/2", "-o", "x.csv"], "only these can be merged"),
    ] {
      let result = try await Self.run(["bulk"] + arguments + Self.models)
      #expect(result.status == 64 && result.error.contains(message), "\(result)")
    }
  }

  @Test func `a part's results are refused to other parts and other manifests`() async throws {
    let folder = try TemporaryFolder()
    let manifest = folder.path + "/photos.manifest"
    _ = try await Self.run(["list", "Demo/images", "-o", manifest])
    for name in ["rows.jsonl", "rows.sqlite"] {
      let results = ["-o", folder.path + "/" + name, "--resume"] + Self.models
      #expect(try await Self.run(["bulk", manifest, "--part", "1/2"] + results).status == 0)
      #expect(try await Self.run(["bulk", manifest, "--part", "1/2"] + results).status == 0)
      for inputs in [[manifest, "--part", "2/2"], [manifest], ["Demo/images"]] {
        let result = try await Self.run(["bulk"] + inputs + results)
        #expect(result.status == 64, "\(result)")
        #expect(result.error.contains("\(name)' has rows of part 1 of 2 of the manifest "))
      }
    }
    let exists = try await Self.run(["list", "Demo/images", "-o", manifest])
    #expect(exists.status == 64 && exists.error.contains("Pass --resume"))
    #expect(try await Self.run(["list", "Demo/images", "-o", manifest, "--resume"]).status == 0)
    #expect(try await Self.run(["list", "Demo", "-o", manifest, "--resume"]).status == 64)
    #expect(try await Self.run(["list", "Demo", "-o", manifest, "--force"]).status == 0)
  }

  @Test func `a listing that is killed is continued`() async throws {
    let folder = try TemporaryFolder()
    for number in 0..<20_000 {
      try Data().write(to: URL(filePath: "\(folder.path)/\(number).png"))
    }
    let listing = ["list", folder.path, "-o", folder.path + "/all.manifest", "--resume"]
    for seconds in [0.1, 0.2, 0.3] {
      _ = try await CommandRunner.run(listing, interruptedAfter: seconds, signal: SIGKILL)
    }
    let resumed = try await Self.run(listing)
    #expect(resumed.status == 0 && resumed.output.contains("20000 items"), "\(resumed)")
    let whole = ["list", folder.path, "-o", folder.path + "/whole.manifest"]
    #expect(try await Self.run(whole).status == 0)
    let texts = try ["all", "whole"].map {
      try Data(contentsOf: URL(filePath: "\(folder.path)/\($0).manifest"))
    }
    #expect(texts[0] == texts[1])
  }

  /// Runs a program as a cluster does: in a folder with photos, a bundle and a folder for results.
  private static func runInCluster(
    _ program: String, _ arguments: [String], _ variables: [String: String], in folder: String
  ) async throws -> CommandRunner.Result {
    let bin = CommandRunner.binary.deletingLastPathComponent().path
    var environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
    environment["PATH"] = bin + ":" + (environment["PATH"] ?? "")
    return try await ChildProcess(program, arguments, environment: environment, in: folder)
      .finish()
  }

  private static func cluster() async throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let root = CommandRunner.packageFolder.path
    for (name, target) in [("photos", "Demo/images"), ("pets.tiobundle", "Demo/digits.tiobundle")] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path + "/" + name, withDestinationPath: root + "/" + target)
    }
    try FileManager.default.createDirectory(
      atPath: folder.path + "/results", withIntermediateDirectories: true)
    let listed = try await runInCluster(
      CommandRunner.binary.path, ["list", "photos", "-o", "photos.manifest"], [:], in: folder.path)
    #expect(listed.status == 0, "\(listed.error)")
    return folder
  }

  private static func merge(in folder: TemporaryFolder) async throws -> CommandRunner.Result {
    let parts = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/results")
    return try await run(
      ["merge", "-o", folder.path + "/rows.csv"] + parts.map { folder.path + "/results/" + $0 })
  }

  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set."))
  func `the Job of Kubernetes is valid, and its pods run all photos`() async throws {
    let folder = try await Self.cluster()
    let job = try await Python.run(
      ["Tools/peers/validate_kubernetes.py", "Examples/Scaling/kubernetes-job.yaml"])
    struct Job: Decodable {
      var command: [String]
      var completions: Int
    }
    let found = try JSONDecoder().decode(Job.self, from: Data(job.utf8))
    #expect(found.command.first == "tensorio")
    for index in 0..<found.completions {
      let pod = try await Self.runInCluster(
        CommandRunner.binary.path, Array(found.command.dropFirst()),
        ["JOB_COMPLETION_INDEX": "\(index)"], in: folder.path)
      #expect(pod.status == 0, "\(pod.error)")
    }
    let merged = try await Self.merge(in: folder)
    #expect(merged.status == 0 && merged.output.contains("20"), "\(merged)")
  }

  @Test func `the array of Slurm runs all photos`() async throws {
    let folder = try await Self.cluster()
    let script = CommandRunner.packageFolder.path + "/Examples/Scaling/slurm-array.sh"
    for id in 1...8 {
      let variables = Self.slurm(id, of: 8).merging(["SLURM_CPUS_PER_TASK": "2"]) { $1 }
      let task = try await Self.runInCluster(
        "/bin/sh", [script, "photos.manifest", "pets.tiobundle"], variables, in: folder.path)
      #expect(task.status == 0, "\(task.error)")
    }
    let merged = try await Self.merge(in: folder)
    #expect(merged.status == 0 && merged.output.contains("20"), "\(merged)")
  }
}
