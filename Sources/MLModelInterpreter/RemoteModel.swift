// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
/// A model that a repository hosts.
public protocol RemoteModel: AnyObject, Sendable {
  /// The name that it was published under.
  var name: String { get }
}

/// A TensorFlow Lite model that a repository hosts.
public final class CustomRemoteModel: RemoteModel {
  public let name: String

  /// Names a model.
  ///
  /// - Parameter name: The name that it was published under.
  public init(name: String) { self.name = name }
}

/// A TensorFlow Lite model on this machine.
public final class CustomLocalModel: Sendable {
  /// The `.tflite` file.
  public let modelPath: String

  /// Names a model.
  ///
  /// - Parameter modelPath: The `.tflite` file.
  public init(modelPath: String) { self.modelPath = modelPath }
}

/// When a model may be downloaded.
public final class ModelDownloadConditions: Sendable {
  /// Whether a connection that is paid by the byte may be used.
  public let allowsCellularAccess: Bool
  /// Whether the download may go on in the background.
  ///
  /// Every process of a server is in the background: nothing is made of it here.
  public let allowsBackgroundDownloading: Bool

  /// Makes conditions.
  public init(allowsCellularAccess: Bool = true, allowsBackgroundDownloading: Bool = false) {
    self.allowsCellularAccess = allowsCellularAccess
    self.allowsBackgroundDownloading = allowsBackgroundDownloading
  }
}
#endif
