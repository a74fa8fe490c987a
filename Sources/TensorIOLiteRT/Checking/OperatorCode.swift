// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The code that tells what an operator of a .tflite file computes.
struct OperatorCode {
  /// The number of the operator in schema.fbs.
  let number: Int32
  /// The operator, or nil for one that none of the checks names.
  private let builtin: Builtin?
  /// The name of a custom operator.
  let customName: String?

  /// The operators in the order of TensorFlow's schema.fbs, which numbers them from 0.
  ///
  /// Almost all that were added after DYNAMIC_UPDATE_SLICE are missing, because none of the checks
  /// names them.
  private enum Builtin: Int32 {
    case add, averagePool2D, concatenation, conv2D, depthwiseConv2D, depthToSpace, dequantize,
      embeddingLookup, floor, fullyConnected, hashtableLookup, l2Normalization, l2Pool2D,
      localResponseNormalization, logistic, lshProjection, lstm, maxPool2D, mul, relu, reluN1To1,
      relu6, reshape, resizeBilinear, rnn, softmax, spaceToDepth, svdf, tanh, concatEmbeddings,
      skipGram, call, custom, embeddingLookupSparse, pad, unidirectionalSequenceRnn, gather,
      batchToSpaceNd, spaceToBatchNd, transpose, mean, sub, div, squeeze,
      unidirectionalSequenceLstm, stridedSlice, bidirectionalSequenceRnn, exp, topkV2, split,
      logSoftmax, delegate, bidirectionalSequenceLstm, cast, prelu, maximum, argMax, minimum, less,
      neg, padv2, greater, greaterEqual, lessEqual, select, slice, sin, transposeConv,
      sparseToDense, tile, expandDims, equal, notEqual, log, sum, sqrt, rsqrt, shape, pow, argMin,
      fakeQuant, reduceProd, reduceMax, pack, logicalOr, oneHot, logicalAnd, logicalNot, unpack,
      reduceMin, floorDiv, reduceAny, square, zerosLike, fill, floorMod, range,
      resizeNearestNeighbor, leakyRelu, squaredDifference, mirrorPad, abs, splitV, unique, ceil,
      reverseV2, addN, gatherNd, cos, `where`, rank, elu, reverseSequence, matrixDiag, quantize,
      matrixSetDiag, round, hardSwish, `if`, `while`, nonMaxSuppressionV4, nonMaxSuppressionV5,
      scatterNd, selectV2, densify, segmentSum, batchMatmul, placeholderForGreaterOpCodes, cumsum,
      callOnce, broadcastTo, rfft2D, conv3D, imag, real, complexAbs, hashtable, hashtableFind,
      hashtableImport, hashtableSize, reduceAll, conv3DTranspose, varHandle, readVariable,
      assignVariable, broadcastArgs, randomStandardNormal, bucketize, randomUniform, multinomial,
      gelu, dynamicUpdateSlice
    case stablehloComposite = 206
  }

  init(
    _ table: FlatBufferReader.Table, _ reader: inout FlatBufferReader
  ) throws(FlatBufferError) {
    // The first field only holds numbers up to 127. Files with newer operators have both fields.
    let older = Int32(Int8(bitPattern: try reader.byte(0, of: table)))
    number = max(older, Int32(bitPattern: try reader.integer(3, of: table)))
    builtin = Builtin(rawValue: number)
    customName = builtin == .custom ? try reader.string(1, of: table) ?? "" : nil
  }

  /// Whether the operator creates a resource variable, which keeps its value between runs.
  var createsVariable: Bool { builtin == .varHandle }

  /// Whether the kernel accepts -1 for an input that is left out.
  ///
  /// These are convolutions and dense layers without a bias, recurrent cells, and operators that
  /// bring their own code.
  var hasOptionalInputs: Bool {
    switch builtin {
    case .conv2D, .depthwiseConv2D, .fullyConnected, .lstm, .rnn, .svdf, .custom,
      .unidirectionalSequenceRnn, .unidirectionalSequenceLstm, .bidirectionalSequenceRnn,
      .bidirectionalSequenceLstm, .delegate, .transposeConv, .conv3D, .conv3DTranspose,
      .stablehloComposite:
      true
    default: false
    }
  }

  /// Whether the kernel divides by the scales of its 8-bit and 16-bit tensors.
  ///
  /// When such a scale is missing, zero or infinite, the kernel ends the process or returns
  /// nonsense.
  var computesWithScales: Bool {
    switch builtin {
    case .add, .conv2D, .depthwiseConv2D, .fullyConnected, .l2Normalization, .logistic, .mul,
      .softmax, .tanh, .sub, .div, .logSoftmax, .prelu, .transposeConv, .leakyRelu,
      .squaredDifference, .elu, .hardSwish, .batchMatmul, .gelu:
      true
    default: false
    }
  }

  /// The index of the input whose type the outputs must have, or nil where the types may differ.
  ///
  /// The kernel assumes that the outputs have this input's type, without a check. A kernel that
  /// copies elements of 4 bytes into a tensor with elements of 1 byte writes past the tensor's end.
  var typeInput: Int? {
    switch builtin {
    case .add, .averagePool2D, .concatenation, .depthToSpace, .floor, .l2Normalization, .l2Pool2D,
      .logistic, .maxPool2D, .mul, .relu, .reluN1To1, .relu6, .reshape, .resizeBilinear, .softmax,
      .spaceToDepth, .tanh, .pad, .gather, .batchToSpaceNd, .spaceToBatchNd, .transpose, .mean,
      .sub, .div, .squeeze, .stridedSlice, .exp, .logSoftmax, .prelu, .maximum, .minimum, .neg,
      .padv2, .slice, .sin, .tile, .expandDims, .log, .sum, .sqrt, .rsqrt, .pow, .reduceProd,
      .reduceMax, .pack, .unpack, .reduceMin, .floorDiv, .square, .zerosLike, .floorMod,
      .resizeNearestNeighbor, .leakyRelu, .squaredDifference, .mirrorPad, .abs, .splitV, .ceil,
      .reverseV2, .addN, .gatherNd, .cos, .elu, .reverseSequence, .round, .hardSwish, .segmentSum,
      .cumsum, .broadcastTo, .gelu, .dynamicUpdateSlice:
      0
    case .split, .select, .fill, .scatterNd, .selectV2: 1
    default: nil
    }
  }

  /// The field of the options that holds the number of outputs, or nil for options without one.
  ///
  /// SPLIT, UNPACK and SPLIT_V write as many outputs as their options say, without checking how
  /// many there are.
  static func outputCountField(ofOptions kind: UInt8) -> Int? {
    // SplitOptions.num_splits, UnpackOptions.num and SplitVOptions.num_splits
    [35, 64, 79].contains(kind) ? 0 : nil
  }
}
