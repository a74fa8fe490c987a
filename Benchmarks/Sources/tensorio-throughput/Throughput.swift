// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization
import TensorIO
import TensorIOImageCodecs
import TensorIOLiteRT

/// Classifies pictures as fast as it can, for `Benchmarks/throughput.py`.
///
///     tensorio-throughput BUNDLE THREADS SCALING IMAGE...
///
/// For each number on standard input it classifies that many pictures, round and round, each thread
/// with a session of its own, and prints a line of JSON: milliseconds a picture by stage, and the
/// peak memory of the process.
@main
struct Throughput {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count >= 4, let threads = Int(arguments[1]),
      let scaling = DecodeScaling(rawValue: arguments[2])
    else {
      print("usage: tensorio-throughput BUNDLE THREADS SCALING IMAGE...")
      exit(64)
    }
    var decoder = ImageDecoder()
    decoder.scaling = scaling
    let images = arguments[3...].map { ImageFile($0, decoder: decoder) }
    let loader = ModelLoader(backends: [.liteRT], sessions: threads)
    let model = try InferenceModel(at: arguments[0], loader: loader)
    _ = try work(model, images, count: images.count, threads: threads)
    print("ready")
    fflush(nil)
    while let line = readLine(), let count = Int(line) {
      let (preprocess, inference) = try work(model, images, count: count, threads: threads)
      print(
        #"{"preprocess": \#(preprocess / Double(count)), "inference": "#
          + #"\#(inference / Double(count)), "memory": \#(peakMemory())}"#)
      fflush(nil)
    }
  }

  /// Returns the milliseconds that all threads together spent on each stage.
  private static func work(
    _ model: InferenceModel, _ images: [ImageFile], count: Int, threads: Int
  ) throws -> (preprocess: Double, inference: Double) {
    let next = Atomic<Int>(0)
    let sums = Mutex<(Double, Double)>((0, 0))
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      var own = (0.0, 0.0)
      while true {
        let index = next.add(1, ordering: .relaxed).oldValue
        guard index < count else { break }
        do {
          let latency = try model.measure(ModelInputs(images[index % images.count])).latency
          own.0 += milliseconds(latency.preprocess)
          own.1 += milliseconds(latency.inference + latency.postprocess)
        } catch {
          fatalError("\(error)")
        }
      }
      sums.withLock { $0 = ($0.0 + own.0, $0.1 + own.1) }
    }
    return sums.withLock { $0 }
  }

  private static func milliseconds(_ duration: Duration) -> Double {
    let (seconds, attoseconds) = duration.components
    return Double(seconds) * 1e3 + Double(attoseconds) / 1e15
  }

  /// Megabytes; 0 where the system does not tell.
  private static func peakMemory() -> Double {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
    return (line?.split(separator: " ").compactMap { Double($0) }.first ?? 0) / 1024
  }
}
