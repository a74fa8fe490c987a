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

  /// The input whose type the outputs must have, because the kernel takes it for theirs without a look.
  ///
  /// A kernel that moves elements of 4 bytes into a tensor with elements of 1 byte writes past the tensor's
  /// end. nil where the types may differ.
  var typeInput: Int? { Self.typeInputs[number] }

  private static let typeInputs: [Int32: Int] = [
    0: 0,  // ADD
    1: 0,  // AVERAGE_POOL_2D
    2: 0,  // CONCATENATION
    5: 0,  // DEPTH_TO_SPACE
    8: 0,  // FLOOR
    11: 0,  // L2_NORMALIZATION
    12: 0,  // L2_POOL_2D
    14: 0,  // LOGISTIC
    17: 0,  // MAX_POOL_2D
    18: 0,  // MUL
    19: 0,  // RELU
    20: 0,  // RELU_N1_TO_1
    21: 0,  // RELU6
    22: 0,  // RESHAPE
    23: 0,  // RESIZE_BILINEAR
    25: 0,  // SOFTMAX
    26: 0,  // SPACE_TO_DEPTH
    28: 0,  // TANH
    34: 0,  // PAD
    36: 0,  // GATHER
    37: 0,  // BATCH_TO_SPACE_ND
    38: 0,  // SPACE_TO_BATCH_ND
    39: 0,  // TRANSPOSE
    40: 0,  // MEAN
    41: 0,  // SUB
    42: 0,  // DIV
    43: 0,  // SQUEEZE
    45: 0,  // STRIDED_SLICE
    47: 0,  // EXP
    49: 1,  // SPLIT
    50: 0,  // LOG_SOFTMAX
    54: 0,  // PRELU
    55: 0,  // MAXIMUM
    57: 0,  // MINIMUM
    59: 0,  // NEG
    60: 0,  // PADV2
    64: 1,  // SELECT
    65: 0,  // SLICE
    66: 0,  // SIN
    69: 0,  // TILE
    70: 0,  // EXPAND_DIMS
    73: 0,  // LOG
    74: 0,  // SUM
    75: 0,  // SQRT
    76: 0,  // RSQRT
    78: 0,  // POW
    81: 0,  // REDUCE_PROD
    82: 0,  // REDUCE_MAX
    83: 0,  // PACK
    88: 0,  // UNPACK
    89: 0,  // REDUCE_MIN
    90: 0,  // FLOOR_DIV
    92: 0,  // SQUARE
    93: 0,  // ZEROS_LIKE
    94: 1,  // FILL
    95: 0,  // FLOOR_MOD
    97: 0,  // RESIZE_NEAREST_NEIGHBOR
    98: 0,  // LEAKY_RELU
    99: 0,  // SQUARED_DIFFERENCE
    100: 0,  // MIRROR_PAD
    101: 0,  // ABS
    102: 0,  // SPLIT_V
    104: 0,  // CEIL
    105: 0,  // REVERSE_V2
    106: 0,  // ADD_N
    107: 0,  // GATHER_ND
    108: 0,  // COS
    111: 0,  // ELU
    112: 0,  // REVERSE_SEQUENCE
    116: 0,  // ROUND
    117: 0,  // HARD_SWISH
    122: 1,  // SCATTER_ND
    123: 1,  // SELECT_V2
    125: 0,  // SEGMENT_SUM
    128: 0,  // CUMSUM
    130: 0,  // BROADCAST_TO
    150: 0,  // GELU
    151: 0,  // DYNAMIC_UPDATE_SLICE
  ]

  /// Where the options say how many outputs there are; nil for options that do not.
  ///
  /// SPLIT, UNPACK and SPLIT_V write as many as their options say, without a look at how many there
  /// are.
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
