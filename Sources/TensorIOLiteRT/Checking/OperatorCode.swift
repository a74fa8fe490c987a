// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// What an operator of a .tflite file computes.
struct OperatorCode: Hashable {
  /// The number in TensorFlow's schema.fbs.
  var number: Int32
  /// The name of a custom operator.
  var customName: String?

  private static let custom: Int32 = 32

  init(
    _ table: FlatBufferReader.Table, _ reader: inout FlatBufferReader
  ) throws(FlatBufferError) {
    // The first field ended at 127; files with newer operators have both.
    let older = Int32(Int8(bitPattern: try reader.byte(0, of: table)))
    number = max(older, Int32(bitPattern: try reader.integer(3, of: table)))
    customName = number == Self.custom ? try reader.string(1, of: table) ?? "" : nil
  }

  /// Whether a kernel takes -1 for an input that is left out.
  ///
  /// Convolutions and dense layers without a bias; recurrent cells; operators that carry code of
  /// their own.
  var hasOptionalInputs: Bool { Self.withOptionalInputs.contains(number) }

  private static let withOptionalInputs: Set<Int32> = [
    3,  // CONV_2D
    4,  // DEPTHWISE_CONV_2D
    9,  // FULLY_CONNECTED
    16,  // LSTM
    24,  // RNN
    27,  // SVDF
    32,  // CUSTOM
    35,  // UNIDIRECTIONAL_SEQUENCE_RNN
    44,  // UNIDIRECTIONAL_SEQUENCE_LSTM
    46,  // BIDIRECTIONAL_SEQUENCE_RNN
    52,  // BIDIRECTIONAL_SEQUENCE_LSTM
    51,  // DELEGATE
    67,  // TRANSPOSE_CONV
    132,  // CONV_3D
    141,  // CONV_3D_TRANSPOSE
    206,  // STABLEHLO_COMPOSITE
  ]

  /// Whether a kernel divides by the scales of its 8-bit and 16-bit tensors: it ends the process, or
  /// gives nonsense, when one is missing, zero or infinite.
  var computesWithScales: Bool { Self.computing.contains(number) }

  private static let computing: Set<Int32> = [
    0,  // ADD
    3,  // CONV_2D
    4,  // DEPTHWISE_CONV_2D
    9,  // FULLY_CONNECTED
    11,  // L2_NORMALIZATION
    14,  // LOGISTIC
    18,  // MUL
    25,  // SOFTMAX
    28,  // TANH
    41,  // SUB
    42,  // DIV
    50,  // LOG_SOFTMAX
    54,  // PRELU
    67,  // TRANSPOSE_CONV
    98,  // LEAKY_RELU
    99,  // SQUARED_DIFFERENCE
    111,  // ELU
    117,  // HARD_SWISH
    126,  // BATCH_MATMUL
    150,  // GELU
  ]

  /// Where the options say how many outputs there are, by the kind of the options.
  ///
  /// SPLIT, UNPACK and SPLIT_V write as many as their options say, without a look at how many there
  /// are.
  static let outputCountFields: [UInt8: Int] = [
    35: 0,  // SplitOptions.num_splits
    64: 0,  // UnpackOptions.num
    79: 0,  // SplitVOptions.num_splits
  ]
}
