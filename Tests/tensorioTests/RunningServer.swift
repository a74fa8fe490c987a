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
  /// The host and port of gRPC, if the arguments ask for it.
  let callPlace: String?
  private let process: ChildProcess
  private let folder: TemporaryFolder

  /// Starts the server and waits until it listens.
  ///
  /// - Parameters:
  ///   - arguments: Further command-line arguments.
  ///   - executable: The program to run, which must have the same command line.
  ///   - library: The path of LiteRT's library, or nil for the installed one.
  ///   - variables: Further variables of its environment.
  /// - Throws: An error if the server doesn't start.
  init(
    _ arguments: [String] = [], executable: URL = CommandRunner.binary, library: String? = nil,
    variables: [String: String] = [:]
  ) throws {
    folder = try TemporaryFolder()
    var environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
    environment["XDG_DATA_HOME"] = folder.path
    environment["XDG_CACHE_HOME"] = folder.path + "/cache"
    // The installed library must still be found.
    environment["TENSORIO_LITERT_LIBRARY"] = library ?? Self.library
    process = try ChildProcess(
      executable.path,
      ["netrunner", "--port", "0", "--no-browser", "--threads", "2", "--log-level", "error"]
        + arguments,
      environment: environment)
    var text = ""
    func place(_ name: String) -> String? {
      text.split(separator: "\n").first { $0.hasPrefix(name) }.map {
        String($0.dropFirst(name.count))
      }
    }
    let isForCalls = arguments.contains("--grpc-port")
    // The servers say in any order where they listen.
    while place("Net Runner: ") == nil || (isForCalls && place("gRPC: ") == nil) {
      let data = process.output.availableData
      guard !data.isEmpty else { break }
      text += String(decoding: data, as: UTF8.self)
    }
    address = try #require(place("Net Runner: "), "\(text)")
    callPlace = place("gRPC: ")
  }

  deinit {
    kill(process.identifier, SIGKILL)
    _ = process.wait()
  }

  /// The host and port.
  var place: String { String(address.dropFirst("http://".count).dropLast()) }

  /// The server's process.
  var identifier: pid_t { process.identifier }

  /// The processes that the server has started.
  var children: [pid_t] {
    get throws {
      // Each thread has children of its own.
      let threads = try FileManager.default.contentsOfDirectory(
        atPath: "/proc/\(process.identifier)/task")
      return try threads.flatMap { thread in
        let list = try String(
          contentsOfFile: "/proc/\(process.identifier)/task/\(thread)/children", encoding: .utf8)
        return list.split(separator: " ").compactMap { pid_t($0) }
      }
    }
  }

  /// The peak resident memory of the process, in bytes.
  var peakMemory: Int {
    get throws {
      let status = try String(
        contentsOfFile: "/proc/\(process.identifier)/status", encoding: .utf8)
      let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM") })
      return 1024 * (Int(line.filter(\.isNumber)) ?? 0)
    }
  }

  /// Sends a signal, or none if it is 0, and waits for the process to end.
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
