// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import MLKitSamples
import MLModelInterpreter
import ModelRepositoryAPI
import ModelRepositoryClient
import Synchronization
import Testing

/// There is only one test because a process has one manager, which is configured once.
@Suite struct RemoteModelTests {
  @Test func `ML Kit's samples download a hosted model, run it and delete it`() async throws {
    let samples = Samples()
    samples.observe()
    let folder = FileManager.default.temporaryDirectory.appending(path: "mlkit-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }

    // Before a repository is configured.
    let failure = await Self.notification(.firebaseMLModelDownloadDidFail) {
      _ = samples.download()
    }
    let error = try #require(failure[ModelDownloadUserInfoKey.error.rawValue] as? NSError)
    #expect(error.code == MLErrorCode.failedPrecondition.rawValue)
    #expect(samples.failures.count == 1 && samples.downloaded.isEmpty)

    let (place, publisher, serving) = try await Interpreting.host(in: folder)
    defer { serving.cancel() }
    let model = try #require(RepositoryName("your_remote_model"))
    let version = try #require(RepositoryName("1.0"))
    let local = Interpreting.model("photo_classes")
    _ = try await publisher.publish(local.modelPath, as: model, version: version)
    try await publisher.changeChannel(.stable, of: model) { $0.version = version }

    let keys = try await publisher.keys().map { try VerificationKey($0.key) }
    try ModelManager.configure(
      ModelRepositoryConfiguration(server: place, keys: keys, folder: folder + "/cache"))
    let remote = CustomRemoteModel(name: model.text)
    #expect(!ModelManager.modelManager().isModelDownloaded(remote))
    var progress: Progress?
    let success = await Self.notification(.firebaseMLModelDownloadDidSucceed) {
      progress = samples.download().1
    }
    #expect(
      (success[ModelDownloadUserInfoKey.remoteModel.rawValue] as? any RemoteModel)?.name
        == model.text)
    #expect(samples.downloaded == [model.text])
    #expect(progress?.isFinished == true && progress?.totalUnitCount == 13_168)
    #expect(ModelManager.modelManager().isModelDownloaded(remote))

    // Not the local model, which doesn't exist.
    let nowhere = CustomLocalModel(modelPath: "/nowhere/model.tflite")
    let interpreter = samples.makeInterpreter(remote, nowhere)
    let inputs = [UInt8](repeating: 255, count: 224 * 224 * 4).withUnsafeBytes { bytes in
      bytes.baseAddress.map { samples.makeInputs($0, width: 224) }
    }
    let outputs = try await Interpreting.run(
      interpreter, #require(inputs), samples.makeOptions())
    let values = try #require(try outputs.output(index: 0) as? [[NSNumber]])
    #expect(values.first?.count == 1000)
    #expect(abs((values.first?.last?.floatValue ?? 0) - 6 * 0.999) < 1e-2)

    let problem: (any Error)? = await withCheckedContinuation { continuation in
      ModelManager.modelManager().deleteDownloadedModel(remote) {
        continuation.resume(returning: $0)
      }
    }
    #expect(problem == nil)
    #expect(!ModelManager.modelManager().isModelDownloaded(remote))
  }

  /// The user info of the next notification with a name.
  private static func notification(
    _ name: Notification.Name, after body: () -> Void
  ) async -> [String: any Sendable] {
    let found = Mutex<[String: any Sendable]?>(nil)
    let observer = NotificationCenter.default.addObserver(
      forName: name, object: nil, queue: nil
    ) { notification in
      var content: [String: any Sendable] = [:]
      for (key, value) in notification.userInfo ?? [:] {
        switch value {
        case let model as any RemoteModel: content["\(key)"] = model
        case let error as NSError: content["\(key)"] = error
        default: break
        }
      }
      found.withLock { [content] in $0 = content }
    }
    body()
    for _ in 0..<30_000 where found.withLock({ $0 == nil }) {
      try? await Task.sleep(for: .milliseconds(10))
    }
    NotificationCenter.default.removeObserver(observer)
    return found.withLock { $0 } ?? [:]
  }
}
#endif
