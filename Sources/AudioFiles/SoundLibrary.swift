// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSoundFile
import NativeLibrary
import TensorIO

/// libsndfile, which decodes audio files.
///
/// It is opened on first use, so that programs that read no audio files start without it.
package struct SoundLibrary: Sendable {
  /// The file that was opened.
  package let path: String
  let functions: sound_functions

  /// Returns the instance that the process shares.
  ///
  /// - Throws: `TensorIOError` with the code `missingLibrary`.
  package static var shared: SoundLibrary { get throws(TensorIOError) { try opened.get() } }

  private static let opened = Result { () throws(TensorIOError) in try SoundLibrary() }

  private init() throws(TensorIOError) {
    let library = try NativeLibrary(
      "libsndfile, which reads audio files,",
      fileNames: ["libsndfile.so.1", "libsndfile.so", "libsndfile.1.dylib", "libsndfile.dylib"],
      overriddenBy: "TENSORIO_SNDFILE_LIBRARY", installedBy: "run 'apt-get install libsndfile1'")
    var functions = sound_functions()
    try library.load(&functions, named: sound_function_name, of: "libsndfile", "1.0.18 or newer")
    path = library.path
    self.functions = functions
  }
}
