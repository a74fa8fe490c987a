// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#ifndef CIMAGECODECS_JPEG_WINDOW_H
#define CIMAGECODECS_JPEG_WINDOW_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

// A source of two pieces: its own header, followed by the rest of the file.
typedef struct {
  struct jpeg_source_mgr manager;
  uint8_t *header;
  const uint8_t *rest;
  size_t rest_bytes;
} jpeg_window;

// Makes an image start further down, so that the data above isn't even read.
//
// This requires restart markers, of which many cameras write one for each row of MCUs. `info` must
// have read the header of `bytes`. Returns the number of rows of MCUs that are skipped, at most
// `unit_rows`. If it isn't 0, the header must be read again from the window.
JDIMENSION jpeg_window_open(
    jpeg_window *window, j_decompress_ptr info, const uint8_t *bytes, size_t count,
    JDIMENSION unit_rows);

void jpeg_window_close(jpeg_window *window);

#endif
