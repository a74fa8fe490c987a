// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelTools
import TensorIO

/// Trains a model and shows the progress.
struct TrainingSession {
  /// The results of the steps and epochs, including those before a failure.
  private(set) var curve = LossCurve()
  /// Whether there is a best epoch, even if training failed later.
  private(set) var hasBest = false

  private let trainer: Trainer
  private var printer: EpochPrinter
  private var progress = ProgressBar(total: 1)

  init(_ trainer: Trainer, asJSON: Bool) {
    self.trainer = trainer
    printer = EpochPrinter(asJSON: asJSON)
  }

  /// Trains until all epochs are done, the model stops improving, or a signal arrives.
  mutating func train() throws {
    let interruption = Interruption(alsoWithoutReader: true)
    let epochs = trainer.options.epochs
    var results: [EpochResult] = []
    var last: TrainingStep?
    defer { progress.end() }
    try trainer.train(
      until: { interruption.isRequested },
      onStep: { step in
        if step.step == 1 { progress = ProgressBar(total: step.stepsPerEpoch) }
        progress.show(step.step, note: Self.note(step, of: epochs))
        curve.add(step)
        last = step
      },
      onEpoch: { result in
        progress.end()
        curve.add(result)
        hasBest = hasBest || result.isBest
        results.append(result)
        try printer.printEpoch(result)
      })
    progress.end()
    if interruption.isRequested, results.count < epochs {
      let steps = last.map {
        $0.epoch > results.count ? ", \($0.step) of \($0.stepsPerEpoch) steps" : ""
      }
      Console.printMessage(
        "interrupted after \(results.count) of \(epochs) epochs\(steps ?? "")")
    } else if results.count < epochs {
      Console.printMessage(
        "ended after \(results.count) of \(epochs) epochs, because there was no improvement")
    }
    if trainer.options.keepsBest, let best = results.last(where: \.isBest) {
      Console.printMessage("the weights are those of the best epoch, \(best.epoch)")
    }
  }

  /// Returns the text behind the progress bar.
  private static func note(_ step: TrainingStep, of epochs: Int) -> String {
    let loss = step.means.first.map {
      "  \($0.name.printable.prefix(12)) \($0.value.shortText(digits: 4))"
    }
    return "  epoch \(step.epoch)/\(epochs)\(loss ?? "")  \(step.stepsPerSecond.fixed(1)) steps/s"
  }
}
