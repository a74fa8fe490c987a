// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
/// When a download may take place.
public struct DownloadConditions: Sendable, Hashable {
  /// Whether a network that is cellular, or metered, may be used.
  ///
  /// On Linux `TENSORIO_METERED=1` or `=0` tells; else the kind of the interface that the default
  /// route leads through. What neither tells is ``ModelRepositoryClientError/Code/conditionUnknown``.
  public var allowsCellularAccess: Bool
  /// Without meaning on Linux, where no system stops a program in the background.
  public var allowsBackgroundDownloading: Bool
  /// Whether the device has to be charging.
  ///
  /// One that has no battery counts as charging; one that does not tell is
  /// ``ModelRepositoryClientError/Code/conditionUnknown``.
  public var requiresCharging: Bool

  /// Makes conditions.
  public init(
    allowsCellularAccess: Bool = true, allowsBackgroundDownloading: Bool = false,
    requiresCharging: Bool = false
  ) {
    self.allowsCellularAccess = allowsCellularAccess
    self.allowsBackgroundDownloading = allowsBackgroundDownloading
    self.requiresCharging = requiresCharging
  }
}
#endif
