// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// BERT's normalizer.
struct BertNormalizer {
  var cleansText = true
  var separatesChinese = true
  var stripsAccents = true
  var lowercases = true

  func normalize(_ text: inout NormalizedText) {
    if cleansText || separatesChinese {
      text.map(.clean(controls: cleansText, chinese: separatesChinese))
    }
    if stripsAccents {
      text.bytes = NormalizationForm.nfd.normalized(text.bytes)
      text.map(.remove(.accent))
    }
    if lowercases { text.map(.lowercase) }
  }
}
