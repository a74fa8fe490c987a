// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CLiteRT
import CSystemCalls
import NativeLibrary
import TensorIO

/// LiteRT's WebGPU accelerator, which runs models on the graphics processor.
///
/// `@unchecked Sendable` because the environment is only read once it has been created.
struct LiteRTWebGPU: @unchecked Sendable {
  let environment: LiteRtEnvironment
  private let isAccelerated:
    @convention(c) @Sendable (LiteRtCompiledModel?, UnsafeMutablePointer<Bool>?) -> LiteRtStatus

  /// The environment variable that names the accelerator's file.
  static let variable = "TENSORIO_WEBGPU_LIBRARY"
  private static let fileNames = [
    "libLiteRtWebGpuAccelerator.so", "libLiteRtWebGpuAccelerator.dylib",
  ]

  /// Finds the accelerator beside LiteRT's library, or where other libraries are searched for.
  init(for library: LiteRTLibrary) throws(TensorIOError) {
    isAccelerated = try library.function("LiteRtCompiledModelIsNonCpuFullyAccelerated")
    let folder = try Self.folder(beside: library.path)
    environment = try library.makeEnvironment(
      accelerators: LiteRT.cpuAndGPU, folder: folder)
  }

  private static func folder(beside library: String) throws(TensorIOError) -> String {
    let folder = FileSystem.folder(of: library)
    if getenv(variable) == nil,
      fileNames.contains(where: { FileSystem.isFile("\(folder)/\($0)") })
    {
      return folder
    }
    let accelerator = try NativeLibrary(
      "LiteRT's WebGPU accelerator", fileNames: fileNames, overriddenBy: variable,
      pythonPackage: "ai_edge_litert",
      installedBy: "run 'pip install ai-edge-litert==\(LiteRTBackend.libraryVersion)' and set "
        + "\(variable) to the path of ai_edge_litert/\(fileNames[0])")
    return FileSystem.folder(of: accelerator.path)
  }

  /// Throws if a compiled model runs some of its operators on the processors.
  func check(_ model: LiteRtCompiledModel) throws {
    var isWhole = false
    guard isAccelerated(model, &isWhole) == LiteRT.ok, isWhole else {
      throw TensorIOError(
        .unsupportedModel, "The GPU can't run all operators of the model.")
    }
  }
}
