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

// A source of two pieces: a header of its own, then the rest of the file.
typedef struct {
  struct jpeg_source_mgr manager;
  uint8_t *header;
  const uint8_t *rest;
  size_t rest_bytes;
} jpeg_window;

// Lets a picture begin lower down, where its data has restart markers: what is above is not even
// read. Many cameras write one for each row of MCUs.
//
// `info` has read the header of `bytes`. Returns how many rows of MCUs are left out, at most
// `unit_rows`. Where it is not 0, the header must be read again, from the window.
JDIMENSION jpeg_window_open(
    jpeg_window *window, j_decompress_ptr info, const uint8_t *bytes, size_t count,
    JDIMENSION unit_rows);

void jpeg_window_close(jpeg_window *window);

#endif
