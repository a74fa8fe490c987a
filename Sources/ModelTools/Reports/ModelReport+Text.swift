// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOLiteRT
import TensorIOTensorFlow

extension ModelReport {
  package var text: String {
    var sections: [[String]] = []
    if let bundle {
      sections.append(["\(FileSystem.name(of: path)): a model bundle".printable])
      sections.append(Self.manifestLines(bundle, trainingText))
      sections.append(Self.layerLines(bundle))
    }
    if let model {
      let name = FileSystem.name(of: model.path).printable
      let kind = model.savedModel == nil ? "TensorFlow Lite model" : "SavedModel"
      sections.append(["\(name): a \(kind), \(model.byteCount) bytes"])
      if let metadata = model.metadata { sections.append(Self.metadataLines(metadata)) }
      if let facts = model.savedModel { sections.append(Self.lines(facts)) }
      for index in model.signatures.indices {
        sections.append(Self.signatureLines(of: model, at: index))
      }
    }
    if !issues.isEmpty {
      sections.append(["Warnings"] + issues.map { "  \($0.severity): \($0.message)".printable })
    }
    let paragraphs = sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }
    return paragraphs.joined(separator: "\n\n")
  }

  private static func fieldLines(_ fields: [(name: String, value: String?)]) -> [String] {
    let present = fields.compactMap { field in field.value.map { (field.name, $0) } }
    let width = present.map(\.0.count).max() ?? 0
    return present.map { "  " + $0.padded(to: width + 2) + $1.printable }
  }

  // MARK: - Model

  private static func metadataLines(_ metadata: ModelMetadata) -> [String] {
    fieldLines([
      ("Name", metadata.name), ("Description", metadata.description),
      ("Version", metadata.version), ("Author", metadata.author), ("License", metadata.license),
    ])
  }

  /// The most files that are listed, because a model may have many vocabularies.
  private static let mostFiles = 8

  private static func lines(_ facts: SavedModelFacts) -> [String] {
    let graphs = facts.graphs.map { tags in
      let isShown = facts.graphs.count > 1 && tags == facts.model.tags
      return tags.joined(separator: ",") + (isShown ? " (shown below)" : "")
    }
    let version = facts.model.tensorFlowVersion
    let files = facts.files.prefix(mostFiles).map { "\($0.name) (\($0.byteCount))" }
    let more = facts.files.count - files.count
    let training = facts.trainingOperations.map { name, needs in
      name + (needs.isEmpty ? "" : " (needs \(needs.joined(separator: ", ")))")
    }
    return fieldLines([
      ("TensorFlow", version.isEmpty ? nil : version),
      (graphs.count == 1 ? "Tags" : "Graphs", graphs.joined(separator: "; ")),
      ("Variables", facts.model.hasVariables ? "yes" : "no"),
      ("Files", files.joined(separator: ", ") + (more > 0 ? ", and \(more) more" : "")),
      ("Training", training.isEmpty ? nil : training.joined(separator: "; ")),
      ("Results", facts.results.isEmpty ? nil : facts.results.joined(separator: ", ")),
    ])
  }

  private static func signatureLines(of model: ModelFile, at index: Int) -> [String] {
    var table = TextTable(
      headings: ["", "#", "Name", "Type", "Shape", "Quantization", "Tensor", "About"])
    let signature = model.signatures[index]
    let facts = model.savedModel
    let (inputs, outputs) = model.metadata.tensors(of: signature, at: index)
    let placeholders = facts?.placeholders[index] ?? []
    for (side, tensors, metadata) in [
      ("input", signature.inputs, inputs),
      ("placeholder", placeholders, placeholders.map { _ in nil }),
      ("output", signature.outputs, outputs),
    ] {
      for (position, tensor) in tensors.enumerated() {
        let graphName = facts?.graphNames[index][tensor.name] ?? tensor.name
        table.append(
          side, String(position), tensor.name, tensor.typeName,
          tensor.rankIsUnknown ? "any rank" : "\(tensor.shape)",
          tensor.quantization.map(quantizationText) ?? "",
          graphName == tensor.name ? "" : graphName,
          metadata[position].map { aboutText($0, tensor) }
            ?? (tensor.hasDefault ? "has a default" : ""))
      }
    }
    let title =
      if !signature.key.isEmpty {
        "Signature \(signature.key)"
      } else if facts != nil {
        "Placeholders of the graph (no signatures)"
      } else {
        "Main graph (no signatures)"
      }
    return [title.printable] + table.lines()
  }

  private static func quantizationText(_ quantization: StoredQuantization) -> String {
    guard quantization.scales.count == 1 else {
      return "per channel (\(quantization.scales.count))"
    }
    return "scale \(quantization.scales[0].shortText), zero point \(quantization.zeroPoints[0])"
  }

  private static func aboutText(_ metadata: TensorMetadata, _ tensor: TensorDescription) -> String {
    var parts: [String] = []
    if let name = metadata.name, !name.isEmpty, name != tensor.name { parts.append("'\(name)'") }
    if let content = metadata.content { parts.append(text(content)) }
    if let normalization = metadata.normalization {
      let (mean, std) = (text(normalization.mean), text(normalization.std))
      parts.append("normalized by (v - \(mean)) / \(std)")
    }
    if !metadata.minimum.isEmpty || !metadata.maximum.isEmpty {
      parts.append("\(text(metadata.minimum))...\(text(metadata.maximum))")
    }
    if let labels = metadata.labels { parts.append(text(labels)) }
    if let labels = metadata.valueLabels { parts.append("indexes of \(text(labels))") }
    if let threshold = metadata.scoreThreshold {
      parts.append("threshold \(threshold.shortText)")
    }
    if let description = metadata.description, !description.isEmpty { parts.append(description) }
    return parts.joined(separator: "; ")
  }

  // MARK: - Bundle

  /// The operations of a training step; nil when the bundle names none.
  private var trainingText: String? {
    let names = bundle?.manifest.trainingOperations ?? []
    guard !names.isEmpty else { return nil }
    return names.map { $0 + (foundOperations[$0] == false ? " (not in the model)" : "") }
      .joined(separator: ", ")
  }

  private static func manifestLines(_ bundle: ModelBundle, _ training: String?) -> [String] {
    let manifest = bundle.manifest
    let file = manifest.isPlaceholder ? "none, a placeholder" : manifest.model.file
    return fieldLines([
      ("Name", manifest.name), ("Details", manifest.details), ("ID", manifest.id),
      ("Version", manifest.version), ("Author", manifest.author), ("License", manifest.license),
      ("Model", file), ("Backend", bundle.backendName), ("Type", manifest.model.type),
      ("Class", manifest.model.className),
      ("Quantized", manifest.model.isQuantized ? "yes" : "no"),
      ("Modes", manifest.model.modes.names.joined(separator: ", ")),
      ("Training", training),
    ])
  }

  private static func layerLines(_ bundle: ModelBundle) -> [String] {
    var table = TextTable(headings: ["", "#", "Name", "Type", "Shape", "Data type", "About"])
    let manifest = bundle.manifest
    for (side, layers) in [
      ("input", manifest.inputs), ("placeholder", manifest.placeholders),
      ("output", manifest.outputs),
    ] {
      for (index, layer) in layers.enumerated() {
        table.append(
          side, String(index), layer.name, layer.typeName, "\(layer.shape)",
          layer.dataType?.rawValue ?? "", aboutText(layer, in: bundle))
      }
    }
    let lines = table.lines()
    return lines.count > 1 ? ["Layers, as model.json describes them"] + lines : []
  }

  private static func aboutText(_ layer: ModelManifest.Layer, in bundle: ModelBundle) -> String {
    switch layer.kind {
    case .array(let quantization, _), .scalar(let quantization):
      let labels = bundle.labels(of: layer).map { text($0.names) }
      return [labels, quantization.map(text), layer.coding.map(text)].compactMap(\.self)
        .joined(separator: "; ")
    case .imageInput(let shape, let preprocessing):
      let values =
        preprocessing.normalization.map { "normalized \(text($0, shape.format))" }
        ?? "values 0...255"
      return [text(shape), text(preprocessing.crop), preprocessing.resize.rawValue, values]
        .joined(separator: "; ")
    case .imageOutput(let shape, let denormalization):
      let values =
        denormalization.map { "denormalized \(text($0, shape.format))" } ?? "values 0...255"
      return "\(text(shape)); \(values)"
    case .classMap(let shape, _):
      let layout = shape.layout == .channelsLast ? "" : ", \(shape.layout.rawValue)"
      let values = shape.holdsScores ? "the highest of \(shape.depth) scores" : "class numbers"
      let labels = bundle.labels(of: layer).map { text($0.names) }
      return ["\(ClassMapShape.formatName)\(layout)", values, labels].compactMap(\.self)
        .joined(separator: "; ")
    case .string: return ""
    }
  }

  // MARK: - Words

  private static func text(_ content: TensorMetadata.Content) -> String {
    switch content {
    case .features: "features"
    case .image(.rgb, _, _): "RGB image"
    case .image(.grayscale, _, _): "grayscale image"
    case .image(.unknown, _, _): "image"
    case .boundingBoxes: "bounding boxes"
    case .audio: "audio"
    case .other(let kind): "content of kind \(kind)"
    }
  }

  private static func text(_ values: [Float]) -> String {
    switch values.count {
    case 0: "?"
    case 1: values[0].shortText
    case 2...4: "[" + values.map(\.shortText).joined(separator: ", ") + "]"
    default: "[\(values.count) values]"
    }
  }

  private static func text(_ labels: [String]) -> String {
    let first = labels.prefix(3).map { "'\($0)'" }.joined(separator: ", ")
    return "\(counted(labels.count, "label")) (\(first)\(labels.count > 3 ? ", ..." : ""))"
  }

  private static func text(_ coding: LayerCoding) -> String {
    if case .array(let columns)? = coding["columns"] { return counted(columns.count, "column") }
    if let file = coding.text("tokenizer") {
      return "\(coding.text("part") ?? "ids") of the tokens of \(file)"
    }
    guard coding.type == "audio" else { return decodingText(coding) }
    var parts = ["at \(coding.count("sample_rate") ?? 0) Hz"]
    if let count = coding.count("samples") { parts.append("\(count) samples") }
    if case .object(let features)? = coding["features"], case .string(let type)? = features["type"]
    {
      parts.append("features of \(type)")
    }
    return parts.joined(separator: "; ")
  }

  private static func decodingText(_ decoding: LayerCoding) -> String {
    let others = decoding.outputs.values.sorted().map { "'\($0)'" }.joined(separator: ", ")
    return "decoded as \(decoding.type)" + (others.isEmpty ? "" : " together with \(others)")
  }

  private static func text(_ quantization: Quantization) -> String {
    switch quantization {
    case .model: "quantized as the model says"
    case .linear(let scale, let bias):
      "quantized with scale \(scale.shortText), bias \(bias.shortText)"
    }
  }

  private static func text(_ shape: ImageShape) -> String {
    let format = shape.format.rawValue
    return shape.layout == .channelsLast ? format : "\(format), \(shape.layout.rawValue)"
  }

  private static func text(_ crop: ImageCrop) -> String {
    let (mode, color) = (crop.mode, crop.color)
    let share = crop.fraction == 1 ? "" : " \(crop.fraction)"
    let isBlack = mode != .pad || color == PixelColor()
    let margin = isBlack ? "" : " r \(color.red) g \(color.green) b \(color.blue)"
    let isDefault = mode != .pad || crop.rounding == .pillow
    let rounding = isDefault ? "" : " rounded like \(crop.rounding.rawValue)"
    return "crop \(mode.rawValue)\(share)\(margin)\(rounding)"
  }

  private static func text(_ values: PixelNormalization, _ format: ImageShape.Format) -> String {
    switch values {
    case .zeroToOne: "to [0,1]"
    case .minusOneToOne: "to [-1,1]"
    default: "with scale \(text(values.scale, format)), bias \(text(values.bias, format))"
    }
  }

  private static func text(_ values: PixelDenormalization, _ format: ImageShape.Format) -> String {
    switch values {
    case .zeroToOne: "from [0,1]"
    case .minusOneToOne: "from [-1,1]"
    default: "with scale \(text(values.scale, format)), bias \(text(values.bias, format))"
    }
  }

  private static func text(_ colors: ColorValues, _ format: ImageShape.Format) -> String {
    if format == .gray { return colors.red.shortText }
    let (red, green, blue) = (colors.red.shortText, colors.green.shortText, colors.blue.shortText)
    return colors.common?.shortText ?? "r \(red) g \(green) b \(blue)"
  }
}

extension ModelModes {
  /// The words that model.json uses.
  var names: [String] {
    [(ModelModes.predict, "predict"), (.train, "train"), (.evaluate, "eval")]
      .filter { contains($0.0) }.map(\.1)
  }
}

extension ModelManifest.Layer {
  /// The word that model.json uses.
  var typeName: String {
    switch kind {
    case .array:
      if let type = coding?.type, ["audio", "features", "text"].contains(type) {
        type
      } else {
        "array"
      }
    case .scalar: "scalar"
    case .imageInput, .imageOutput, .classMap: "image"
    case .string: "string"
    }
  }
}
