// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import CMalloc
import ModelCommands

/// Settings of the system's memory allocator.
enum MemoryAllocator {
  /// Makes the allocator return large blocks, such as request bodies, as soon as they are freed.
  ///
  /// By default, glibc raises the size from which it returns blocks to the system each time a large
  /// block is freed. It keeps the rest in one heap per thread, which takes 100 MB for 64 clients
  /// that post images.
  static func returnLargeBlocks() {
    #if canImport(Glibc)
    _ = mallopt(M_MMAP_THRESHOLD, 64 << 10)
    #endif
  }
}
#endif
