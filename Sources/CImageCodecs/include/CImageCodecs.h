// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// What libjpeg, libpng and libwebp are used for, with their setjmp error handling kept inside.
//
// A reader is called twice: `..._read_header` tells the size and allocates no pixels, then
// `..._decode` writes rows without gaps into memory of the caller's, exactly
// `width * height * channels` bytes. Nothing here keeps a pointer after it has returned.

#ifndef CIMAGECODECS_H
#define CIMAGECODECS_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
  IMAGE_CODEC_OK = 0,
  // The bytes are damaged.
  IMAGE_CODEC_INVALID = 1,
  // The bytes are well formed as far as they were read, but of a kind that is not supported.
  IMAGE_CODEC_UNSUPPORTED = 2,
  // The library refused for lack of memory, or because its own limit was reached.
  IMAGE_CODEC_TOO_LARGE = 3,
} image_codec_status;

// A library's own words for a failure.
typedef struct {
  char text[256];
} image_codec_message;

typedef struct {
  uint32_t width;
  uint32_t height;
  // 3: red, green, blue; 4: the same and alpha.
  uint32_t channels;
} image_codec_header;

// The order of the bytes of a pixel that is encoded.
typedef enum {
  IMAGE_CODEC_GRAY,
  IMAGE_CODEC_RGB,
  IMAGE_CODEC_BGR,
  IMAGE_CODEC_RGBA,
  IMAGE_CODEC_BGRA,
  IMAGE_CODEC_ARGB,
} image_codec_layout;

// Bytes that an encoder made; release them with `free`.
typedef struct {
  uint8_t *bytes;
  size_t count;
} image_codec_buffer;

image_codec_status image_codec_jpeg_read_header(
    const uint8_t *bytes, size_t count, image_codec_header *header, image_codec_message *message);

// Corrupt and truncated data is an error, even where libjpeg only warns and makes up pixels.
image_codec_status image_codec_jpeg_decode(
    const uint8_t *bytes, size_t count, uint8_t *pixels, size_t pixel_bytes,
    image_codec_message *message);

image_codec_status image_codec_png_read_header(
    const uint8_t *bytes, size_t count, image_codec_header *header, image_codec_message *message);

image_codec_status image_codec_png_decode(
    const uint8_t *bytes, size_t count, uint8_t *pixels, size_t pixel_bytes,
    image_codec_message *message);

image_codec_status image_codec_webp_read_header(
    const uint8_t *bytes, size_t count, image_codec_header *header, image_codec_message *message);

image_codec_status image_codec_webp_decode(
    const uint8_t *bytes, size_t count, uint8_t *pixels, size_t pixel_bytes,
    image_codec_message *message);

// Alpha is left out: JPEG has none. `quality` is 1 to 100.
image_codec_status image_codec_jpeg_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, image_codec_layout layout,
    int quality, image_codec_buffer *buffer, image_codec_message *message);

image_codec_status image_codec_png_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, image_codec_layout layout,
    image_codec_buffer *buffer, image_codec_message *message);

#endif
