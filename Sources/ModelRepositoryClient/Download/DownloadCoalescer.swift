// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import ModelRepositoryAPI
import Synchronization

/// The running downloads, which callers that want the same model share.
final class DownloadCoalescer: Sendable {
  typealias Version = InstalledModel.Version
  typealias Work =
    @Sendable (_ onProgress: @escaping @Sendable (DownloadProgress) -> Void) async throws -> Version

  private struct Subscriber {
    var onProgress: @Sendable (DownloadProgress) -> Void
    var onEnd: @Sendable (Result<Version, any Error>) -> Void
  }

  private struct Download {
    var number: Int
    var task: Task<Void, Never>
    var subscribers: [Int: Subscriber] = [:]
    var latest: DownloadProgress?
  }

  private struct State {
    var numbers = 0
    var downloads: [RepositoryName: Download] = [:]
  }

  private let state = Mutex(State())

  /// Joins the download of a model, or starts one.
  ///
  /// `onEnd` isn't called if the caller leaves before.
  ///
  /// - Returns: A closure that leaves the download. The download is cancelled when the last caller
  ///   leaves.
  func join(
    _ model: RepositoryName, _ work: @escaping Work,
    onProgress: @escaping @Sendable (DownloadProgress) -> Void,
    onEnd: @escaping @Sendable (Result<Version, any Error>) -> Void
  ) -> @Sendable () -> Void {
    let (download, subscriber, latest) = state.withLock { state in
      state.numbers += 2
      let (number, subscriber) = (state.numbers, state.numbers + 1)
      var download =
        state.downloads[model]
        ?? Download(
          number: number,
          task: Task {
            let result: Result<Version, any Error>
            do {
              result = .success(try await work { self.report($0, model, number) })
            } catch {
              result = .failure(error)
            }
            self.end(model, number, result)
          })
      download.subscribers[subscriber] = Subscriber(onProgress: onProgress, onEnd: onEnd)
      state.downloads[model] = download
      return (download.number, subscriber, download.latest)
    }
    if let latest { onProgress(latest) }
    return { self.leave(model, download, subscriber) }
  }

  /// Cancels the download of a model for all callers.
  func cancel(_ model: RepositoryName) {
    // The next caller starts a new download while this one ends.
    let download = state.withLock { $0.downloads.removeValue(forKey: model) }
    download?.task.cancel()
    let error = ModelRepositoryClientError(CancellationError())
    for subscriber in download?.subscribers.values.map(\.onEnd) ?? [] {
      subscriber(.failure(error))
    }
  }

  private func report(_ progress: DownloadProgress, _ model: RepositoryName, _ number: Int) {
    let subscribers = state.withLock { state in
      guard state.downloads[model]?.number == number else { return [Subscriber]() }
      state.downloads[model]?.latest = progress
      return Array(state.downloads[model].map { Array($0.subscribers.values) } ?? [])
    }
    for subscriber in subscribers { subscriber.onProgress(progress) }
  }

  private func end(_ model: RepositoryName, _ number: Int, _ result: Result<Version, any Error>) {
    let subscribers = state.withLock { state in
      guard let download = state.downloads[model], download.number == number else {
        return [Subscriber]()
      }
      state.downloads[model] = nil
      return Array(download.subscribers.values)
    }
    for subscriber in subscribers { subscriber.onEnd(result) }
  }

  private func leave(_ model: RepositoryName, _ number: Int, _ subscriber: Int) {
    let task: Task<Void, Never>? = state.withLock { state in
      guard state.downloads[model]?.number == number,
        state.downloads[model]?.subscribers.removeValue(forKey: subscriber) != nil,
        let download = state.downloads[model], download.subscribers.isEmpty
      else { return nil }
      // The next caller starts a new download while this one ends.
      state.downloads[model] = nil
      return download.task
    }
    task?.cancel()
  }
}
#endif
