// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TestSupport
import Testing

/// `tensorio netrunner` on a free port, for one test.
final class RunningServer {
  /// The server's address: `http://127.0.0.1:PORT/`.
  let address: String
  private let process: ChildProcess
  private let folder: TemporaryFolder

  /// Starts the server and waits until it listens.
  ///
  /// - Parameters:
  ///   - arguments: Further command-line arguments.
  ///   - executable: The program to run, which must have the same command line.
  /// - Throws: An error if the server doesn't start.
  init(_ arguments: [String] = [], executable: URL = CommandRunner.binary) throws {
    folder = try TemporaryFolder()
    var environment = ProcessInfo.processInfo.environment
    environment["XDG_DATA_HOME"] = folder.path
    environment["XDG_CACHE_HOME"] = folder.path + "/cache"
    // The installed library must still be found.
    environment["TENSORIO_LITERT_LIBRARY"] = Self.library
    process = try ChildProcess(
      executable.path,
      ["netrunner", "--port", "0", "--no-browser", "--threads", "2", "--log-level", "error"]
        + arguments,
      environment: environment)
    let line = String(decoding: process.output.availableData, as: UTF8.self)
    address = line.replacing("Net Runner: ", with: "").trimmingCharacters(in: .newlines)
    try #require(address.hasPrefix("http"), "\(line)")
  }

  deinit {
    kill(process.identifier, SIGKILL)
    _ = process.wait()
  }

  /// The host and port.
  var place: String { String(address.dropFirst("http://".count).dropLast()) }

  /// The peak resident memory of the process, in bytes.
  var peakMemory: Int {
    get throws {
      let status = try String(
        contentsOfFile: "/proc/\(process.identifier)/status", encoding: .utf8)
      let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM") })
      return 1024 * (Int(line.filter(\.isNumber)) ?? 0)
    }
  }

  /// Sends a signal and waits for the process to end.
  ///
  /// - Returns: The exit status, or the number of the signal that ended it.
  func end(with signal: Int32) async -> Int32 {
    kill(process.identifier, signal)
    return await process.finish().status
  }

  private static var library: String {
    let environment = ProcessInfo.processInfo.environment
    if let path = environment["TENSORIO_LITERT_LIBRARY"] { return path }
    let home = environment["HOME"] ?? ""
    let data = environment["XDG_DATA_HOME"] ?? home + "/.local/share"
    let folder = environment["TENSORIO_HOME"] ?? data + "/tensorio"
    return folder + "/lib/libLiteRt.so"
  }
}
#endif
