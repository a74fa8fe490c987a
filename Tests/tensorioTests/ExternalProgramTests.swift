// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// `tensorio netrunner` and `tensorio repository`, which are separate programs.
struct ExternalProgramTests {
  /// A copy of `tensorio` without the server programs beside it.
  private static func lonelyProgram(in folder: TemporaryFolder) async throws -> URL {
    let copy = folder.path + "/tensorio"
    try await shell("cp \"$0\" \"$1\"", CommandRunner.binary.path, copy)
    return URL(filePath: copy)
  }

  /// Writes a program in a process of its own.
  ///
  /// If this process wrote the file, a process that another test starts at that moment could still
  /// have it open for writing. The system doesn't run such a file ("Text file busy").
  private static func shell(_ script: String, _ words: String..., input: String = "") async throws {
    let result = try await CommandRunner.run(
      ["-c", script] + words, executable: URL(filePath: "/bin/sh"), input: input)
    try #require(result.status == 0, "\(result.error)")
  }

  @Test(arguments: ["netrunner", "repository"])
  func `a missing program is named together with the command that builds it`(_ name: String)
    async throws
  {
    let folder = try TemporaryFolder()
    let program = try await Self.lonelyProgram(in: folder)
    for words in [[name], [name, "--help"], ["help", name], [name, "nonsense", "--port", "x"]] {
      let result = try await CommandRunner.run(
        words, executable: program, environment: ["PATH": folder.path])
      #expect(result.status == 69)
      #expect(result.output.isEmpty)
      #expect(result.error.contains("tensorio-\(name)"), "\(result.error)")
      #expect(result.error.contains("'\(folder.path)'") && result.error.contains("make programs"))
      #expect(result.error.split(separator: "\n").count == 1)
    }
    let help = try await CommandRunner.run(
      ["--help"], executable: program, environment: ["PATH": folder.path])
    #expect(help.status == 0)
    #expect(help.output.contains("  \(name) "))
  }

  @Test func `a program on PATH gets the arguments and standard input and sets the exit code`()
    async throws
  {
    let folder = try TemporaryFolder()
    let program = try await Self.lonelyProgram(in: folder)
    let elsewhere = try TemporaryFolder()
    let script = elsewhere.path + "/tensorio-repository"
    try await Self.shell(
      "cat >\"$0\" && chmod 755 \"$0\"", script,
      input: "#!/bin/sh\necho \"$$ $# $1|$2|$3\"\nread line\necho \"$line\"\nexit 42\n")
    let result = try await CommandRunner.run(
      ["repository", "push", "a b", "-5"], executable: program,
      environment: ["PATH": "/nowhere:\(elsewhere.path):/usr/bin:/bin"], input: "typed\n")
    #expect(result.status == 42, "\(result.error)")
    #expect(result.output.hasSuffix(" 3 push|a b|-5\ntyped\n"), "\(result.output)")
    // A file that isn't executable is ignored.
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: script)
    let refused = try await CommandRunner.run(
      ["repository"], executable: program, environment: ["PATH": elsewhere.path])
    #expect(refused.status == 69)
  }

  #if Servers
  @Test(arguments: [
    (["netrunner", "--help"], "USAGE: tensorio netrunner"),
    (["help", "netrunner"], "USAGE: tensorio netrunner"),
    (["repository", "--help"], "USAGE: tensorio repository"),
    (["help", "repository", "push"], "USAGE: tensorio repository push"),
    (["repository", "help", "push"], "USAGE: tensorio repository push"),
    (["netrunner", "--version"], "0.1.0"),
  ])
  func `the help of an external program reads as part of tensorio`(
    _ words: [String], _ text: String
  ) async throws {
    let result = try await CommandRunner.run(words)
    #expect(result.status == 0)
    #expect(result.output.contains(text), "\(result.output)")
  }

  @Test func `usage errors name the command as the user types it`() async throws {
    let result = try await CommandRunner.run(["repository", "push"])
    #expect(result.status == 64)
    #expect(result.error.contains("tensorio repository push"), "\(result.error)")
    let wrong = try await CommandRunner.run(["netrunner", "--prot", "1"])
    #expect(wrong.status == 64)
    #expect(wrong.error.contains("tensorio netrunner"), "\(wrong.error)")
  }
  #endif

  @Test func `--version prints nothing but the version`() async throws {
    let result = try await CommandRunner.run(["--version"])
    #expect(result.status == 0)
    #expect(result.output == "0.1.0\n")
    #expect(result.error.isEmpty)
  }
}

/// `tensorio doctor`.
struct DoctorTests {
  private struct Report: Decodable {
    struct Part: Decodable {
      var name: String
      var needed: Bool
      var found: Bool
      var path: String?
      var problem: String?
      var install: String
    }
    var version: String
    var parts: [Part]
  }

  private func report(_ environment: [String: String?]) async throws -> (
    Int32, [String: Report.Part]
  ) {
    let result = try await CommandRunner.run(["doctor", "--json"], environment: environment)
    let report = try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
    #expect(report.version == "0.1.0")
    return (result.status, Dictionary(uniqueKeysWithValues: report.parts.map { ($0.name, $0) }))
  }

  @Test(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
  func `an installed library is reported with its path`() async throws {
    let (status, parts) = try await report([:])
    #expect(status == 0)
    let liteRT = try #require(parts["LiteRT"])
    #expect(liteRT.found && liteRT.needed)
    #expect(FileManager.default.fileExists(atPath: liteRT.path ?? ""))
    let text = try await CommandRunner.run(["doctor"])
    #expect(text.status == 0)
    #expect(text.output.contains("LiteRT: found"), "\(text.output)")
  }

  @Test func `a missing or broken library is reported with the command that installs it`()
    async throws
  {
    let folder = try TemporaryFolder()
    let broken = folder.path + "/libLiteRt.so"
    try "no library".write(toFile: broken, atomically: true, encoding: .utf8)
    let (status, parts) = try await report([
      "TENSORIO_LITERT_LIBRARY": broken, "TENSORIO_ZIP_LIBRARY": folder.path + "/none.so",
      "TENSORIO_SQLITE_LIBRARY": broken,
    ])
    #expect(status == 69)
    let liteRT = try #require(parts["LiteRT"])
    #expect(!liteRT.found)
    #expect(liteRT.problem?.contains(broken) == true, "\(liteRT.problem ?? "")")
    #expect(liteRT.install.contains("make setup"))
    let zip = try #require(parts["libzip"])
    #expect(!zip.found && !zip.needed)
    #expect(zip.install == "apt-get install libzip4")
    let sqlite = try #require(parts["SQLite"])
    #expect(sqlite.problem?.contains(broken) == true, "\(sqlite.problem ?? "")")
    #expect(sqlite.install == "apt-get install libsqlite3-0")
  }
}
