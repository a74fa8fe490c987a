// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#include "CBaseline.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../Sources/CLiteRT/include/CLiteRT.h"

struct Baseline {
  LiteRtFunctions functions;
  LiteRtCompiledModel compiled;
  LiteRtTensorBuffer input;
  LiteRtTensorBuffer output;
  void *input_memory;
  void *output_memory;
  size_t input_bytes;
  size_t output_bytes;
};

static const char *const names[] = {
#define LITERT_NAME(result, name, parameters) "LiteRt" #name,
    LITERT_FUNCTIONS(LITERT_NAME)
#undef LITERT_NAME
};

static bool load_functions(LiteRtFunctions *functions, const char *path) {
  void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (!library) return false;
  void **slots = (void **)functions;
  for (size_t index = 0; index < sizeof(names) / sizeof(names[0]); index++) {
    slots[index] = dlsym(library, names[index]);
    if (!slots[index]) return false;
  }
  return true;
}

static void *read_file(const char *path, size_t *count) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  *count = (size_t)ftell(file);
  rewind(file);
  void *bytes = aligned_alloc(64, (*count + 63) / 64 * 64);
  if (fread(bytes, 1, *count, file) != *count) bytes = NULL;
  fclose(file);
  return bytes;
}

static bool make_buffer(
    LiteRtFunctions *functions, LiteRtTensor tensor, LiteRtLayout layout,
    LiteRtTensorBufferRequirements requirements, void **memory, size_t *count,
    LiteRtTensorBuffer *buffer) {
  LiteRtRankedTensorType type;
  if (functions->GetRankedTensorType(tensor, &type)) return false;
  type.layout = layout;
  if (functions->GetTensorBufferRequirementsBufferSize(requirements, count)) return false;
  *memory = aligned_alloc(64, (*count + 63) / 64 * 64 + 64);
  return functions->CreateTensorBufferFromHostMemory(&type, *memory, *count, NULL, buffer) == 0;
}

Baseline *baseline_open(const char *library, const char *model_path) {
  Baseline *baseline = calloc(1, sizeof(Baseline));
  LiteRtFunctions *functions = &baseline->functions;
  size_t count = 0;
  void *bytes = read_file(model_path, &count);
  if (!bytes || !load_functions(functions, library)) return NULL;
  LiteRtEnvironmentOption options[2] = {
      {.tag = 25, .value = {.type = 2, .value = {.integer = 4}}},
      {.tag = 24, .value = {.type = 2, .value = {.integer = 1}}}};
  LiteRtEnvironment environment;
  LiteRtModel model;
  LiteRtOptions compile_options;
  LiteRtSignature signature;
  LiteRtTensor tensor;
  LiteRtLayout layout;
  LiteRtTensorBufferRequirements requirements;
  if (functions->CreateEnvironment(2, options, &environment) ||
      functions->CreateModelFromBuffer(environment, bytes, count, &model) ||
      functions->CreateOptions(&compile_options) ||
      functions->SetOptionsHardwareAccelerators(compile_options, 1) ||
      functions->CreateCompiledModel(environment, model, compile_options, &baseline->compiled) ||
      functions->GetModelSignature(model, 0, &signature) ||
      functions->GetSignatureInputTensorByIndex(signature, 0, &tensor) ||
      functions->GetCompiledModelInputTensorLayout(baseline->compiled, 0, 0, &layout) ||
      functions->GetCompiledModelInputBufferRequirements(
          baseline->compiled, 0, 0, &requirements) ||
      !make_buffer(
          functions, tensor, layout, requirements, &baseline->input_memory,
          &baseline->input_bytes, &baseline->input) ||
      functions->GetSignatureOutputTensorByIndex(signature, 0, &tensor) ||
      functions->GetCompiledModelOutputTensorLayouts(baseline->compiled, 0, 1, &layout, true) ||
      functions->GetCompiledModelOutputBufferRequirements(
          baseline->compiled, 0, 0, &requirements) ||
      !make_buffer(
          functions, tensor, layout, requirements, &baseline->output_memory,
          &baseline->output_bytes, &baseline->output))
    return NULL;
  return baseline;
}

int baseline_run(
    Baseline *baseline, const void *input, size_t input_bytes, void *output,
    size_t output_bytes) {
  memcpy(baseline->input_memory, input, input_bytes);
  int status = baseline->functions.RunCompiledModel(
      baseline->compiled, 0, 1, &baseline->input, 1, &baseline->output);
  memcpy(output, baseline->output_memory, output_bytes);
  return status;
}

size_t baseline_input_bytes(const Baseline *baseline) { return baseline->input_bytes; }
size_t baseline_output_bytes(const Baseline *baseline) { return baseline->output_bytes; }
