// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What a client asks of the computer around it; tests give other answers.
struct ClientEnvironment: Sendable {
  /// What time it is.
  var now: @Sendable () -> Date = { Date() }
  /// How many bytes may be written to the file system that a folder lies in.
  var availableBytes: @Sendable (_ folder: String) throws -> Int = Self.freeBytes
  /// The computer's power and network.
  var device = DeviceConditions()
  /// Called after each step; throws where a test lets the process die.
  var reached: @Sendable (FailurePoint) throws -> Void = { _ in }

  private static func freeBytes(of folder: String) throws -> Int {
    var status = statvfs()
    guard statvfs(folder, &status) == 0 else { throw FileFailure("examined", folder) }
    let (bytes, overflow) = Int(status.f_bavail).multipliedReportingOverflow(
      by: Int(status.f_frsize))
    return overflow ? .max : bytes
  }
}
#endif
