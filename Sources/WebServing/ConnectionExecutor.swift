// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import NIOCore
import NIOPosix

/// Runs tasks on the threads of the connections.
///
/// Swift's own threads would take every request over from a connection's thread, and hand the answer
/// back: for small answers that costs more than the rest. Tasks must not block these threads, no more
/// than Swift's own.
package final class ConnectionExecutor: TaskExecutor {
  /// The threads of all connections.
  package static let shared = ConnectionExecutor(MultiThreadedEventLoopGroup.singleton)

  private let group: any EventLoopGroup

  private init(_ group: any EventLoopGroup) { self.group = group }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // On one of these threads, `any` is the present one.
    group.any().execute { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
#endif
