// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "CBaseline.h"

typedef struct {
  void *operation;
  int index;
} Output;

struct TensorFlowBaseline {
  void *session, *status;
  Output input, output;
  void *(*allocate)(int, const int64_t *, int, size_t);
  void (*delete_tensor)(void *);
  void *(*data)(const void *);
  int (*code)(const void *);
  void (*run)(void *, const void *, const Output *, void *const *, int, const Output *, void **, int,
              const void *const *, int, void *, void *);
};

TensorFlowBaseline *tensorflow_baseline_open(
    const char *library, const char *model, const char *input, const char *output,
    const uint8_t *config, size_t config_bytes) {
  setenv("TF_CPP_MIN_LOG_LEVEL", "3", 0);
  setenv("TF_ENABLE_ONEDNN_OPTS", "0", 0);
  void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  if (!handle) return NULL;
  void *(*new_status)(void) = dlsym(handle, "TF_NewStatus");
  void *(*new_graph)(void) = dlsym(handle, "TF_NewGraph");
  void *(*new_options)(void) = dlsym(handle, "TF_NewSessionOptions");
  void (*set_config)(void *, const void *, size_t, void *) = dlsym(handle, "TF_SetConfig");
  void *(*load)(const void *, const void *, const char *, const char *const *, int, void *, void *,
                void *) = dlsym(handle, "TF_LoadSessionFromSavedModel");
  void *(*find)(void *, const char *) = dlsym(handle, "TF_GraphOperationByName");
  TensorFlowBaseline *b = calloc(1, sizeof(*b));
  b->allocate = dlsym(handle, "TF_AllocateTensor");
  b->delete_tensor = dlsym(handle, "TF_DeleteTensor");
  b->data = dlsym(handle, "TF_TensorData");
  b->code = dlsym(handle, "TF_GetCode");
  b->run = dlsym(handle, "TF_SessionRun");
  b->status = new_status();
  void *graph = new_graph(), *options = new_options();
  set_config(options, config, config_bytes, b->status);
  const char *tags[] = {"serve"};
  b->session = load(options, NULL, model, tags, 1, graph, NULL, b->status);
  if (b->code(b->status) != 0) return NULL;
  b->input.operation = find(graph, input);
  b->output.operation = find(graph, output);
  return b->input.operation && b->output.operation ? b : NULL;
}

int tensorflow_baseline_run(
    TensorFlowBaseline *b, const float *input, int64_t count, float *output) {
  void *in = b->allocate(1, &count, 1, (size_t)count * sizeof(float)), *out = NULL;
  memcpy(b->data(in), input, (size_t)count * sizeof(float));
  b->run(b->session, NULL, &b->input, &in, 1, &b->output, &out, 1, NULL, 0, NULL, b->status);
  b->delete_tensor(in);
  if (b->code(b->status) != 0) return 1;
  memcpy(output, b->data(out), (size_t)count * sizeof(float));
  b->delete_tensor(out);
  return 0;
}
