// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// What the values of heat maps mean.
package struct HeatmapOptions: Sendable, Equatable {
  /// The order of the axes.
  package enum Layout: String, Sendable, CaseIterable {
    /// [height, width, points], and [height, width, 2 x points] for offsets.
    case channelsLast = "channels-last"
    /// [points, height, width], and [2 x points, height, width] for offsets.
    case channelsFirst = "channels-first"
  }

  /// How a position between cells is found.
  ///
  /// All start at the cell (x, y) with the greatest score.
  package enum Refinement: String, Sendable, CaseIterable {
    /// The position is the cell.
    case none
    /// The position is a quarter of a cell away, towards the greater neighbor.
    ///
    /// If v is the score of a cell, x moves by 0.25 times the sign of v(x + 1, y) - v(x - 1, y), and
    /// y moves by 0.25 times the sign of v(x, y + 1) - v(x, y - 1). As in MMPose's
    /// `refine_keypoints`, x stays unless 1 < x < width - 1 and 0 < y, and y stays unless
    /// 1 < y < height - 1 and 0 < x.
    case quarter
    /// The position is the top of a parabola through the logarithms of the scores, as in DARK but
    /// without its Gaussian blur.
    ///
    /// If L is the logarithm of a score, or of 1e-10 if that is greater, the first derivatives are
    /// those of the cells at a distance of 1, and the second derivatives those at a distance of 2:
    ///
    ///     dx = (L(x + 1, y) - L(x - 1, y)) / 2, dy likewise
    ///     dxx = (L(x + 2, y) - 2 L(x, y) + L(x - 2, y)) / 4, dyy likewise
    ///     dxy = (L(x + 1, y + 1) - L(x + 1, y - 1) - L(x - 1, y + 1) + L(x - 1, y - 1)) / 4
    ///
    /// The position moves by -H^-1 (dx, dy), with H = ((dxx, dxy), (dxy, dyy)). It stays unless
    /// 1 < x < width - 2 and 1 < y < height - 2. MMPose's `refine_keypoints_dark` has the same
    /// formula. Unlike there, it also stays if the parabola has no top (dxx >= 0 or det H <= 0), or
    /// if the top is more than one cell away in x or in y: such scores aren't a peak.
    case parabola
    /// Another output has the distance in pixels of the model's input, as in PoseNet.
    ///
    /// For each cell it has y of all points, then x of all points. A distance that is NaN or
    /// infinite counts as 0.
    case offsets
  }

  package var layout: Layout
  package var refinement: Refinement
  /// The distance of cells in pixels of the model's input.
  ///
  /// If it's nil, it is the size of the input divided by the number of cells, as in MMPose. With
  /// offsets it is (size - 1) / (cells - 1), as in PoseNet: 32 for an input of 257 and 9 cells.
  package var stride: Float?
  /// `none` or `sigmoid`.
  package var activation: BoxActivation

  package init(
    layout: Layout = .channelsLast, refinement: Refinement = .none, stride: Float? = nil,
    activation: BoxActivation = .none
  ) {
    self.layout = layout
    self.refinement = refinement
    self.stride = stride
    self.activation = activation
  }
}
