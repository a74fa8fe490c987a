// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#include "CImageCodecs.h"

#if defined(__linux__)

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <webp/decode.h>

static image_codec_status fail(
    VP8StatusCode code, const char *animation, image_codec_message *message) {
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
      text = animation;
      status = IMAGE_CODEC_UNSUPPORTED;
      break;
    default:
      break;
  }
  snprintf(message->text, sizeof message->text, "%s", text);
  return status;
}

image_codec_status image_codec_webp_read_header(
    const uint8_t *bytes, size_t count, image_codec_header *header, image_codec_message *message) {
  WebPBitstreamFeatures features;
  message->text[0] = 0;
  VP8StatusCode code = WebPGetFeatures(bytes, count, &features);
  if (code != VP8_STATUS_OK) return fail(code, "a feature that libwebp does not read", message);
  if (features.has_animation) {
    return fail(VP8_STATUS_UNSUPPORTED_FEATURE, "animated WebP", message);
  }
  header->width = (uint32_t)features.width;
  header->height = (uint32_t)features.height;
  header->channels = features.has_alpha ? 4 : 3;
  return IMAGE_CODEC_OK;
}

image_codec_status image_codec_webp_decode(
    const uint8_t *bytes, size_t count, uint8_t *pixels, size_t pixel_bytes,
    image_codec_message *message) {
  image_codec_header header;
  image_codec_status status = image_codec_webp_read_header(bytes, count, &header, message);
  if (status != IMAGE_CODEC_OK) return status;
  size_t stride = (size_t)header.width * header.channels;
  WebPDecoderConfig config;
  if (!WebPInitDecoderConfig(&config) || stride > INT_MAX ||
      stride * header.height != pixel_bytes) {
    return fail(VP8_STATUS_INVALID_PARAM, "", message);
  }
  config.output.colorspace = header.channels == 4 ? MODE_RGBA : MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA.rgba = pixels;
  config.output.u.RGBA.stride = (int)stride;
  config.output.u.RGBA.size = pixel_bytes;
  VP8StatusCode code = WebPDecode(bytes, count, &config);
  WebPFreeDecBuffer(&config.output);
  if (code != VP8_STATUS_OK) return fail(code, "a feature that libwebp does not read", message);
  return IMAGE_CODEC_OK;
}

#endif
