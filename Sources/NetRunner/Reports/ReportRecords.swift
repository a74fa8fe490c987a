// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
import Hashing
package import TensorIO
package import TensorIOImageCodecs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The program that made a report.
public struct ToolRecord: Sendable, Codable, Hashable {
  /// The program's name.
  public var name = "tensorio"
  /// The program's version.
  public var version: String

  /// Creates a record of `tensorio`.
  public init(version: String) { self.version = version }
}

/// The part of the images that a report covers.
public struct PartRecord: Sendable, Codable, Hashable {
  /// The number of the part, from 1.
  public var index: Int
  /// The number of parts.
  public var count: Int

  /// Creates a record.
  public init(index: Int, count: Int) {
    self.index = index
    self.count = count
  }
}

/// The settings of an evaluation.
public struct SettingsRecord: Sendable, Codable, Hashable {
  /// How often each image was run.
  public var iterations: Int
  /// The number of unmeasured runs before the evaluation.
  public var warmup: Int
  /// The number of images that were processed at the same time.
  public var threads: Int
  /// The seed for resampling and random choices.
  public var seed: UInt64
  /// The maximum number of images, or nil for all.
  public var limit: Int?
  /// The amount of detail that was decoded from JPEGs: `exact`, `high` or `fast`.
  public var decode: String
  /// The names of the metrics.
  public var metrics: [String]
  /// The k of top-k accuracy.
  public var topK: Int
  /// A number that was added to classes that the dataset gives as numbers.
  public var labelOffset: Int
  /// The labels that replaced labels of the dataset, or nil if there was no label map.
  public var labelMap: [String: String]?
  /// The class of pixels that segmentation metrics ignored, or nil if all pixels counted.
  public var ignoredClass: Int?

  private enum CodingKeys: String, CodingKey {
    case iterations, warmup, threads, seed, limit, decode, metrics
    case topK = "top_k"
    case labelOffset = "label_offset"
    case labelMap = "label_map"
    case ignoredClass = "ignored_class"
  }
}

/// The machine that ran an evaluation.
public struct EnvironmentRecord: Sendable, Codable, Hashable {
  /// The operating system and its version.
  public var system: String
  /// The processor's architecture.
  public var architecture: String
  /// The processor's name.
  public var cpu: String
  /// The number of processors that the process can use.
  public var cores: Int
  /// The versions of the libraries that ran the models, by the libraries' names.
  public var libraries: [String: String]
  /// What ran the models, by the models' identifiers: `gpu`, or `cpu` with the reason.
  ///
  /// It is nil if nobody asked for an accelerator.
  public var accelerators: [String: String]?
}

/// The dataset of an evaluation.
public struct DatasetRecord: Sendable, Codable, Hashable {
  /// The dataset's layout.
  public var layout: Dataset.Layout
  /// The dataset's name.
  public var name: String
  /// The identifier of a test bundle.
  public var id: String?
  /// The version of a test bundle.
  public var version: String?
  /// The dataset's path.
  public var path: String
  /// The number of images, before a limit is applied.
  public var images: Int
  /// The number of images with a label, after a limit is applied.
  public var labelled: Int
  /// The SHA-256 of the images' identifiers, labels and bytes, after a limit is applied.
  ///
  /// It has 64 hexadecimal digits.
  public var sha256: String
  /// The metric that the dataset itself requests, if no other metrics were requested.
  public var metric: String?
  /// Notes about what was guessed or left out.
  public var notes: [String]
  /// What the samples are, or nil for images.
  ///
  /// Where other properties speak of images, they mean these samples.
  public var content: Dataset.Content?

  /// What the samples are.
  package var samples: Dataset.Content { content ?? .images }

  private enum CodingKeys: String, CodingKey {
    case layout, name, id, version, path, labelled, sha256, metric, notes, content
    case images = "pictures"
  }
}

/// A model that was evaluated.
public struct ModelRecord: Sendable, Codable, Hashable {
  /// The model's identifier.
  public var id: String
  /// The model's name.
  public var name: String
  /// The model's version.
  public var version: String
  /// The bundle's path.
  public var path: String
  /// The backend's name.
  public var backend: String
  /// The SHA-256 of the model's file or files, as 64 hexadecimal digits.
  public var sha256: String
  /// The SHA-256 of everything in the bundle that decides the results, as 64 hexadecimal digits.
  ///
  /// Besides the model's files, this covers the layers and options in model.json, and the weights,
  /// labels and other files that they name. Reports of earlier versions don't have it.
  public var bundleSHA256: String?
  /// A human-readable description of how an image is converted to a tensor.
  public var preprocessing: String
  /// The SHA-256 of ``preprocessing`` and the decode setting, as 64 hexadecimal digits.
  public var preprocessingSHA256: String

  private enum CodingKeys: String, CodingKey {
    case id, name, version, path, backend, sha256, preprocessing
    case bundleSHA256 = "bundle_sha256"
    case preprocessingSHA256 = "preprocessing_sha256"
  }

  /// The model's name, followed by its id if another model has the same name.
  func title(among others: [ModelRecord]) -> String {
    others.contains { $0.name == name && $0.id != id } ? "\(name) (\(id))" : name
  }
}

extension EnvironmentRecord {
  static func current(libraries: [String: String]) -> EnvironmentRecord {
    var names = utsname()
    uname(&names)
    let kernel = "\(text(&names.sysname)) \(text(&names.release))"
    let system = value(of: "PRETTY_NAME=", in: "/etc/os-release", separator: "=")
    return EnvironmentRecord(
      system: system.map { "\($0), \(kernel)" } ?? kernel, architecture: text(&names.machine),
      cpu: value(of: "model name", in: "/proc/cpuinfo", separator: ":") ?? text(&names.machine),
      cores: ProcessInfo.processInfo.activeProcessorCount, libraries: libraries)
  }

  private static func text<Characters>(_ characters: inout Characters) -> String {
    withUnsafeBytes(of: &characters) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  /// The value of a key in a system file, or nil if the file or the key doesn't exist.
  fileprivate static func value(
    of key: String, in file: String, separator: Character
  ) -> String? {
    guard let bytes = try? FileSystem.read(file) else { return nil }
    let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix(key) }
    let parts = line?.split(separator: separator, maxSplits: 1)
    guard let parts, parts.count == 2 else { return nil }
    return String(parts[1].drop { $0 == " " || $0 == "\t" || $0 == "\"" }.prefix { $0 != "\"" })
  }
}

package enum ProcessMemory {
  /// The peak memory so far in bytes, or 0 if the system doesn't provide it.
  package static var peak: Int {
    let line = EnvironmentRecord.value(of: "VmHWM:", in: "/proc/self/status", separator: ":")
    let number = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
    return (number ?? 0) * 1024
  }
}

extension ModelRecord {
  package init(_ bundle: ModelBundle, _ decoder: ImageDecoder) throws {
    let manifest = bundle.manifest
    let inputs = manifest.inputs.map { "\($0.name): \($0.preprocessing)" }
    let preprocessing = inputs.joined(separator: "; ")
    let text = preprocessing + "; decode \(decoder.scaling.rawValue)"
    let sha256 = try bundle.sha256()
    self.init(
      id: manifest.id, name: manifest.name, version: manifest.version, path: bundle.path,
      backend: bundle.backendName ?? "none", sha256: sha256,
      bundleSHA256: try bundle.contentSHA256(ofModel: sha256), preprocessing: preprocessing,
      preprocessingSHA256: try SHA256.digest(of: Array(text.utf8)).hexadecimal)
  }
}

extension ModelManifest.Layer {
  fileprivate var preprocessing: String {
    // These words are part of preprocessing_sha256, which must equal that of older reports. A bulk
    // run compares it, too, before it adds to older results.
    guard case .imageInput(let shape, let preprocessing) = kind else { return "not a picture" }
    var parts = [
      "\(shape.format.rawValue) \(shape.width) x \(shape.height), \(shape.layout.rawValue)",
      "resize \(preprocessing.resize.rawValue)", "crop \(preprocessing.crop.text)",
    ]
    if let normalization = preprocessing.normalization {
      let (scale, bias) = (normalization.scale, normalization.bias)
      parts.append(
        "\(scale.red), \(scale.green), \(scale.blue) * value + "
          + "\(bias.red), \(bias.green), \(bias.blue)")
    }
    return parts.joined(separator: ", ")
  }
}

extension ImageCrop {
  fileprivate var text: String {
    var text = mode.rawValue
    if fraction != 1 { text += " \(fraction)" }
    if mode == .pad { text += " with \(color.red), \(color.green), \(color.blue)" }
    if mode == .pad, rounding != .pillow { text += ", rounded like \(rounding.rawValue)" }
    return text
  }
}
