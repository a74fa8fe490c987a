// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TensorIO

extension ByteCount: ExpressibleByArgument {
  package init?(argument: String) { self.init(parsing: argument) }

  package var defaultValueDescription: String { description }
}
