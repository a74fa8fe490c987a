// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Makes different Swift identifiers of any names.
///
/// Identifiers have only ASCII letters and digits, so that every keyboard can type them. Latin letters
/// lose their accents, and other letters become their code points.
package struct Identifiers {
  /// The word before a name that can't be an identifier itself, such as "label" for "7".
  private let prefix: String
  private let reserved: Set<String>
  private var taken: Set<String> = []

  /// Makes identifiers for names in one scope.
  ///
  /// - Parameters:
  ///   - prefix: The word before names that can't be identifiers themselves.
  ///   - reserved: Identifiers that have another meaning in the scope.
  package init(prefix: String, reserved: Set<String> = []) {
    self.prefix = prefix
    self.reserved = reserved.union(["self", "init"])
  }

  /// Returns an identifier for a name, which no other name of the scope has.
  package mutating func make(_ name: String) -> String {
    var words = Self.words(of: name)
    if name.first == "-", name.dropFirst().first?.isNumber == true { words.insert("minus", at: 0) }
    var identifier = Self.joined(words, isType: false)
    let startsWithDigit = identifier.utf8.first.map { $0 < UInt8(ascii: "A") } ?? true
    if startsWithDigit || reserved.contains(identifier) {
      identifier = Self.joined([prefix] + words, isType: false)
    }
    var unique = identifier
    var number = 2
    // The second "label1" is "label1No2", because "label12" is another one.
    let separator = identifier.last?.isNumber == true ? "No" : ""
    while !taken.insert(unique).inserted {
      unique = identifier + separator + "\(number)"
      number += 1
    }
    return Self.keywords.contains(unique) ? "`\(unique)`" : unique
  }

  /// Returns the name of a type; nil if the name has no letter or digit.
  ///
  /// A name that Swift, this library or programs often use gets the suffix `Model`.
  package static func typeName(of name: String) -> String? {
    let words = words(of: name)
    guard !words.isEmpty else { return nil }
    var type = joined(words, isType: true)
    if type.utf8.first.map({ $0 < UInt8(ascii: "A") }) ?? true { type = "Model" + type }
    return knownTypes.contains(type) ? type + "Model" : type
  }

  /// Whether text can be the name of a type as it is.
  package static func isTypeName(_ text: String) -> Bool {
    guard let first = text.utf8.first, first >= UInt8(ascii: "A") else { return false }
    return text.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "_") }
      && !keywords.contains(text)
  }

  /// Whether a type of this name would hide one that generated code uses.
  package static func hidesKnownType(_ name: String) -> Bool { knownTypes.contains(name) }

  /// Returns a type's name for an identifier, such as `ClassificationLabel`.
  static func typeName(of identifier: String, suffix: String) -> String {
    let name = identifier.filter { $0 != "`" }
    return name.prefix(1).uppercased() + name.dropFirst() + suffix
  }

  // MARK: - Words

  /// The most letters of an identifier, before a number that makes it unique.
  private static let longest = 40

  private static func joined(_ words: [String], isType: Bool) -> String {
    var joined = ""
    for word in words where joined.utf8.count < longest {
      joined +=
        joined.isEmpty && !isType
        ? word.lowercased() : word.prefix(1).uppercased() + word.dropFirst()
    }
    return String(joined.prefix(longest))
  }

  /// Returns the words of a name in lowercase: runs of letters and digits, divided where a capital
  /// letter begins a word.
  static func words(of name: String) -> [String] {
    var words: [String] = []
    var word: [UInt8] = []
    func isLower(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "a") }
    func isUpper(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "A") && !isLower(byte) }
    func end() {
      if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self).lowercased()) }
      word = []
    }
    for scalar in name.unicodeScalars {
      guard let letters = letters(for: scalar) else {
        end()
        continue
      }
      for letter in letters {
        if let last = word.last {
          let beforeLast = word.dropLast().last
          if isUpper(letter), isLower(last) {
            end()
          } else if isLower(letter), isUpper(last), beforeLast.map(isUpper) == true {
            // The last capital letter of "RGBImage" begins a word.
            word.removeLast()
            end()
            word = [last]
          }
        }
        word.append(letter)
      }
    }
    end()
    return words
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  /// The letters for a code point; nil if it separates words, and empty for a mark on a letter.
  private static func letters(for scalar: Unicode.Scalar) -> [UInt8]? {
    if scalar.isASCII {
      let byte = UInt8(scalar.value)
      return isAlphanumeric(byte) ? [byte] : nil
    }
    if let letters = latinLetters[scalar] { return Array(letters.utf8) }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .otherNumber, .otherSymbol, .mathSymbol, .currencySymbol:
      return Array("u\(String(scalar.value, radix: 16))".utf8)
    case .nonspacingMark, .spacingMark, .enclosingMark, .format: return []
    default: return nil
    }
  }

  /// The Latin letters with accents that European languages use.
  private static let latinLetters: [Unicode.Scalar: String] = {
    let groups: [(letters: String, accented: String)] = [
      ("A", "ÀÁÂÃÅĀĂĄ"), ("a", "àáâãåāăą"), ("Ae", "ÄÆ"), ("ae", "äæ"), ("C", "ÇĆĈĊČ"),
      ("c", "çćĉċč"), ("D", "ÐĎĐ"), ("d", "ðďđ"), ("E", "ÈÉÊËĒĔĖĘĚ"), ("e", "èéêëēĕėęě"),
      ("G", "ĜĞĠĢ"), ("g", "ĝğġģ"), ("H", "ĤĦ"), ("h", "ĥħ"), ("I", "ÌÍÎÏĨĪĬĮİ"),
      ("i", "ìíîïĩīĭįı"), ("J", "Ĵ"), ("j", "ĵ"), ("K", "Ķ"), ("k", "ķ"), ("L", "ĹĻĽĿŁ"),
      ("l", "ĺļľŀł"), ("N", "ÑŃŅŇ"), ("n", "ñńņň"), ("O", "ÒÓÔÕØŌŎŐ"), ("o", "òóôõøōŏő"),
      ("Oe", "ÖŒ"), ("oe", "öœ"), ("R", "ŔŖŘ"), ("r", "ŕŗř"), ("S", "ŚŜŞŠ"), ("s", "śŝşš"),
      ("ss", "ß"), ("T", "ŢŤŦ"), ("t", "ţťŧ"), ("Th", "Þ"), ("th", "þ"), ("U", "ÙÚÛŨŪŬŮŰŲ"),
      ("u", "ùúûũūŭůűų"), ("Ue", "Ü"), ("ue", "ü"), ("W", "Ŵ"), ("w", "ŵ"), ("Y", "ÝŶŸ"),
      ("y", "ýŷÿ"), ("Z", "ŹŻŽ"), ("z", "źżž"),
    ]
    var table: [Unicode.Scalar: String] = [:]
    for (letters, accented) in groups {
      for scalar in accented.unicodeScalars { table[scalar] = letters }
    }
    return table
  }()

  // MARK: - Names with a meaning

  private static let keywords = Set(
    """
    Any Protocol Self Type actor any as associatedtype async await borrowing break case catch class \
    consume consuming continue copy default defer deinit discard do each else enum extension false \
    fileprivate for func guard if import in indirect init inout internal is isolated lazy let macro \
    mutating nil nonisolated open operator override package precedencegroup private protocol public \
    repeat required rethrows return self sending some static struct subscript super switch throw \
    throws true try typealias unowned var weak where while yield
    """.split(separator: " ").map(String.init))

  /// Types and modules that generated code or most programs use.
  private static let knownTypes = Set(
    """
    AcceleratedBackend Accelerator AcceleratorTolerance Any AnyObject Array AudioClip AudioStream \
    Augmentation Backend Batch Bool Box Bundle BundleIssue CancellationToken CaseIterable \
    Character CheckpointOptions Classification ClassMap ClassMapShape Codable Collection \
    ColorValues ContinuousClock Data DataType Date Decodable DecodedValue Decoder DecodeScaling \
    DepthMap Detection Dictionary Double Duration EarlyStopping Embedding Encodable Encoder \
    EpochMetric EpochResult Equatable Error FeatureRow Float Foundation FoundationEssentials \
    Hashable Hasher Identifiable ImageCrop ImageDecoder ImageEncodable ImageEncoder ImageFile \
    ImageFormat ImageOrientation ImagePreprocessing ImageShape ImageTransform InferenceModel \
    Inputs Int Int16 Int32 Int64 Int8 IsolatedBackend IsolationOptions ItemWeights JSONValue \
    Keypoint Label Labelled LabelledClassMap LabelledResult Labels LayerCoding LayerNames \
    LiteRTBackend LiteRTLimits LiteRTWeightCache LoadedModel Measurement Mirror Model ModelBundle \
    ModelID ModelInputs ModelInterface ModelLabel ModelLibrary ModelLoader ModelManifest \
    ModelModes ModelOptions ModelOutputs ModelSignature Never ObjectMask OperatorTimes Optional \
    OutputMeans Outputs PixelBuffer PixelColor PixelDenormalization PixelNormalization Protocol \
    Quantization Range RawRepresentable RecognizedText ResizeMethod Result RunEvent RunLatency \
    RunObserver RunOutcome RunStatistics ScoredLabel Scores Self Sendable Sequence ServiceObserver \
    Session SessionOptions SessionWorker Set SignatureDescription StoredQuantization String \
    Substring Swift Task Tensor TensorBytes TensorDecodable TensorDescription TensorEncodable \
    TensorFlowBackend TensorIO TensorIODecoding TensorIOEncoding TensorIOError TensorIOLiteRT \
    TensorIOTensorFlow TensorMemory TensorNumber TensorSpec TensorValue TextInput \
    TrainableLoadedModel TrainableModel Trainer TrainingLimits TrainingOptions TrainingStep \
    TrainingSummary Type UInt UInt16 UInt32 UInt64 UInt8 Unicode Url ValueSchedule Void
    """.split(separator: " ").map(String.init))
}
