// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO
import TestSupport
import Testing

/// `netrunner --accelerator`, with faults that are planted into the trial.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct NetRunnerAcceleratorTests {
  private static let fault = "TENSORIO_ACCELERATOR_FAULT"

  /// Sends a request, and returns the members of the answer.
  private static func request(
    _ path: String, _ arguments: [String] = [], to server: RunningServer
  ) async throws -> [String: JSONValue] {
    let curl = try ChildProcess(
      "/usr/bin/env", ["curl", "-sS", "--max-time", "300", server.address + path] + arguments)
    let result = await curl.finish()
    guard case .object(let members) = try JSONValue(parsing: Data(result.output.utf8)) else {
      throw CocoaError(.coderInvalidValue)
    }
    return members
  }

  /// Returns a member of a member.
  private static func member(_ members: [String: JSONValue], _ names: String...) -> JSONValue? {
    names.reduce(.object(members)) { value, name in
      if case .object(let members)? = value { members[name] } else { nil }
    }
  }

  private static func infer(_ server: RunningServer) async throws -> [String: JSONValue] {
    let photo = CommandRunner.packageFolder.path + "/Demo/images/digit-7-01.png"
    return try await request(
      "api/v1/models/digits/infer",
      ["--data-binary", "@\(photo)", "--header", "Content-Type: image/png"], to: server)
  }

  @Test func `answers and reports say that the CPU took over, and why`() async throws {
    let server = try RunningServer(
      ["--accelerator", "auto", "--photos", CommandRunner.packageFolder.path + "/Demo/images"],
      variables: [Self.fault: "wrong"])
    let plain = try RunningServer()
    let (found, expected) = (try await Self.infer(server), try await Self.infer(plain))
    #expect(found["accelerator"] == .string("cpu"))
    guard case .string(let reason)? = found["accelerator_reason"] else {
      Issue.record("\(found)")
      return
    }
    #expect(reason.hasPrefix("its trial computed other values: "))
    #expect(found["classes"] == expected["classes"] && found["classes"] != nil)
    #expect(expected["accelerator"] == nil)

    var answer = try await Self.request(
      "api/v1/evaluations", ["--json", #"{"models": ["digits"], "folder": "images"}"#], to: server)
    guard case .string(let id)? = Self.member(answer, "evaluation", "id") else {
      Issue.record("\(answer)")
      return
    }
    while Self.member(answer, "report") ?? .null == .null,
      Self.member(answer, "evaluation", "error") ?? .null == .null
    {
      try await Task.sleep(for: .milliseconds(50))
      answer = try await Self.request("api/v1/evaluations/\(id)", to: server)
    }
    guard
      case .string(let text)? = Self.member(
        answer, "report", "environment", "accelerators", "digits")
    else {
      Issue.record("\(answer)")
      return
    }
    #expect(text.hasPrefix("cpu (its trial computed other values: "))
  }

  @Test func `a GPU that is required and can't be trusted is an error`() async throws {
    let server = try RunningServer(
      ["--accelerator", "gpu"], variables: [Self.fault: "crash"])
    for _ in 0..<2 {
      let answer = try await Self.infer(server)
      guard case .string(let message)? = Self.member(answer, "error", "message") else {
        Issue.record("\(answer)")
        return
      }
      #expect(message.contains("can't run on the accelerator 'gpu': its trial crashed"))
    }
  }

  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["VK_DRIVER_FILES"] != nil,
      "VK_DRIVER_FILES names no Vulkan driver."))
  func `a GPU that gives the CPU's values runs the models, each in a process`() async throws {
    let server = try RunningServer(["--accelerator", "gpu"])
    for _ in 0..<3 {
      let answer = try await Self.infer(server)
      #expect(answer["accelerator"] == .string("gpu"), "\(answer)")
      #expect(answer["accelerator_reason"] == nil)
    }
  }

  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["VK_DRIVER_FILES"] != nil,
      "VK_DRIVER_FILES names no Vulkan driver."))
  func `a driver that ends its process ends one answer, and the CPU goes on`() async throws {
    let server = try RunningServer(["--accelerator", "auto"])
    try await #expect(Self.infer(server)["accelerator"] == .string("gpu"))
    let all = try server.children
    let children = try all.filter { child in
      // A file of /proc has no size, and this one is long.
      let maps = try #require(FileHandle(forReadingAtPath: "/proc/\(child)/maps")).readToEnd()
      return String(decoding: maps ?? Data(), as: UTF8.self).contains("libvulkan")
    }
    try #require(!children.isEmpty, "\(all)")
    for child in children { kill(child, SIGKILL) }
    try await #expect(Self.infer(server)["error"] != nil)
    let answer = try await Self.infer(server)
    #expect(answer["accelerator"] == .string("cpu"))
    guard case .string(let reason)? = answer["accelerator_reason"] else {
      Issue.record("\(answer)")
      return
    }
    #expect(reason.hasPrefix("a run after its trial crashed: "))
  }
}
#endif
