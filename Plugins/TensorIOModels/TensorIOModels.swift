// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// Generates a Swift type for each bundle, `NAME.tiobundle`, in a target's folder.
///
/// A bundle that is a resource of the target can be opened without a path.
@main
struct TensorIOModels: BuildToolPlugin {
  /// The file in a target's folder with the access level and the names of its types.
  private static let settingsName = "TensorIOModels.json"

  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    guard let module = target.sourceModule else { return [] }
    let tool = try context.tool(named: "tensorio-generator").url
    let settings = target.directoryURL.appending(path: Self.settingsName)
    let hasSettings = FileManager.default.fileExists(atPath: settings.path)
    var owners: [String: URL] = [:]
    return try bundles(in: target.directoryURL).map { bundle in
      let name = bundle.deletingPathExtension().lastPathComponent
      // Two source files of a module can't have the same name, even in different cases.
      if let other = owners.updateValue(bundle, forKey: name.lowercased()) {
        throw PluginError(
          "The bundles '\(other.path)' and '\(bundle.path)' have the same name, but their types need "
            + "different ones. Rename one of them.")
      }
      // The name isn't that of another source file, such as `digits.swift`.
      let output = context.pluginWorkDirectoryURL.appending(path: name + ".tiobundle.swift")
      var arguments = [bundle.path, output.path]
      if let resource = try resourcePath(of: bundle, in: module) {
        arguments += ["--resource", resource]
      }
      if hasSettings { arguments += ["--settings", settings.path] }
      return .buildCommand(
        displayName: "Generating the type of \(bundle.lastPathComponent)", executable: tool,
        arguments: arguments, inputFiles: inputs(of: bundle) + (hasSettings ? [settings] : []),
        outputFiles: [output])
    }
  }

  /// Returns the bundles in a folder and its subfolders, sorted by path.
  private func bundles(in folder: URL) -> [URL] {
    let enumerator = FileManager.default.enumerator(
      at: folder, includingPropertiesForKeys: [.isDirectoryKey], options: [.skipsHiddenFiles])
    var bundles: [URL] = []
    while let url = enumerator?.nextObject() as? URL {
      guard url.pathExtension == "tiobundle" else { continue }
      enumerator?.skipDescendants()
      bundles.append(url)
    }
    return bundles.sorted { $0.path < $1.path }
  }

  /// Returns the files that the type depends on: model.json, and labels among the assets.
  private func inputs(of bundle: URL) -> [URL] {
    let assets = bundle.appending(path: "assets")
    let names = FileManager.default.subpaths(atPath: assets.path) ?? []
    return [bundle.appending(path: "model.json")]
      + names.sorted().map { assets.appending(path: $0) }
  }

  /// Returns the path of a bundle among the resources of its module; nil if it is none of them.
  private func resourcePath(of bundle: URL, in module: any SourceModuleTarget) throws -> String? {
    let path = bundle.path
    for file in module.sourceFiles where file.type == .resource {
      let resource = file.url.path
      if path == resource { return file.url.lastPathComponent }
      // Resources are copied with their folder's name, and with everything in it.
      if path.hasPrefix(resource + "/") {
        return file.url.lastPathComponent + path.dropFirst(resource.count)
      }
      if resource.hasPrefix(path + "/") {
        throw PluginError(
          "'\(bundle.lastPathComponent)' would lose its folder among the resources of the target "
            + "'\(module.name)'. Write .copy(\"\(bundle.lastPathComponent)\") instead of "
            + ".process(...) in Package.swift.")
      }
    }
    return nil
  }
}

/// A mistake in a package that uses the plugin.
private struct PluginError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
