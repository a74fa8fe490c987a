// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
/// A client's options for running a model on an image.
struct InferenceOptions: Sendable {
  /// The maximum number of labels to return.
  var top = 5
  /// The minimum value of a label, and the minimum score of an object whose mask is drawn.
  var threshold: Float = 0.1
  /// The number of runs of the model, over which the latencies are averaged.
  var iterations = 1
  /// Whether to return images of what the model sees.
  var previews = false
  /// Whether to return a preview of the image's alpha channel too.
  var alpha = false
  /// The live source, whose results fade into each other, or nil for a single image.
  var source: String?

  init(_ query: Query) throws {
    top = try query.integer("top", in: 1...1000) ?? top
    threshold = try query.number("threshold").map(Float.init) ?? threshold
    iterations = try query.integer("iterations", in: 1...1000) ?? iterations
    previews = try query.bool("previews") ?? previews
    alpha = try query.bool("alpha") ?? alpha
    source = query.text("source")
    guard (source?.utf8.count ?? 0) <= 64 else {
      throw WebError.badRequest("'source' can have at most 64 bytes.")
    }
  }
}
#endif
