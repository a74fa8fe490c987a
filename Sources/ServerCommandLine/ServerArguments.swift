// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
package import ArgumentParser
package import Logging
import ModelCommands
import TensorIO
import WebServing

/// The options that all servers of this package have.
package struct ServerArguments: ParsableArguments {
  @Option(help: "The address to listen on.")
  package var host = "127.0.0.1"

  @OptionGroup var tls: CertificateArguments

  @Option(
    help: ArgumentHelp(
      "The most connections from one address; 0 for no limit, such as behind a proxy.",
      valueName: "count"))
  package var connectionsPerAddress = 256

  @Option(
    help: ArgumentHelp(
      "Another port for monitoring, which only serves /healthz and /readyz, without TLS.",
      valueName: "port"))
  package var healthPort: Int?

  @Option(
    help: ArgumentHelp(
      "How many seconds requests may continue after a request to shut down.",
      valueName: "seconds"))
  package var shutdownTime = 30

  @Option(
    help: ArgumentHelp(
      "The least important messages of the log: info has a line for each request "
        + "(default: info, or warning if the log goes to a terminal).",
      valueName: "level"))
  var logLevel: LogLevel?

  package init() {}

  package func validate() throws {
    try checkUsage(
      (0...100_000).contains(connectionsPerAddress) && (1...65535).contains(healthPort ?? 1)
        && (0...86_400).contains(shutdownTime),
      "--connections-per-address takes 0 to 100000, --health-port 1 to 65535, --shutdown-time 0 to "
        + "86400.")
  }

  /// The files of the certificate and its key, or nil for a server without TLS.
  package var certificate: (chain: String, key: String)? {
    get throws { try tls.certificate() }
  }

  /// Makes the logger of a server, which writes to standard error.
  package func logger(label: String) -> Logger {
    var logger = Logger(label: label) { LineLogHandler(label: $0) }
    // In a terminal, a line for each request would hide what else is said there.
    let normal = Console.messagesGoToTerminal ? LogLevel.warning : .info
    logger.logLevel = (logLevel ?? normal).level
    return logger
  }
}

/// The levels of `--log-level`.
enum LogLevel: String, CaseIterable, ExpressibleByArgument {
  case info, warning, error

  var level: Logger.Level {
    switch self {
    case .info: .info
    case .warning: .warning
    case .error: .error
    }
  }
}

/// The options of servers for a certificate.
struct CertificateArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp("The certificate for TLS, as PEM.", valueName: "file"), completion: .file())
  var cert: String?

  @Option(
    help: ArgumentHelp("The certificate's key, as PEM.", valueName: "file"), completion: .file())
  var key: String?

  init() {}

  func validate() throws {
    try checkUsage((cert == nil) == (key == nil), "--cert and --key must be used together.")
  }

  /// Returns the files of the certificate and its key; nil if the options are missing.
  func certificate() throws -> (chain: String, key: String)? {
    guard let cert, let key else { return nil }
    for file in [cert, key] { try FileSystem.requireFile(file) }
    return (cert, key)
  }
}
#endif
