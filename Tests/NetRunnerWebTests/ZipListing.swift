// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO
import TestSupport

/// Unpacks zip files with a program other than the one that wrote them.
enum ZipListing {
  /// Unpacks a file.
  ///
  /// - Returns: The sorted names of its entries.
  static func names(in zip: String, into folder: String) async throws -> [String] {
    let script =
      "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); z.extractall(sys.argv[2]); "
      + "print('\\n'.join(sorted(z.namelist())))"
    let process = try ChildProcess("/usr/bin/env", ["python3", "-c", script, zip, folder])
    let result = await process.finish()
    guard result.status == 0 else { throw TensorIOError(.internalFault, result.error) }
    return result.output.split(separator: "\n").map(String.init)
  }
}
#endif
