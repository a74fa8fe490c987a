// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#include "CLiteRT.h"

static const char *const names[] = {
#define LITERT_NAME(result, name, parameters) "LiteRt" #name,
    LITERT_FUNCTIONS(LITERT_NAME)
#undef LITERT_NAME
};

static const size_t count = sizeof(names) / sizeof(names[0]);

const char *LiteRtFunctionName(size_t index) { return index < count ? names[index] : NULL; }

_Static_assert(sizeof(LiteRtLayout) == 68, "LiteRtLayout has 68 bytes.");
_Static_assert(sizeof(LiteRtRankedTensorType) == 72, "LiteRtRankedTensorType has 72 bytes.");
_Static_assert(sizeof(LiteRtQuantizationPerTensor) == 16, "It has 16 bytes.");
_Static_assert(sizeof(LiteRtQuantizationPerChannel) == 32, "It has 32 bytes.");
_Static_assert(sizeof(LiteRtEnvironmentOption) == 24, "LiteRtEnvironmentOption has 24 bytes.");
_Static_assert(sizeof(LiteRtFunctions) == sizeof(names), "Every function has a name.");
