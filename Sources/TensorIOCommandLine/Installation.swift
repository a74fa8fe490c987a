// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Hashing
import ModelCommands
import NativeLibrary
import NetRunner
import TensorIO
import TensorIOLiteRT
import TensorIOTensorFlow

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What is installed on this machine.
enum Installation {
  /// The path of this program.
  static var program: String {
    ExternalPrograms.folder + "/" + FileSystem.name(of: CommandLine.arguments[0])
  }

  /// The system and the processor, such as "Linux x86_64".
  static var system: String {
    var names = utsname()
    guard uname(&names) == 0 else { return "unknown system" }
    func text<Value>(_ value: Value) -> String {
      withUnsafeBytes(of: value) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    return "\(text(names.sysname)) \(text(names.machine))"
  }

  /// The folder of the libraries that the program installs.
  static var dataFolder: String { NativeLibrary.dataFolder ?? "" }

  /// Returns every part, with the necessary ones first.
  static func findings() -> [Finding] {
    [liteRT, tensorFlow, crypto, curl, zip]
      + ExternalPrograms.displayed.map { program("tensorio-" + $0._commandName) }
  }

  private static var liteRT: Finding {
    var finding = Finding(
      name: "LiteRT", purpose: "runs TensorFlow Lite models", isNeeded: true,
      remedy: fetch("litert", make: "setup"))
    finding.look { try LiteRTBackend().findLibrary() }
    if finding.place != nil { finding.version = LiteRTBackend.libraryVersion }
    return finding
  }

  private static var tensorFlow: Finding {
    var finding = Finding(
      name: "TensorFlow", purpose: "runs and trains SavedModels; 270 MB to download",
      remedy: fetch("tensorflow", make: "tensorflow"))
    let backend = TensorFlowBackend()
    finding.look { try backend.findLibrary() }
    if finding.place != nil { finding.version = try? backend.readLibraryVersion() }
    return finding
  }

  private static var crypto: Finding {
    var finding = Finding(
      name: "libcrypto", purpose: "computes the hashes of evaluations and labels",
      remedy: "apt-get install libssl3")
    #if canImport(CryptoKit)
    finding.place = "CryptoKit"
    #else
    finding.look { try LibCrypto.shared.get().path }
    #endif
    return finding
  }

  private static var curl: Finding {
    var finding = Finding(
      name: "libcurl", purpose: "downloads images",
      remedy: "apt-get install libcurl4")
    finding.look { try CurlLibrary.shared.get().path }
    return finding
  }

  private static var zip: Finding {
    var finding = Finding(
      name: "libzip", purpose: "reads and writes zip files of bundles and labels",
      remedy: "apt-get install libzip4")
    finding.look { try ZipLibrary.shared.path }
    return finding
  }

  private static func program(_ name: String) -> Finding {
    Finding(
      name: name, purpose: "what 'tensorio \(name.dropFirst("tensorio-".count))' starts",
      place: ExternalPrograms.find(name),
      remedy: "make programs, in TensorIO's source folder; the packages include it")
  }

  /// Returns the command that downloads a runtime into the user's data folder.
  private static func fetch(_ library: String, make target: String) -> String {
    let script = ExternalPrograms.folder + "/../share/tensorio/fetch_library.py"
    guard FileSystem.isFile(script), let path = realpath(script, nil) else {
      return "make \(target), in TensorIO's source folder"
    }
    defer { free(path) }
    return "python3 \(String(cString: path)) \(library)"
  }
}

extension Finding {
  /// Records the path of a library, or why it can't be used.
  fileprivate mutating func look(_ find: () throws -> String) {
    do {
      place = try find()
    } catch let error as TensorIOError {
      // The heading already says that a library is missing.
      fault = error.message.contains(" is not installed. ") ? nil : error.message
    } catch {
      fault = "\(error)"
    }
  }
}
