// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
public import ArgumentParser
import CSystemCalls
import Foundation
import ModelCommands
import NetRunnerWeb
import ServerCommandLine
import TensorIO
import TensorIOCommandLine
import TensorIOLiteRT

/// The command `tensorio netrunner`.
public struct NetRunnerCommand: ParsableCommand {
  public static let configuration = CommandConfiguration(
    commandName: "netrunner", _superCommandName: "tensorio",
    abstract: "Run models in a browser on photos, videos and the live camera.",
    discussion: """
      Examples:
        tensorio netrunner
        tensorio netrunner --models models --photos holiday --port 9000
        tensorio netrunner --host 0.0.0.0 --cert cert.pem --key key.pem
        tensorio netrunner --repository https://models.example.com --repository-key KEY

      By default, only this machine can reach the server. With --host, other machines can, and \
      every request needs a token; it is generated if --token is missing. Browsers only allow the \
      camera on https and localhost pages, so cameras of other machines need --cert and --key.
      """,
    version: Version.current,
    subcommands: [
      SessionWorkerCommand.self, BundleMakerCommand.self, GraphReaderCommand.self,
      OperatorTimesCommand.self,
    ])

  @Option(
    help: ArgumentHelp(
      "A folder of bundles (default: the shipped bundles and earlier imports).",
      valueName: "folder"),
    completion: .directory)
  var models: String?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("A folder of photos to evaluate; may be repeated.", valueName: "folder"),
    completion: .directory)
  var photos: [String] = []

  @Option(help: "The port; 0 picks a free one.")
  var port = 8080

  @OptionGroup var server: ServerArguments

  @Option(
    help: ArgumentHelp(
      "Another port, which serves the Open Inference Protocol over gRPC; 0 picks a free one.",
      valueName: "port"))
  var grpcPort: Int?

  @Option(
    help: ArgumentHelp(
      "The most items of waiting requests that run together, if a model declares a batch axis; 1 "
        + "runs every request alone.", valueName: "count"))
  var batchSize = 32

  @Option(
    help: ArgumentHelp(
      "How long a request waits for others to run with it; with 0, only those run together that "
        + "wait anyway.", valueName: "milliseconds"))
  var batchDelay = 0.0

  @Option(
    help:
      "The token that every request needs, 16 bytes or more; safer in TENSORIO_NETRUNNER_TOKEN."
  )
  var token: String?

  @Option(help: "How many images are processed at once (default: the number of processors).")
  var threads: Int?

  @Option(name: .customLong("accelerator"), help: AcceleratorChoice.help)
  var accelerator: AcceleratorChoice?

  @Flag(help: "Allow imports of bundles from private and loopback addresses.")
  var allowPrivateImports = false

  @Option(
    help: ArgumentHelp(
      "The largest body of a request with tensors, such as 512KiB or 64MiB (default: as much as "
        + "the model's inputs can need).", valueName: "size"))
  var bodyLimit: ByteCount?

  @OptionGroup var repository: NetRunnerRepositoryArguments

  @Option(name: .long, help: MemoryLimit.help)
  var memoryLimit = MemoryLimit.standard

  @Option(
    help: ArgumentHelp(
      "The most time that a TensorFlow Lite model may take to load, and for each run (default: 15 "
        + "for loading it and its first run, then 60).", valueName: "seconds"))
  var timeLimit: Double?

  @Flag(help: "Don't open a browser.")
  var noBrowser = false

  public init() {}

  public func validate() throws {
    try checkUsage(
      (0...65535).contains(port) && (1...1024).contains(threads ?? 1),
      "--port takes 0 to 65535, --threads a positive number.")
    try checkUsage(
      (0...65535).contains(grpcPort ?? 0) && (1...4096).contains(batchSize)
        && (0...10_000).contains(batchDelay),
      "--grpc-port takes 0 to 65535, --batch-size 1 to 4096, --batch-delay 0 to 10000.")
    if let timeLimit {
      try checkUsage(
        (1...86_400).contains(timeLimit), "--time-limit takes 1 to 86400, got \(timeLimit).")
    }
    if let bodyLimit, !(1024...256 << 20).contains(bodyLimit.bytes) {
      throw ValidationError("--body-limit takes a size from 1KiB to 256MiB, got \(bodyLimit).")
    }
  }

  public func run() throws {
    #if canImport(Glibc)
    // Return large blocks, such as request bodies, to the system as soon as they are freed. By
    // default, glibc raises the size from which it does so each time a large block is freed. It
    // keeps the rest in one heap per thread, which takes 100 MB for 64 clients that post images.
    _ = mallopt(M_MMAP_THRESHOLD, 64 << 10)
    #endif
    let options = try options()
    let server = try NetRunnerServer(options, logger: server.logger(label: "netrunner"))
    let opensBrowser = !noBrowser && Browser.isThere
    let warnings = [options.libraryProblem(), cameraWarning].compactMap { $0 }
    try BlockingTask.run {
      try await server.run {
        Console.printData("gRPC: \($0)")
      } onStart: { address in
        Console.printData("Net Runner: \(address)")
        for warning in warnings { Console.printMessage(warning) }
        if opensBrowser { Browser.open(address) }
      }
    }
  }

  private func options() throws -> NetRunnerOptions {
    let backends = Backends.isolated(by: memoryLimit, timeLimit: timeLimit)
    var options = NetRunnerOptions(models: try modelsFolder(), backends: backends)
    if let accelerator, accelerator != .cpu {
      let make = { @Sendable [memoryLimit, timeLimit] in
        Self.runtimes(on: accelerator, memoryLimit, timeLimit)
      }
      options.runtimes = make()
      options.trialBackends = backends
      options.makeEvaluationRuntimes = make
    }
    options.includesShippedModels = models == nil
    for folder in photos where !FileSystem.isFolder(folder) {
      throw TensorIOError(.fileNotFound, "There is no folder '\(folder)'.")
    }
    options.folders = photos
    options.dataFolder = Self.dataFolder
    options.host = server.host
    options.port = port
    options.threads = threads ?? Processors.count
    options.maximumTensorRequestBytes = bodyLimit?.bytes
    options.allowsPrivateImports = allowPrivateImports
    options.repository = try repository.configuration()
    options.version = Version.current
    options.outputFormats = TensorIOTool.current.outputFormats
    options.metrics = TensorIOTool.current.metrics
    options.libraries = Backends.versions
    options.makeBundle = BundleMaker(memoryLimit: memoryLimit).make
    let process = ModelProcess(memoryLimit: memoryLimit)
    options.readGraph = { Array(try process.run(GraphReaderCommand.self, on: $0).output) }
    options.measureOperators = { Array(try process.run(OperatorTimesCommand.self, on: $0).output) }
    let liteRT = LiteRTBackend()
    options.libraryProblem = { Backends.problem(of: liteRT) }
    options.certificate = try server.certificate
    options.connectionsPerAddress = server.connectionsPerAddress
    options.healthPort = server.healthPort
    options.shutdownTime = server.shutdownTime
    options.grpcPort = grpcPort
    options.batchSize = batchSize
    options.batchDelay = batchDelay
    let named = token ?? ProcessInfo.processInfo.environment["TENSORIO_NETRUNNER_TOKEN"]
    options.token = named ?? (options.isLocal ? nil : Self.madeUpToken)
    return options
  }

  /// Makes runtimes that try out an accelerator, and know what runs each model.
  private static func runtimes(
    on accelerator: AcceleratorChoice, _ memoryLimit: MemoryLimit, _ timeLimit: Double?
  ) -> ModelRuntimes {
    let report = AcceleratorReport(accelerator, isForServer: true)
    return ModelRuntimes(
      backends: report.isolatedBackends(limitedBy: memoryLimit, timeLimit: timeLimit),
      accelerator: { report.description(ofModelAt: $0) })
  }

  private func modelsFolder() throws -> String {
    if let models {
      guard FileSystem.isFolder(models) else {
        throw TensorIOError(.fileNotFound, "There is no folder '\(models)' for --models.")
      }
      return models
    }
    let folder = Self.dataFolder + "/models"
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw TensorIOError(
        .unwritableFile,
        "The folder '\(folder)' for imported models can't be created: "
          + "\(FileSystem.reason(for: error)). Choose another folder with --models.", cause: error)
    }
    return folder
  }

  /// The folder for the program's data, into which `make setup` also installs libraries.
  private static let dataFolder = Installation.dataFolder ?? "./.local/share/tensorio"

  /// A warning that browsers on other machines won't give the page their cameras, or nil if they
  /// will.
  private var cameraWarning: String? {
    guard (try? server.certificate) == nil,
      !["127.0.0.1", "localhost", "::1"].contains(server.host)
    else { return nil }
    return "Without --cert and --key, browsers on other machines don't allow the camera on this "
      + "page; photos and videos work."
  }

  /// A random token of 192 bits, in hexadecimal.
  private static var madeUpToken: String {
    var generator = SystemRandomNumberGenerator()
    return (0..<3).map { _ in
      let digits = String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}

extension ByteCount: ExpressibleByArgument {
  package init?(argument: String) { self.init(parsing: argument) }

  package var defaultValueDescription: String { description }
}

/// Opens addresses in the user's browser.
enum Browser {
  #if os(macOS)
  private static let opener = "/usr/bin/open"
  #else
  private static let opener = "/usr/bin/xdg-open"
  #endif

  /// Whether a browser can be opened where the user sees it.
  ///
  /// Messages must go to a terminal. On Linux, there must also be a display and `xdg-open`.
  static var isThere: Bool {
    let environment = ProcessInfo.processInfo.environment
    let hasScreen = environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil
    #if os(macOS)
    return Console.messagesGoToTerminal
    #else
    return Console.messagesGoToTerminal && hasScreen
      && FileManager.default.isExecutableFile(atPath: opener)
    #endif
  }

  /// Opens an address.
  ///
  /// A failure is ignored, because the address is also printed.
  static func open(_ address: String) {
    let process = Process()
    process.executableURL = URL(filePath: opener)
    process.arguments = [address]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try? process.run()
  }
}
#endif
