// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelCommands
import ModelTools
import TensorIO
import TensorIOImageCodecs

/// The classes in the order of their indexes.
struct ClassOrder: Sendable {
  var names: [String]
  /// Whether the order is for validation data, which may lack some classes.
  var isForValidation = false
  /// The path of the training data that gives the order; nil if `--classes` does.
  var trainingPath: String?
}

extension TrainingData {
  private static let extensions = ["jpg", "jpeg", "png", "bmp", "webp"]

  mutating func readFolder(_ signature: ModelSignature, _ classes: ClassOrder?) throws {
    let images = signature.inputs.filter(\.isImage)
    let others = signature.inputs.filter { !$0.isImage }
    guard images.count == 1, others.count == 1, others[0].elementCount == 1 else {
      let list = signature.inputs.map { "'\($0.name)' \($0.shape)" }.joined(separator: ", ")
      throw TensorIOError(
        .wrongKind,
        "A folder of classes gives an image and a class number for each item, but the model's "
          + "inputs are \(list). Use a .jsonl file"
          + (images.count == 1 && others.count == 2
            ? ", or pass --class-weights if one of the inputs weighs the items." : "."))
    }
    let decoder = ImageDecoder()
    let folders = try classFolders()
    var names: [String] = []
    for (number, name) in try order(of: folders, classes).enumerated() {
      let folder = path + "/" + name
      let files = folders.contains(name) ? try Self.images(in: folder) : []
      guard !files.isEmpty || classes?.isForValidation == true else {
        throw TensorIOError(
          .missingInput,
          "The class '\(name)' in '\(path)' has no images "
            + "(\(Self.extensions.map { "." + $0 }.joined(separator: ", ")))."
        )
      }
      self.classes.append(ImageClass(name: name, count: files.count))
      for file in files {
        names.append("\(number)/\(file)")
        items.append([
          images[0].name: ImageFile(folder + "/" + file, decoder: decoder),
          others[0].name: number,
        ])
      }
    }
    checksum = CRC32C.checksum(names.joined(separator: "\n").utf8)
  }

  /// Returns the sorted names of the folders.
  private func classFolders() throws -> [String] {
    let folders = try Self.contents(of: path).filter { FileSystem.isFolder(path + "/" + $0) }
    guard !folders.isEmpty else {
      throw TensorIOError(
        .missingInput,
        "'\(path)' has no folders. It needs one for each class, with the class's images.")
    }
    return folders
  }

  private static func images(in folder: String) throws -> [String] {
    try contents(of: folder).filter { file in
      extensions.contains(file.split(separator: ".").last?.lowercased() ?? "")
    }
  }

  /// Returns the sorted names in a folder, without hidden files.
  ///
  /// A name that isn't UTF-8 is listed with replacement characters, and no file has that name.
  /// Skipping it would shift the indexes of the following classes, so it is an error.
  private static func contents(of folder: String) throws -> [String] {
    let names = try FileSystem.contents(of: folder).sorted().filter { !$0.hasPrefix(".") }
    for name in names where name.unicodeScalars.contains("\u{FFFD}") {
      let path = folder + "/" + name
      guard FileSystem.isFile(path) || FileSystem.isFolder(path) else {
        throw TensorIOError(
          .unreadableFile, "'\(name)' in '\(folder)' has a name that isn't UTF-8. Rename it.")
      }
    }
    return names
  }

  // MARK: - Order

  private func order(of folders: [String], _ classes: ClassOrder?) throws -> [String] {
    guard let classes else { return folders }
    let names = classes.names
    for (index, name) in names.enumerated() {
      guard !names[..<index].contains(name) else {
        throw TensorIOError(.invalidOption, "--classes has '\(name)' twice.")
      }
      guard classes.isForValidation || folders.contains(name) else {
        let list = folders.map { "'\($0)'" }.joined(separator: ", ")
        throw TensorIOError(
          .invalidOption, "--classes has '\(name)', but the folders in '\(path)' are \(list).")
      }
    }
    for folder in folders where !names.contains(folder) {
      if let trainingPath = classes.trainingPath {
        throw TensorIOError(
          .wrongKind,
          "'\(path)' has the class '\(folder)', which is missing in '--data \(trainingPath)'.")
      }
      throw TensorIOError(
        .invalidOption, "--classes lacks '\(folder)', which is a folder in '\(path)'.")
    }
    return names
  }
}

extension TrainingData {
  /// Reads the training data, and the validation data if they have a path of their own.
  ///
  /// The classes are the value of `--classes`.
  static func pair(
    _ path: String, validation: String?, for signature: ModelSignature, classes: [String]?
  ) throws -> (training: TrainingData, validation: TrainingData?) {
    let isFolder = validation.map(FileSystem.isFolder) ?? false
    guard let validation, isFolder, !FileSystem.isFolder(path) else {
      let training = try TrainingData(
        path, for: signature, classes: classes.map { ClassOrder(names: $0) })
      let order = ClassOrder(
        names: training.classes.map(\.name), isForValidation: true, trainingPath: path)
      return try (
        training,
        validation.map { try TrainingData($0, for: signature, classes: isFolder ? order : nil) }
      )
    }
    guard let classes else {
      throw TensorIOError(
        .invalidOption,
        "'\(validation)' is a folder of classes, but '\(path)' is a file, which doesn't define the "
          + "index of each class. Pass --classes with the names in the order of the indexes.")
    }
    return try (
      TrainingData(path, for: signature),
      TrainingData(
        validation, for: signature, classes: ClassOrder(names: classes, isForValidation: true))
    )
  }
}

extension ModelBundle {
  /// Returns warnings about outputs whose labels are the classes of a folder in another order.
  ///
  /// Labels can also be other names for the classes, such as "zero" for the folder "0".
  func labelWarnings(_ classes: [String]) -> [String] {
    let folded = classes.map { $0.lowercased() }
    return manifest.outputs.compactMap { output in
      guard let names = labels(of: output)?.names, names.count == classes.count,
        names.contains(where: { folded.contains($0.lowercased()) }),
        let index = names.indices.first(where: { names[$0].lowercased() != folded[$0] })
      else { return nil }
      return
        "class \(index) of the data is '\(classes[index].printable)', but the label \(index) of "
        + "'\(output.name.printable)' in model.json is '\(names[index].printable)'. Pass the order of "
        + "the labels with --classes, or correct the file of the labels."
    }
  }
}
