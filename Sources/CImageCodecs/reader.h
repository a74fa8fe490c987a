// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// The common parts of the readers of all formats.

#ifndef READER_H
#define READER_H

#include "CImageCodecs.h"

// The number of bytes that may be read after a row.
#define ROW_SLACK 16

// The functions that CImageCodecs.h's functions call, which maintain `request` and `next`.
// Consecutive calls of `read_row` may skip some rows.
typedef struct {
  image_codec_status (*start)(image_codec_reader *reader, image_codec_message *message);
  image_codec_status (*read_row)(
      image_codec_reader *reader, uint8_t *target, const uint8_t **row,
      image_codec_message *message);
  image_codec_status (*finish)(image_codec_reader *reader, image_codec_message *message);
  void (*close)(image_codec_reader *reader);
} reader_functions;

// The first member of every reader.
struct image_codec_reader {
  const reader_functions *functions;
  image_codec_header header;
  image_codec_request request;
  // The next row of the part.
  uint32_t next;
};

// Open files of each format, for image_codec_open.
image_codec_status image_codec_open_jpeg(
    const uint8_t *bytes, size_t count, image_codec_reader **reader, image_codec_message *message);
image_codec_status image_codec_open_png(
    const uint8_t *bytes, size_t count, int numbers, image_codec_reader **reader,
    image_codec_message *message);
image_codec_status image_codec_open_webp(
    const uint8_t *bytes, size_t count, image_codec_reader **reader, image_codec_message *message);

// Returns a row of the canvas, for readers that fill it when they are started.
image_codec_status read_canvas_row(
    image_codec_reader *reader, uint8_t *target, const uint8_t **row,
    image_codec_message *message);

// Sets the message and returns the status.
image_codec_status reader_failure(
    image_codec_status status, const char *text, image_codec_message *message);

#endif
