// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A fault that tests plant into the trial of an accelerator.
///
/// The variable only has an effect in the process of a trial, which then runs the model on the CPU in
/// place of the accelerator. The only effect of a fault is that the accelerator isn't used.
enum PlantedFault: String {
  /// Ends the process while the model is loaded.
  case crashAtLoad = "crash-at-load"
  /// Ends the process during the run.
  case crash
  /// Never ends the run.
  case hang
  /// Changes one element of the first output.
  case wrong

  static let variable = "TENSORIO_ACCELERATOR_FAULT"

  /// The fault that the environment names, if this process tries an accelerator.
  init?(on accelerator: Accelerator) {
    guard accelerator != .cpu, let name = getenv(Self.variable) else { return nil }
    self.init(rawValue: String(cString: name))
  }

  func happenAtLoad() { if self == .crashAtLoad { abort() } }

  func happenInRun() {
    switch self {
    case .crash: kill(getpid(), SIGSEGV)
    case .hang: while true { sleep(60) }
    case .crashAtLoad, .wrong: break
    }
  }

  /// Changes an element of the first output.
  func change(_ elements: UnsafeMutableRawBufferPointer, of output: TensorDescription) {
    let width = output.dataType?.byteWidth ?? 1
    guard self == .wrong, elements.count >= width else { return }
    // The sign of the element in the middle, or a large part of its value.
    let index = elements.count / width / 2 * width + width - 1
    elements[index] ^= 0x41
  }
}
