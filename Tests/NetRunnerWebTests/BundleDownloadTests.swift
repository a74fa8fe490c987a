// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Files
import Foundation
import NIOCore
import Synchronization
import Testing
import WebClient

@testable import NetRunner
@testable import NetRunnerWeb

@Suite(.timeLimit(.minutes(10))) struct BundleDownloadTests {
  private static let body = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

  /// Makes a download that allows public addresses and the test server's address.
  private static func download(_ change: (inout DownloadLimits) -> Void = { _ in })
    -> BundleDownload
  {
    var limits = DownloadLimits()
    change(&limits)
    var rules = AddressRules()
    if let address = IPAddress("127.0.0.1") { rules.exceptions = [address] }
    return BundleDownload(rules: rules, limits: limits)
  }

  /// Expects an error and no file.
  @discardableResult
  private func expect(
    _ code: ImportError.Code, _ url: String, with download: BundleDownload = download(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> String {
    let target = try TestFolder()
    let path = target.file
    let error = await #expect(throws: ImportError.self, sourceLocation: sourceLocation) {
      try await download.download(url, to: path)
    }
    #expect(error?.code == code, "\(error?.message ?? "")", sourceLocation: sourceLocation)
    #expect(target.names == [], sourceLocation: sourceLocation)
    return error?.message ?? ""
  }

  private static func server() async throws -> ScriptedServer {
    try await ScriptedServer { path in
      let size = Self.body.count
      switch path {
      case "/x.zip": return .reply("200 OK", body: Self.body)
      case "/moved": return .reply("302 Found", ["Location: /x.zip"])
      case "/kept": return .reply("308 Permanent Redirect", ["Location: x.zip"], body: [1, 2])
      case "/round": return .reply("302 Found", ["Location: /round"])
      case "/nowhere": return .reply("302 Found")
      case "/private": return .reply("302 Found", ["Location: http://169.254.169.254/latest/"])
      case "/loopback": return .reply("302 Found", ["Location: http://127.0.0.2/"])
      case "/decimal": return .reply("302 Found", ["Location: http://2130706434/"])
      case "/six": return .reply("302 Found", ["Location: http://[::ffff:127.0.0.1]/"])
      case "/file": return .reply("302 Found", ["Location: file:///etc/passwd"])
      case "/user": return .reply("302 Found", ["Location: http://a:b@127.0.0.1/"])
      case "/gone": return .reply("410 Gone", body: Self.body)
      case "/broken": return .reply("500 Internal Server Error", body: Self.body)
      case "/part": return .reply("206 Partial Content", body: Self.body)
      case "/nothing": return .text("HTTP/1.1 204 No Content\r\n\r\n")
      case "/cut":
        return .bytes(
          Array("HTTP/1.1 200 OK\r\nContent-Length: \(size + 1)\r\n\r\n".utf8) + Self.body)
      case "/more":
        return .bytes(
          Array("HTTP/1.1 200 OK\r\nContent-Length: \(size - 9)\r\n\r\n".utf8) + Self.body)
      case "/until-close": return .bytes(Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + Self.body)
      case "/cut-chunks":
        return .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
      case "/chunks":
        return .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
      case "/negative": return .text("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nx")
      case "/two-lengths":
        return .text("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxy")
      case "/says-huge":
        return .text("HTTP/1.1 200 OK\r\nContent-Length: 1099511627776\r\n\r\n", closes: false)
      case "/no-http": return .text("SSH-2.0-OpenSSH_9.6\r\n")
      case "/closed": return .bytes([])
      case "/endless": return .endless(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
      case "/endless-error": return .endless(Array("HTTP/1.1 500 No\r\n\r\n".utf8))
      case "/endless-head": return .endless(Array("HTTP/1.1 200 OK\r\nA: ".utf8))
      case "/silent": return .bytes([], closes: false)
      case "/stalled":
        return .text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello", closes: false)
      case "/drip":
        return .drip(
          Array("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n".utf8), every: .milliseconds(50))
      case "/gzip":
        return .reply("200 OK", ["Content-Encoding: gzip"], body: [0x1F, 0x8B, 8] + Self.body)
      default: return .reply("404 Not Found", body: Array("<html>".utf8))
      }
    }
  }

  // MARK: - Successful downloads

  @Test(arguments: ["/x.zip", "/moved", "/kept", "/until-close"])
  func `a file is downloaded, even after redirections`(_ path: String) async throws {
    let server = try await Self.server()
    let target = try TestFolder()
    let progress = Mutex<[[Int?]]>([])
    try await Self.download().download(server.url(path), to: target.file) { received, total in
      progress.withLock { $0.append([received, total]) }
    }
    #expect(FileManager.default.contents(atPath: target.file) == Data(Self.body))
    #expect(target.names == ["x.zip"])
    let total = path == "/until-close" ? nil : Self.body.count
    let steps = progress.withLock { $0 }
    #expect(steps.first == [0, total])
    #expect(steps.last == [Self.body.count, total])
    let mode = try FileManager.default.attributesOfItem(atPath: target.file)[.posixPermissions]
    #expect((mode as? NSNumber)?.intValue == 0o600)
    #expect(server.requests.allSatisfy { $0.lowercased().contains("accept-encoding: identity") })
  }

  @Test func `a body can come in chunks and ends at its content length`() async throws {
    let server = try await Self.server()
    let target = try TestFolder()
    try await Self.download().download(server.url("/chunks"), to: target.file)
    #expect(FileManager.default.contents(atPath: target.file) == Data("hello".utf8))
    try FileManager.default.removeItem(atPath: target.file)
    try await Self.download().download(server.url("/more"), to: target.file)
    #expect(FileManager.default.contents(atPath: target.file) == Data(Self.body.dropLast(9)))
  }

  @Test func `private addresses can be allowed`() async throws {
    let server = try await Self.server()
    let target = try TestFolder()
    let rules = AddressRules(allowsPrivateAddresses: true)
    try await BundleDownload(rules: rules).download(
      server.url("/x.zip", host: "localhost"), to: target.file)
    #expect(FileManager.default.contents(atPath: target.file)?.count == Self.body.count)
  }

  // MARK: - Addresses

  @Test(arguments: ["/private", "/loopback", "/decimal", "/six"])
  func `a redirection to a private address isn't followed`(_ path: String) async throws {
    try await expect(.addressNotAllowed, Self.server().url(path))
  }

  @Test func `addresses are rejected before anything is sent`() async throws {
    let server = try await Self.server()
    let port = server.port
    for host in ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "127.1", "[::1]", "0.0.0.0"] {
      let download = BundleDownload(rules: AddressRules())
      let message = try await expect(
        .addressNotAllowed, "http://\(host):\(port)/x.zip", with: download)
      #expect(message.contains("this computer"))
    }
    #expect(server.requests == [])
  }

  @Test func `other schemes and credentials are rejected`() async throws {
    let server = try await Self.server()
    try await expect(.invalidURL, "file:///etc/passwd")
    try await expect(.invalidURL, server.url("/x.zip").replacing("//", with: "//user:secret@"))
    try await expect(.invalidURL, server.url("/file"))
    try await expect(.invalidURL, server.url("/user"))
  }

  /// A name server that changes its answers could otherwise bypass the check.
  @Test func `the client connects to the address that was checked`() async throws {
    let server = try await Self.server()
    let questions = Mutex(0)
    var download = Self.download()
    download.resolver = HostResolver { host in
      let first = questions.withLock { count in
        count += 1
        return count == 1
      }
      return [IPAddress(first ? "127.0.0.1" : "127.0.0.2")].compactMap { $0 }
    }
    let target = try TestFolder()
    try await download.download(server.url("/x.zip", host: "bundles.example"), to: target.file)
    #expect(questions.withLock { $0 } == 1)
    let request = try #require(server.requests.first)
    #expect(request.contains("bundles.example:\(server.port)\r\n"))
    // The redirection resolves the name again and gets the other address.
    questions.withLock { $0 = 0 }
    try await expect(
      .addressNotAllowed, server.url("/moved", host: "bundles.example"), with: download)
    #expect(questions.withLock { $0 } == 2)
  }

  @Test func `the allowed ones of several addresses are tried in turn`() async throws {
    let server = try await Self.server()
    var download = Self.download()
    download.resolver = HostResolver { _ in
      // Nothing listens at the second one.
      ["10.0.0.1", "127.0.0.3", "127.0.0.1"].compactMap { IPAddress($0) }
    }
    download.rules.exceptions = Set(["127.0.0.3", "127.0.0.1"].compactMap { IPAddress($0) })
    let target = try TestFolder()
    try await download.download(server.url("/x.zip", host: "many.example"), to: target.file)
    #expect(target.names == ["x.zip"])
  }

  /// The client ignores the checked addresses if the host is an address in brackets.
  @Test func `a connection to an address that wasn't checked isn't used`() async throws {
    guard let server = try? await ScriptedServer(host: "::1", { _ in .reply("200 OK") }) else {
      return  // This computer has no IPv6.
    }
    let target = try TestFolder()
    let exchange = BundleExchange(
      address: try BundleAddress(server.url("/x.zip", host: "[::1]")), limits: DownloadLimits(),
      tlsConfiguration: nil)
    let computers = ["127.0.0.1"].compactMap { IPAddress($0) }
    let file = try OpenFile(creating: target.file)
    let error = await #expect(throws: ImportError.self) {
      try await exchange.fetch(from: computers, into: file) { _, _ in }
    }
    #expect(error?.code == .addressNotAllowed, "\(error?.message ?? "")")
    #expect(server.requests == [])
  }

  // MARK: - Servers

  @Test(arguments: [
    ("/no", ImportError.Code.notFound, "404"), ("/gone", .notFound, "410"),
    ("/broken", .serverError, "500"), ("/part", .serverError, "206"),
    ("/nothing", .serverError, "204"), ("/nowhere", .serverError, "302"),
    ("/round", .serverError, "more than 5"), ("/gzip", .serverError, "gzip"),
    ("/endless-error", .serverError, "500"),
    ("/cut", .connectionFailed, "early"),
    ("/cut-chunks", .connectionFailed, "early"),
    ("/negative", .connectionFailed, "valid HTTP"),
    ("/two-lengths", .connectionFailed, "valid HTTP"),
    ("/no-http", .connectionFailed, "valid HTTP"),
    ("/closed", .connectionFailed, "early"),
    ("/endless-head", .connectionFailed, "valid HTTP"), ("/says-huge", .tooLarge, "512 MiB"),
  ])
  func `each failure of a server has an error code`(
    _ path: String, _ code: ImportError.Code, _ words: String
  ) async throws {
    let server = try await Self.server()
    let message = try await expect(code, server.url(path))
    #expect(message.contains(words), "\(message)")
    #expect(server.requests.count == (path == "/round" ? 6 : 1))
  }

  @Test func `an endless body ends at the limit`() async throws {
    try await expect(
      .tooLarge, Self.server().url("/endless"), with: Self.download { $0.bytes = 3 << 20 })
    try await expect(
      .tooLarge, Self.server().url("/x.zip"), with: Self.download { $0.bytes = 199_999 })
  }

  @Test(arguments: ["/silent", "/stalled"])
  func `a download from a silent server times out`(_ path: String) async throws {
    let message = try await expect(
      .timedOut, Self.server().url(path), with: Self.download { $0.stall = .milliseconds(300) })
    #expect(message.contains("sent nothing"))
  }

  @Test func `a download from a slow server ends after the total time limit`() async throws {
    let download = Self.download {
      $0.stall = .seconds(5)
      $0.total = .seconds(1)
    }
    let message = try await expect(.timedOut, Self.server().url("/drip"), with: download)
    #expect(message.contains("took longer than"))
  }

  @Test func `an unreachable server is an error`() async throws {
    // While other tests run, resolving a name may wait long for a thread.
    let patient = Self.download { $0.connect = .seconds(120) }
    // Nothing listens on port 1.
    try await expect(.connectionFailed, "http://127.0.0.1:1/x.zip", with: patient)
    try await expect(.connectionFailed, "http://no-such-host.invalid/x.zip", with: patient)
  }

  // MARK: - Cancellation

  @Test(arguments: ["/silent", "/drip", "/endless"])
  func `a cancelled task ends the download`(_ path: String) async throws {
    let server = try await Self.server()
    let target = try TestFolder()
    let (url, file) = (server.url(path), target.file)
    let task = Task { try await Self.download { $0.bytes = 1 << 40 }.download(url, to: file) }
    while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
    task.cancel()
    let error = await #expect(throws: ImportError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    #expect(target.names == [])
  }

  @Test func `a cancelled download doesn't wait for a silent name server`() async throws {
    let (names, asked) = AsyncStream<Void>.makeStream()
    var download = Self.download()
    download.resolver = HostResolver { _ in
      asked.yield()
      try await Task.sleep(for: .seconds(100))
      return []
    }
    let target = try TestFolder()
    let task = Task { [download, file = target.file] in
      try await download.download("http://slow.example/x.zip", to: file)
    }
    for await _ in names { break }
    task.cancel()
    let error = await #expect(throws: ImportError.self) { try await task.value }
    #expect(error?.code == .cancelled)
  }

  @Test func `an existing file is neither overwritten nor removed`() async throws {
    let server = try await Self.server()
    let target = try TestFolder()
    try Data("mine".utf8).write(to: URL(filePath: target.file))
    for path in [target.file, target.path + "/no/x.zip"] {
      let error = await #expect(throws: ImportError.self) {
        try await Self.download().download(server.url("/x.zip"), to: path)
      }
      #expect(error?.code == .cannotWrite)
    }
    #expect(FileManager.default.contents(atPath: target.file) == Data("mine".utf8))
    #expect(server.requests == [])
  }
}

extension TestFolder {
  /// The path of the downloaded file.
  fileprivate var file: String { path + "/x.zip" }
  fileprivate var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
  }
}
#endif
