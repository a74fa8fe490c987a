// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// The peer of the benchmarks: the bare C calls for a model, written as a C programmer would.

#ifndef CBASELINE_H
#define CBASELINE_H

#include <stddef.h>
#include <stdint.h>

typedef struct Baseline Baseline;

/// Opens the library and a model with one input and one output; NULL when anything fails.
Baseline *baseline_open(const char *library, const char *model);

/// Copies the input in, runs, and copies the output out; 0 when all went well.
int baseline_run(
    Baseline *baseline, const void *input, size_t input_bytes, void *output, size_t output_bytes);

size_t baseline_input_bytes(const Baseline *baseline);
size_t baseline_output_bytes(const Baseline *baseline);

typedef struct TensorFlowBaseline TensorFlowBaseline;

/// Opens TensorFlow's library and a SavedModel with one vector in and one out; NULL when anything
/// fails.
TensorFlowBaseline *tensorflow_baseline_open(
    const char *library, const char *model, const char *input, const char *output,
    const uint8_t *config, size_t config_bytes);

/// Copies the input in, runs, and copies the output out; 0 when all went well.
int tensorflow_baseline_run(
    TensorFlowBaseline *baseline, const float *input, int64_t count, float *output);

/// Decodes a whole JPEG to RGB by libjpeg's plain loop; returns how many bytes that are, without a
/// place for them nothing else.
size_t baseline_decode_jpeg(const uint8_t *bytes, size_t count, uint8_t *pixels);

#endif
