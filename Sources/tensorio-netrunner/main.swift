// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIOCommandLine

#if Servers
import NetRunnerCommandLine

Program.run(NetRunnerCommand.self, called: "tensorio netrunner")
#else
MissingTrait.exit(of: "tensorio-netrunner")
#endif
