// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// What a key of a decoder, or of an input of the type `audio` or `features`, takes.
enum KeyForm {
  /// The name of another output.
  case output
  /// The name of a file in the assets folder.
  case file
  case flag
  case number
  /// A number or one word.
  case numberOr(String)
  /// A number from 0 to 1.
  case share
  /// A whole number, at least the given one.
  case count(from: Int)
  /// As many whole numbers as given, at least 0.
  case counts(Int)
  case word([String])
  case text
  /// A number or text.
  case value
  case texts
  /// As many numbers as given; nil means any number of them.
  case numbers(Int?)
  /// A list of names, or a number of them.
  case names
  /// Pairs of indices of keypoints.
  case pairs
  /// A file, or an object of numbers.
  case anchors
}

/// The keys of the decoders, and which values they take.
enum DecoderKeys {
  /// The keys whose values are names of other outputs.
  static let roles = ["classes", "scores", "count", "masks", "offsets", "y"]

  private static let objects =
    "labels threshold iou suppress top candidates units clip keypoints skeleton"

  /// The keys of each decoder, separated by blanks; an exclamation mark follows a required key.
  static let ofDecoders: [(type: String, keys: String)] = [
    ("tflite-postprocess", "classes! scores! count! " + objects),
    ("ssd", "scores! anchors! scale order exponential background activation " + objects),
    ("blazeface", "scores! anchors! scale " + objects),
    ("yolo", "layout! masks oriented classes " + objects),
    ("movenet", "labels threshold top keypoints skeleton"),
    ("heatmaps", "layout refine offsets stride activation threshold keypoints skeleton"),
    ("simcc", "y! split threshold keypoints skeleton"),
    ("embedding", "normalize gallery labels top threshold"),
    ("depth", "inverse unit"),
    ("binary", "labels! activation"),
    ("multi-label", "labels activation threshold top"),
    ("ordinal", "form values unit"),
    ("regression", "names units scale bias"),
    ("reconstruction", "input error unit"),
    ("ctc", "labels! blank activation"),
    ("tokens", "labels! end skip join activation"),
  ]

  static func form(of key: String, _ type: String) -> KeyForm {
    switch (key, type) {
    case ("classes", "yolo"): .count(from: 1)
    case ("layout", "yolo"): .word(["v5", "v8", "v8-transposed", "end-to-end"])
    case ("layout", _): .word(["channels-last", "channels-first"])
    case ("units", "regression"), ("names", _): .texts
    case ("scale", "regression"), ("bias", _), ("values", _): .numbers(nil)
    case ("classes", _), ("scores", _), ("count", _), ("masks", _), ("offsets", _), ("y", _):
      .output
    case ("labels", _), ("gallery", _): .file
    case ("iou", _): .share
    case ("threshold", _): .number
    case ("top", _), ("candidates", _), ("stride", _), ("split", _): .count(from: 1)
    case ("blank", _): .count(from: 0)
    case ("suppress", _): .word(["class", "all", "none", "weighted"])
    case ("units", _): .word(["pixels", "fractions"])
    case ("order", _): .word(["yxhw", "xywh"])
    case ("activation", _): .word(["none", "sigmoid", "softmax"])
    case ("refine", _): .word(["none", "quarter", "parabola", "offsets"])
    case ("form", _): .word(["cumulative", "expected"])
    case ("error", _): .word(["mean-squared", "mean-absolute"])
    case ("join", _): .word(["", " ", "wordpiece", "sentencepiece"])
    case ("exponential", _), ("background", _), ("oriented", _), ("clip", _), ("normalize", _),
      ("inverse", _):
      .flag
    case ("scale", _): .numbers(4)
    case ("keypoints", _): .names
    case ("skeleton", _): .pairs
    case ("anchors", _): .anchors
    case ("skip", _): .texts
    default: .text
    }
  }

  /// The members of an object that describes anchors.
  static let ofAnchors: [(key: String, form: KeyForm)] = [
    ("size", .numbers(2)), ("strides", .numbers(nil)), ("min_scale", .number),
    ("max_scale", .number), ("aspect_ratios", .numbers(nil)),
    ("interpolated_scale_aspect_ratio", .number), ("anchor_offset_x", .number),
    ("anchor_offset_y", .number), ("reduce_boxes_in_lowest_layer", .flag),
    ("fixed_anchor_size", .flag),
  ]
}
