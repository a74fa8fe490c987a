// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import GRDB
import Hummingbird
import HummingbirdCore
public import Logging
import ModelRepositoryAPI
import NIOCore
import ServiceLifecycle
import WebServing

/// A server that stores models and tells installations which version to use.
///
/// ```swift
/// var options = ModelRepositoryOptions(dataFolder: "data")
/// options.port = 8090
/// try await ModelRepositoryServer(options).run { address in print("Listening on \(address)") }
/// ```
///
/// On SIGTERM and SIGINT, the server answers the requests under way and then stops.
public struct ModelRepositoryServer: Sendable {
  private let options: ModelRepositoryOptions
  private let logger: Logger
  let repository: Repository
  private let uploads: UploadStore
  private let rounds: RoundStore
  private let metrics = ServerMetrics()
  private let health: HealthRoutes<Problem>
  /// The value of the `Server` header field of every response.
  static let name = "TensorIO"
  /// Header fields of every response that keep browsers from treating it as a web page.
  static let safetyFields: HTTPFields = [
    .xContentTypeOptions: "nosniff",
    .contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
  ]

  /// Prepares a server, and locks the data folder.
  ///
  /// - Parameters:
  ///   - options: The server's settings.
  ///   - logger: The logger, which gets a line for every request. If this is nil, the lines go to
  ///     standard error.
  /// - Throws: `RepositoryError` with the code `.locked`, `.storage`, `.invalidKey` or
  ///   `.invalidOption`. The last one is also thrown if the data folder records another blob
  ///   location.
  public init(_ options: ModelRepositoryOptions, logger: Logger? = nil) throws {
    let logger = logger ?? Logger(label: "model-repository") { LineLogHandler(label: $0) }
    guard (1...DocumentTimes.maximumLifetime).contains(options.documentLifetime) else {
      throw RepositoryError(
        .invalidOption,
        "Documents would be valid for \(options.documentLifetime) seconds, but clients accept at "
          + "most \(Int(DocumentTimes.maximumLifetime)), which is 400 days.")
    }
    if let certificate = options.certificate {
      do {
        try WebServer.check(certificate)
      } catch let error as WebServer.CertificateError {
        throw RepositoryError(.invalidOption, error.message)
      }
    }
    self.init(try Repository(options), logger)
    try repository.requireKeys()
    for fault in repository.faults {
      logger.error(
        "the database is damaged; run 'repository fsck' for details",
        metadata: ["fault": "\(fault)"])
    }
    for blob in repository.missing {
      logger.error(
        "a blob was lost; upload it again",
        metadata: [
          "blob": "\(blob.digest)", "model": "\(blob.model)", "version": "\(blob.version)",
        ])
    }
  }

  /// Creates a server for a repository that is already open.
  init(_ repository: Repository, _ logger: Logger) {
    options = repository.options
    self.logger = logger
    self.repository = repository
    uploads = UploadStore(repository)
    health = HealthRoutes(
      Readiness { try await repository.unreadiness(logger) }, failure: Problem.self)
    rounds = RoundStore(repository)
  }

  /// Serves requests until the process is told to stop.
  ///
  /// - Parameter onStart: A closure that receives the server's address once the server listens.
  /// - Throws: `RepositoryError` with the code `.invalidOption` if the address is in use or the
  ///   certificate can't be read, and with `.storeUnavailable` if a remote blob store doesn't
  ///   respond.
  public func run(onStart: @escaping @Sendable (String) -> Void) async throws {
    let options = options
    try await repository.blobs.check()
    try await renewDocuments()
    try rounds.dropLeftovers()
    let rate = options.scrubRate ?? (repository.blobs is FolderBlobStore ? 4 << 20 : 0)
    let scrubber = BlobScrubber(
      repository: repository, metrics: metrics, logger: logger, rate: rate)
    // The tasks hold the data folder's lock, so they must end before this method returns.
    try await withThrowingTaskGroup(of: Void.self) { group in
      if rate > 0 { group.addTask(priority: .background) { await scrubber.run() } }
      if let mirror = options.mirror {
        let recovery = BlobRecovery(repository: repository, mirror: mirror, logger: logger)
        group.addTask(priority: .background) { await recovery.run() }
      }
      group.addTask(priority: .background) { [rounds, logger] in await rounds.run(logger) }
      defer { group.cancelAll() }
      try await serve(onStart)
    }
    try await repository.recordRefusedTokens()
  }

  private func serve(_ onStart: @escaping @Sendable (String) -> Void) async throws {
    do {
      let application = try application(onStart: onStart)
      try await withTaskExecutorPreference(ConnectionExecutor.shared) {
        try await WebServer.run(
          [application] + healthServices(), shutdownTime: .seconds(Int64(options.shutdownTime)),
          logger)
      }
    } catch let error as WebServer.CertificateError {
      throw RepositoryError(.invalidOption, error.message)
    } catch {
      guard let fault = WebServer.listeningFault(error, on: options.host) else { throw error }
      throw RepositoryError(
        .invalidOption,
        "The server can't listen on \(options.host):\(options.port)"
          + (options.healthPort.map { " or on port \($0) for monitors" } ?? "")
          + ": \(fault)")
    }
  }

  /// Renews the documents that were signed by another key or with a wrong clock, and logs them.
  private func renewDocuments() async throws {
    let early: [String]
    do {
      early = try await repository.renewDocuments()
    } catch let error as DatabaseError {
      // The channels whose rows can be read are still served.
      logger.error(
        "the database is damaged; run 'repository fsck' for details",
        metadata: ["fault": "\(RepositoryDatabase.sentence(error))"])
      early = []
    }
    for channel in early {
      logger.warning(
        "a document was issued in the future, and was signed again",
        metadata: ["channel": "\(channel)"])
    }
    guard let root = repository.signing.root, root.expires < repository.now + 30 * 24 * 3600 else {
      return
    }
    logger.warning(
      "clients reject downloads once the root document expires; run 'repository keys renew'",
      metadata: ["root": "\(root.version)", "expires": "\(root.expires.formatted(.iso8601))"])
  }

  /// Creates the application that the server runs; tests use it, too.
  func application(
    onStart: @escaping @Sendable (String) -> Void = { _ in }
  ) throws -> some ApplicationProtocol {
    try WebServer.application(
      router(), name: Self.name, address: (options.host, options.port),
      certificate: options.certificate, idleTime: .seconds(Int64(options.idleTime)),
      connectionsPerAddress: options.connectionsPerAddress,
      handlers: { [repository, metrics, logger] in
        // Requests that need a token go to the router, because the handler can't check tokens.
        repository.options.requiresTokenToRead
          ? [] : [SmallBlobHandler(repository, metrics, logger)]
      }, logger: logger, onStart: onStart)
  }

  /// Creates a separate server for monitors if a health port is set.
  ///
  /// It has its own connections, so clients can't use them up.
  private func healthServices() throws -> [any Service] {
    guard let port = options.healthPort else { return [] }
    let router = Router(context: WebContext.self, options: .autoGenerateHeadEndpoints)
    let table = RouteTable()
    router.add(
      middleware: RequestMiddleware(check: Problem.check) { Problem($0, $1, $2, table) })
    health.add(to: router)
    table.add(router)
    return [
      try WebServer.healthService(
        router, name: Self.name, address: (options.host, port), logger: logger)
    ]
  }

  private var routes: Routes {
    Routes(
      repository: repository, uploads: uploads, rounds: rounds,
      access: Access(isPublic: !options.requiresTokenToRead), metrics: metrics, health: health)
  }

  func router() -> Router<WebContext> {
    let router = Router(context: WebContext.self, options: .autoGenerateHeadEndpoints)
    let table = RouteTable()
    router.add(middleware: RequestLog(metrics: metrics.requests))
    router.add(
      middleware: RequestMiddleware(headers: Self.safetyFields, check: Problem.check) {
        Problem($0, $1, $2, table)
      })
    router.add(middleware: TokenMiddleware(repository: repository))
    routes.add(to: router)
    table.add(router)
    return router
  }
}
#endif
