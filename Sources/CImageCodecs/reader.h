// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// What every reader of a format brings.

#ifndef READER_H
#define READER_H

#include "CImageCodecs.h"

// Bytes that may be read behind a row.
#define ROW_SLACK 16

// The functions behind those of CImageCodecs.h, which keep `request` and `next`. A row that is
// read may lie some rows behind the one before.
typedef struct {
  image_codec_status (*start)(image_codec_reader *reader, image_codec_message *message);
  image_codec_status (*read_row)(
      image_codec_reader *reader, uint8_t *target, const uint8_t **row,
      image_codec_message *message);
  image_codec_status (*finish)(image_codec_reader *reader, image_codec_message *message);
  void (*close)(image_codec_reader *reader);
} reader_functions;

// Every reader's first member.
struct image_codec_reader {
  const reader_functions *functions;
  image_codec_header header;
  image_codec_request request;
  // The part's next row.
  uint32_t next;
};

// Gives a row out of the canvas, for readers that fill it when they are started.
image_codec_status read_canvas_row(
    image_codec_reader *reader, uint8_t *target, const uint8_t **row,
    image_codec_message *message);

// Sets the message.
image_codec_status reader_failure(
    image_codec_status status, const char *text, image_codec_message *message);

#endif
