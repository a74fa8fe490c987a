// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
package import TensorIO

/// A shared library that is opened when the program runs, and stays open until it ends.
///
/// `@unchecked Sendable` because the handle never changes and any thread may call `dlsym`.
package final class NativeLibrary: @unchecked Sendable {
  package let path: String
  private let handle: UnsafeMutableRawPointer

  /// Finds and opens a library.
  ///
  /// - Parameters:
  ///   - name: The name of the library for users.
  ///   - fileNames: The possible names of its file, the likeliest first.
  ///   - variable: The environment variable that names the file. If set, it replaces the search.
  ///   - companions: The possible file names of another library that this one needs and that may be
  ///     in a different folder.
  ///   - pythonPackage: The folder of a Python package that contains the library, if there is one.
  ///     pip may have installed it next to this program.
  ///   - command: What to do to install it, as the rest of a sentence.
  /// - Throws: `TensorIOError` with the code `missingLibrary`. Its cause is ``NotFound``.
  package init(
    _ name: String, fileNames: [String], overriddenBy variable: String, companions: [String] = [],
    pythonPackage: String? = nil, installedBy command: String
  ) throws(TensorIOError) {
    var tried: [(path: String, reason: String)] = []
    let candidates = Self.candidates(
      fileNames: fileNames, overriddenBy: variable, pythonPackage: pythonPackage)
    for group in candidates {
      for path in group() {
        // A missing file needs no further explanation, but a file that cannot be opened does.
        let isFile = path.contains("/")
        if isFile && access(path, F_OK) != 0 {
          tried.append((path, NotFound.missing))
          continue
        }
        if let handle = Self.open(path) ?? Self.open(path, after: companions) {
          self.path = path
          self.handle = handle
          return
        }
        tried.append((path, dlerror().map { String(cString: $0) } ?? "unknown"))
      }
    }
    let cause = NotFound(variable: variable, tried: tried)
    throw TensorIOError(
      .missingLibrary, cause.message(library: name, installing: command), cause: cause)
  }

  private static func open(_ path: String) -> UnsafeMutableRawPointer? {
    dlopen(path, RTLD_LAZY | RTLD_LOCAL)
  }

  /// Opens a library after one that it needs, so that the needed one is found by its name.
  private static func open(_ path: String, after companions: [String]) -> UnsafeMutableRawPointer? {
    for folder in setupFolders + programFolders {
      for name in companions where access(folder + "/" + name, F_OK) == 0 {
        if open(folder + "/" + name) != nil { return open(path) }
      }
    }
    return nil
  }

  /// Returns the address of a symbol, or nil when the library doesn't have it.
  package func symbol(_ name: UnsafePointer<CChar>) -> UnsafeMutableRawPointer? {
    dlsym(handle, name)
  }

  /// Returns a function of the library; a missing one is an error with the code `missingLibrary`.
  package func function<Function>(
    _ name: String, as type: Function.Type = Function.self
  ) throws(TensorIOError) -> Function {
    guard let symbol = symbol(name) else {
      throw TensorIOError(.missingLibrary, "'\(path)' can't be used, because it lacks \(name).")
    }
    return unsafeBitCast(symbol, to: type)
  }

  /// Fills a structure of function pointers.
  ///
  /// - Parameters:
  ///   - functions: The structure, which contains nothing else.
  ///   - name: Returns the name of a function by its index in the structure.
  ///   - product: The name of the library for users.
  ///   - version: The version that has all of the functions.
  /// - Throws: `TensorIOError` with the code `missingLibrary` if the library lacks functions.
  package func load<Functions>(
    _ functions: inout Functions, named name: (Int) -> UnsafePointer<CChar>?,
    of product: String, _ version: String
  ) throws(TensorIOError) {
    let missing = withUnsafeMutableBytes(of: &functions) { bytes in
      let slots = bytes.bindMemory(to: UnsafeMutableRawPointer?.self)
      return slots.indices.compactMap { index -> String? in
        guard let name = name(index) else { return nil }
        slots[index] = symbol(name)
        return slots[index] == nil ? String(cString: name) : nil
      }
    }
    guard !missing.isEmpty else { return }
    throw TensorIOError(
      .missingLibrary,
      "'\(path)' isn't the version of \(product) that this release needs (\(version)). It lacks "
        + "these functions: \(missing.joined(separator: ", ")).")
  }

  /// Returns groups of paths to try.
  ///
  /// If the variable is set, its value is the only path. Otherwise, these are the paths in the
  /// setup's folder, those next to the program, and finally the plain names, for which the system
  /// searches. Most runs find the library in the first group, and don't compute the others.
  private static func candidates(
    fileNames: [String], overriddenBy variable: String, pythonPackage: String?
  ) -> [() -> [String]] {
    if let path = environment(variable) { return [{ [path] }] }
    func paths(in folders: [String]) -> [String] {
      folders.flatMap { folder in fileNames.map { folder + "/" + $0 } }
    }
    return [
      { paths(in: setupFolders) },
      { paths(in: programFolders) },
      { pythonPackage.map { paths(in: folders(ofPythonPackage: $0)) } ?? [] },
      { fileNames },
    ]
  }

  /// Returns the folders of a Python package that pip installed next to this program.
  private static func folders(ofPythonPackage name: String) -> [String] {
    guard let executableFolder else { return [] }
    var found = glob_t()
    defer { globfree(&found) }
    let pattern = "\(executableFolder)/../lib/python3*/*-packages/\(name)"
    guard glob(pattern, 0, nil, &found) == 0 else { return [] }
    return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
  }

  /// The folder into which the setup installs libraries; empty without a home folder.
  private static var setupFolders: [String] { dataFolder.map { [$0 + "/lib"] } ?? [] }

  /// The folders of this program and of the libraries next to it.
  private static var programFolders: [String] {
    executableFolder.map { [$0, $0 + "/../lib"] } ?? []
  }

  /// The folder `$TENSORIO_HOME`, or a folder in the user's data folder; nil without a home folder.
  package static var dataFolder: String? {
    if let home = environment("TENSORIO_HOME") { return home }
    if let data = environment("XDG_DATA_HOME") { return data + "/tensorio" }
    return environment("HOME").map { $0 + "/.local/share/tensorio" }
  }

  /// The folder of this program, with links resolved.
  package static let executableFolder: String? = {
    guard let resolved = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(resolved) }
    let path = String(cString: resolved)
    return path.lastIndex(of: "/").map { String(path[..<$0]) }
  }()

  /// An empty value counts as unset.
  fileprivate static func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  /// Why a library could not be opened.
  package struct NotFound: Error, CustomStringConvertible {
    /// The environment variable that overrides the search.
    fileprivate let variable: String
    /// Every path that was tried, in order, and why it could not be opened.
    fileprivate let tried: [(path: String, reason: String)]
    fileprivate static let missing = "no such file"

    /// The attempt that found a file which could not be opened, or the variable's path.
    private var unusable: (path: String, reason: String)? {
      NativeLibrary.environment(variable) != nil
        ? tried.first : tried.first { $0.path.contains("/") && $0.reason != Self.missing }
    }

    /// Whether the library is nowhere, rather than damaged or named wrongly.
    package var isAbsent: Bool { unusable == nil }

    package var description: String {
      "Looked for it in:"
        + tried.map { "\n  \($0.path) (\($0.reason))" }.joined()
    }

    /// Returns a message that says what happened and what to do, without the paths that were
    /// searched.
    fileprivate func message(library: String, installing: String) -> String {
      guard let attempt = unusable else {
        return "\(library) is not installed. To install it, \(installing)."
      }
      if NativeLibrary.environment(variable) != nil {
        return "\(library) cannot be opened: \(variable) names '\(attempt.path)' "
          + "(\(attempt.reason)). Correct the variable, or unset it to search the usual paths."
      }
      return "\(library) cannot be opened: '\(attempt.path)' exists, but the system reports: "
        + "\(attempt.reason). To install it again, \(installing)."
    }
  }
}
