// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ModelRepositoryCommandLine

RepositoryProgram.main()
#else
import TensorIOCommandLine

MissingTrait.exit(of: "tensorio-repository")
#endif
