// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
/// How many requests and runs a model had, and how long their stages took.
package struct ModelCounts: Sendable {
  /// A number of requests, and how long a stage of all of them took.
  package struct Times: Sendable {
    package private(set) var count = 0
    package private(set) var nanoseconds = 0

    package mutating func add(_ duration: Duration) {
      count += 1
      nanoseconds += Int(duration / .nanoseconds(1))
    }
  }

  /// The requests that succeeded, from their heads to their responses.
  package var success = Times()
  package var failure = Times()
  /// The waiting times of the requests that succeeded, like the stages below.
  package var queue = Times()
  /// Reading the request's tensors.
  package var input = Times()
  /// The run, perhaps together with other requests.
  package var inference = Times()
  /// Making the response.
  package var output = Times()
  /// The number of items that were run.
  package var items = 0
  /// The number of runs, which can have several items.
  package var runs = 0
  /// When the last request ended, in milliseconds since 1970, or 0.
  package var last = 0

  package init() {}
}
#endif
