// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import NetRunner
import Synchronization
import TensorIO

/// Imports bundles into the models folder: from URLs, from the repository, and from clients that
/// upload them.
final class ModelImports: Sendable {
  private let catalogue: ModelCatalogue
  private let importer: BundleImporter
  private let download: BundleDownload
  /// The repository that models are imported from by name, or nil if there is none.
  let repository: RepositorySource?
  private let queue: WorkQueue
  private let makeBundle: (@Sendable (_ model: String, _ bundle: String) throws -> [String])?
  /// The remembered imports, oldest first.
  private let jobs = Mutex<[ImportJob]>([])

  /// How many imports are remembered, and how many may run at once.
  private static let remembered = 64
  private static let underWay = 4

  init(_ catalogue: ModelCatalogue, _ options: NetRunnerOptions) throws {
    self.catalogue = catalogue
    let shipped = Set(catalogue.models.filter(\.isShipped).map(\.id))
    importer = BundleImporter(folder: catalogue.folder) { shipped.contains($0) }
    var limits = DownloadLimits()
    limits.bytes = options.maximumBundleBytes
    download = BundleDownload(
      rules: AddressRules(allowsPrivateAddresses: options.allowsPrivateImports), limits: limits)
    repository = try options.repository.map {
      try RepositorySource($0, maximumBytes: options.maximumBundleBytes)
    }
    makeBundle = options.makeBundle
    // Use a separate queue, so that unpacking doesn't delay other clients' images.
    queue = WorkQueue(threads: 1, limit: Self.underWay)
    try importer.removeLeftovers()
  }

  func start(_ source: ImportJob.Source, replaces: Bool) throws -> ImportJob {
    if case .repository = source, repository == nil { throw WebError.noRepository }
    let job = ImportJob(source, replaces: replaces)
    try jobs.withLock { jobs in
      guard jobs.count(where: { !$0.isOver }) < Self.underWay else { throw WebError.tooBusy }
      jobs.append(job)
      while jobs.count > Self.remembered, let index = jobs.firstIndex(where: \.isOver) {
        jobs.remove(at: index)
      }
    }
    job.start { [self] in try await run(job) }
    return job
  }

  /// All remembered imports, newest first.
  var all: [ImportJob] { jobs.withLock { $0.reversed() } }

  func job(_ id: String) throws -> ImportJob {
    guard let job = jobs.withLock({ $0.first { $0.id == id } }) else {
      throw WebError.noJob("import", id)
    }
    return job
  }

  private func run(_ job: ImportJob) async throws -> String {
    switch job.source {
    case .address(let url):
      let file = temporaryFile("zip")
      defer { try? FileSystem.remove(file) }
      try await download.download(url, to: file) { job.note(received: $0, of: $1) }
      job.noteChecking()
      return try await add(file, replaces: job.replaces) { job.isCancelled }.id
    case .repository(let model):
      guard let repository else { throw WebError.noRepository }
      let known = catalogue.imported(model, from: repository)
      let former = known.map { FileSystem.name(of: $0.bundle.path) }
      let client = try await repository.fetch(model, known: known?.origin) {
        job.note(received: $0, of: $1)
      }
      job.noteChecking()
      return try await queue.run { [self] in
        let (path, origin) = try repository.version(of: model, from: client)
        return try finish(
          importer.importBundle(
            fromFolder: path, as: former ?? "\(model).tiobundle", over: former, origin: origin,
            replaces: job.replaces, check: catalogue.tryOut
          ) { job.isCancelled }
        ).id
      }
    }
  }

  /// Imports the bundle in a zip file, until `isOver` returns true.
  func add(
    _ file: String, replaces: Bool, until isOver: @escaping @Sendable () -> Bool = { false }
  ) async throws -> ServedModel {
    try await queue.run { [self] in
      try finish(
        importer.importBundle(
          fromZip: file, replaces: replaces, check: catalogue.tryOut, until: isOver))
    }
  }

  /// Whether a model without a bundle can be imported.
  var makesBundles: Bool { makeBundle != nil }

  /// Makes a bundle of a `.tflite` file, and imports it.
  ///
  /// - Returns: The model, and one sentence for each assumption.
  func addModel(
    _ file: String, named name: String, replaces: Bool
  ) async throws -> (model: ServedModel, checks: [String]) {
    try await queue.run { [self] in
      var checks: [String] = []
      let bundle = try importer.importBundle(
        as: "\(name).tiobundle", replaces: replaces, check: catalogue.tryOut
      ) { bundle in
        do {
          checks = try makeBundle?(file, bundle) ?? []
        } catch let error as TensorIOError {
          throw error.naming { $0 == file ? "\(name).tflite" : FileSystem.name(of: $0) }
        }
      }
      return (try finish(bundle), checks)
    }
  }

  /// Replaces a model's description in one step, if the model can be used with the new one.
  ///
  /// The model no longer counts as the repository's version that it came from.
  func save(_ description: ModelDescription, of model: ServedModel) async throws -> ServedModel {
    try await queue.run { [self] in
      let bundle = try importer.importBundle(
        as: FileSystem.name(of: model.bundle.path), replaces: true,
        check: { bundle in
          try ModelDescription.requireID(model.id, of: bundle)
          try catalogue.tryOut(bundle)
        },
        make: { try description.write(to: $0, filesOf: model.bundle) })
      return try finish(bundle)
    }
  }

  private func finish(_ bundle: ModelBundle) throws -> ServedModel {
    // This happens after the scan, because otherwise a request could load the new files with the former
    // description in between, and the catalogue would keep them.
    defer { catalogue.forgetLoaded(bundle.manifest.id) }
    try catalogue.rescan()
    return ServedModel(bundle, isShipped: false)
  }

  /// The maximum size of an archive, in bytes.
  var maximumBytes: Int { download.limits.bytes }

  /// A new path for a file to import; files that are left behind are removed at the next start.
  func temporaryFile(_ fileExtension: String) -> String { importer.temporaryFile(fileExtension) }
}

extension WebError {
  init(_ error: ImportError) {
    let status: HTTPResponse.Status =
      switch error.code {
      case .modelIsShipped: .forbidden
      case .sameID, .replayed: .conflict
      case .zipTooLarge, .tooLarge: .contentTooLarge
      case .cannotWrite: HTTPResponse.Status(code: 507)
      default: .unprocessableContent
      }
    self.init(status: status, code: error.code.rawValue, message: error.message)
    issues = (error.cause as? TensorIOError)?.issues.filter { $0.severity == .error } ?? []
  }
}
#endif
