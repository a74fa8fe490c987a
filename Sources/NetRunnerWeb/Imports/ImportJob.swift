// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import ModelRepositoryAPI
import ModelRepositoryClient
import NetRunner
import Synchronization

/// An import from a URL or from the repository, and its progress.
final class ImportJob: Sendable {
  enum Source: Sendable {
    /// The URL of an archive.
    case address(String)
    /// A model of the repository.
    case repository(RepositoryName)
  }

  let id = UUID().uuidString.lowercased()
  let source: Source
  /// Whether to replace a model with the same id.
  let replaces: Bool

  private enum Phase: String {
    case downloading, checking, done, failed, cancelled
  }

  private struct State {
    var phase = Phase.downloading
    var received = 0
    var total: Int?
    var model: String?
    var error: [String: String]?
    var task: Task<Void, Never>?
    var isCancelled = false
  }

  private let state = Mutex(State())

  init(_ source: Source, replaces: Bool) {
    self.source = source
    self.replaces = replaces
  }

  var isOver: Bool { ![.downloading, .checking].contains(state.withLock { $0.phase }) }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Starts the import's work, which returns the model's identifier.
  func start(_ work: @escaping @Sendable () async throws -> String) {
    let task = Task {
      do {
        let model = try await work()
        state.withLock { ($0.phase, $0.model) = (.done, model) }
      } catch {
        let error = Self.json(error)
        state.withLock { ($0.phase, $0.error) = (error == nil ? .cancelled : .failed, error) }
      }
    }
    state.withLock { $0.task = task }
  }

  /// Returns an error as it appears in the API, or nil if the import was cancelled.
  private static func json(_ error: any Error) -> [String: String]? {
    let (code, message) =
      switch error {
      case is CancellationError: ("cancelled", "")
      case let error as ImportError: (error.code.rawValue, error.message)
      case let error as ModelRepositoryClientError: ("\(error.code)", error.message)
      case let error as WebError: (error.code, error.message)
      default: ("cannot_write", "The import failed: \(error).")
      }
    return code == "cancelled" ? nil : ["code": code, "message": message]
  }

  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }

  func note(received: Int, of total: Int?) {
    state.withLock {
      $0.received = received
      $0.total = total
    }
  }

  func noteChecking() { state.withLock { $0.phase = .checking } }

  /// The import as it appears in the API.
  var json: JSONObject {
    let state = state.withLock { $0 }
    var (url, repositoryModel) = (String?.none, String?.none)
    switch source {
    case .address(let address): url = address
    case .repository(let model): repositoryModel = model.text
    }
    return [
      "id": id, "state": state.phase.rawValue, "url": url, "repository_model": repositoryModel,
      "received": state.received, "total": state.total, "model": state.model,
      "error": state.error,
    ]
  }
}
#endif
