// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
public import Foundation
import ModelRepositoryAPI
public import ModelRepositoryClient
import Synchronization
import TensorIO

/// Downloads hosted models, and keeps them.
///
/// A program says once where its models come from, before anything else:
///
/// ```swift
/// try ModelManager.configure(
///   ModelRepositoryConfiguration(server: "https://models.example.com", keys: keys, folder: "cache"))
/// ```
public final class ModelManager: Sendable {
  private static let shared = ModelManager()

  private let client = Mutex<ModelRepositoryClient?>(nil)

  /// Notes what became of a version that was loaded; throws where that cannot be kept.
  typealias Account = @Sendable (Result<Void, any Error>) throws -> Void

  private init() {}

  /// Says where models come from, and where they are kept.
  ///
  /// - Parameter configuration: The repository, its keys, and the cache's folder.
  /// - Throws: `ModelRepositoryClientError` when the folder cannot be used, or the configuration
  ///   contradicts itself.
  public static func configure(_ configuration: ModelRepositoryConfiguration) throws {
    let client = try ModelRepositoryClient(configuration)
    shared.client.withLock { $0 = client }
  }

  /// The program's manager.
  public static func modelManager() -> ModelManager { shared }

  /// Downloads a model that is not there, or not the newest; else it is done at once.
  ///
  /// The end is told by the notifications `.firebaseMLModelDownloadDidSucceed` and
  /// `.firebaseMLModelDownloadDidFail`. A newer version is used from the next start of the program on.
  ///
  /// - Parameters:
  ///   - remoteModel: The model.
  ///   - conditions: When it may be downloaded.
  /// - Returns: How far it is, in bytes; its `cancel()` ends the download.
  @discardableResult
  public func download(
    _ remoteModel: any RemoteModel, conditions: ModelDownloadConditions
  ) -> Progress {
    let progress = Progress(totalUnitCount: -1)
    let task = Task {
      do {
        let (client, name) = try self.client(for: remoteModel.name)
        let stream = client.download(
          name,
          conditions: DownloadConditions(
            allowsCellularAccess: conditions.allowsCellularAccess,
            allowsBackgroundDownloading: conditions.allowsBackgroundDownloading))
        for try await state in stream {
          progress.totalUnitCount = Int64(state.totalBytes)
          // Finished is it only when the version is in its place.
          progress.completedUnitCount = Int64(min(state.receivedBytes, state.totalBytes - 1))
        }
        try Task.checkCancellation()
        progress.totalUnitCount = max(1, progress.totalUnitCount)
        progress.completedUnitCount = progress.totalUnitCount
        Self.post(.firebaseMLModelDownloadDidSucceed, remoteModel, nil)
      } catch {
        Self.post(.firebaseMLModelDownloadDidFail, remoteModel, makeError(error))
      }
    }
    progress.cancellationHandler = { task.cancel() }
    return progress
  }

  /// Whether a version of a model is there; false, too, where no repository is known, or the name is
  /// none: a download of it says why.
  public func isModelDownloaded(_ remoteModel: any RemoteModel) -> Bool {
    guard let (client, name) = try? client(for: remoteModel.name) else { return false }
    return client.isDownloaded(name)
  }

  /// Deletes what was downloaded of a model.
  ///
  /// - Parameters:
  ///   - remoteModel: The model.
  ///   - completion: Called with an error, or with nil.
  public func deleteDownloadedModel(
    _ remoteModel: any RemoteModel, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    DispatchQueue.global().async {
      do {
        let (client, name) = try self.client(for: remoteModel.name)
        try client.delete(name)
        completion(nil)
      } catch {
        completion(makeError(error))
      }
    }
  }

  /// The version of a model that this process is to use.
  ///
  /// - Parameter name: The model's name.
  /// - Returns: Its path, and what is told whether it could be loaded and survived its first run. When
  ///   two processes end without that, the version before it is used.
  /// - Throws: An `NSError` where there is no such model.
  func installed(_ name: String) throws -> (path: String, account: Account) {
    do {
      let (client, name) = try client(for: name)
      let installed = try client.installed(name)
      return (
        installed.path,
        { result in
          switch result {
          case .success: try client.markLoaded(installed)
          case .failure(let error): try installed.noteFailure(error)
          }
        }
      )
    } catch {
      throw makeError(error)
    }
  }

  private func client(for name: String) throws -> (ModelRepositoryClient, RepositoryName) {
    guard let client = client.withLock({ $0 }) else {
      throw makeError(
        .failedPrecondition,
        "No repository is known. Call ModelManager.configure(_:) when the program starts.")
    }
    guard let name = RepositoryName(name) else {
      throw makeError(
        .invalidArgument,
        "'\(name.prefix(100))' is no model's name: letters, digits, '.', '_' and '-' are possible.")
    }
    return (client, name)
  }

  private static func post(
    _ name: Notification.Name, _ model: any RemoteModel, _ error: NSError?
  ) {
    var userInfo: [String: Any] = [ModelDownloadUserInfoKey.remoteModel.rawValue: model]
    userInfo[ModelDownloadUserInfoKey.error.rawValue] = error
    NotificationCenter.default.post(name: name, object: nil, userInfo: userInfo)
  }
}
#endif
