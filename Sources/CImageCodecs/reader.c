// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#include "reader.h"

#if defined(__linux__)

#include <stdio.h>
#include <string.h>

image_codec_status reader_failure(
    image_codec_status status, const char *text, image_codec_message *message) {
  snprintf(message->text, sizeof message->text, "%s", text);
  return status;
}

image_codec_status image_codec_open(
    image_codec_format format, const uint8_t *bytes, size_t count, image_codec_reader **reader,
    image_codec_header *header, image_codec_message *message) {
  message->text[0] = 0;
  *reader = NULL;
  int numbers = format == IMAGE_CODEC_PNG_NUMBERS;
  image_codec_status status =
      format == IMAGE_CODEC_JPEG   ? image_codec_open_jpeg(bytes, count, reader, message)
      : format == IMAGE_CODEC_WEBP ? image_codec_open_webp(bytes, count, reader, message)
                                   : image_codec_open_png(bytes, count, numbers, reader, message);
  if (status == IMAGE_CODEC_OK) *header = (*reader)->header;
  return status;
}

image_codec_status image_codec_start(
    image_codec_reader *reader, const image_codec_request *request, image_codec_message *message) {
  message->text[0] = 0;
  uint32_t divisor = request->denominator;
  if (divisor != 1 && divisor != 2 && divisor != 4 && divisor != 8) {
    return reader_failure(IMAGE_CODEC_INVALID, "the scale is not 1, 2, 4 or 8", message);
  }
  uint32_t width = reader->header.width / divisor + (reader->header.width % divisor != 0);
  uint32_t height = reader->header.height / divisor + (reader->header.height % divisor != 0);
  if (request->width == 0 || request->width > width || request->x > width - request->width ||
      request->height == 0 || request->height > height ||
      request->y > height - request->height) {
    return reader_failure(IMAGE_CODEC_INVALID, "the part is not within the image", message);
  }
  size_t pixel_bytes = (size_t)width * height * reader->header.channels;
  if (reader->header.needs_canvas && (!request->canvas || request->canvas_bytes < pixel_bytes)) {
    return reader_failure(IMAGE_CODEC_TOO_LARGE, "there is no memory for its pixels", message);
  }
  reader->request = *request;
  reader->next = 0;
  return reader->functions->start(reader, message);
}

image_codec_status image_codec_read_row(
    image_codec_reader *reader, uint8_t *target, const uint8_t **row,
    image_codec_message *message) {
  message->text[0] = 0;
  if (reader->next >= reader->request.height) {
    return reader_failure(IMAGE_CODEC_INVALID, "no row is left", message);
  }
  image_codec_status status = reader->functions->read_row(reader, target, row, message);
  reader->next++;
  return status;
}

void image_codec_skip_rows(image_codec_reader *reader, uint32_t count) {
  uint32_t left = reader->request.height - reader->next;
  reader->next += count < left ? count : left;
}

image_codec_status image_codec_finish(image_codec_reader *reader, image_codec_message *message) {
  message->text[0] = 0;
  return reader->functions->finish(reader, message);
}

void image_codec_close(image_codec_reader *reader) {
  if (reader) reader->functions->close(reader);
}

image_codec_status read_canvas_row(
    image_codec_reader *reader, uint8_t *target, const uint8_t **row,
    image_codec_message *message) {
  (void)message;
  const image_codec_request *request = &reader->request;
  size_t channels = reader->header.channels;
  const uint8_t *start =
      request->canvas +
      ((size_t)reader->header.width * (request->y + reader->next) + request->x) * channels;
  if (!target) {
    *row = start;
  } else if (target != start) {
    memcpy(target, start, request->width * channels);
  }
  return IMAGE_CODEC_OK;
}

#endif
