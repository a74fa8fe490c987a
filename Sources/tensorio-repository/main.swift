// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIOCommandLine

#if Servers
import ModelRepositoryCommandLine

Program.run(RepositoryCommand.self, called: "tensorio repository")
#else
MissingTrait.exit(of: "tensorio-repository")
#endif
