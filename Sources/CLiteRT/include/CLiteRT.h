// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// Our own declarations of LiteRT's C interface, because the library ships no headers for it. The
// layouts were measured with release 2.3.0, and are described in Documentation/LiteRT.md.
//
// Nothing links against the library. Its functions are looked up by name when it is opened.

#ifndef CLITERT_H
#define CLITERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct LiteRtEnvironmentT *LiteRtEnvironment;
typedef struct LiteRtModelT *LiteRtModel;
typedef struct LiteRtSignatureT *LiteRtSignature;
typedef struct LiteRtTensorT *LiteRtTensor;
typedef struct LiteRtOptionsT *LiteRtOptions;
typedef struct LiteRtOpaqueOptionsT *LiteRtOpaqueOptions;
typedef struct LiteRtCompiledModelT *LiteRtCompiledModel;
typedef struct LiteRtTensorBufferRequirementsT *LiteRtTensorBufferRequirements;
typedef struct LiteRtTensorBufferT *LiteRtTensorBuffer;
typedef struct LiteRtProfilerT *LiteRtProfiler;

typedef int32_t LiteRtStatus;

/// The rank and axes of a tensor: 68 bytes.
typedef struct {
  /// The low seven bits are the rank. The next bit tells whether there are strides.
  uint32_t bits;
  int32_t dimensions[8];
  uint32_t strides[8];
} LiteRtLayout;

/// The element type and layout of a tensor: 72 bytes.
typedef struct {
  int32_t element_type;
  LiteRtLayout layout;
} LiteRtRankedTensorType;

/// One scale for a whole tensor: 16 bytes.
typedef struct {
  float scale;
  int64_t zero_point;
} LiteRtQuantizationPerTensor;

/// A scale for each index of an axis: 32 bytes. The model owns the memory of the pointers.
typedef struct {
  int32_t quantized_dimension;
  uint64_t count;
  float *scales;
  int64_t *zero_points;
} LiteRtQuantizationPerChannel;

/// A value of some type: 16 bytes.
typedef struct {
  int32_t type;
  union {
    bool boolean;
    int64_t integer;
    double real;
    const char *string;
    const void *pointer;
  } value;
} LiteRtAny;

/// An option of an environment: 24 bytes.
typedef struct {
  int32_t tag;
  LiteRtAny value;
} LiteRtEnvironmentOption;

/// What the profiler recorded about a step of a run: 104 bytes.
typedef struct {
  /// The name of the step. The profiler owns it until it is reset.
  const char *tag;
  int32_t kind;
  uint64_t start_microseconds;
  uint64_t elapsed_microseconds;
  size_t memory_before[3];
  size_t memory_after[3];
  /// The index of an operator in its graph.
  uint64_t node;
  uint64_t graph;
  int32_t source;
} LiteRtProfiledEvent;

/// The functions that the library must have: X(result, name, parameters).
#define LITERT_FUNCTIONS(X)                                                                        \
  X(LiteRtStatus, CreateEnvironment, (int, const LiteRtEnvironmentOption *, LiteRtEnvironment *))  \
  X(void, DestroyEnvironment, (LiteRtEnvironment))                                                 \
  X(LiteRtStatus, CreateModelFromBuffer,                                                           \
    (LiteRtEnvironment, const void *, size_t, LiteRtModel *))                                      \
  X(void, DestroyModel, (LiteRtModel))                                                             \
  X(LiteRtStatus, GetModelMetadata, (LiteRtModel, const char *, const void **, size_t *))          \
  X(LiteRtStatus, GetNumModelSignatures, (LiteRtModel, size_t *))                                  \
  X(LiteRtStatus, GetModelSignature, (LiteRtModel, size_t, LiteRtSignature *))                     \
  X(LiteRtStatus, GetSignatureKey, (LiteRtSignature, const char **))                               \
  X(LiteRtStatus, GetNumSignatureInputs, (LiteRtSignature, size_t *))                              \
  X(LiteRtStatus, GetNumSignatureOutputs, (LiteRtSignature, size_t *))                             \
  X(LiteRtStatus, GetSignatureInputName, (LiteRtSignature, size_t, const char **))                 \
  X(LiteRtStatus, GetSignatureOutputName, (LiteRtSignature, size_t, const char **))                \
  X(LiteRtStatus, GetSignatureInputTensorByIndex, (LiteRtSignature, size_t, LiteRtTensor *))       \
  X(LiteRtStatus, GetSignatureOutputTensorByIndex, (LiteRtSignature, size_t, LiteRtTensor *))      \
  X(LiteRtStatus, GetTensorIndex, (LiteRtTensor, uint32_t *))                                      \
  X(LiteRtStatus, GetTensorTypeId, (LiteRtTensor, int32_t *))                                      \
  X(LiteRtStatus, GetRankedTensorType, (LiteRtTensor, LiteRtRankedTensorType *))                   \
  X(LiteRtStatus, GetQuantizationTypeId, (LiteRtTensor, int32_t *))                                \
  X(LiteRtStatus, GetPerTensorQuantization, (LiteRtTensor, LiteRtQuantizationPerTensor *))         \
  X(LiteRtStatus, GetPerChannelQuantization, (LiteRtTensor, LiteRtQuantizationPerChannel *))       \
  X(LiteRtStatus, CreateOptions, (LiteRtOptions *))                                                \
  X(void, DestroyOptions, (LiteRtOptions))                                                         \
  X(LiteRtStatus, SetOptionsHardwareAccelerators, (LiteRtOptions, int))                            \
  X(LiteRtStatus, CreateOpaqueOptions,                                                             \
    (const char *, void *, void (*)(void *), LiteRtOpaqueOptions *))                               \
  X(LiteRtStatus, AddOpaqueOptions, (LiteRtOptions, LiteRtOpaqueOptions))                          \
  X(LiteRtStatus, CreateCompiledModel,                                                             \
    (LiteRtEnvironment, LiteRtModel, LiteRtOptions, LiteRtCompiledModel *))                        \
  X(void, DestroyCompiledModel, (LiteRtCompiledModel))                                             \
  X(LiteRtStatus, GetCompiledModelInputTensorLayout,                                               \
    (LiteRtCompiledModel, size_t, size_t, LiteRtLayout *))                                         \
  X(LiteRtStatus, GetCompiledModelOutputTensorLayouts,                                             \
    (LiteRtCompiledModel, size_t, size_t, LiteRtLayout *, bool))                                   \
  X(LiteRtStatus, GetCompiledModelInputBufferRequirements,                                         \
    (LiteRtCompiledModel, size_t, size_t, LiteRtTensorBufferRequirements *))                       \
  X(LiteRtStatus, GetCompiledModelOutputBufferRequirements,                                        \
    (LiteRtCompiledModel, size_t, size_t, LiteRtTensorBufferRequirements *))                       \
  X(LiteRtStatus, GetTensorBufferRequirementsBufferSize,                                           \
    (LiteRtTensorBufferRequirements, size_t *))                                                    \
  X(LiteRtStatus, CreateTensorBufferFromHostMemory,                                                \
    (const LiteRtRankedTensorType *, void *, size_t, void (*)(void *), LiteRtTensorBuffer *))      \
  X(void, DestroyTensorBuffer, (LiteRtTensorBuffer))                                               \
  X(LiteRtStatus, RunCompiledModel,                                                                \
    (LiteRtCompiledModel, size_t, size_t, LiteRtTensorBuffer *, size_t, LiteRtTensorBuffer *))     \
  X(LiteRtStatus, CompiledModelResizeInputTensorNonStrict,                                         \
    (LiteRtCompiledModel, size_t, size_t, const int *, size_t))                                    \
  X(LiteRtStatus, CompiledModelGetErrorMessages, (LiteRtCompiledModel, char **))                   \
  X(LiteRtStatus, CompiledModelClearErrors, (LiteRtCompiledModel))                                 \
  X(LiteRtStatus, SetCompiledModelCancellationFunction,                                            \
    (LiteRtCompiledModel, void *, bool (*)(void *)))

/// The functions that only measurements of operators need: X(result, name, parameters).
#define LITERT_PROFILER_FUNCTIONS(X)                                                               \
  X(LiteRtStatus, CompiledModelGetProfiler, (LiteRtCompiledModel, LiteRtProfiler *))               \
  X(LiteRtStatus, StartProfiler, (LiteRtProfiler))                                                 \
  X(LiteRtStatus, ResetProfiler, (LiteRtProfiler))                                                 \
  X(LiteRtStatus, GetNumProfilerEvents, (LiteRtProfiler, int *))                                   \
  X(LiteRtStatus, GetProfilerEvents, (LiteRtProfiler, int, LiteRtProfiledEvent *))

/// The library's functions, in the order of LITERT_FUNCTIONS.
typedef struct {
#define LITERT_MEMBER(result, name, parameters) result(*name) parameters;
  LITERT_FUNCTIONS(LITERT_MEMBER)
#undef LITERT_MEMBER
} LiteRtFunctions;

/// The profiler's functions, in the order of LITERT_PROFILER_FUNCTIONS.
typedef struct {
#define LITERT_MEMBER(result, name, parameters) result(*name) parameters;
  LITERT_PROFILER_FUNCTIONS(LITERT_MEMBER)
#undef LITERT_MEMBER
} LiteRtProfilerFunctions;

/// Returns the name of a member of LiteRtFunctions, or NULL past the last one.
const char *LiteRtFunctionName(size_t index);

/// Returns the name of a member of LiteRtProfilerFunctions, or NULL past the last one.
const char *LiteRtProfilerFunctionName(size_t index);

/// The status of a call that threw a C++ exception.
#define LITERT_STATUS_EXCEPTION (-1)

/// Replaces every function with one that turns C++ exceptions into LITERT_STATUS_EXCEPTION.
void LiteRtGuardAgainstExceptions(LiteRtFunctions *functions);

/// Does the same for the profiler's functions.
void LiteRtGuardProfilerAgainstExceptions(LiteRtProfilerFunctions *functions);

#ifdef __cplusplus
}
#endif

#endif
