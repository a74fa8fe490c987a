// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// The Swift samples of ML Kit's documentation on custom models, unchanged but for the import, the
// names of the functions around them, and CoreGraphics, which only Apple's systems have: the
// pixels come from the caller. Built as Swift 4, which they were written in.
// swift-format-ignore-file

#if ModelHosting
import Foundation
import MLModelInterpreter

public class Samples {
  public var downloaded: [String] = []
  public var failures: [Any?] = []
  public var ioOptionsError: NSError?

  public init() {}

  public func download() -> (CustomRemoteModel, Progress) {
    let remoteModel = CustomRemoteModel(
      name: "your_remote_model"  // The name you assigned in the Firebase console.
    )

    let downloadConditions = ModelDownloadConditions(
      allowsCellularAccess: true,
      allowsBackgroundDownloading: true
    )

    let downloadProgress = ModelManager.modelManager().download(
      remoteModel,
      conditions: downloadConditions
    )
    return (remoteModel, downloadProgress)
  }

  public func findLocalModel() -> CustomLocalModel? {
    guard let modelPath = Bundle.main.path(
      forResource: "your_model",
      ofType: "tflite",
      inDirectory: "your_model_directory"
    ) else { /* Handle error. */ return nil }
    let localModel = CustomLocalModel(modelPath: modelPath)
    return localModel
  }

  public func makeLocalInterpreter(_ localModel: CustomLocalModel) -> ModelInterpreter {
    let interpreter = ModelInterpreter.modelInterpreter(localModel: localModel)
    return interpreter
  }

  public func makeInterpreter(
    _ remoteModel: CustomRemoteModel, _ localModel: CustomLocalModel
  ) -> ModelInterpreter {
    var interpreter: ModelInterpreter
    if ModelManager.modelManager().isModelDownloaded(remoteModel) {
      interpreter = ModelInterpreter.modelInterpreter(remoteModel: remoteModel)
    } else {
      interpreter = ModelInterpreter.modelInterpreter(localModel: localModel)
    }
    return interpreter
  }

  public func observe() {
    NotificationCenter.default.addObserver(
        forName: .firebaseMLModelDownloadDidSucceed,
        object: nil,
        queue: nil
    ) { [weak self] notification in
        guard let strongSelf = self,
            let userInfo = notification.userInfo,
            let model = userInfo[ModelDownloadUserInfoKey.remoteModel.rawValue]
                as? RemoteModel,
            model.name == "your_remote_model"
            else { return }
        // The model was downloaded and is available on the device
        strongSelf.downloaded.append(model.name)
    }

    NotificationCenter.default.addObserver(
        forName: .firebaseMLModelDownloadDidFail,
        object: nil,
        queue: nil
    ) { [weak self] notification in
        guard let strongSelf = self,
            let userInfo = notification.userInfo,
            let model = userInfo[ModelDownloadUserInfoKey.remoteModel.rawValue]
                as? RemoteModel
            else { return }
        let error = userInfo[ModelDownloadUserInfoKey.error.rawValue]
        // ...
        _ = model
        strongSelf.failures.append(error)
    }
  }

  public func makeOptions() -> ModelInputOutputOptions {
    let ioOptions = ModelInputOutputOptions()
    do {
        try ioOptions.setInputFormat(index: 0, type: .float32, dimensions: [1, 224, 224, 3])
        try ioOptions.setOutputFormat(index: 0, type: .float32, dimensions: [1, 1000])
    } catch let error as NSError {
        print("Failed to set input or output format with error: \(error.localizedDescription)")
        ioOptionsError = error
    }
    return ioOptions
  }

  /// The context's data and width stand for CoreGraphics.
  public func makeInputs(_ imageData: UnsafeRawPointer, width contextWidth: Int) -> ModelInputs {
    let inputs = ModelInputs()
    var inputData = Data()
    do {
      for row in 0 ..< 224 {
        for col in 0 ..< 224 {
          let offset = 4 * (col * contextWidth + row)
          // (Ignore offset 0, the unused alpha channel)
          let red = imageData.load(fromByteOffset: offset+1, as: UInt8.self)
          let green = imageData.load(fromByteOffset: offset+2, as: UInt8.self)
          let blue = imageData.load(fromByteOffset: offset+3, as: UInt8.self)

          // Normalize channel values to [0.0, 1.0]. This requirement varies
          // by model. For example, some models might require values to be
          // normalized to the range [-1.0, 1.0] instead, and others might
          // require fixed-point values or the original bytes.
          var normalizedRed = Float32(red) / 255.0
          var normalizedGreen = Float32(green) / 255.0
          var normalizedBlue = Float32(blue) / 255.0

          // Append normalized values to Data object in RGB order.
          let elementSize = MemoryLayout.size(ofValue: normalizedRed)
          var bytes = [UInt8](repeating: 0, count: elementSize)
          memcpy(&bytes, &normalizedRed, elementSize)
          inputData.append(&bytes, count: elementSize)
          memcpy(&bytes, &normalizedGreen, elementSize)
          inputData.append(&bytes, count: elementSize)
          memcpy(&bytes, &normalizedBlue, elementSize)
          inputData.append(&bytes, count: elementSize)
        }
      }
      try inputs.addInput(inputData)
    } catch let error {
      print("Failed to add input: \(error)")
    }
    return inputs
  }

  public func run(
    _ interpreter: ModelInterpreter, _ inputs: ModelInputs, _ ioOptions: ModelInputOutputOptions,
    then use: @escaping ([NSNumber]?) -> Void
  ) {
    interpreter.run(inputs: inputs, options: ioOptions) { outputs, error in
        guard error == nil, let outputs = outputs else { return use(nil) }
        // Process outputs
        // Get first and only output of inference with a batch size of 1
        let output = try? outputs.output(index: 0) as? [[NSNumber]]
        let probabilities = output??[0]
        use(probabilities)
    }
  }

  public func printLabels(_ probabilities: [NSNumber]?) {
    guard let labelPath = Bundle.main.path(forResource: "retrained_labels", ofType: "txt") else { return }
    let fileContents = try? String(contentsOfFile: labelPath)
    guard let labels = fileContents?.components(separatedBy: "\n") else { return }

    for i in 0 ..< labels.count {
      if let probability = probabilities?[i] {
        print("\(labels[i]): \(probability)")
      }
    }
  }
}
#endif
