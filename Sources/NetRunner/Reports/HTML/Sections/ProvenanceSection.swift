// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts
import TensorIO

/// Everything that is needed to reproduce the evaluation.
struct ProvenanceSection {
  var report: EvaluationReport

  var html: Markup {
    var models = Markup.empty
    for result in report.models { models += self.model(result) }
    return """
      <section aria-labelledby="provenance"><h2 id="provenance">How it was measured</h2>
      <div class="columns">
      <div><h3>Dataset</h3>\(dataset)</div>
      <div><h3>Settings</h3>\(settings)</div>
      <div><h3>Machine</h3>\(machine)</div>
      \(models)
      </div></section>

      """
  }

  private static func facts(_ facts: [(String, Markup)]) -> Markup {
    let items = facts.map { name, value -> Markup in "<dt>\(name)</dt><dd>\(value)</dd>" }
    return "<dl class=\"facts\">\(items)</dl>"
  }

  private static func code(_ text: String) -> Markup { "<span class=\"mono\">\(text)</span>" }

  private var dataset: Markup {
    let dataset = report.dataset
    var facts: [(String, Markup)] = [("name", .name(dataset.name))]
    if let id = dataset.id { facts.append(("identifier", .name(id))) }
    if let version = dataset.version { facts.append(("version", .name(version))) }
    return Self.facts(
      facts + [
        ("layout", "\(dataset.layout.rawValue)"), ("path", .name(dataset.path)),
        (dataset.samples.plural, "\(DecimalText(grouping: dataset.images))"),
        ("with a label", "\(DecimalText(grouping: dataset.labelled))"),
        ("SHA-256", Self.code(dataset.sha256)),
      ])
  }

  private var settings: Markup {
    let settings = report.settings
    return Self.facts([
      ("metrics", "\(settings.metrics.joined(separator: ", "))"),
      ("k of top-k", "\(settings.topK)"), ("label offset", "\(settings.labelOffset)"),
      ("label map", "\(settings.labelMap.map { counted($0.count, "label") } ?? "none")"),
      ("iterations", "\(settings.iterations)"), ("warm-up runs", "\(settings.warmup)"),
      ("threads", "\(settings.threads)"), ("JPEG decoding", "\(settings.decode)"),
      ("limit", "\(settings.limit.map(String.init) ?? "none")"),
      ("seed", "\(String(settings.seed))"),
    ])
  }

  private var machine: Markup {
    let environment = report.environment
    let memory = report.models.map(\.peakMemory).max() ?? 0
    let accelerators = (environment.accelerators ?? [:]).sorted { $0.key < $1.key }
      .map { "\($0.key): \($0.value)" }
    let accelerated: [(String, Markup)] =
      accelerators.isEmpty ? [] : [("accelerators", "\(accelerators.joined(separator: "; "))")]
    return Self.facts(
      [
        ("system", "\(environment.system)"), ("architecture", "\(environment.architecture)"),
        ("processor", "\(environment.cpu)"), ("cores", "\(environment.cores)"),
        ("libraries", "\(environment.libraryText)"),
        (
          "peak memory",
          memory > 0 ? "\(DecimalText(Double(memory) / 1e6, digits: 0)) MB" : "unknown"
        ),
      ] + accelerated)
  }

  private func model(_ result: ModelResult) -> Markup {
    let model = result.model
    let facts: [(String, Markup)] = [
      ("identifier", .name(model.id)), ("version", .name(model.version)),
      ("backend", "\(model.backend)"), ("path", .name(model.path)),
      ("preprocessing", "\(model.preprocessing)"), ("SHA-256", Self.code(model.sha256)),
      ("preprocessing SHA-256", Self.code(model.preprocessingSHA256)),
      (
        "time",
        """
        \(DecimalText(result.seconds, digits: 1)) s for \
        \(DecimalText(grouping: result.images)) \(report.dataset.samples.plural)
        """
      ),
    ]
    return "<div><h3>\(Markup.name(model.name))</h3>\(Self.facts(facts))</div>"
  }
}
