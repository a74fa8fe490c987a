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
import TensorIO

/// An import from a URL or from the repository, and its progress.
final class ImportJob: Sendable {
  /// The source of a bundle.
  enum Source: Sendable {
    /// The URL of an archive.
    case address(String)
    /// A model of the repository.
    case repository(RepositoryName)
  }

  let id = UUID().uuidString.lowercased()
  /// The source of the bundle.
  let source: Source
  /// Whether to replace a model with the same id.
  let replaces: Bool

  private enum Progress {
    case downloading, checking
    case done(model: String)
    case failed(code: String, message: String)
    case cancelled
  }

  private struct State {
    var progress = Progress.downloading
    var received = 0
    var total: Int?
    var task: Task<Void, Never>?
    var isCancelled = false
  }

  private let state = Mutex(State())

  init(_ source: Source, replaces: Bool) {
    self.source = source
    self.replaces = replaces
  }

  /// Whether the import has ended.
  var isOver: Bool {
    switch state.withLock({ $0.progress }) {
    case .downloading, .checking: false
    case .done, .failed, .cancelled: true
    }
  }

  /// Whether the import was told to end.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Starts the import.
  ///
  /// - Parameter work: The import's work, which returns the model's identifier.
  func start(_ work: @escaping @Sendable () async throws -> String) {
    let task = Task {
      let end: Progress
      do {
        end = .done(model: try await work())
      } catch {
        end = Self.end(for: error)
      }
      state.withLock { $0.progress = end }
    }
    state.withLock { $0.task = task }
  }

  private static func end(for error: any Error) -> Progress {
    switch error {
    case let error as DownloadError where error.code == .cancelled: .cancelled
    case let error as ImportError where error.code == .cancelled: .cancelled
    case let error as ModelRepositoryClientError where error.code == .cancelled: .cancelled
    case is CancellationError: .cancelled
    case let error as DownloadError: .failed(code: "\(error.code)", message: error.message)
    case let error as ImportError: .failed(code: "\(error.code)", message: error.message)
    case let error as ModelRepositoryClientError:
      .failed(code: "\(error.code)", message: error.message)
    case let error as WebError: .failed(code: error.code, message: error.message)
    default: .failed(code: "cannot_write", message: "The import failed: \(error).")
    }
  }

  /// Cancels the import.
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

  func noteChecking() { state.withLock { $0.progress = .checking } }

  /// The import as it appears in the API.
  var json: JSONValue {
    let state = state.withLock { $0 }
    var members: [String: JSONValue] = [
      "id": .string(id), "url": .null, "repository_model": .null,
      "received": .count(state.received), "total": state.total.map(JSONValue.count) ?? .null,
      "model": .null, "error": .null,
    ]
    switch source {
    case .address(let url): members["url"] = .string(url)
    case .repository(let model): members["repository_model"] = .string(model.text)
    }
    switch state.progress {
    case .downloading: members["state"] = .string("downloading")
    case .checking: members["state"] = .string("checking")
    case .cancelled: members["state"] = .string("cancelled")
    case .done(let model):
      members["state"] = .string("done")
      members["model"] = .string(model)
    case .failed(let code, let message):
      members["state"] = .string("failed")
      members["error"] = .object(["code": .string(code), "message": .string(message)])
    }
    return .object(members)
  }
}
#endif
