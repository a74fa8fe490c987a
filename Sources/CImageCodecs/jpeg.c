// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#include "CImageCodecs.h"

#if defined(__linux__)

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

// A progressive file can ask for thousands of passes over the picture with a few bytes each.
// Real ones have about ten. libjpeg-turbo's own tools stop here, too.
#define MAXIMUM_SCANS 500

// libjpeg's structures point to `errors`, which is therefore the first member.
typedef struct {
  struct jpeg_error_mgr errors;
  jmp_buf escape;
  image_codec_status status;
  image_codec_message *message;
} failure;

static image_codec_status status_of(int code) {
  switch (code) {
    case JERR_OUT_OF_MEMORY:
    case JERR_NO_BACKING_STORE:
    case JERR_IMAGE_TOO_BIG:
    case JERR_WIDTH_OVERFLOW:
      return IMAGE_CODEC_TOO_LARGE;
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_J_COLORSPACE:
    case JERR_BAD_PRECISION:
    case JERR_CCIR601_NOTIMPL:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_SOF_UNSUPPORTED:
      return IMAGE_CODEC_UNSUPPORTED;
    default:
      return IMAGE_CODEC_INVALID;
  }
}

static void fail(j_common_ptr info) {
  failure *self = (failure *)info->err;
  char text[JMSG_LENGTH_MAX];
  info->err->format_message(info, text);
  snprintf(self->message->text, sizeof self->message->text, "%s", text);
  self->status = status_of(info->err->msg_code);
  longjmp(self->escape, 1);
}

static void fail_with(j_common_ptr info, image_codec_status status, const char *text) {
  failure *self = (failure *)info->err;
  snprintf(self->message->text, sizeof self->message->text, "%s", text);
  self->status = status;
  longjmp(self->escape, 1);
}

// libjpeg warns about damaged data (level -1) and goes on with made-up pixels.
static void stop_at_warning(j_common_ptr info, int level) {
  if (level >= 0) return;
  switch (info->err->msg_code) {
    case JWRN_ADOBE_XFORM:  // An unknown colour transform is guessed, the data is whole.
    case JWRN_BOGUS_ICC:
    case JWRN_EXTRANEOUS_DATA:  // Some cameras pad between markers; a cut scan warns otherwise.
    case JWRN_JFIF_MAJOR:
      return;
    default:
      fail(info);
  }
}

static void ignore_message(j_common_ptr info) { (void)info; }

static void stop_at_scan_limit(j_common_ptr info) {
  if (info->is_decompressor && ((j_decompress_ptr)info)->input_scan_number > MAXIMUM_SCANS) {
    fail_with(info, IMAGE_CODEC_INVALID, "the picture is split into more than 500 scans");
  }
}

static void begin(failure *self, image_codec_message *message) {
  jpeg_std_error(&self->errors);
  self->errors.error_exit = fail;
  self->errors.emit_message = stop_at_warning;
  self->errors.output_message = ignore_message;
  self->status = IMAGE_CODEC_OK;
  self->message = message;
  message->text[0] = 0;
}

static void read_header(j_decompress_ptr info, const uint8_t *bytes, size_t count) {
  jpeg_mem_src(info, bytes, (unsigned long)count);
  jpeg_read_header(info, TRUE);
  switch (info->jpeg_color_space) {
    case JCS_GRAYSCALE:
    case JCS_RGB:
    case JCS_YCbCr:
      info->out_color_space = JCS_RGB;
      break;
    case JCS_CMYK:
    case JCS_YCCK:
      info->out_color_space = JCS_CMYK;
      break;
    default:
      fail_with(
          (j_common_ptr)info, IMAGE_CODEC_UNSUPPORTED,
          "only gray, RGB, YCbCr, CMYK and YCCK pictures are supported");
  }
}

image_codec_status image_codec_jpeg_read_header(
    const uint8_t *bytes, size_t count, image_codec_header *header, image_codec_message *message) {
  struct jpeg_decompress_struct info;
  failure failure;
  memset(&info, 0, sizeof info);
  begin(&failure, message);
  info.err = &failure.errors;
  if (setjmp(failure.escape)) {
    jpeg_destroy_decompress(&info);
    return failure.status;
  }
  jpeg_create_decompress(&info);
  read_header(&info, bytes, count);
  header->width = info.image_width;
  header->height = info.image_height;
  header->channels = 3;
  jpeg_destroy_decompress(&info);
  return IMAGE_CODEC_OK;
}

// a * b / 255, rounded, for 8-bit values.
static uint8_t multiply(unsigned a, unsigned b) {
  unsigned product = a * b + 128;
  return (uint8_t)((product + (product >> 8)) >> 8);
}

// Adobe's CMYK is stored inverted, and like Pillow and Skia this takes all CMYK files as Adobe's.
static void convert_from_cmyk(const uint8_t *cmyk, uint8_t *rgb, size_t width) {
  for (size_t x = 0; x < width; x++, cmyk += 4, rgb += 3) {
    unsigned light = cmyk[3];
    for (int channel = 0; channel < 3; channel++) {
      rgb[channel] = (uint8_t)(light - multiply(255u - cmyk[channel], light));
    }
  }
}

image_codec_status image_codec_jpeg_decode(
    const uint8_t *bytes, size_t count, uint8_t *pixels, size_t pixel_bytes,
    image_codec_message *message) {
  struct jpeg_decompress_struct info;
  struct jpeg_progress_mgr progress;
  failure failure;
  memset(&info, 0, sizeof info);
  memset(&progress, 0, sizeof progress);
  begin(&failure, message);
  info.err = &failure.errors;
  if (setjmp(failure.escape)) {
    jpeg_destroy_decompress(&info);
    return failure.status;
  }
  jpeg_create_decompress(&info);
  progress.progress_monitor = stop_at_scan_limit;
  info.progress = &progress;
  read_header(&info, bytes, count);

  // Progressive files keep all coefficients: 2 bytes each, padded to whole MCUs of 32 at most.
  size_t padded = ((size_t)info.image_width + 64) * ((size_t)info.image_height + 64);
  info.mem->max_memory_to_use = (long)(padded * 2 * (size_t)info.num_components + (32u << 20));

  size_t stride = (size_t)info.image_width * 3;
  if (stride * info.image_height != pixel_bytes) {
    fail_with((j_common_ptr)&info, IMAGE_CODEC_INVALID, "the size differs from the header's");
  }
  jpeg_start_decompress(&info);
  JSAMPARRAY cmyk = NULL;
  if (info.out_color_space == JCS_CMYK) {
    cmyk = (*info.mem->alloc_sarray)(
        (j_common_ptr)&info, JPOOL_IMAGE, info.output_width * 4, 1);
  }
  while (info.output_scanline < info.output_height) {
    uint8_t *row = pixels + stride * info.output_scanline;
    if (cmyk) {
      jpeg_read_scanlines(&info, cmyk, 1);
      convert_from_cmyk(cmyk[0], row, info.output_width);
    } else {
      jpeg_read_scanlines(&info, &row, 1);
    }
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return IMAGE_CODEC_OK;
}

// MARK: Encoding

// `jpeg_mem_dest` would lose its buffer when libjpeg fails, so this grows one of its own.
typedef struct {
  struct jpeg_destination_mgr manager;
  image_codec_buffer *buffer;
  size_t capacity;
} destination;

static void grow(j_compress_ptr info) {
  destination *self = (destination *)info->dest;
  size_t filled = self->capacity;
  size_t capacity = filled ? filled * 2 : 64 * 1024;
  uint8_t *bytes = realloc(self->buffer->bytes, capacity);
  if (!bytes) {
    fail_with((j_common_ptr)info, IMAGE_CODEC_TOO_LARGE, "out of memory");
  }
  self->buffer->bytes = bytes;
  self->capacity = capacity;
  self->manager.next_output_byte = bytes + filled;
  self->manager.free_in_buffer = capacity - filled;
}

static boolean grow_when_full(j_compress_ptr info) {
  grow(info);
  return TRUE;
}

static void finish(j_compress_ptr info) {
  destination *self = (destination *)info->dest;
  self->buffer->count = self->capacity - self->manager.free_in_buffer;
}

image_codec_status image_codec_jpeg_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, image_codec_layout layout,
    int quality, image_codec_buffer *buffer, image_codec_message *message) {
  static const J_COLOR_SPACE spaces[] = {
      JCS_GRAYSCALE, JCS_EXT_RGB, JCS_EXT_BGR, JCS_EXT_RGBX, JCS_EXT_BGRX, JCS_EXT_XRGB};
  static const int components[] = {1, 3, 3, 4, 4, 4};
  struct jpeg_compress_struct info;
  destination output;
  failure failure;
  memset(&info, 0, sizeof info);
  memset(&output, 0, sizeof output);
  buffer->bytes = NULL;
  buffer->count = 0;
  begin(&failure, message);
  info.err = &failure.errors;
  if (setjmp(failure.escape)) {
    jpeg_destroy_compress(&info);
    free(buffer->bytes);
    buffer->bytes = NULL;
    return failure.status;
  }
  jpeg_create_compress(&info);
  output.buffer = buffer;
  output.manager.init_destination = grow;
  output.manager.empty_output_buffer = grow_when_full;
  output.manager.term_destination = finish;
  info.dest = &output.manager;
  info.image_width = width;
  info.image_height = height;
  info.in_color_space = spaces[layout];
  info.input_components = components[layout];
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  jpeg_start_compress(&info, TRUE);
  size_t stride = (size_t)width * (size_t)components[layout];
  while (info.next_scanline < height) {
    JSAMPROW row = (JSAMPROW)(pixels + stride * info.next_scanline);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  return IMAGE_CODEC_OK;
}

#endif
