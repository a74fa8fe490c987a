// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIOCommandLine

#if Servers
import ModelRepositoryCommandLine
import NetRunnerCommandLine

// The whole command line in one program. It generates the completion scripts of the packages,
// because the parser only knows the commands of its own process.
TensorIOTool.main { $0.commands = [NetRunnerCommand.self, RepositoryCommand.self] }
#else
MissingTrait.exit(of: "tensorio-completions")
#endif
