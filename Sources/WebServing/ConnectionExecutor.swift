// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import NIOCore
import NIOPosix

/// Runs tasks on the threads of the connections.
///
/// With Swift's own threads, every request would move from its connection's thread to another
/// thread and back. For small responses, this costs more than everything else. As with Swift's own
/// threads, tasks must not block these threads.
package final class ConnectionExecutor: TaskExecutor {
  /// The executor for the threads of all connections.
  package static let shared = ConnectionExecutor(MultiThreadedEventLoopGroup.singleton)

  private let group: any EventLoopGroup

  private init(_ group: any EventLoopGroup) { self.group = group }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // On one of these threads, `any` returns the current one.
    group.any().execute { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
#endif
