// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
/// The conditions under which a download may start.
public struct DownloadConditions: Sendable, Hashable {
  /// Whether a cellular or metered network may be used.
  ///
  /// On Linux, `TENSORIO_METERED=1` or `=0` says whether the network is metered. If it isn't set,
  /// the type of the default route's interface decides. If neither is conclusive, the download
  /// fails with ``ModelRepositoryClientError/Code/conditionUnknown``.
  public var allowsCellularAccess: Bool
  /// Whether the download may continue in the background.
  ///
  /// This has no effect on Linux, where the system doesn't stop programs in the background.
  public var allowsBackgroundDownloading: Bool
  /// Whether the device has to be charging.
  ///
  /// A device without a battery counts as charging. If the device doesn't report its state, the
  /// download fails with ``ModelRepositoryClientError/Code/conditionUnknown``.
  public var requiresCharging: Bool

  /// Creates a set of conditions.
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
