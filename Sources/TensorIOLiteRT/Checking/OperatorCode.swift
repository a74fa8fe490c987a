// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The code that tells what an operator of a .tflite file computes.
struct OperatorCode: Hashable {
  /// The number in TensorFlow's schema.fbs.
  var number: Int32
  /// The name of a custom operator.
  var customName: String?

  private static let custom: Int32 = 32
  private static let variableHandle: Int32 = 142

  init(
    _ table: FlatBufferReader.Table, _ reader: inout FlatBufferReader
  ) throws(FlatBufferError) {
    // The first field only holds numbers up to 127. Files with newer operators have both fields.
    let older = Int32(Int8(bitPattern: try reader.byte(0, of: table)))
    number = max(older, Int32(bitPattern: try reader.integer(3, of: table)))
    customName = number == Self.custom ? try reader.string(1, of: table) ?? "" : nil
  }

  /// Whether the operator creates a resource variable, which keeps its value between runs.
  var createsVariable: Bool { number == Self.variableHandle }

  /// Whether the kernel accepts -1 for an input that is left out.
  ///
  /// These are convolutions and dense layers without a bias, recurrent cells, and operators that
  /// bring their own code.
  var hasOptionalInputs: Bool {
    switch number {
    case 3,  // CONV_2D
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
      206:  // STABLEHLO_COMPOSITE
      true
    default: false
    }
  }

  /// Whether the kernel divides by the scales of its 8-bit and 16-bit tensors.
  ///
  /// When such a scale is missing, zero or infinite, the kernel ends the process or returns
  /// nonsense.
  var computesWithScales: Bool {
    switch number {
    case 0,  // ADD
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
      150:  // GELU
      true
    default: false
    }
  }

  /// The index of the input whose type the outputs must have, or nil where the types may differ.
  ///
  /// The kernel assumes that the outputs have this input's type, without a check. A kernel that
  /// copies elements of 4 bytes into a tensor with elements of 1 byte writes past the tensor's end.
  var typeInput: Int? {
    switch number {
    case 0,  // ADD
      1,  // AVERAGE_POOL_2D
      2,  // CONCATENATION
      5,  // DEPTH_TO_SPACE
      8,  // FLOOR
      11,  // L2_NORMALIZATION
      12,  // L2_POOL_2D
      14,  // LOGISTIC
      17,  // MAX_POOL_2D
      18,  // MUL
      19,  // RELU
      20,  // RELU_N1_TO_1
      21,  // RELU6
      22,  // RESHAPE
      23,  // RESIZE_BILINEAR
      25,  // SOFTMAX
      26,  // SPACE_TO_DEPTH
      28,  // TANH
      34,  // PAD
      36,  // GATHER
      37,  // BATCH_TO_SPACE_ND
      38,  // SPACE_TO_BATCH_ND
      39,  // TRANSPOSE
      40,  // MEAN
      41,  // SUB
      42,  // DIV
      43,  // SQUEEZE
      45,  // STRIDED_SLICE
      47,  // EXP
      50,  // LOG_SOFTMAX
      54,  // PRELU
      55,  // MAXIMUM
      57,  // MINIMUM
      59,  // NEG
      60,  // PADV2
      65,  // SLICE
      66,  // SIN
      69,  // TILE
      70,  // EXPAND_DIMS
      73,  // LOG
      74,  // SUM
      75,  // SQRT
      76,  // RSQRT
      78,  // POW
      81,  // REDUCE_PROD
      82,  // REDUCE_MAX
      83,  // PACK
      88,  // UNPACK
      89,  // REDUCE_MIN
      90,  // FLOOR_DIV
      92,  // SQUARE
      93,  // ZEROS_LIKE
      95,  // FLOOR_MOD
      97,  // RESIZE_NEAREST_NEIGHBOR
      98,  // LEAKY_RELU
      99,  // SQUARED_DIFFERENCE
      100,  // MIRROR_PAD
      101,  // ABS
      102,  // SPLIT_V
      104,  // CEIL
      105,  // REVERSE_V2
      106,  // ADD_N
      107,  // GATHER_ND
      108,  // COS
      111,  // ELU
      112,  // REVERSE_SEQUENCE
      116,  // ROUND
      117,  // HARD_SWISH
      125,  // SEGMENT_SUM
      128,  // CUMSUM
      130,  // BROADCAST_TO
      150,  // GELU
      151:  // DYNAMIC_UPDATE_SLICE
      0
    case 49,  // SPLIT
      64,  // SELECT
      94,  // FILL
      122,  // SCATTER_ND
      123:  // SELECT_V2
      1
    default: nil
    }
  }

  /// The field of the options that holds the number of outputs, or nil for options without one.
  ///
  /// SPLIT, UNPACK and SPLIT_V write as many outputs as their options say, without checking how
  /// many there are.
  static func outputCountField(ofOptions kind: UInt8) -> Int? {
    switch kind {
    case 35,  // SplitOptions.num_splits
      64,  // UnpackOptions.num
      79:  // SplitVOptions.num_splits
      0
    default: nil
    }
  }
}
