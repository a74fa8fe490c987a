// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSQLite
import NativeLibrary
import TensorIO

/// The SQLite library.
///
/// It is opened on first use, so that programs that store no rows start without it. A program that
/// is linked with SQLite uses that copy.
package struct SQLiteLibrary: Sendable {
  /// The file that was opened; nil if this program is linked with SQLite.
  package let path: String?
  let functions: sqlite_functions

  /// Returns the instance that the process shares.
  ///
  /// - Throws: `TensorIOError` with the code `missingLibrary`.
  package static var shared: SQLiteLibrary { get throws(TensorIOError) { try opened.get() } }

  private static let opened = Result { () throws(TensorIOError) in try SQLiteLibrary() }

  private init() throws(TensorIOError) {
    var functions = sqlite_functions()
    if sqlite_linked_functions(&functions) {
      path = nil
    } else {
      let library = try NativeLibrary(
        "SQLite, which stores results and labels,",
        fileNames: ["libsqlite3.so.0", "libsqlite3.so", "libsqlite3.dylib"],
        overriddenBy: "TENSORIO_SQLITE_LIBRARY", installedBy: "run 'apt-get install libsqlite3-0'")
      try library.load(&functions, named: sqlite_function_name, of: "SQLite", "3.20 or newer")
      path = library.path
    }
    self.functions = functions
  }
}
