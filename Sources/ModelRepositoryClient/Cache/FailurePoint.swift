// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
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
