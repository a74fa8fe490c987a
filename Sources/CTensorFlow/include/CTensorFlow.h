// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// Our own declarations of the part of TensorFlow's C interface that this package calls
// (tensorflow/c/c_api.h of release 2.21).
//
// Nothing links against the library. Its functions are looked up by name when it is opened.

#ifndef CTENSORFLOW_H
#define CTENSORFLOW_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_Status TF_Status;
typedef struct TF_Graph TF_Graph;
typedef struct TF_Operation TF_Operation;
typedef struct TF_Session TF_Session;
typedef struct TF_SessionOptions TF_SessionOptions;
typedef struct TF_Tensor TF_Tensor;

/// A buffer of bytes: 24 bytes.
typedef struct {
  const void *data;
  size_t length;
  void (*data_deallocator)(void *data, size_t length);
} TF_Buffer;

/// One output of an operation: 16 bytes, sometimes passed by value.
typedef struct {
  TF_Operation *oper;
  int index;
} TF_Output;

/// One input of an operation: 16 bytes, passed by value.
typedef struct {
  TF_Operation *oper;
  int index;
} TF_Input;

/// Information about an attribute of an operation: 32 bytes, returned by value.
typedef struct {
  unsigned char is_list;
  int64_t list_size;
  int type;
  /// The number of axes of a shape, or -1 when it is unknown.
  int64_t total_size;
} TF_AttrMetadata;

/// A string of any length: 24 bytes, aligned to 8 bytes.
typedef struct {
  uint64_t raw[3];
} TF_TString;

/// The functions that the library must have: X(result, name, parameters).
#define TENSORFLOW_FUNCTIONS(X)                                                                    \
  X(const char *, Version, (void))                                                                 \
  X(TF_Status *, NewStatus, (void))                                                                \
  X(void, DeleteStatus, (TF_Status *))                                                             \
  X(int, GetCode, (const TF_Status *))                                                             \
  X(const char *, Message, (const TF_Status *))                                                    \
  X(TF_Buffer *, NewBuffer, (void))                                                                \
  X(void, DeleteBuffer, (TF_Buffer *))                                                             \
  X(TF_Graph *, NewGraph, (void))                                                                  \
  X(void, DeleteGraph, (TF_Graph *))                                                               \
  X(TF_Operation *, GraphOperationByName, (TF_Graph *, const char *))                              \
  X(TF_Operation *, GraphNextOperation, (TF_Graph *, size_t *))                                    \
  X(int, GraphGetTensorNumDims, (TF_Graph *, TF_Output, TF_Status *))                              \
  X(void, GraphGetTensorShape, (TF_Graph *, TF_Output, int64_t *, int, TF_Status *))               \
  X(const char *, OperationName, (TF_Operation *))                                                 \
  X(const char *, OperationOpType, (TF_Operation *))                                               \
  X(int, OperationNumOutputs, (TF_Operation *))                                                    \
  X(int, OperationOutputType, (TF_Output))                                                         \
  X(int, OperationNumInputs, (TF_Operation *))                                                     \
  X(TF_Output, OperationInput, (TF_Input))                                                         \
  X(int, OperationNumControlInputs, (TF_Operation *))                                              \
  X(int, OperationGetControlInputs, (TF_Operation *, TF_Operation **, int))                        \
  X(TF_AttrMetadata, OperationGetAttrMetadata, (TF_Operation *, const char *, TF_Status *))        \
  X(void, OperationGetAttrShape, (TF_Operation *, const char *, int64_t *, int, TF_Status *))      \
  X(TF_SessionOptions *, NewSessionOptions, (void))                                                \
  X(void, SetConfig, (TF_SessionOptions *, const void *, size_t, TF_Status *))                     \
  X(void, DeleteSessionOptions, (TF_SessionOptions *))                                             \
  X(TF_Session *, LoadSessionFromSavedModel,                                                       \
    (const TF_SessionOptions *, const TF_Buffer *, const char *, const char *const *, int,         \
     TF_Graph *, TF_Buffer *, TF_Status *))                                                        \
  X(void, CloseSession, (TF_Session *, TF_Status *))                                               \
  X(void, DeleteSession, (TF_Session *, TF_Status *))                                              \
  X(void, SessionRun,                                                                              \
    (TF_Session *, const TF_Buffer *, const TF_Output *, TF_Tensor *const *, int,                  \
     const TF_Output *, TF_Tensor **, int, const TF_Operation *const *, int, TF_Buffer *,          \
     TF_Status *))                                                                                 \
  X(TF_Tensor *, AllocateTensor, (int, const int64_t *, int, size_t))                              \
  X(void, DeleteTensor, (TF_Tensor *))                                                             \
  X(TF_Tensor *, TensorMaybeMove, (TF_Tensor *))                                                   \
  X(int, NumDims, (const TF_Tensor *))                                                             \
  X(int64_t, Dim, (const TF_Tensor *, int))                                                        \
  X(size_t, TensorByteSize, (const TF_Tensor *))                                                   \
  X(void *, TensorData, (const TF_Tensor *))                                                       \
  X(void, StringInit, (TF_TString *))                                                              \
  X(void, StringCopy, (TF_TString *, const char *, size_t))                                        \
  X(const char *, StringGetDataPointer, (const TF_TString *))                                      \
  X(size_t, StringGetSize, (const TF_TString *))                                                   \
  X(void, StringDealloc, (TF_TString *))

/// The library's functions, in the order of TENSORFLOW_FUNCTIONS.
typedef struct {
#define TENSORFLOW_MEMBER(result, name, parameters) result(*name) parameters;
  TENSORFLOW_FUNCTIONS(TENSORFLOW_MEMBER)
#undef TENSORFLOW_MEMBER
} TensorFlowFunctions;

/// Returns the name of a member of TensorFlowFunctions, or NULL past the last one.
const char *TensorFlowFunctionName(size_t index);

#ifdef __cplusplus
}
#endif

#endif
