// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
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
#endif
