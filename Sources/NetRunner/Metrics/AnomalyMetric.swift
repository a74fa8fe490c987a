// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import MetricMath
import TensorIO

/// How well a single number tells anomalies from normal samples, such as a reconstruction's error.
///
/// The areas are those of scikit-learn's `roc_auc_score`; partial ones end at a false positive rate
/// of 0.1 and are standardized, as in DCASE and MLPerf Tiny. Samples that failed are excluded,
/// because they have no score.
struct AnomalyMetric: MetricFamily {
  enum Value: String, CaseIterable {
    /// The mean over machines of the area under the ROC curve.
    case machineArea = "machine_auc"
    /// The mean over machines of the partial area.
    case machinePartialArea = "machine_pauc"
    /// The area for all samples together.
    case area = "anomaly_auc"
    /// The partial area for all samples together.
    case partialArea = "anomaly_pauc"
  }

  struct Item: Sendable, Hashable, Codable {
    var isAnomaly: Bool
    var machine: String
    /// The model's number, or nil if the sample failed.
    var score: Double?
  }

  static let familyName = "anomaly"
  /// The highest false positive rate of partial areas.
  private static let limit = 0.1

  let name: String
  let context: MetricContext

  func evaluate(_ truth: GroundTruth, _ prediction: Prediction?) throws -> Item? {
    var item: Item
    switch truth {
    case .anomaly(let isAnomaly, let machine): item = Item(isAnomaly: isAnomaly, machine: machine)
    case .label(let label):
      guard let isAnomaly = AnomalyLabel.isAnomaly(label) else {
        throw TensorIOError(
          .unrepresentableValue,
          "Metric '\(name)' needs the labels 'normal' and 'anomaly', or 0 and 1, but a sample has "
            + "'\(label)'.")
      }
      item = Item(isAnomaly: isAnomaly, machine: "")
    default: return nil
    }
    guard let prediction else { return item }
    guard let values = prediction.values, values.count == 1 else {
      throw TensorIOError(
        .wrongOutputType,
        "Metric '\(name)' needs an output of one number, which is higher for anomalies, but the model "
          + "has \(prediction.values.map { counted($0.count, "number") } ?? "none"). For a model that "
          + "reconstructs its input, add \"decode\": {\"type\": \"reconstruction\"} to the output in "
          + "model.json.")
    }
    item.score = Double(values[0])
    return item
  }

  func reduce(_ items: [Item]) throws -> MetricReport {
    var report = MetricReport(values: [])
    let scored = items.filter { $0.score != nil }
    if scored.count < items.count {
      report.notes.append(
        "\(items.count - scored.count) of \(counted(items.count, "sample")) failed and are left out."
      )
    }
    if items.isEmpty { report.notes.append("No sample is said to be an anomaly or normal.") }
    let broken = scored.count { $0.score?.isNaN ?? false }
    guard broken == 0 else {
      report.notes.append(
        "Nothing is defined: the model gave NaN for \(broken) of \(counted(scored.count, "sample"))."
      )
      report.values = values.map { MetricValue($0.rawValue, nil, count: 0) }
      return report
    }
    let truths = scored.map(\.isAnomaly)
    let scores = scored.map { $0.score ?? 0 }
    let all = try RankedScores(scores: scores, isPositive: truths)
    let areas = try GroupedAreas(
      scores: scores, isAnomaly: truths, groups: scored.map(\.machine), limit: Self.limit)
    func numbers(_ weights: [Int]?) -> [Double?] {
      let groups = areas.groups(weights: weights)
      return values.map { value in
        switch value {
        case .machineArea: groups.compactMap(\.area).arithmeticMean
        case .machinePartialArea: groups.compactMap(\.partialArea).arithmeticMean
        case .area: all.measures(weights: weights).area
        case .partialArea: all.partialArea(upTo: Self.limit, weights: weights)
        }
      }
    }
    let intervals = Bootstrap(context).intervals(
      images: scored.count, steps: values.count * scored.count, of: numbers)
    let groups = areas.groups()
    for (index, number) in numbers(nil).enumerated() {
      report.values.append(
        MetricValue(
          values[index].rawValue, number, interval: number == nil ? nil : intervals?[index],
          count: scored.count))
    }
    let undefined = groups.filter { $0.area == nil }
    if let first = undefined.first {
      report.notes.append(
        groups.count == 1
          ? "Nothing is defined: there are only \(first.anomalies > 0 ? "anomalies" : "normal samples")."
          : "\(counted(undefined.count, "machine")) without both normal samples and anomalies "
            + "\(undefined.count == 1 ? "is" : "are") left out of the means, such as '\(first.name)'."
      )
    }
    guard isFamily else { return report }
    if groups.count > 1 {
      report.classes = groups.map { group in
        ClassMetrics(
          label: group.name, support: group.anomalies + group.others,
          values: ["auc": group.area, "pauc": group.partialArea])
      }
    }
    if let area = all.measures().area {
      report.roc = [
        ROCCurve(label: "anomaly", area: area, points: ROCCurve.thinned(all.points()))
      ]
    }
    return report
  }
}

/// The words and file names that tell anomalies from normal samples.
enum AnomalyLabel {
  /// Whether a label names anomalies; nil if it names neither those nor normal samples.
  static func isAnomaly(_ label: String) -> Bool? {
    switch label.lowercased() {
    case "normal", "0": false
    case "anomaly", "anomalous", "abnormal", "1": true
    default: nil
    }
  }

  /// Reads a file name of DCASE, such as `anomaly_id_01_00000003.wav`.
  static func truth(ofFile path: String) -> GroundTruth? {
    let parts = FileSystem.name(of: path).split(separator: "_")
    guard parts.count >= 4, parts[1] == "id", let isAnomaly = isAnomaly(String(parts[0])) else {
      return nil
    }
    let folder = FileSystem.folder(of: path)
    let machine = "id_\(parts[2])"
    return .anomaly(isAnomaly, machine: folder == "." ? machine : "\(folder)/\(machine)")
  }
}
