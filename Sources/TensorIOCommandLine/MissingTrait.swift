// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelCommands

/// The behaviour of the server programs when they are built without their libraries.
package enum MissingTrait {
  /// Prints how to build a program, and ends the process.
  package static func exit(of program: String) -> Never {
    Console.printMessage(
      "error: This \(program) has no server, because it was built without the trait Servers. Build "
        + "it with 'swift build --traits Servers --product \(program)'.")
    Console.exit(69)
  }
}
