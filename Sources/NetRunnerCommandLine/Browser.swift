// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import ModelCommands
import TensorIOCommandLine

/// Opens addresses in the user's browser.
enum Browser {
  #if os(macOS)
  private static let opener = "/usr/bin/open"
  #else
  private static let opener = "/usr/bin/xdg-open"
  #endif

  /// Whether a browser can be opened where the user sees it.
  ///
  /// Messages must go to a terminal. On Linux, there must also be a display and `xdg-open`.
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

  /// Opens an address.
  ///
  /// A failure is ignored, because the address is also printed.
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
