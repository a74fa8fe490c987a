// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Matches a model.json's layers to a model's tensors, and reports where the two disagree.
struct SignatureBinder: IssueCollector {
  let bundle: ModelBundle
  let matchesByName: Bool
  var issues: [BundleIssue] = []
  /// The model's own signature.
  private(set) var whole: SignatureDescription?

  private var isQuantized: Bool { bundle.manifest.model.isQuantized }

  /// Binds all layers; nil when an error was found.
  ///
  /// `whole` is the model's own signature, for messages, if the tensors were found by the layers'
  /// names.
  mutating func bind(
    _ signature: SignatureDescription, of whole: SignatureDescription? = nil
  ) -> BoundSignature? {
    let manifest = bundle.manifest
    self.whole = whole ?? signature
    let inputs = bind(manifest.inputs, "inputs", to: signature.inputs)
    let placeholders =
      matchesByName ? bind(manifest.placeholders, "placeholders", to: signature.inputs) : []
    let outputs = bind(manifest.outputs, "outputs", to: signature.outputs)
    if matchesByName, manifest.outputs.isEmpty {
      report(
        .layerCount, .warning, at: "outputs", expected: "at least one layer", found: "none",
        suggestion: "Describe the outputs to read; the model can't run without them.")
    }
    guard issues.allSatisfy({ $0.severity != .error }) else {
      // No session will tell the outputs' shapes, so check those in the model file.
      if outputs.count == manifest.outputs.count {
        checkOutputs(outputs, shapes: outputs.map(\.tensor.shape))
      }
      return nil
    }
    return BoundSignature(inputs: inputs, placeholders: placeholders, outputs: outputs)
  }

  private mutating func bind(
    _ layers: [ModelManifest.Layer], _ key: String, to tensors: [TensorDescription]
  ) -> [BoundLayer] {
    let names = tensors.map(\.name)
    let own = key == "outputs" ? whole?.outputs : whole?.inputs
    var list: String { quotedList((own ?? tensors).map(\.name)) }
    guard matchesByName || layers.count == tensors.count else {
      report(
        .layerCount, at: key,
        expected: "\(counted(tensors.count, "layer")), one for each of the model's \(key): \(list)",
        found: "\(layers.count)",
        suggestion: layers.count < tensors.count
          ? "Describe every \(key.dropLast()) of the model."
          : "Remove the layers that the model does not have.")
      return []
    }
    if !matchesByName, layers.map(\.name) != names, Set(layers.map(\.name)) == Set(names) {
      // The order may be intended if all shapes fit. If they don't, it is an error.
      let isMeant = zip(layers, tensors).allSatisfy(Self.mayFit)
      report(
        .layerOrder, isMeant ? .warning : .error, at: key, expected: "the model's order: \(list)",
        found: quotedList(layers.map(\.name)),
        suggestion: "Layers are matched to tensors by order; put the layers in the model's order.")
      guard isMeant else { return [] }
    }
    if matchesByName, key == "inputs" { checkAllAreFed(names, own: own ?? tensors) }
    return layers.enumerated().compactMap { position, layer in
      let path = "\(key)[\(position)]"
      guard let index = matchesByName ? names.firstIndex(of: layer.name) : position else {
        report(
          .unknownTensor, at: "\(path).name",
          expected: (own ?? tensors).count == 1 ? list : "one of \(list)", found: "'\(layer.name)'",
          suggestion: Spelling.suggestion(for: layer.name, among: names)
            .map { "Did you mean '\($0)'?" } ?? "Use a name from the model.")
        return nil
      }
      return bind(layer, to: tensors[index], at: index, path: path, isInput: key != "outputs")
    }
  }

  /// Whether a layer has as many elements as a tensor, as far as the model file shows.
  private static func mayFit(_ layer: ModelManifest.Layer, _ tensor: TensorDescription) -> Bool {
    tensor.rankIsUnknown || tensor.shape.isEmpty || tensor.shape.contains { $0 < 0 }
      || layer.elementCount == tensor.elementCount
  }

  /// Checks that every input that the outputs need has a layer, when layers are matched by name.
  private mutating func checkAllAreFed(_ names: [String], own: [TensorDescription]) {
    var seen: Set<String> = []
    if let repeated = names.first(where: { !seen.insert($0).inserted }) {
      report(
        .layerCount, at: "inputs", expected: "a model whose inputs have different names",
        found: "several that are named '\(repeated)'",
        suggestion: "Layers are matched to inputs by name. Convert the model with other names.")
    }
    let described = Set((bundle.manifest.inputs + bundle.manifest.placeholders).map(\.name))
    let missing = names.filter { !described.contains($0) }
    let inputs = missing.filter { name in own.contains { $0.name == name } }
    if !inputs.isEmpty {
      report(
        .layerCount, at: "inputs",
        expected: "a layer for each input of the model: \(quotedList(own.map(\.name)))",
        found: "none for \(quotedList(inputs))", suggestion: "Describe every input of the model.")
    }
    let placeholders = missing.filter { !inputs.contains($0) }
    if !placeholders.isEmpty {
      report(
        .layerCount, at: "placeholders",
        expected: "a layer for each placeholder that the outputs need",
        found: "none for \(quotedList(placeholders))",
        suggestion: "Describe each of them here or in \"inputs\".")
    }
  }

  private mutating func bind(
    _ layer: ModelManifest.Layer, to tensor: TensorDescription, at index: Int, path: String,
    isInput: Bool
  ) -> BoundLayer? {
    guard let dataType = checkedDataType(of: layer, tensor, at: path) else { return nil }
    let kind = checkedKind(of: layer, dataType, tensor, at: path, isInput: isInput)
    let spec = TensorSpec(
      name: layer.name, shape: layer.shape, dataType: dataType, kind: kind,
      storedQuantization: tensor.quantization, coding: bundle.coding(of: layer))
    checkAxes(ofImage: layer, against: tensor.shape, at: path)
    let bound = BoundLayer(index: index, spec: spec, tensor: tensor)
    if isInput, bound.shape(forItems: 1) == nil {
      report(
        .elementCountMismatch, at: "\(path).shape",
        expected:
          "\(Self.values(tensor.elementCount)), because the tensor's shape is \(tensor.shape)",
        found: "\(spec.elementCount) in the shape \(layer.shape)",
        suggestion: "Write the shape of the tensor '\(tensor.name)'.")
    }
    return bound
  }

  /// Checks that an image's axes are the tensor's last, as swapped axes would scramble its rows.
  private mutating func checkAxes(
    ofImage layer: ModelManifest.Layer, against shape: [Int], at path: String
  ) {
    let axes: [Int]
    let layout: ImageShape.Layout
    let channels: Int
    switch layer.kind {
    case .imageInput(let image, _), .imageOutput(let image, _):
      (axes, layout, channels) = (image.axes, image.layout, image.channels)
    case .classMap(let map, _): (axes, layout, channels) = (map.axes, map.layout, map.depth)
    case .array, .scalar, .string: return
    }
    // A single channel may have no axis of its own. The memory is the same wherever that axis is.
    if channels == 1, shape.count >= 2, Self.fits(shape, Array(axes.filter { $0 != 1 })) { return }
    guard shape.count >= 3, !zip(shape.suffix(3), axes).allSatisfy({ $0 < 0 || $0 == $1 }) else {
      return
    }
    report(
      .elementCountMismatch, at: "\(path).shape",
      expected: "the tensor's last axes, \(Array(shape.suffix(3)))", found: "\(axes)",
      suggestion: layout == .channelsLast
        ? "Write [height, width, channels] as they are in the tensor."
        : "Write [channels, height, width] as they are in the tensor, or leave out \"layout\".")
  }

  /// Whether a shape has only these axes, apart from a batch axis and axes of length 1.
  private static func fits(_ shape: [Int], _ axes: [Int]) -> Bool {
    let own = shape.enumerated().filter { $1 != 1 && !($0 == 0 && $1 < 0) }.map(\.element)
    return own.count == axes.count && zip(own, axes).allSatisfy { $0 < 0 || $0 == $1 }
  }

  // MARK: - Types

  private mutating func checkedDataType(
    of layer: ModelManifest.Layer, _ tensor: TensorDescription, at path: String
  ) -> DataType? {
    guard let dataType = tensor.dataType else {
      report(
        .dataTypeMismatch, at: path, expected: "a data type that this library supports",
        found: "\(tensor.typeName) in the model",
        suggestion: "Convert the model with another data type.")
      return nil
    }
    if layer.dataType == dataType { return dataType }
    if let described = layer.dataType, isIgnored(described, beside: dataType) {
      report(
        .dataTypeMismatch, .warning, at: "\(path).dtype",
        expected: "\(dataType), the tensor's own type", found: "\(described)",
        suggestion:
          "A TensorFlow Lite model sets its own data types, so this field is ignored. Write "
          + "\"dtype\": \"\(dataType)\", or leave it out.")
    } else if let described = layer.dataType {
      report(
        .dataTypeMismatch, at: "\(path).dtype", expected: "\(dataType), the tensor's own type",
        found: "\(described)", suggestion: "Write \"dtype\": \"\(dataType)\", or leave it out.")
      return nil
    }
    switch dataType {
    case .float16, .float32, .float64:
      guard isQuantized else { return dataType }
      report(
        .quantizationMismatch, at: path,
        expected: "8-bit integers, since model.quantized is true",
        found: "\(dataType) in the tensor '\(tensor.name)'",
        suggestion:
          "Write \"quantized\": false, or add a \"dtype\" to each layer that isn't quantized.")
      return nil
    case .uint8, .int8:
      guard !isQuantized, tensor.quantization != nil else { return dataType }
      report(
        .quantizationMismatch, at: path, expected: "float32, since model.quantized is false",
        found: "quantized \(dataType) in the tensor '\(tensor.name)'",
        suggestion: "Write \"quantized\": true.")
      return nil
    default: return dataType
    }
  }

  /// Whether a layer's `dtype` is ignored in favour of the tensor's own type.
  ///
  /// The documentation says so for TensorFlow Lite. Strings and booleans are not numbers, so their
  /// types are never ignored.
  private func isIgnored(_ described: DataType, beside dataType: DataType) -> Bool {
    bundle.backendName == "tflite"
      && ![described, dataType].contains { $0 == .string || $0 == .bool }
  }

  private mutating func checkedKind(
    of layer: ModelManifest.Layer, _ dataType: DataType, _ tensor: TensorDescription,
    at path: String, isInput: Bool
  ) -> TensorSpec.Kind {
    let key = "\(path).\(isInput ? "quantize" : "dequantize")"
    switch layer.kind {
    case .array(let quantization, _):
      return .vector(
        checked(quantization, dataType, tensor, at: key), labels: bundle.labels(of: layer))
    case .scalar(let quantization):
      return .scalar(checked(quantization, dataType, tensor, at: key))
    case .imageInput(let shape, var preprocessing):
      if dataType == .bool || dataType == .string {
        report(
          .dataTypeMismatch, at: "\(path).type",
          expected: "\(dataType) values, since the tensor '\(tensor.name)' is \(dataType)",
          found: "an image",
          suggestion: "Write \"type\": \"\(dataType == .string ? "string" : "array")\".")
      }
      preprocessing.normalization = checked(
        preprocessing.normalization, dataType, tensor, at: "\(path).normalize", isInput: true)
      return .imageInput(shape, preprocessing)
    case .imageOutput(let shape, let denormalization):
      return .imageOutput(
        shape,
        checked(denormalization, dataType, tensor, at: "\(path).denormalize", isInput: false))
    case .classMap(let shape, _): return .classMap(shape, labels: bundle.labels(of: layer))
    case .string: return .bytes
    }
  }

  /// Checks the normalization of an image input, or the denormalization of an image output.
  ///
  /// It has no effect on a uint8 tensor, so it is dropped with a warning. An int8 tensor needs the
  /// model's scale and zero point for it, and wider integers cannot hold normalized pixels.
  private mutating func checked<Values>(
    _ values: Values?, _ dataType: DataType, _ tensor: TensorDescription, at path: String,
    isInput: Bool
  ) -> Values? {
    guard let values else { return nil }
    let prefix = isInput ? "" : "de"
    switch dataType {
    case .uint8:
      report(
        .ignoredField, .warning, at: path,
        expected: "no \(prefix)normalization, since the tensor '\(tensor.name)' is uint8",
        found: "one", suggestion: "Remove it.")
      return nil
    case .int8 where tensor.quantization == nil:
      report(
        .quantizationMismatch, at: path,
        expected: "a scale and zero point in the model for \(prefix)quantizing", found: "none",
        suggestion: isInput
          ? "Remove it; the tensor then receives each byte minus 128."
          : "Remove it; each byte of the image is then the tensor's value plus 128.")
    case .int16, .uint16, .int32, .uint32, .int64:
      guard isInput else { break }
      report(
        .dataTypeMismatch, at: path,
        expected: "no normalization, since the tensor '\(tensor.name)' is \(dataType), which "
          + "cannot hold normalized pixels",
        found: "one", suggestion: "Remove \"normalize\".")
    default: break
    }
    return values
  }

  private mutating func checked(
    _ quantization: Quantization?, _ dataType: DataType, _ tensor: TensorDescription,
    at path: String
  ) -> Quantization? {
    guard let quantization else { return nil }
    switch dataType {
    case .uint8, .int8, .int16, .int32: break
    default:
      report(
        .ignoredField, .warning, at: path,
        expected: "no quantization, since the tensor '\(tensor.name)' is \(dataType)",
        found: "one", suggestion: "Remove it; it has no effect.")
      return nil
    }
    let byteStandards: [Quantization] = [
      .zeroToOne, .minusOneToOne, .toZeroToOne, .toMinusOneToOne,
    ]
    if dataType == .int8, byteStandards.contains(quantization) {
      report(
        .quantizationMismatch, at: path,
        expected: "{\"standard\": \"model\"}, since the tensor '\(tensor.name)' is int8",
        found: "a standard for bytes from 0 to 255",
        suggestion: "Write {\"standard\": \"model\"}, or \"scale\" and \"bias\" for -128 to 127.")
    }
    if quantization == .model, tensor.quantization == nil {
      report(
        .quantizationMismatch, at: path,
        expected: "a scale and zero point in the model for '\(tensor.name)'", found: "none",
        suggestion: "Write \"scale\" and \"bias\", or remove it.")
    }
    return quantization
  }

  // MARK: - Outputs

  /// Compares each output's element count with the tensor's.
  ///
  /// Some models only know the tensor's shape once a session exists.
  mutating func checkOutputs(_ outputs: [BoundLayer], shapes: [[Int]]) {
    for (position, output) in outputs.enumerated() where output.spec.dataType != .string {
      // The number of values in an open shape is only known after the model has run.
      if shapes[position].contains(where: { $0 < 0 }) { continue }
      let spec = output.spec
      let available = shapes[position].elementCount ?? .max
      guard available != spec.elementCount else { continue }
      let path = "outputs[\(position)].shape"
      guard spec.elementCount < available else {
        report(
          .elementCountMismatch, at: path,
          expected:
            "at most \(Self.values(available)), because the tensor's shape is \(shapes[position])",
          found: "\(spec.elementCount) in the shape \(spec.shape)",
          suggestion: "Write the tensor's shape.")
        continue
      }
      let labels: Labels? = if case .vector(_, let names) = spec.kind { names } else { nil }
      // If there is a label for each of the tensor's values, only the shape is too small.
      let found =
        labels.flatMap { labels in
          labels.names.count == available
            ? nil : "\(counted(labels.names.count, "label")) for \(available) classes"
        } ?? "\(spec.elementCount) in the shape \(spec.shape)"
      report(
        .partialOutput, .warning, at: path, expected: "all \(available) values of the tensor",
        found: found,
        suggestion: labels == nil || labels?.names.count == available
          ? "Only the first \(spec.elementCount) are read. Write the tensor's shape to read all."
          : "Only the first \(spec.elementCount) are read, and the labels may be off by one. "
            + "Check whether the model's first class is the background.")
    }
  }

  private static func values(_ count: Int) -> String {
    if count == .max { return "more values than can be counted" }
    return counted(count, "value")
  }
}
