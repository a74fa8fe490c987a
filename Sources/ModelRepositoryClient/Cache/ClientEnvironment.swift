// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Files
import Foundation

/// The parts of the system that a client depends on, which tests can replace.
struct ClientEnvironment: Sendable {
  /// Returns the current time.
  var now: @Sendable () -> Date = { Date() }
  /// Returns the free space of the file system that contains a folder, in bytes.
  var availableBytes: @Sendable (_ folder: String) throws -> Int = Self.freeBytes
  /// The computer's power and network.
  var device = DeviceConditions()
  /// Called after each step.
  ///
  /// Tests throw from it to simulate a crash.
  var reached: @Sendable (FailurePoint) throws -> Void = { _ in }

  private static func freeBytes(of folder: String) throws -> Int {
    try FileOperations.room(at: folder).free
  }
}

/// The steps after which a process may crash.
///
/// Tests stop a client at each step and check that a new client recovers the cache. A step's name
/// says what was just done.
enum FailurePoint: String, CaseIterable, Sendable {
  case documentFetched, stateWritten, stateFlushed, stateRenamed, stateDurable
  case partialOpened, partialWritten, partialComplete, partialFlushed, blobRenamed, blobDurable
  case corruptBlobRemoved
  case stagingMade, fileLinked, stagingFlushed, versionRenamed, versionDurable
  case versionVerified, attemptMade, attemptRemoved
  case oldVersionMarked, oldVersionRemoved, unusedBlobRemoved
}
#endif
