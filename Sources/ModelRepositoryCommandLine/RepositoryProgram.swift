// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ModelCommands
import TensorIOCommandLine

/// The program `tensorio-repository`.
package enum RepositoryProgram {
  /// Runs the command line of this process.
  package static func main() {
    Program.run(RepositoryCommand.self, called: "tensorio repository")
  }
}
#endif
