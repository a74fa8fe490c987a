// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import Hummingbird
public import Logging
import NIOCore
import OpenInferenceGRPC
import ServiceLifecycle
import TensorIO
import WebServing

/// Serves Net Runner as a web page and a JSON API, to try out, measure and evaluate vision models.
///
/// ```swift
/// var options = NetRunnerOptions(models: "models", backends: [.liteRT])
/// options.port = 8080
/// try await NetRunnerServer(options).run { address in print("Open \(address)") }
/// ```
///
/// The server ends on SIGTERM and SIGINT, after it has finished the requests in progress.
public struct NetRunnerServer: Sendable {
  private let options: NetRunnerOptions
  private let logger: Logger
  private let catalogue: ModelCatalogue
  private let queue: WorkQueue
  private let imports: ModelImports
  private let drafts: ModelDrafts
  private let bodies = BodyReader(budget: 512 << 20)
  private let assets: String
  private let scratch: ScratchFolder
  private let disk = WorkQueue(threads: 2, limit: 4096)
  private let uploads: UploadStore
  private let evaluations: EvaluationStore
  private let health: HealthRoutes<WebError>
  private let openInference: OpenInferenceService
  private let token: TokenCheck
  private let clients = ClientConnections()
  private let metrics = RequestMetrics()
  private let callMetrics = RequestMetrics(.grpc)
  /// The maximum size of a gRPC message, if the options don't say it: an image and its tensor.
  private static let maximumMessageBytes = 64 << 20

  /// The value of the `Server` header field of every response.
  private static let name = "NetRunner"
  /// A response can't load anything from another site, and can't be embedded in another page.
  private static let safetyFields: HTTPFields = [
    .xContentTypeOptions: "nosniff",
    .crossOriginResourcePolicy: "same-origin",
    .contentSecurityPolicy:
      "default-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; "
      + "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ]

  /// Prepares a server.
  ///
  /// - Parameters:
  ///   - options: The server's settings.
  ///   - logger: The logger, which gets a line for every request. If this is nil, the lines go to
  ///     standard error.
  /// - Throws: `TensorIOError` if the models folder can't be read, other machines could reach the
  ///   server without a token, or the repository's configuration is invalid.
  public init(_ options: NetRunnerOptions, logger: Logger? = nil) throws {
    guard options.isLocal || options.token != nil else {
      throw TensorIOError(
        .invalidOption,
        "Other machines can reach the server at '\(options.host)'. Set a token, or listen on "
          + "127.0.0.1.")
    }
    guard options.token?.utf8.count ?? .max >= NetRunnerOptions.minimumTokenLength else {
      throw TensorIOError(
        .invalidOption,
        "The token has fewer than \(NetRunnerOptions.minimumTokenLength) bytes, so it could be "
          + "guessed. Make one with 'openssl rand -hex 24'.")
    }
    self.options = options
    self.logger = logger ?? Logger(label: "netrunner") { LineLogHandler(label: $0) }
    assets = try Self.pageFolder()
    let shipped = assets + "/Models"
    let names = options.includesShippedModels ? try FileSystem.contents(of: shipped) : []
    catalogue = try ModelCatalogue(
      shipped: names.sorted().map { shipped + "/" + $0 }, options)
    queue = WorkQueue(threads: options.threads, limit: 64 * options.threads)
    imports = try ModelImports(catalogue, options)
    drafts = ModelDrafts(catalogue)
    scratch = try ScratchFolder()
    uploads = try UploadStore(scratch: scratch, disk: disk)
    evaluations = EvaluationStore(options)
    let (disk, problem) = (disk, options.libraryProblem)
    let readiness = Readiness { try await disk.run { problem() } }
    health = HealthRoutes(readiness, failure: WebError.self)
    token = TokenCheck(options)
    openInference = OpenInferenceService(
      catalogue: catalogue, queue: queue, version: options.version, problem: problem,
      readiness: readiness, tensors: TensorBodies(images: queue),
      requestLimit: options.maximumTensorRequestBytes,
      joiner: RunJoiner(
        limit: options.batchSize, delay: .microseconds(Int64(options.batchDelay * 1000))))
  }

  /// Serves until the process is told to end.
  ///
  /// - Parameters:
  ///   - onStartGRPC: Called with the address of gRPC, such as `127.0.0.1:8081`, once it listens.
  ///   - onStart: Called with the page's address once the server listens.
  /// - Throws: `TensorIOError` if the address is in use or the certificate can't be read.
  public func run(
    onStartGRPC: @escaping @Sendable (String) -> Void = { _ in },
    onStart: @escaping @Sendable (String) -> Void
  ) async throws {
    let options = options
    defer {
      evaluations.end()
      drafts.removeAll()
      scratch.remove()
    }
    do {
      let application = try WebServer.application(
        router(), name: Self.name, address: (options.host, options.port),
        certificate: options.certificate, idleTime: .seconds(60),
        connectionsPerAddress: options.connectionsPerAddress,
        handlers: { [clients] in [clients.makeHandler()] }, logger: logger,
        onStart: { onStart(Self.link(to: $0, token: options.token)) })
      try await WebServer.run(
        [application] + healthServices() + callServices(onStartGRPC),
        shutdownTime: .seconds(Int64(options.shutdownTime)),
        logger)
    } catch let error as WebServer.CertificateError {
      throw TensorIOError(.invalidOption, error.message)
    } catch {
      guard let fault = WebServer.listeningFault(error, on: options.host) else { throw error }
      throw TensorIOError(
        .invalidOption,
        "Net Runner can't listen on \(options.host):\(options.port)"
          + (options.grpcPort.map { ", on port \($0) for gRPC" } ?? "")
          + (options.healthPort.map { " or on port \($0) for monitors" } ?? "") + ": \(fault)",
        cause: error)
    }
  }

  /// Returns the page's address with the token, which the page finds there.
  static func link(to address: String, token: String?) -> String {
    guard let token else { return address }
    let safe = CharacterSet(
      charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    return address + "#token="
      + (token.addingPercentEncoding(withAllowedCharacters: safe) ?? token)
  }

  /// Makes the server of gRPC if it has a port.
  private func callServices(_ onStart: @escaping @Sendable (String) -> Void) -> [any Service] {
    guard let port = options.grpcPort else { return [] }
    return [
      InferenceServer(
        InferenceServer.Configuration(
          host: options.host, port: port, certificate: options.certificate,
          maximumMessageBytes: options.maximumTensorRequestBytes ?? Self.maximumMessageBytes,
          connectionsPerAddress: options.connectionsPerAddress),
        handler: InferenceCalls(service: openInference, token: token, logger: logger),
        metrics: callMetrics, logger: logger, onStart: onStart)
    ]
  }

  /// Makes a separate server for monitors if a health port is set.
  private func healthServices() throws -> [any Service] {
    guard let port = options.healthPort else { return [] }
    return [
      try WebServer.healthService(
        healthRouter(), name: Self.name, address: (options.host, port), logger: logger)
    ]
  }

  /// Makes the router of the separate server for monitors, which asks for no token.
  func healthRouter() -> Router<WebContext> {
    let router = Router(context: WebContext.self, options: .autoGenerateHeadEndpoints)
    let routes = RouteTable()
    router.add(
      middleware: RequestMiddleware(check: { _ in }) { WebError($0, $1, $2, routes) })
    health.add(to: router)
    OpenInferenceRoutes.addHealth(to: router.group("v2"), health)
    routes.add(router)
    return router
  }

  /// Makes the router, for this server, for tests, and for other programs' servers.
  func router() throws -> Router<WebContext> {
    let router = Router(context: WebContext.self, options: .autoGenerateHeadEndpoints)
    let routes = RouteTable()
    router.add(middleware: RequestLog(metrics: metrics))
    let rules = AccessRules(token: options.token, isLocal: options.isLocal)
    router.add(
      middleware: RequestMiddleware(headers: Self.safetyFields, check: rules.check) {
        WebError($0, $1, $2, routes)
      })
    router.add(middleware: try AssetMiddleware(assets))
    router.add(middleware: BodyMiddleware(pace: options.minimumBodyRate))
    health.add(to: router)
    let access = TokenMiddleware(check: token)
    let api = router.group("api/v1").add(middleware: access)
    let runner = InferenceRunner(
      catalogue: catalogue, queue: queue, formats: options.outputFormats,
      accelerator: options.runtimes.accelerator)
    ServerRoutes(
      options: options, repository: imports.repository, samples: assets + "/Samples",
      document: assets + "/openapi.json"
    ).add(to: api)
    let inference = InferenceRequests(runner: runner, bodies: bodies, clients: clients)
    ModelRoutes(runner: runner, inference: inference).add(to: api)
    ImportRoutes(imports: imports, bodies: bodies).add(to: api)
    DescriptionRoutes(
      runner: runner, imports: imports, drafts: drafts, bodies: bodies, inference: inference,
      readGraph: options.readGraph, measureOperators: options.measureOperators
    ).add(to: api)
    RepositoryRoutes(source: imports.repository, catalogue: catalogue, queue: disk).add(to: api)
    addUploadsEvaluationsAndLabels(to: api)
    OpenInferenceRoutes(service: openInference, bodies: bodies, health: health, clients: clients)
      .add(
        to: router.group("v2").add(middleware: access))
    router.group().add(middleware: access).get("metrics") { _, _ in
      let text = metrics.text([
        RequestMetrics.Series(
          "runs_waiting", "Runs that are waiting for a thread or for memory.",
          openInference.waitingCount),
        RequestMetrics.Series("models", "Models that the server has.", catalogue.models.count),
      ])
      let calls = options.grpcPort == nil ? "" : callMetrics.text()
      return Response.data((text + calls).utf8, type: "text/plain; version=0.0.4")
    }
    routes.add(router)
    return router
  }

  private func addUploadsEvaluationsAndLabels(to api: RouterGroup<WebContext>) {
    let locations = DatasetLocations(
      uploads: uploads, folders: options.folders, samples: assets + "/Samples")
    UploadRoutes(uploads: uploads).add(to: api)
    EvaluationRoutes(
      options: options, catalogue: catalogue, locations: locations, evaluations: evaluations,
      queue: queue, bodies: bodies
    ).add(to: api)
    LabelRoutes(
      catalogue: catalogue,
      folders: LabelFolders(dataFolder: options.dataFolder, scratch: scratch),
      uploads: uploads, queue: disk, bodies: bodies
    ).add(to: api)
  }

  private static func pageFolder() throws -> String {
    let name = "TensorIO_NetRunnerWeb.resources"
    let assets = WebServer.assets(bundle: name, installed: "netrunner", module: .module)
    guard FileSystem.isFolder(assets) else {
      throw TensorIOError(
        .fileNotFound,
        "The files of Net Runner's page are missing: there is no '\(name)' in "
          + "'\(Bundle.main.bundlePath)'. Copy that folder from the build folder to the program's "
          + "folder.")
    }
    return assets
  }
}
#endif
