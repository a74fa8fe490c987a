// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#include "CTensorFlow.h"

static const char *const names[] = {
#define TENSORFLOW_NAME(result, name, parameters) "TF_" #name,
    TENSORFLOW_FUNCTIONS(TENSORFLOW_NAME)
#undef TENSORFLOW_NAME
};

static const size_t count = sizeof(names) / sizeof(names[0]);

const char *TensorFlowFunctionName(size_t index) { return index < count ? names[index] : NULL; }

_Static_assert(sizeof(TF_Buffer) == 24, "TF_Buffer has 24 bytes.");
_Static_assert(sizeof(TF_Output) == 16, "TF_Output has 16 bytes.");
_Static_assert(sizeof(TF_Input) == 16, "TF_Input has 16 bytes.");
_Static_assert(sizeof(TF_AttrMetadata) == 32, "TF_AttrMetadata has 32 bytes.");
_Static_assert(sizeof(TF_TString) == 24, "TF_TString has 24 bytes.");
_Static_assert(sizeof(TensorFlowFunctions) == sizeof(names), "Every function has a name.");
