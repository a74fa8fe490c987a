// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import ModelRepositoryAPI

extension ProblemDetails {
  /// The server's message on one line, with control characters replaced by spaces.
  var text: String { Self.line(title, upTo: 1000) }

  /// The code and the server's message.
  var codeAndText: String { "\(Self.line(code, upTo: 60)): \(Self.line(title, upTo: 300))" }

  private static func line(_ text: String, upTo count: Int) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.prefix(count).map {
          $0.properties.generalCategory == .control ? " " : $0
        }))
  }
}
#endif
