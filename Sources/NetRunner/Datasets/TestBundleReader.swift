// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

/// Reads a `.testbundle` and collects all violations of its schema.
///
/// It accepts exactly what `Schemas/test.schema.json` accepts, except for duplicate paths, which a
/// schema can't express.
struct TestBundleReader {
  private let path: String
  var issues: [BundleIssue] = []
  private var notes: [String] = []

  static func read(_ path: String) throws -> Dataset {
    var reader = TestBundleReader(path: path)
    guard let dataset = try reader.read() else {
      throw TensorIOError(
        .invalidBundle,
        "'\(path)' is not a usable test bundle: "
          + (reader.issues.first.map { "\($0)" } ?? "it could not be read.")
          + (reader.issues.count > 1 ? " And \(reader.issues.count - 1) more." : ""),
        issues: reader.issues)
    }
    return dataset
  }

  private mutating func read() throws -> Dataset? {
    guard let (document, outline) = try readDocument(), let root = object(document, at: "") else {
      return nil
    }
    let name = requiredString("name", in: root, at: "")
    let id = requiredString("id", in: root, at: "")
    let version = requiredString("version", in: root, at: "")
    let models = readModels(root)
    let options = readOptions(root)
    var samples = readImages(root)
    readLabels(root, outline, into: &samples)
    guard issues.isEmpty, let name, let id, let version, let options else { return nil }
    let unlabelled = samples.count { $0.truth == nil }
    if unlabelled > 0 {
      notes.append(
        "\(counted(unlabelled, "image")) of \(samples.count) without a label")
    }
    return Dataset(
      layout: .testBundle, name: name, path: path, id: id, version: version, samples: samples,
      modelIDs: models, iterations: options.iterations, metric: options.metric, notes: notes)
  }

  private mutating func readDocument() throws -> (JSONValue, JSONOutline)? {
    guard FileSystem.isFolder(path) else {
      throw TensorIOError(
        .fileNotFound,
        FileSystem.isFile(path)
          ? "'\(path)' is a file; a test bundle is a folder with a test.json."
          : "There is no folder '\(path)'.")
    }
    let file = path + "/test.json"
    guard FileSystem.isFile(file) else {
      report(
        .noManifest, at: "test.json", expected: "a file test.json in the folder", found: "nothing",
        suggestion: "Add one, or read the folder as images.")
      return nil
    }
    let data = try FileSystem.read(file)
    do {
      let document = try JSONValue(parsing: data)
      if let outline = JSONOutline(data) {
        for key in outline.repeatedKeys() {
          report(
            .duplicateName, at: key, expected: "each key once", found: "the key twice",
            suggestion: "Remove one of the two.")
        }
        return (document, outline)
      }
      report(
        .malformedJSON, at: "test.json", expected: "text in UTF-8", found: "another encoding",
        suggestion: "Save the file as UTF-8.")
    } catch let error as JSONSyntaxError {
      report(
        .malformedJSON, at: "test.json", expected: "a JSON document", found: "\(error)",
        suggestion: "Fix the text at that position.")
    }
    return nil
  }

  private mutating func readModels(_ root: [String: JSONValue]) -> [String] {
    requiredArray("models", in: root).enumerated().compactMap { string($1, at: "models[\($0)]") }
  }

  private mutating func readOptions(
    _ root: [String: JSONValue]
  ) -> (iterations: Int, metric: String)? {
    guard let value = required("options", in: root, at: ""),
      let options = object(value, at: "options")
    else { return nil }
    let metric = requiredString("metric", in: options, at: "options")
    let iterations = required("iterations", in: options, at: "options").flatMap {
      readIterations($0)
    }
    guard let iterations, let metric else { return nil }
    return (iterations, metric)
  }

  private mutating func readIterations(_ value: JSONValue) -> Int? {
    let mostIterations = 1_000_000
    guard case .number(let number) = value, let count = Int(exactly: number),
      (1...mostIterations).contains(count)
    else {
      report(
        .wrongType, at: "options.iterations",
        expected: "a whole number from 1 to \(mostIterations)",
        found: shown(value), suggestion: "Set how many times to run each image.")
      return nil
    }
    return count
  }

  // MARK: - Images

  private mutating func readImages(_ root: [String: JSONValue]) -> [Sample] {
    var locations: [String: Int] = [:]
    return requiredArray("images", in: root).enumerated().compactMap {
      index, element in
      let location = "images[\(index)]"
      guard let image = object(element, at: location) else { return nil }
      let type = requiredString("type", in: image, at: location)
      guard let path = requiredString("path", in: image, at: location),
        let source = source(type, path, at: location)
      else { return nil }
      if let first = locations.updateValue(index, forKey: path) {
        report(
          .duplicateName, at: "\(location).path", expected: "each image once",
          found: "\"\(path)\", which images[\(first)] already has",
          suggestion: "Remove one of them. options.iterations sets how often each image runs.")
      }
      return Sample(id: path, source: source)
    }
  }

  private mutating func source(_ type: String?, _ path: String, at location: String) -> ImageSource?
  {
    switch type {
    case "file":
      guard !path.isEmpty, FileSystem.staysInside(path) else {
        report(
          .pathOutsideBundle, at: "\(location).path", expected: "a path inside the bundle",
          found: "\"\(path)\"", suggestion: "Put the image into the bundle's images folder.")
        return nil
      }
      return .file(self.path + "/" + path)
    case "url":
      guard path.hasPrefix("https://") || path.hasPrefix("http://") else {
        report(
          .unknownValue, at: "\(location).path", expected: "a URL with https:// or http://",
          found: "\"\(path)\"", suggestion: "Write the complete URL, or use the type \"file\".")
        return nil
      }
      return .url(path)
    case let type?:
      report(
        .unknownValue, at: "\(location).type", expected: "\"file\" or \"url\"",
        found: "\"\(type)\"",
        suggestion: "Use \"file\" for images in the bundle.")
      return nil
    case nil: return nil
    }
  }

  // MARK: - Labels

  private mutating func readLabels(
    _ root: [String: JSONValue], _ outline: JSONOutline, into samples: inout [Sample]
  ) {
    let labels = requiredArray("labels", in: root)
    // Images that couldn't be parsed aren't in `samples`. They have issues, so no dataset is
    // returned.
    let locations = Dictionary(samples.indices.map { (samples[$0].id, $0) }) { first, _ in first }
    var labelled: [String: Int] = [:]
    var strangers: [String] = []
    var silent = 0
    for (index, element) in labels.enumerated() {
      let location = "labels[\(index)]"
      guard let label = object(element, at: location) else { continue }
      let path = requiredString("path", in: label, at: location)
      let value = required("inference_results", in: label, at: location)
      guard let path, let value, let results = object(value, at: "\(location).inference_results")
      else { continue }
      if let first = labelled.updateValue(index, forKey: path) {
        report(
          .duplicateName, at: "\(location).path", expected: "one label for each image",
          found: "\"\(path)\", which labels[\(first)] already has",
          suggestion: "Remove one of the two.")
      }
      let order = outline["labels"]?[index]?["inference_results"]
      let truth = Self.truth(results, order: order)
      if truth == nil { silent += 1 }
      if let sample = locations[path] {
        samples[sample].truth = truth
      } else {
        strangers.append(path)
      }
    }
    if silent > 0 { notes.append("\(counted(silent, "label")) with empty inference_results") }
    if let first = strangers.first {
      notes.append(
        "\(counted(strangers.count, "label")) for no image in the list, such as '\(first)'")
    }
  }

  /// The ground truth of a label, which comes from the first output in the document.
  private static func truth(
    _ results: [String: JSONValue], order: JSONOutline?
  ) -> GroundTruth? {
    guard let output = order?.keys.first, let value = results[output] else { return nil }
    switch value {
    case .object:
      if let label = order?[output]?.keys.first { return .label(label) }
    case .number, .integer:
      if let number = value.double { return .values([number]) }
    case .array(let elements):
      let numbers = elements.compactMap(\.double)
      if !numbers.isEmpty, numbers.count == elements.count { return .values(numbers) }
    default: break
    }
    return .results(.object(results))
  }
}

extension TestBundleReader: IssueCollector {
  var documentName: String { "test.json" }

  private mutating func requiredArray(
    _ key: String, in object: [String: JSONValue]
  ) -> [JSONValue] {
    required(key, in: object, at: "").flatMap { array($0, at: key) } ?? []
  }

  /// A number's value, or the type of any other value.
  private func shown(_ value: JSONValue) -> String {
    switch value {
    case .number(let number): number.shortText
    case .integer(let integer): "\(integer)"
    default: value.typeName
    }
  }
}

extension JSONValue {
  /// The number, or nil for other values.
  package var double: Double? {
    switch self {
    case .number(let number): number
    case .integer(let integer): Double(integer)
    default: nil
    }
  }
}
