// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import ModelCommands
import TensorIOCommandLine

/// The person's browser.
enum Browser {
  #if os(macOS)
  private static let opener = "/usr/bin/open"
  #else
  private static let opener = "/usr/bin/xdg-open"
  #endif

  /// Whether a person at a screen would see a browser open.
  static var isThere: Bool {
    let environment = ProcessInfo.processInfo.environment
    let hasScreen = environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil
    #if os(macOS)
    return Console.messagesGoToTerminal
    #else
    return Console.messagesGoToTerminal && hasScreen
      && FileManager.default.isExecutableFile(atPath: opener)
    #endif
  }

  /// Opens an address; where that fails, the person has it in writing.
  static func open(_ address: String) {
    let process = Process()
    process.executableURL = URL(filePath: opener)
    process.arguments = [address]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try? process.run()
  }
}
#endif
