// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
import TensorIO

/// Memory that this program shares with the process of a model.
///
/// The memory is a file that can grow but never shrink, so neither side can remove memory that the
/// other has mapped.
final class SharedMemory {
  let descriptor: Int32
  private var start: UnsafeMutableRawPointer?
  private var mappedBytes = 0

  /// Makes empty memory.
  init() throws {
    descriptor = open_shared_memory_file()
    guard descriptor >= 0 else {
      throw TensorIOError(
        .internalFault, "Memory can't be shared with another process: \(Self.lastError).")
    }
  }

  /// Uses memory that another process has made.
  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit {
    unmap()
    close(descriptor)
  }

  /// Makes sure that a number of bytes exist and are mapped.
  func reserve(_ byteCount: Int) throws {
    guard byteCount > mappedBytes else { return }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Self.fault(byteCount) }
    if Int(status.st_size) < byteCount {
      guard ftruncate(descriptor, off_t(byteCount)) == 0 else { throw Self.fault(byteCount) }
    }
    let mapped = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    guard let mapped, mapped != MAP_FAILED else { throw Self.fault(byteCount) }
    unmap()
    start = mapped
    mappedBytes = byteCount
  }

  /// Returns the bytes of a region that was reserved.
  func bytes(_ range: Range<Int>) -> UnsafeMutableRawBufferPointer {
    precondition(range.upperBound <= mappedBytes, "The region must be reserved first.")
    return UnsafeMutableRawBufferPointer(
      start: range.isEmpty ? nil : start?.advanced(by: range.lowerBound), count: range.count)
  }

  private func unmap() {
    if let start { munmap(start, mappedBytes) }
    start = nil
    mappedBytes = 0
  }

  private static func fault(_ byteCount: Int) -> TensorIOError {
    TensorIOError(
      .inferenceFailed,
      "\(ByteCount(byteCount)) for a model's tensors cannot be shared with its process: "
        + "\(lastError).")
  }

  private static var lastError: String { String(cString: strerror(errno)) }
}
