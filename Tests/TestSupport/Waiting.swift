// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The longest time that a test waits for something.
///
/// It only prevents a test from waiting forever; it says nothing about speed.
package let longestWait = Duration.seconds(300)

/// Waits until a condition is true.
///
/// - Parameters:
///   - isolation: Where the condition is evaluated.
///   - condition: The condition to wait for.
/// - Returns: Whether the condition is true; false after ``longestWait``.
/// - Throws: The errors of the condition.
package func eventually(
  isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async throws -> Bool {
  let end = ContinuousClock.now + longestWait
  while ContinuousClock.now < end {
    if try await condition() { return true }
    try await Task.sleep(for: .milliseconds(10))
  }
  return try await condition()
}

/// Waits until a number stays the same for half a second and for a hundred checks.
///
/// - Parameters:
///   - isolation: Where the number is read.
///   - number: Returns the number to check.
/// - Returns: The number.
/// - Throws: The errors of `number`.
package func settled(
  isolation: isolated (any Actor)? = #isolation, _ number: () async throws -> Int
) async throws -> Int {
  var (last, same) = (try await number(), 0)
  while same < 100 {
    try await Task.sleep(for: .milliseconds(5))
    let next = try await number()
    (last, same) = (next, next == last ? same + 1 : 0)
  }
  return last
}

/// Measures the processor time of some work on this thread, however busy the machine is.
///
/// - Parameter body: The work to measure. Only what it does on this thread counts.
/// - Returns: The processor time in seconds.
/// - Throws: The errors of `body`.
package func processorSeconds(_ body: () throws -> Void) rethrows -> Double {
  func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
  let start = now()
  try body()
  return now() - start
}

/// Returns how many times as much processor time a large input takes as a small one.
///
/// A busy machine distorts single measurements, so this repeats them until the ratio is below the
/// limit, five times at most.
///
/// - Parameters:
///   - limit: The ratio that the test accepts.
///   - large: Returns the processor time for the large input.
///   - small: Returns the processor time for the small input.
/// - Returns: The lowest ratio.
package func processorTimeRatio(
  below limit: Double, of large: () throws -> Double, to small: () throws -> Double
) rethrows -> Double {
  var lowest = Double.infinity
  for _ in 0..<5 where lowest >= limit {
    let time = try small()
    lowest = min(lowest, try large() / time)
  }
  return lowest
}

/// Returns the memory that this process has in use; 0 except on Linux.
package func residentKilobytes() throws -> Int {
  #if os(Linux)
  let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
  guard let number = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
    throw CocoaError(.fileReadCorruptFile)
  }
  return number
  #else
  return 0
  #endif
}
