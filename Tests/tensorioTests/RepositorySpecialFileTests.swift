// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO
import TestSupport
import Testing

/// Pipes, sockets, devices and folders where the repository's commands expect a file.
@Suite struct RepositorySpecialFileTests {
  private static let digits = CommandRunner.packageFolder.path + "/Demo/digits.tiobundle"

  /// The error message of a command, which must end by itself.
  private static func refusal(
    _ arguments: [String], location: SourceLocation = #_sourceLocation
  ) async throws -> String {
    // A command that waits for a pipe's writer hangs until the runner kills it.
    let result = try await CommandRunner.run(["repository"] + arguments)
    #expect([64, 65, 66].contains(result.status), "\(result)", sourceLocation: location)
    return result.error
  }

  private static func push(_ path: String) -> [String] {
    ["push", path, "--model", "m", "--as", "1", "--server", "http://127.0.0.1:9"]
  }

  @Test(arguments: ["", "model.json", "model.tflite", "assets/labels.txt", "assets/more"])
  func `push refuses a pipe, a socket and a link to a device`(place: String) async throws {
    let folder = try TemporaryFolder()
    let bundle = folder.path + "/digits.tiobundle"
    for kind in ["pipe", "socket", "link"] {
      try? FileManager.default.removeItem(atPath: bundle)
      if !place.isEmpty { try FileManager.default.copyItem(atPath: Self.digits, toPath: bundle) }
      let path = place.isEmpty ? bundle : bundle + "/" + place
      try? FileManager.default.removeItem(atPath: path)
      switch kind {
      case "pipe": try #require(mkfifo(path, 0o600) == 0)
      case "socket":
        let process = try ChildProcess(
          "/usr/bin/env",
          [
            "python3", "-c",
            "import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])", path,
          ])
        try #require(process.wait() == 0)
      default:
        try FileManager.default.createSymbolicLink(
          atPath: path, withDestinationPath: "/dev/zero")
      }
      for options in [[], ["--no-check"]] {
        let message = try await Self.refusal(Self.push(bundle) + options)
        #expect(message.contains(path) || message.contains("digits.tiobundle"), "\(message)")
        #expect(!message.contains("refused the connection"), "\(message)")
      }
    }
  }

  @Test func `pushing an empty bundle is refused and named`() async throws {
    let folder = try TemporaryFolder()
    let bundle = folder.path + "/empty.tiobundle"
    try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
    for options in [[], ["--no-check"]] {
      let message = try await Self.refusal(Self.push(bundle) + options)
      #expect(message.contains("model.json") && message.contains(bundle), "\(message)")
    }
  }

  @Test func `keys, root documents and certificates must be regular files`() async throws {
    let folder = try TemporaryFolder()
    let pipe = folder.path + "/pipe"
    try #require(mkfifo(pipe, 0o600) == 0)
    _ = try await CommandRunner.run([
      "repository", "token", "create", "all", "--scope", "admin", "--data", folder.path + "/data",
    ])
    for (file, words) in [(pipe, "is a pipe"), (folder.path, "is a folder")] {
      for arguments in [
        ["pull", "m", "--root", file, "-o", folder.path + "/out"],
        ["verify", "m", "--root", file],
        ["serve", "--data", folder.path + "/data", "--port", "0", "--cert", file, "--key", file],
        ["keys", "create", "--root", file, "--data", folder.path + "/data"],
        ["keys", "sign", file, "--root-key", file],
      ] {
        let message = try await Self.refusal(arguments)
        #expect(message.contains(words) && message.contains(file), "\(arguments): \(message)")
      }
      let result = try await CommandRunner.run(
        ["netrunner", "--no-browser", "--port", "0", "--cert", file, "--key", file])
      #expect(result.status == 65 && result.error.contains(words), "\(result)")
    }
  }
}
#endif
