// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import CMalloc
import ModelCommands

/// What the process asks of the system's allocator.
enum MemoryAllocator {
  /// Blocks of requests' bodies go back to the system as soon as they are freed.
  ///
  /// By itself glibc raises the size from which it does so with each large block that is freed, and
  /// keeps the rest in as many heaps as threads ran: 100 MB for 64 clients that post pictures.
  static func returnLargeBlocks() {
    #if canImport(Glibc)
    _ = mallopt(M_MMAP_THRESHOLD, 64 << 10)
    #endif
  }
}
#endif
