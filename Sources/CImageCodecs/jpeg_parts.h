// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// What the functions for JPEG files share.

#ifndef CIMAGECODECS_JPEG_PARTS_H
#define CIMAGECODECS_JPEG_PARTS_H

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include "CImageCodecs.h"

// MARK: Failure

// Turns libjpeg's errors and warnings into a status and a message. libjpeg's structures point to
// `errors`, so it must be the first member.
typedef struct {
  struct jpeg_error_mgr errors;
  jmp_buf escape;
  image_codec_status status;
  image_codec_message *message;
} jpeg_failure;

// Makes errors and warnings about damaged data jump to `escape`, which the caller sets.
void jpeg_failure_begin(jpeg_failure *self, image_codec_message *message);

// Jumps to `escape` with a message.
void jpeg_failure_throw(j_common_ptr info, image_codec_status status, const char *text);

// MARK: Window

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
