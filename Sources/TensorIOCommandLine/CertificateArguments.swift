// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import ModelCommands
import TensorIO

/// The options of servers for a certificate.
package struct CertificateArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp("The certificate for TLS, as PEM.", valueName: "file"), completion: .file())
  package var cert: String?

  @Option(
    help: ArgumentHelp("The certificate's key, as PEM.", valueName: "file"), completion: .file())
  var key: String?

  package init() {}

  package func validate() throws {
    try checkUsage((cert == nil) == (key == nil), "--cert and --key must be used together.")
  }

  /// Returns the files of the certificate and its key; nil if the options are missing.
  package func certificate() throws -> (chain: String, key: String)? {
    guard let cert, let key else { return nil }
    for file in [cert, key] { try FileSystem.requireFile(file) }
    return (cert, key)
  }
}
