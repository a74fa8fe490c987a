// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
public import Foundation

extension Notification.Name {
  /// A model was downloaded, or is the newest already; see ``ModelDownloadUserInfoKey``.
  public static let firebaseMLModelDownloadDidSucceed = Notification.Name(
    "FIRModelDownloadDidSucceed")
  /// A model was not downloaded; see ``ModelDownloadUserInfoKey``.
  public static let firebaseMLModelDownloadDidFail = Notification.Name("FIRModelDownloadDidFail")
}

/// What the `userInfo` of a notification has.
public enum ModelDownloadUserInfoKey: String, Sendable {
  /// The ``RemoteModel``.
  case remoteModel = "FIRModelDownloadUserInfoKeyRemoteModel"
  /// The `NSError`.
  case error = "FIRModelDownloadUserInfoKeyError"
}
#endif
