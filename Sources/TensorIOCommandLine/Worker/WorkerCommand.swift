// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CSystemCalls
import ModelCommands
import NetRunner
import TensorIO
import TensorIOImageCodecs
import WorkerProtocol

struct WorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker", _superCommandName: "tensorio",
    abstract: "Run a model on items from standard input, for programs that distribute work.",
    discussion: """
      Examples:
        echo '{"type": "item", "id": 1, "path": "photo.jpg"}' |
          tensorio worker pets.tiobundle --json-lines
        tensorio worker pets.tiobundle --supervise 4

      Programs such as Ray, Spark or a Slurm job start a worker for each slot, and send it items. \
      Answers come in the order in which items are done. A row is the one that 'tensorio bulk' \
      writes. Documentation/WorkerProtocol.md describes the messages.
      """)

  @Argument(help: "The bundle: a folder NAME.tiobundle.", completion: .directory)
  var bundle: String

  @Option(
    help: ArgumentHelp(
      "How many items each worker runs at once (default: the number of processors, divided by that of "
        + "the workers)."))
  var threads: Int?

  @Option(
    help: ArgumentHelp(
      "Run this many workers, replace those that end, and repeat the items that they had.",
      valueName: "workers"))
  var supervise: Int?

  @Option(
    help: ArgumentHelp(
      "How many more items the parent may send. Answers are then written together, up to 20 ms later.",
      valueName: "items"))
  var ahead = 0

  @Flag(help: "Read and write a JSON object a line, for people.")
  var jsonLines = false

  @Option(
    help: ArgumentHelp(
      "The time between two messages that say that the worker is alive; 0 for none. (default: 5)",
      valueName: "seconds"))
  var heartbeat: Double?

  @Option(
    help: ArgumentHelp(
      "The most time for an item that has no 'timeout_ms'. (default: no limit)",
      valueName: "seconds"))
  var timeout: Double?

  @Option(help: "The longest body of an item that is accepted, such as 1GiB. (default: 256MiB)")
  var maxBody: String?

  @Option(name: .customLong("accelerator"), help: AcceleratorChoice.help)
  var accelerator: AcceleratorChoice?

  @Option(help: "How JPEG files are decoded: exact, high or fast, as in 'tensorio run'.")
  var decode: DecodeScaling = .exact

  @Option(
    help: ArgumentHelp(
      "The output values in each row: all, none, or this many of the highest. (default: 5)",
      valueName: "all|none|n"))
  var outputs: KeptOutputs?

  @Flag(help: .hidden)
  var supervised = false

  func validate() throws {
    try checkUsage(
      (1...1024).contains(threads ?? 1), "--threads takes a number from 1 to 1024.")
    try checkUsage(
      (1...1024).contains(supervise ?? 1), "--supervise takes a number from 1 to 1024.")
    try checkUsage((0...4096).contains(ahead), "--ahead takes a number from 0 to 4096.")
    try checkUsage(
      ahead == 0 || (supervise == nil && timeout == nil),
      "--ahead can't be combined with --supervise or --timeout, because items that wait would have to "
        + "run again or take too long.")
    try checkUsage(
      heartbeat.map { $0 == 0 || (0.001...1e6).contains($0) } ?? true,
      "--heartbeat takes a number of seconds from 0.001 to 1000000, or 0 for no heartbeats.")
    try checkUsage(
      timeout.map { $0 > 0 && $0 <= 1e9 } ?? true,
      "--timeout takes a positive number of seconds, such as 2.5, got \(timeout ?? 0).")
    try checkUsage(
      maxBody.map { ByteCount(parsing: $0)?.bytes ?? 0 > 0 } ?? true,
      "--max-body takes a size such as 64MiB or 1GiB.")
  }

  func run() throws {
    // This comes first, because the next file that the process opens gets the number of a stream that
    // is closed.
    let streams = try WorkerStreams.takeOver()
    let interruption = Interruption()
    streams.endWithReader()
    let writer = FrameWriter(
      streams.output, form: jsonLines ? .lines : .binary, mostHeld: max(1, ahead / 2),
      onFailure: { Self.endWithoutOutput($0) })
    var options = options
    func service(_ runner: any JobRunner) -> WorkerService {
      WorkerService(
        streams, options, runner: runner, writer: writer,
        isInterrupted: { interruption.isRequested })
    }
    func sendReady(_ members: [String: JSONValue], window: Int) throws {
      let own: [String: JSONValue] = [
        "protocol": .number(Double(WorkerReply.protocolVersion)),
        "program": .string(Version.current), "window": .number(Double(window)),
        "ahead": .number(Double(ahead)), "pid": .number(Double(getpid())),
      ]
      writer.send(try WorkerReply.ready(members.merging(own) { _, new in new }).frame())
    }
    if let supervise {
      let fleet = try WorkerFleet(
        count: supervise, arguments: workerArguments(for: supervise), heartbeat: options.heartbeat)
      try sendReady(fleet.description, window: fleet.window)
      let service = service(fleet)
      fleet.start(for: service)
      throw ExitCode(try service.serve())
    }
    let sessions = threads ?? Processors.count
    let accelerators = AcceleratorReport(accelerator)
    let work = try ItemWork(
      ModelBundle(bundle), with: accelerators.backends(limitedBy: .standard),
      evaluationOptions(sessions))
    if accelerators.isAsked { options.ranOn = { accelerators.members } }
    let runner = SessionRunner(work, sessions: sessions, ahead: ahead)
    try sendReady(
      work.description.merging(["sessions": .number(Double(sessions))]) { _, new in new },
      window: runner.window)
    let service = service(runner)
    runner.start(for: service)
    let code = try service.serve()
    // A run that was given up may never end, and the runtime must not be taken down below it.
    if runner.isBusy { _exit(code) }
    throw ExitCode(code)
  }

  /// Ends the process because its answers can't be written.
  ///
  /// A parent that has gone doesn't need them any more. Otherwise, they would be missing in a file.
  private static func endWithoutOutput(_ error: Int32) -> Never {
    guard error != EPIPE else { _exit(0) }
    Console.printMessage(
      "error: An answer couldn't be written to standard output: \(String(cString: strerror(error)))."
    )
    _exit(74)
  }

  private var options: WorkerService.Options {
    var options = WorkerService.Options()
    options.form = jsonLines ? .lines : .binary
    let seconds = heartbeat ?? 5
    options.heartbeat = seconds > 0 ? .seconds(seconds) : nil
    options.timeout = timeout.map { .seconds($0) }
    options.ignoresTimeouts = supervised
    if let size = maxBody.flatMap({ ByteCount(parsing: $0) }) { options.mostBodyBytes = size.bytes }
    return options
  }

  private func evaluationOptions(_ sessions: Int) -> EvaluationOptions {
    var options = EvaluationOptions()
    options.threads = sessions
    options.decoder.scaling = decode
    options.accelerator = accelerator == .cpu ? nil : accelerator?.rawValue
    options.kept = outputs
    options.fetch = ObjectStore.bytes
    return options
  }

  /// The command line of each worker that this process supervises.
  private func workerArguments(for count: Int) -> [String] {
    let sessions = threads ?? max(1, Processors.count / count)
    var arguments = [
      "worker", bundle, "--supervised", "--heartbeat", "\(heartbeat ?? 5)", "--threads",
      "\(sessions)",
      "--decode", decode.rawValue, "--max-body", "\(options.mostBodyBytes)",
    ]
    if let accelerator { arguments += ["--accelerator", accelerator.rawValue] }
    switch outputs {
    case .all: arguments += ["--outputs", "all"]
    case .none?: arguments += ["--outputs", "none"]
    case .top(let count): arguments += ["--outputs", "\(count)"]
    case nil: break
    }
    return arguments
  }
}
