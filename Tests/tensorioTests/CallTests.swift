// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO
import TestSupport
import Testing

/// gRPC with NVIDIA's client and gRPC's own, beside HTTP.
@Suite(
  .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; see Tools/requirements.txt."))
struct CallTests {
  private static let types = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "float16", "float32",
    "float64",
  ]

  /// Makes a folder with a model for each type, a slow one and one with a batch axis.
  private static func models() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    func add(_ file: String, _ id: String, _ input: String, _ output: String) throws {
      let bundle = try TemporaryBundle(file, inputs: [input], outputs: [output])
      let path = "\(folder.path)/\(id).tiobundle"
      try FileManager.default.copyItem(atPath: bundle.path, toPath: path)
      let json = String(decoding: try FileSystem.read(path + "/model.json"), as: UTF8.self)
      try json.replacing(#""id": "test""#, with: #""id": "\#(id)""#)
        .write(toFile: path + "/model.json", atomically: true, encoding: .utf8)
    }
    for type in types {
      let layer = #""type": "array", "shape": [2, 3]}"#
      try add("reverse_" + type, type, #"{"name": "x", \#(layer)"#, #"{"name": "y", \#(layer)"#)
    }
    try add(
      "dynamic_batch", "dynamic", #"{"name": "x", "type": "array", "shape": [-1, 3]}"#,
      #"{"name": "y", "type": "array", "shape": [-1, 2]}"#)
    try add(
      "string", "string", #"{"name": "x", "type": "array", "shape": [3], "dtype": "string"}"#,
      #"{"name": "y", "type": "array", "shape": [3], "dtype": "string"}"#)
    try add(
      "slow", "slow", #"{"name": "limit", "type": "array", "shape": [1]}"#,
      #"{"name": "reached", "type": "array", "shape": [1]}"#)
    return folder
  }

  /// Runs a check of the script with a server, and returns what it saw.
  private static func check(
    _ name: String, _ arguments: [String] = []
  ) async throws -> [String: JSONValue] {
    let folder = try models()
    let server = try RunningServer(
      ["--models", folder.path, "--grpc-port", "0"] + arguments)
    let output = try await Python.run(
      ["Tools/peers/grpc_client.py", name, server.place, try #require(server.callPlace)])
    guard case .object(let seen) = try JSONValue(parsing: Data(output.utf8)) else { return [:] }
    return seen
  }

  @Test func `gRPC and HTTP give the same bytes for every type`() async throws {
    let seen = try await Self.check("same")
    #expect(seen.count == 2 * (Self.types.count + 3) + 4)
    for (what, value) in seen { #expect(value == .bool(true), "\(what)") }
  }

  @Test func `gRPC and HTTP give the same configurations and statistics`() async throws {
    let seen = try await Self.check("described")
    #expect(seen.count == 2 * (Self.types.count + 2) + 2, "\(seen.keys.sorted())")
    for (what, value) in seen { #expect(value == .bool(true), "\(what)") }
  }

  @Test func `health, reflection, loading and unloading work`() async throws {
    let seen = try await Self.check("services")
    #expect(seen.count == 13)
    for (what, value) in seen { #expect(value == .bool(true), "\(what)") }
  }

  @Test func `errors have gRPC's codes and HTTP's messages, and deadlines end runs`() async throws {
    let seen = try await Self.check("errors")
    #expect(seen.count == 9)
    for (what, value) in seen { #expect(value == .bool(true), "\(what)") }
  }

  @Test func `clients that only watch the health make room for others`() async throws {
    let seen = try await Self.check("watching", ["--connections-per-address", "2"])
    #expect(seen == ["answers": .bool(true)])
  }

  @Test func `too many calls are refused, and cancelled ones end`() async throws {
    let seen = try await Self.check("overload")
    #expect(seen["codes"] == .array([.string("StatusCode.RESOURCE_EXHAUSTED")]))
    for what in ["some were refused", "free again", "none is left"] {
      #expect(seen[what] == .bool(true), "\(what)")
    }
  }

  @Test func `damaged messages are errors, and the server goes on`() async throws {
    let seen = try await Self.check("hostile")
    guard case .object(let codes)? = seen["codes"] else {
      Issue.record("\(seen)")
      return
    }
    let known: Set = ["OK", "INVALID_ARGUMENT", "NOT_FOUND"]
    #expect(Set(codes.keys).isSubset(of: known), "\(codes)")
    #expect(codes["INVALID_ARGUMENT"] != nil)
    for (what, value) in seen where what != "codes" { #expect(value == .bool(true), "\(what)") }
  }

  @Test(arguments: [["--batch-delay", "20"], [], ["--batch-size", "1"]])
  func `requests that run together have the values of single runs`(
    arguments: [String]
  ) async throws {
    let seen = try await Self.check("joined", arguments)
    #expect(seen["values"] == .bool(true) && seen["errors stay apart"] == .bool(true), "\(seen)")
    guard case .number(let items)? = seen["items"], case .number(let runs)? = seen["runs"] else {
      Issue.record("\(seen)")
      return
    }
    #expect(items == 499 + 32)
    // A delay makes sure that requests wait for each other.
    if arguments.contains("20") { #expect(runs < items / 4, "\(runs)") }
    if arguments.contains("1") { #expect(runs == items) }
  }

  @Test(arguments: [true, false])
  func `a server without LiteRT isn't ready, and calls need the token`(
    isEncrypted: Bool
  ) async throws {
    let token = "a token of enough bytes"
    let certificates = isEncrypted ? try TestCertificates() : nil
    let server = try RunningServer(
      ["--grpc-port", "0", "--token", token]
        + (certificates.map { ["--cert", $0.chain, "--key", $0.key] } ?? []),
      library: "/nonexistent/libLiteRt.so")
    let output = try await Python.run(
      ["Tools/peers/grpc_access.py", try #require(server.callPlace), token]
        + (certificates.map { [$0.authority] } ?? []))
    guard case .object(let seen) = try JSONValue(parsing: Data(output.utf8)) else {
      Issue.record("\(output)")
      return
    }
    for (what, value) in [
      ("health", "NOT_SERVING"), ("without a token", "UNAUTHENTICATED"),
      ("wrong token", "UNAUTHENTICATED"), ("ready", "false"), ("model", "UNAVAILABLE"),
    ] {
      #expect(seen[what] == .string(value), "\(output)")
    }
  }
}
#endif
