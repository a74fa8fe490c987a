// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// How far the outputs of an accelerator may be from the CPU's.
///
/// - Floats: 0.1% of the largest magnitude in the CPU's output.
/// - Quantized whole numbers: one step.
/// - Other whole numbers and truth values: equal.
///
/// In an output of one row, the largest element must also be the same one, because it is the label.
/// NaN and infinite values must be at the same places.
public enum AcceleratorTolerance {
  private static let relative = 1e-3

  /// Compares an output with the CPU's.
  ///
  /// - Parameters:
  ///   - output: The description of the output.
  ///   - shape: Its current shape.
  ///   - cpu: The CPU's elements.
  ///   - other: The accelerator's elements.
  /// - Returns: How the output differs too much, or nil if it doesn't.
  public static func difference(
    in output: TensorDescription, shape: [Int], _ cpu: RawSpan, _ other: RawSpan
  ) -> String? {
    guard cpu.byteCount == other.byteCount else {
      return
        "the output '\(output.name)' has \(other.byteCount) bytes, but \(cpu.byteCount) on the CPU"
    }
    let isQuantized = output.quantization != nil
    guard let theirs = values(other, output.dataType), let ours = values(cpu, output.dataType)
    else {
      return "the output '\(output.name)' has the type \(output.typeName), which isn't compared"
    }
    let isFloat = output.dataType == .float32 || output.dataType == .float64
    let size = ours.lazy.filter(\.isFinite).map(\.magnitude).max() ?? 0
    let allowed = isFloat ? size * relative : isQuantized ? 1 : 0
    for (index, (our, their)) in zip(ours, theirs).enumerated() {
      if our == their || our.isNaN && their.isNaN { continue }
      // A difference that isn't a number isn't allowed either.
      guard (our - their).magnitude <= allowed else {
        return "element \(index) of the output '\(output.name)' is \(their), but \(our) on the CPU"
      }
    }
    return labelDifference(output.name, shape, ours, theirs)
  }

  /// Returns how the label differs, or nil if the outputs are several rows or have the same label.
  private static func labelDifference(
    _ name: String, _ shape: [Int], _ ours: [Double], _ theirs: [Double]
  ) -> String? {
    guard shape.last == ours.count, ours.count > 1,
      let our = ours.indices.max(by: { ours[$0] < ours[$1] }),
      let their = theirs.indices.max(by: { theirs[$0] < theirs[$1] }),
      // The CPU may have several largest elements.
      ours[their] < ours[our]
    else { return nil }
    return "the largest element of the output '\(name)' is \(their), but \(our) on the CPU"
  }

  private static func values(_ bytes: RawSpan, _ type: DataType?) -> [Double]? {
    switch type {
    case .float32: elements(bytes, Float.self, Double.init)
    case .float64: elements(bytes, Double.self) { $0 }
    case .int8: elements(bytes, Int8.self, Double.init)
    case .uint8: elements(bytes, UInt8.self, Double.init)
    case .int16: elements(bytes, Int16.self, Double.init)
    case .int32: elements(bytes, Int32.self, Double.init)
    case .int64: elements(bytes, Int64.self, Double.init)
    case .bool: elements(bytes, UInt8.self) { $0 == 0 ? 0 : 1 }
    default: nil
    }
  }

  private static func elements<Element: BitwiseCopyable>(
    _ bytes: RawSpan, _ type: Element.Type, _ convert: (Element) -> Double
  ) -> [Double] {
    bytes.withUnsafeBytes { bytes in
      (0..<(bytes.count / MemoryLayout<Element>.stride)).map { index in
        convert(
          bytes.loadUnaligned(
            fromByteOffset: index * MemoryLayout<Element>.stride, as: Element.self))
      }
    }
  }
}

/// A run of a model on an accelerator in a child process.
struct AcceleratorTrial {
  private let address: ModelAddress
  private let options: IsolationOptions

  init(_ address: ModelAddress, _ options: IsolationOptions) {
    self.address = address
    self.options = options
  }

  /// Runs the model on the accelerator.
  ///
  /// - Parameters:
  ///   - signature: The signature to run.
  ///   - shapes: The shapes of the inputs, or nil for those of the model.
  ///   - cpu: A session that has run on the CPU, with the inputs and outputs of that run.
  /// - Returns: Why the accelerator can't be trusted with the model, or nil if it can.
  func reasonAgainst(
    _ signature: SignatureDescription, shapes: [[Int]]?, comparedWith cpu: any Session
  ) -> String? {
    guard IsolatedBackend.isSupported else {
      return "the trial needs a process of its own, which only Linux supports."
    }
    guard !(signature.inputs + signature.outputs).contains(where: { $0.dataType == .string }) else {
      return "the model has strings, which only the CPU computes."
    }
    do {
      let model = try IsolatedModel(address, options: options)
      guard !model.keepsState else {
        return "the model keeps values from run to run, so runs can't be compared."
      }
      let session = try model.makeSession(signature, options: SessionOptions())
      if let shapes { try session.resizeInputs(to: shapes) }
      try signature.copyInputs(of: cpu, to: session)
      try session.run()
      for (index, output) in signature.outputs.enumerated() {
        let shape = cpu.outputShape(at: index)
        guard session.outputShape(at: index) == shape else {
          return "the output '\(output.name)' has the shape \(session.outputShape(at: index)), but "
            + "\(shape) on the CPU."
        }
        var difference: String?
        try cpu.withOutput(at: index) { ours in
          try session.withOutput(at: index) { theirs in
            difference = AcceleratorTolerance.difference(in: output, shape: shape, ours, theirs)
          }
        }
        if let difference { return "its trial computed other values: \(difference)." }
      }
      return nil
    } catch {
      return Self.reason(of: error)
    }
  }

  /// Returns an error's message as the rest of a sentence.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - run: What failed if its process ended.
  /// - Returns: The rest of a sentence.
  static func reason(of error: any Error, in run: String = "its trial") -> String {
    guard let error = error as? TensorIOError else { return "\(error)" }
    if let fault = error.cause as? ProcessFault {
      return "\(run) crashed: \(fault.description)."
    }
    return error.message
  }
}
