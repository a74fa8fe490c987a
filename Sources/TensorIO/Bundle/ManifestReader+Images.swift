// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension ManifestReader {
  mutating func readImage(
    _ layer: [String: JSONValue], _ direction: Direction, shape: [Int]?, at path: String
  ) -> ModelManifest.Layer.Kind? {
    if direction == .output, layer["format"] == .string(ClassMapShape.formatName) {
      return readClassMap(layer, shape: shape, at: path)
    }
    let key = direction == .input ? "normalize" : "denormalize"
    check(
      keysOf: layer, "image", direction,
      allowed: ["format", "layout", key] + (direction == .input ? ["resize", "crop"] : []),
      at: path)
    _ = requiredString("format", in: layer, at: path)
    let format = word(
      ImageShape.Format.self, "format", in: layer,
      also: direction == .output ? [ClassMapShape.formatName] : [], at: path)
    let layout = word(ImageShape.Layout.self, "layout", in: layer, at: path)
    let values = readNormalization(key, layer, direction, format, at: path)
    let resize = word(ResizeMethod.self, "resize", in: layer, at: path)
    let crop = readCrop(layer, at: path)
    guard let shape, let format else { return nil }
    guard let image = imageShape(shape, format, layout ?? .channelsLast, at: path) else {
      return nil
    }
    return switch direction {
    case .input:
      .imageInput(
        image,
        ImagePreprocessing(
          resize: resize ?? .pillowBilinear, crop: crop ?? ImageCrop(),
          normalization: values.map { PixelNormalization(scale: $0.scale, bias: $0.bias) }))
    case .output:
      .imageOutput(image, values.map { PixelDenormalization(scale: $0.scale, bias: $0.bias) })
    }
  }

  /// Reads a string that must be one of a few words.
  ///
  /// - Returns: The word; nil when it is missing, or when it is another word, which is reported.
  private mutating func word<Word: RawRepresentable & CaseIterable>(
    _ type: Word.Type, _ key: String, in layer: [String: JSONValue], also others: [String] = [],
    at path: String
  ) -> Word? where Word.RawValue == String {
    guard case .string(let text)? = layer[key] else {
      // The format is a required key, and its type has already been checked.
      if key != "format" { _ = optionalString(key, in: layer, at: path) }
      return nil
    }
    if let word = Word(rawValue: text) { return word }
    let known = (Word.allCases.map(\.rawValue) + others).map { "\"\($0)\"" }
    reject(
      text, at: "\(path).\(key)",
      expected: known.count == 2
        ? known.joined(separator: " or ") : "one of \(known.joined(separator: ", "))",
      orSuggest: "Use a word from the list.")
    return nil
  }

  private mutating func imageShape(
    _ shape: [Int], _ format: ImageShape.Format, _ layout: ImageShape.Layout, at path: String
  ) -> ImageShape? {
    let axes = shape.first == -1 ? Array(shape.dropFirst()) : shape
    let channels = format.channels
    let isLast = layout == .channelsLast
    guard axes.count == 3, (isLast ? axes[2] : axes[0]) == channels else {
      let form = isLast ? "height, width, \(channels)" : "\(channels), height, width"
      let isOther = axes.count == 3 && (isLast ? axes[0] : axes[2]) == channels
      report(
        .badShape, at: "\(path).shape", expected: "[\(form)], or [-1, \(form)]",
        found: "\(shape)",
        suggestion: isOther
          ? "Write \"layout\": \"\(isLast ? "channels-first" : "channels-last")\", if that is how "
            + "the tensor is laid out in memory."
          : "Write the shape of one image with \(channels == 1 ? "one channel" : "three channels")."
      )
      return nil
    }
    return ImageShape(
      height: isLast ? axes[0] : axes[1], width: isLast ? axes[1] : axes[2], channels: channels,
      format: format, layout: layout)
  }

  // MARK: - Class maps

  private mutating func readClassMap(
    _ layer: [String: JSONValue], shape: [Int]?, at path: String
  ) -> ModelManifest.Layer.Kind? {
    check(
      keysOf: layer, "image with the format \"CLASSES\"", .output,
      allowed: ["format", "layout", "labels"], at: path)
    let layout = word(ImageShape.Layout.self, "layout", in: layer, at: path) ?? .channelsLast
    let file = optionalString("labels", in: layer, at: path)
    guard let shape else { return nil }
    let axes = shape.first == -1 ? Array(shape.dropFirst()) : shape
    guard axes.count == 3 else {
      let form = layout == .channelsLast ? "height, width, classes" : "classes, height, width"
      report(
        .badShape, at: "\(path).shape", expected: "[\(form)], or [-1, \(form)]",
        found: "\(shape)",
        suggestion:
          "Write the number of classes that the tensor has scores for, or 1 if it holds "
          + "class numbers.")
      return nil
    }
    let isLast = layout == .channelsLast
    return .classMap(
      ClassMapShape(
        height: isLast ? axes[0] : axes[1], width: isLast ? axes[1] : axes[2],
        depth: isLast ? axes[2] : axes[0], layout: layout), labelsFile: file)
  }

  // MARK: - Crop

  /// Reads a crop, which is the name of a mode or an object.
  private mutating func readCrop(_ layer: [String: JSONValue], at path: String) -> ImageCrop? {
    guard let value = layer["crop"] else { return nil }
    if case .string = value {
      return word(ImageCrop.Mode.self, "crop", in: layer, at: path).map { ImageCrop($0) }
    }
    let path = "\(path).crop"
    guard case .object(let members) = value else {
      mistyped(value, at: path, expected: "a string or an object")
      return nil
    }
    reject(unknownKeysOf: members, at: path, known: ["mode", "fraction", "color", "rounding"])
    _ = requiredString("mode", in: members, at: path)
    let mode = members["mode"].flatMap { value -> ImageCrop.Mode? in
      guard case .string = value else { return nil }
      return word(ImageCrop.Mode.self, "mode", in: members, at: path)
    }
    let fraction = readFraction(members, at: path)
    for key in ["color", "rounding"] where members[key] != nil {
      guard let mode, mode != .pad else { continue }
      report(
        .misplacedKey, at: "\(path).\(key)", expected: "\"\(key)\" only with the mode \"pad\"",
        found: "\"\(key)\" with the mode \"\(mode.rawValue)\"",
        suggestion: "Remove \"\(key)\"; this mode adds no margin.")
    }
    let color = readColor(members, at: path)
    let rounding = word(ImageCrop.Rounding.self, "rounding", in: members, at: path)
    return mode.map {
      ImageCrop(
        $0, fraction: fraction ?? 1, color: color ?? PixelColor(), rounding: rounding ?? .pillow)
    }
  }

  private mutating func readFraction(_ members: [String: JSONValue], at path: String) -> Double? {
    guard let value = members["fraction"] else { return nil }
    let path = "\(path).fraction"
    guard number(value, at: path) != nil else { return nil }
    let fraction: Double
    switch value {
    case .number(let number): fraction = number
    case .integer(let integer): fraction = Double(integer)
    default: return nil
    }
    guard fraction > 0, fraction <= 1 else {
      report(
        .unknownValue, at: path, expected: "more than 0 and at most 1", found: "\(fraction)",
        suggestion: "Write the share of each side to keep, such as 0.875.")
      return nil
    }
    return fraction
  }

  private mutating func readColor(_ members: [String: JSONValue], at path: String) -> PixelColor? {
    let path = "\(path).color"
    guard let value = members["color"], let color = object(value, at: path) else { return nil }
    reject(unknownKeysOf: color, at: path, known: ["r", "g", "b"])
    let parts = ["r", "g", "b"].map { key -> UInt8? in
      guard let part = requiredNumber(key, in: color, at: path) else { return nil }
      if let byte = UInt8(exactly: part) { return byte }
      report(
        .unknownValue, at: "\(path).\(key)", expected: "a whole number from 0 to 255",
        found: "\(part)", suggestion: "Write the margin's byte value before normalization.")
      return nil
    }
    guard let red = parts[0], let green = parts[1], let blue = parts[2] else { return nil }
    return PixelColor(red: red, green: green, blue: blue)
  }

  // MARK: - Normalization

  private mutating func readNormalization(
    _ key: String, _ layer: [String: JSONValue], _ direction: Direction,
    _ format: ImageShape.Format?, at path: String
  ) -> (scale: ColorValues, bias: ColorValues)? {
    let path = "\(path).\(key)"
    guard let value = layer[key], let members = object(value, at: path),
      let form = readForm(members, at: path)
    else { return nil }
    let scale = readValues("scale", members, format, takesNumber: true, at: path)
    let bias = readValues("bias", members, format, takesNumber: format == .gray, at: path)
    switch form {
    case .standard(let word):
      let into: PixelNormalization
      let out: PixelDenormalization
      switch word {
      case "[0,1]": (into, out) = (.zeroToOne, .zeroToOne)
      case "[-1,1]": (into, out) = (.minusOneToOne, .minusOneToOne)
      default:
        reportStandard(word, at: path, known: "\"[0,1]\" or \"[-1,1]\"")
        return nil
      }
      return direction == .input ? (into.scale, into.bias) : (out.scale, out.bias)
    case .values:
      guard let scale, let bias else { return nil }
      return (scale, bias)
    }
  }

  /// Reads a number for each colour, or a single number for all if that is allowed.
  ///
  /// A gray image has only a single number.
  private mutating func readValues(
    _ key: String, _ members: [String: JSONValue], _ format: ImageShape.Format?,
    takesNumber: Bool, at path: String
  ) -> ColorValues? {
    let path = "\(path).\(key)"
    guard let value = members[key] else { return nil }
    if case .object(let colors) = value, format != .gray {
      reject(unknownKeysOf: colors, at: path, known: ["r", "g", "b"])
      let red = requiredNumber("r", in: colors, at: path)
      let green = requiredNumber("g", in: colors, at: path)
      let blue = requiredNumber("b", in: colors, at: path)
      guard let red, let green, let blue else { return nil }
      return ColorValues(red: red, green: green, blue: blue)
    }
    switch value {
    case .number where takesNumber, .integer where takesNumber:
      return number(value, at: path).map { ColorValues(all: $0) }
    default:
      mistyped(
        value, at: path,
        expected: !takesNumber
          ? "an object" : format == .gray ? "a number" : "a number, or an object with r, g and b")
      return nil
    }
  }
}
