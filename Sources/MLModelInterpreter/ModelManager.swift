// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
public import Foundation
import ModelRepositoryAPI
public import ModelRepositoryClient
import Synchronization

/// Downloads hosted models and manages them on this machine.
///
/// Configure it once, before any other call:
///
/// ```swift
/// try ModelManager.configure(
///   ModelRepositoryConfiguration(
///     server: "https://models.example.com", keys: keys, folder: "cache"))
/// ```
public final class ModelManager: Sendable {
  private static let shared = ModelManager()

  private let client = Mutex<ModelRepositoryClient?>(nil)

  /// Records whether a version could be loaded, and throws if that can't be saved.
  typealias Account = @Sendable (Result<Void, any Error>) throws -> Void

  private init() {}

  /// Sets the repository and the cache's folder.
  ///
  /// - Parameter configuration: The repository, its keys, and the cache's folder.
  /// - Throws: `ModelRepositoryClientError` if the folder can't be used or the configuration is
  ///   invalid.
  public static func configure(_ configuration: ModelRepositoryConfiguration) throws {
    let client = try ModelRepositoryClient(configuration)
    shared.client.withLock { $0 = client }
  }

  /// Returns the program's manager.
  public static func modelManager() -> ModelManager { shared }

  /// Downloads the newest version of a model, unless it is already downloaded.
  ///
  /// The notifications `.firebaseMLModelDownloadDidSucceed` and `.firebaseMLModelDownloadDidFail`
  /// report the end. A newer version is used from the program's next start.
  ///
  /// - Parameters:
  ///   - remoteModel: The model.
  ///   - conditions: When the model may be downloaded.
  /// - Returns: The progress in bytes. Its `cancel()` cancels the download.
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
          // The progress must not finish before the version is installed.
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

  /// Returns whether a version of a model is downloaded.
  ///
  /// It also returns false if the manager isn't configured or the name is invalid. Downloading the
  /// model reports the reason.
  public func isModelDownloaded(_ remoteModel: any RemoteModel) -> Bool {
    guard let (client, name) = try? client(for: remoteModel.name) else { return false }
    return client.isDownloaded(name)
  }

  /// Deletes all downloaded versions of a model.
  ///
  /// - Parameters:
  ///   - remoteModel: The model.
  ///   - completion: Called with an error, or with nil on success.
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

  /// Returns the version of a model that this process uses.
  ///
  /// - Returns: The version's path, and a closure to call with whether the model could be loaded
  ///   and survived its first run. If two processes end without calling it, the previous version is
  ///   used.
  /// - Throws: An `NSError` if the model is missing or can't be used.
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
        "No repository is configured. Call ModelManager.configure(_:) when the program starts.")
    }
    guard let name = RepositoryName(name) else {
      throw makeError(
        .invalidArgument,
        "'\(name.prefix(100))' isn't a valid model name. Use letters, digits, '.', '_' and '-'.")
    }
    return (client, name)
  }

  private static func post(_ name: Notification.Name, _ model: any RemoteModel, _ error: NSError?) {
    var userInfo: [String: Any] = [ModelDownloadUserInfoKey.remoteModel.rawValue: model]
    userInfo[ModelDownloadUserInfoKey.error.rawValue] = error
    NotificationCenter.default.post(name: name, object: nil, userInfo: userInfo)
  }
}

/// A model that a repository hosts.
public protocol RemoteModel: AnyObject, Sendable {
  /// The name under which the model was published.
  var name: String { get }
}

/// A TensorFlow Lite model that a repository hosts.
public final class CustomRemoteModel: RemoteModel {
  public let name: String

  /// Creates a reference to a model.
  ///
  /// - Parameter name: The name under which the model was published.
  public init(name: String) { self.name = name }
}

/// A TensorFlow Lite model on this machine.
public final class CustomLocalModel: Sendable {
  /// The path of the `.tflite` file.
  public let modelPath: String

  /// Creates a reference to a model.
  ///
  /// - Parameter modelPath: The path of the `.tflite` file.
  public init(modelPath: String) { self.modelPath = modelPath }
}

/// The conditions under which a model may be downloaded.
public final class ModelDownloadConditions: Sendable {
  /// Whether a cellular or metered network may be used.
  public let allowsCellularAccess: Bool
  /// Whether the download may continue in the background.
  ///
  /// This has no effect on Linux, where the system doesn't stop programs in the background.
  public let allowsBackgroundDownloading: Bool

  /// Creates a set of conditions.
  public init(allowsCellularAccess: Bool = true, allowsBackgroundDownloading: Bool = false) {
    self.allowsCellularAccess = allowsCellularAccess
    self.allowsBackgroundDownloading = allowsBackgroundDownloading
  }
}

extension Notification.Name {
  /// Posted when a model was downloaded or is already the newest; see ``ModelDownloadUserInfoKey``.
  public static let firebaseMLModelDownloadDidSucceed = Notification.Name(
    "FIRModelDownloadDidSucceed")
  /// Posted when a download failed; see ``ModelDownloadUserInfoKey``.
  public static let firebaseMLModelDownloadDidFail = Notification.Name("FIRModelDownloadDidFail")
}

/// The keys of a notification's `userInfo`.
public enum ModelDownloadUserInfoKey: String, Sendable {
  /// The ``RemoteModel`` of the download.
  case remoteModel = "FIRModelDownloadUserInfoKeyRemoteModel"
  /// The `NSError` of a failed download.
  case error = "FIRModelDownloadUserInfoKeyError"
}
#endif
