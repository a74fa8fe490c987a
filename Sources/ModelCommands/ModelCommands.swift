// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

/// The commands that take one model at a time.
///
/// They are a module of their own, beside the evaluation of many pictures, so that the compiler works on
/// both at once.
package enum ModelCommands {
  package static let run: any ParsableCommand.Type = RunCommand.self
  package static let inspect: any ParsableCommand.Type = InspectCommand.self
  package static let initialize: any ParsableCommand.Type = InitCommand.self
  package static let parity: any ParsableCommand.Type = ParityCommand.self
  package static let train: any ParsableCommand.Type = TrainCommand.self
}
