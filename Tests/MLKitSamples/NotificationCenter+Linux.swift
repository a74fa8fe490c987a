// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation

#if !canImport(ObjectiveC)
extension NotificationCenter {
  /// As on Apple's systems, the result may be ignored.
  @discardableResult
  func addObserver(
    forName name: Notification.Name, object: Any?, queue: OperationQueue?,
    using block: @Sendable @escaping (Notification) -> Void
  ) -> Any {
    let observe =
      (self as NotificationCenter).addObserver(forName:object:queue:using:)
      as (Notification.Name?, Any?, OperationQueue?, @Sendable @escaping (Notification) -> Void) ->
      NSObjectProtocol
    return observe(name, object, queue, block)
  }
}
#endif
#endif
