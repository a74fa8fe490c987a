// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import ModelRepositoryAPI
import Synchronization

/// The downloads that are under way: callers who want the same model share one.
final class Flights: Sendable {
  typealias Version = InstalledModel.Version
  typealias Work =
    @Sendable (_ onProgress: @escaping @Sendable (DownloadProgress) -> Void) async throws -> Version

  private struct Subscriber {
    var onProgress: @Sendable (DownloadProgress) -> Void
    var onEnd: @Sendable (Result<Version, any Error>) -> Void
  }

  private struct Flight {
    var number: Int
    var task: Task<Void, Never>
    var subscribers: [Int: Subscriber] = [:]
    var latest: DownloadProgress?
  }

  private struct State {
    var numbers = 0
    var flights: [RepositoryName: Flight] = [:]
  }

  private let state = Mutex(State())

  /// Joins the download of a model, or begins one.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - work: The download, if it is to begin.
  ///   - onProgress: Told how far it is.
  ///   - onEnd: Told how it ended, unless the caller left before.
  /// - Returns: What leaves the download; when the last one leaves, it is cancelled.
  func join(
    _ model: RepositoryName, _ work: @escaping Work,
    onProgress: @escaping @Sendable (DownloadProgress) -> Void,
    onEnd: @escaping @Sendable (Result<Version, any Error>) -> Void
  ) -> @Sendable () -> Void {
    let (flight, subscriber, latest) = state.withLock { state in
      state.numbers += 2
      let (number, subscriber) = (state.numbers, state.numbers + 1)
      var flight =
        state.flights[model]
        ?? Flight(
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
      flight.subscribers[subscriber] = Subscriber(onProgress: onProgress, onEnd: onEnd)
      state.flights[model] = flight
      return (flight.number, subscriber, flight.latest)
    }
    if let latest { onProgress(latest) }
    return { self.leave(model, flight, subscriber) }
  }

  /// Cancels the download of a model for all.
  func cancel(_ model: RepositoryName) {
    // Who comes next begins anew, while this one winds down.
    let flight = state.withLock { $0.flights.removeValue(forKey: model) }
    flight?.task.cancel()
    let error = ModelRepositoryClientError(CancellationError())
    for subscriber in flight?.subscribers.values.map(\.onEnd) ?? [] {
      subscriber(.failure(error))
    }
  }

  private func report(_ progress: DownloadProgress, _ model: RepositoryName, _ number: Int) {
    let subscribers = state.withLock { state in
      guard state.flights[model]?.number == number else { return [Subscriber]() }
      state.flights[model]?.latest = progress
      return Array(state.flights[model].map { Array($0.subscribers.values) } ?? [])
    }
    for subscriber in subscribers { subscriber.onProgress(progress) }
  }

  private func end(_ model: RepositoryName, _ number: Int, _ result: Result<Version, any Error>) {
    let subscribers = state.withLock { state in
      guard let flight = state.flights[model], flight.number == number else {
        return [Subscriber]()
      }
      state.flights[model] = nil
      return Array(flight.subscribers.values)
    }
    for subscriber in subscribers { subscriber.onEnd(result) }
  }

  private func leave(_ model: RepositoryName, _ number: Int, _ subscriber: Int) {
    let task: Task<Void, Never>? = state.withLock { state in
      guard state.flights[model]?.number == number,
        state.flights[model]?.subscribers.removeValue(forKey: subscriber) != nil,
        let flight = state.flights[model], flight.subscribers.isEmpty
      else { return nil }
      // Who comes next begins anew, while this one winds down.
      state.flights[model] = nil
      return flight.task
    }
    task?.cancel()
  }
}
#endif
