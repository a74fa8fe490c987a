// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#include "reader.h"

#if defined(__linux__)

#include <limits.h>
#include <stdlib.h>

#include <webp/decode.h>

typedef struct {
  image_codec_reader base;
  const uint8_t *bytes;
  size_t count;
} webp_reader;

static image_codec_status fail(
    VP8StatusCode code, const char *feature, image_codec_message *message) {
  const char *text = "the data is corrupt";
  image_codec_status status = IMAGE_CODEC_INVALID;
  switch (code) {
    case VP8_STATUS_OUT_OF_MEMORY:
      text = "out of memory";
      status = IMAGE_CODEC_TOO_LARGE;
      break;
    case VP8_STATUS_NOT_ENOUGH_DATA:
    case VP8_STATUS_SUSPENDED:
      text = "the file ends too early";
      break;
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      text = feature;
      status = IMAGE_CODEC_UNSUPPORTED;
      break;
    default:
      break;
  }
  return reader_failure(status, text, message);
}

static void close_reader(image_codec_reader *reader) { free(reader); }

// libwebp can only crop at even pixels, so the whole image is decoded.
static image_codec_status start(image_codec_reader *reader, image_codec_message *message) {
  webp_reader *self = (webp_reader *)reader;
  const image_codec_header *header = &reader->header;
  size_t stride = (size_t)header->width * header->channels;
  WebPDecoderConfig config;
  if (reader->request.denominator != 1 || stride > INT_MAX || !WebPInitDecoderConfig(&config)) {
    return fail(VP8_STATUS_INVALID_PARAM, "", message);
  }
  config.output.colorspace = header->channels == 4 ? MODE_RGBA : MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA.rgba = reader->request.canvas;
  config.output.u.RGBA.stride = (int)stride;
  config.output.u.RGBA.size = stride * header->height;
  VP8StatusCode code = WebPDecode(self->bytes, self->count, &config);
  WebPFreeDecBuffer(&config.output);
  if (code == VP8_STATUS_OK) return IMAGE_CODEC_OK;
  return fail(code, "a feature that libwebp does not read", message);
}

static image_codec_status finish(image_codec_reader *reader, image_codec_message *message) {
  (void)reader;
  (void)message;
  return IMAGE_CODEC_OK;
}

static const reader_functions functions = {start, read_canvas_row, finish, close_reader};

image_codec_status image_codec_open_webp(
    const uint8_t *bytes, size_t count, image_codec_reader **reader,
    image_codec_message *message) {
  WebPBitstreamFeatures features;
  VP8StatusCode code = WebPGetFeatures(bytes, count, &features);
  if (code != VP8_STATUS_OK) return fail(code, "a feature that libwebp does not read", message);
  if (features.has_animation) {
    return fail(VP8_STATUS_UNSUPPORTED_FEATURE, "animated WebP", message);
  }
  webp_reader *self = calloc(1, sizeof *self);
  if (!self) return fail(VP8_STATUS_OUT_OF_MEMORY, "", message);
  self->base.functions = &functions;
  self->base.header.width = (uint32_t)features.width;
  self->base.header.height = (uint32_t)features.height;
  self->base.header.channels = features.has_alpha ? 4 : 3;
  self->base.header.needs_canvas = 1;
  self->bytes = bytes;
  self->count = count;
  *reader = &self->base;
  return IMAGE_CODEC_OK;
}

#endif
