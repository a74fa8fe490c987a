// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
public import Foundation

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
