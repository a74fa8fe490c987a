// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#include "reader.h"

#if defined(__linux__)

#include <stdlib.h>
#include <string.h>

#include "jpeg_parts.h"

// A progressive file can request many passes over the image with only a few bytes each. Real files
// have about ten. libjpeg-turbo's own tools stop at 500, which is too much work for large images,
// so the total pixels of all passes are limited too.
#define MAXIMUM_SCANS 500
#define MINIMUM_SCANS 30
#define MAXIMUM_SCANNED_PIXELS 1000000000u

typedef struct {
  image_codec_reader base;
  struct jpeg_decompress_struct info;
  struct jpeg_progress_mgr progress;
  jpeg_failure failure;
  int maximum_scans;
  // The whole file, and the window that is read if only a part of it is needed.
  const uint8_t *bytes;
  size_t count;
  jpeg_window window;
  // The first column of the rows that libjpeg decodes, in pixels of the scaled image.
  uint32_t left;
  // Rows that libjpeg allocates: an RGB row with slack after it, and a CMYK row for CMYK images.
  uint8_t *row;
  uint8_t *cmyk;
  // Whether columns can be cropped and rows skipped without decoding them.
  int cuts;
  int skips;
} jpeg_reader;

static void stop_at_scan_limit(j_common_ptr common) {
  if (!common->is_decompressor) return;
  // `client_data` is the reader, which contains libjpeg's structure.
  jpeg_reader *self = (jpeg_reader *)common->client_data;
  if (self->info.input_scan_number > self->maximum_scans) {
    char text[80];
    snprintf(
        text, sizeof text, "the image is split into more than %d scans", self->maximum_scans);
    jpeg_failure_throw(common, IMAGE_CODEC_INVALID, text);
  }
}

static void close_reader(image_codec_reader *reader) {
  jpeg_reader *self = (jpeg_reader *)reader;
  jpeg_destroy_decompress(&self->info);
  jpeg_window_close(&self->window);
  free(self);
}

// Fails early if a short file claims a large image, because every MCU takes at least one bit.
static void check_length(jpeg_reader *self, size_t count) {
  j_decompress_ptr info = &self->info;
  if (info->arith_code) return;
  size_t across = (size_t)info->max_h_samp_factor * 8;
  size_t down = (size_t)info->max_v_samp_factor * 8;
  size_t units = ((info->image_width + across - 1) / across) *
                 ((info->image_height + down - 1) / down);
  if (units / 8 > count) {
    jpeg_failure_throw(
        (j_common_ptr)info, IMAGE_CODEC_INVALID, "the file is too short for its size in pixels");
  }
}

// Reads the header from the current source.
static void read_header(jpeg_reader *self) {
  j_decompress_ptr info = &self->info;
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
      jpeg_failure_throw(
          (j_common_ptr)info, IMAGE_CODEC_UNSUPPORTED,
          "only gray, RGB, YCbCr, CMYK and YCCK images are supported");
  }
}

static void open_file(jpeg_reader *self, const uint8_t *bytes, size_t count) {
  j_decompress_ptr info = &self->info;
  self->bytes = bytes;
  self->count = count;
  jpeg_create_decompress(info);
  info->client_data = self;
  self->progress.progress_monitor = stop_at_scan_limit;
  info->progress = &self->progress;
  jpeg_mem_src(info, bytes, (unsigned long)count);
  read_header(self);
  self->base.header.width = info->image_width;
  self->base.header.height = info->image_height;
  self->base.header.channels = 3;

  size_t scans = MAXIMUM_SCANNED_PIXELS / ((size_t)info->image_width * info->image_height);
  if (scans < MINIMUM_SCANS) scans = MINIMUM_SCANS;
  self->maximum_scans = scans < MAXIMUM_SCANS ? (int)scans : MAXIMUM_SCANS;
}

// The number of rows and of columns of one MCU in the scaled image.
static JDIMENSION unit_rows(const jpeg_reader *self) {
  return (JDIMENSION)(self->info.max_v_samp_factor * self->info.min_DCT_scaled_size);
}

static JDIMENSION unit_columns(const jpeg_reader *self) {
  return (JDIMENSION)(self->info.max_h_samp_factor * self->info.min_DCT_scaled_size);
}

// Returns whether libjpeg smooths blocks with their neighbours, as in a progressive file without
// its last passes. libjpeg then ignores some neighbours at the edges of a part.
static int is_smoothed(j_decompress_ptr info) {
  if (!info->progressive_mode || !info->coef_bits) return 0;
  for (int component = 0; component < info->num_components; component++) {
    for (int coefficient = 0; coefficient < 10; coefficient++) {
      if (info->coef_bits[component][coefficient] != 0) return 1;
    }
  }
  return 0;
}

// Returns whether a component is scaled less than the image and also upsampled. libjpeg then counts
// its columns wrongly after a crop, and can get stuck after skipped rows.
static int is_scaled_and_upsampled(j_decompress_ptr info) {
  for (int index = 0; index < info->num_components; index++) {
    const jpeg_component_info *component = &info->comp_info[index];
    int size = component->DCT_scaled_size;
    int upsampled =
        component->h_samp_factor * size != info->max_h_samp_factor * info->min_DCT_scaled_size ||
        component->v_samp_factor * size != info->max_v_samp_factor * info->min_DCT_scaled_size;
    if (upsampled && size != info->min_DCT_scaled_size) return 1;
  }
  return 0;
}

// Smooth upsampling uses neighbouring columns, so one additional MCU is decoded on each side.
static void choose_columns(jpeg_reader *self) {
  j_decompress_ptr info = &self->info;
  const image_codec_request *request = &self->base.request;
  JDIMENSION unit = unit_columns(self);
  JDIMENSION left = request->x / unit * unit;
  JDIMENSION right = (request->x + request->width + unit - 1) / unit * unit + unit;
  left = left > unit ? left - unit : 0;
  if (right > info->output_width) right = info->output_width;
  JDIMENSION width = right - left;
  if (width < info->output_width && self->cuts) {
    jpeg_crop_scanline(info, &left, &width);
  } else {
    left = 0;
  }
  self->left = left;
}

static void read_row_into(jpeg_reader *self, uint8_t *row) {
  JSAMPROW target = self->cmyk ? self->cmyk : row;
  // This has never happened, but a decoder that gets stuck would hang its caller.
  if (jpeg_read_scanlines(&self->info, &target, 1) != 1) {
    jpeg_failure_throw((j_common_ptr)&self->info, IMAGE_CODEC_INVALID, "a row is missing");
  }
}

// Moves libjpeg's output to `row`. The last two MCUs before it are decoded and discarded, so that
// smooth upsampling has its neighbours. Earlier rows are only read.
static void move_to(jpeg_reader *self, JDIMENSION row) {
  j_decompress_ptr info = &self->info;
  JDIMENSION margin = unit_rows(self) * 2;
  if (self->skips && row > info->output_scanline + margin * 2) {
    jpeg_skip_scanlines(info, row - margin - info->output_scanline);
  }
  while (info->output_scanline < row) read_row_into(self, self->row);
}

// Starts below the rows that aren't needed, but keeps two MCUs that smooth upsampling uses.
static void leave_out_rows(jpeg_reader *self) {
  j_decompress_ptr info = &self->info;
  image_codec_request *request = &self->base.request;
  JDIMENSION unit = (JDIMENSION)info->max_v_samp_factor * 8 / request->denominator;
  JDIMENSION above = unit ? request->y / unit : 0;
  if (above <= 2) return;
  JDIMENSION left_out =
      jpeg_window_open(&self->window, info, self->bytes, self->count, above - 2);
  if (left_out == 0) return;
  jpeg_abort_decompress(info);
  info->src = &self->window.manager;
  read_header(self);
  request->y -= left_out * unit;
}

static image_codec_status start(image_codec_reader *reader, image_codec_message *message) {
  jpeg_reader *self = (jpeg_reader *)reader;
  if (self->failure.status != IMAGE_CODEC_OK) return self->failure.status;
  self->failure.message = message;
  if (setjmp(self->failure.escape)) return self->failure.status;
  j_decompress_ptr info = &self->info;
  const image_codec_request *request = &reader->request;
  check_length(self, info->src->bytes_in_buffer);
  if (!request->reads_all) leave_out_rows(self);
  info->scale_num = 1;
  info->scale_denom = request->denominator;
  info->do_fancy_upsampling = request->fancy_upsampling != 0;
  info->dct_method = request->fast_dct ? JDCT_IFAST : JDCT_ISLOW;
  // Progressive files keep all coefficients, with 2 bytes each, padded to whole MCUs of at most 32.
  size_t padded = ((size_t)info->image_width + 64) * ((size_t)info->image_height + 64);
  info->mem->max_memory_to_use = (long)(padded * 2 * (size_t)info->num_components + (32u << 20));
  jpeg_start_decompress(info);

  self->cuts = !is_smoothed(info) && !is_scaled_and_upsampled(info);
  // Without smooth upsampling, libjpeg may merge upsampling with the colour conversion and
  // miscount.
  self->skips = self->cuts && info->do_fancy_upsampling;
  choose_columns(self);
  size_t row_bytes = (size_t)info->output_width * 3 + ROW_SLACK;
  self->row = (*info->mem->alloc_large)((j_common_ptr)info, JPOOL_IMAGE, row_bytes);
  memset(self->row, 0, row_bytes);
  self->cmyk = NULL;
  if (info->out_color_space == JCS_CMYK) {
    self->cmyk = (*info->mem->alloc_large)(
        (j_common_ptr)info, JPOOL_IMAGE, (size_t)info->output_width * 4);
  }
  move_to(self, request->y);
  return IMAGE_CODEC_OK;
}

// Returns a * b / 255, rounded, for 8-bit values.
static uint8_t multiply(unsigned a, unsigned b) {
  unsigned product = a * b + 128;
  return (uint8_t)((product + (product >> 8)) >> 8);
}

// Adobe's CMYK is stored inverted. Like Pillow and Skia, this treats all CMYK files as Adobe's.
static void convert_from_cmyk(const uint8_t *cmyk, uint8_t *rgb, size_t width) {
  for (size_t x = 0; x < width; x++, cmyk += 4, rgb += 3) {
    unsigned light = cmyk[3];
    for (int channel = 0; channel < 3; channel++) {
      rgb[channel] = (uint8_t)(light - multiply(255u - cmyk[channel], light));
    }
  }
}

static image_codec_status read_row(
    image_codec_reader *reader, uint8_t *target, const uint8_t **row,
    image_codec_message *message) {
  jpeg_reader *self = (jpeg_reader *)reader;
  if (self->failure.status != IMAGE_CODEC_OK) return self->failure.status;
  self->failure.message = message;
  if (setjmp(self->failure.escape)) return self->failure.status;
  const image_codec_request *request = &reader->request;
  size_t offset = request->x - self->left;
  int whole = offset == 0 && request->width == self->info.output_width;
  move_to(self, request->y + reader->next);
  if (target && whole && !self->cmyk) {
    read_row_into(self, target);
    return IMAGE_CODEC_OK;
  }
  read_row_into(self, self->row);
  uint8_t *pixels = self->row + offset * 3;
  if (self->cmyk) {
    pixels = target ? target : self->row;
    convert_from_cmyk(self->cmyk + offset * 4, pixels, request->width);
  } else if (target) {
    memcpy(target, pixels, (size_t)request->width * 3);
  }
  if (!target) *row = pixels;
  return IMAGE_CODEC_OK;
}

static image_codec_status finish(image_codec_reader *reader, image_codec_message *message) {
  jpeg_reader *self = (jpeg_reader *)reader;
  if (self->failure.status != IMAGE_CODEC_OK) return self->failure.status;
  self->failure.message = message;
  if (setjmp(self->failure.escape)) return self->failure.status;
  if (!reader->request.reads_all) return IMAGE_CODEC_OK;
  move_to(self, self->info.output_height);
  jpeg_finish_decompress(&self->info);
  return IMAGE_CODEC_OK;
}

static const reader_functions functions = {start, read_row, finish, close_reader};

image_codec_status image_codec_open_jpeg(
    const uint8_t *bytes, size_t count, image_codec_reader **reader,
    image_codec_message *message) {
  jpeg_reader *self = calloc(1, sizeof *self);
  if (!self) return reader_failure(IMAGE_CODEC_TOO_LARGE, "out of memory", message);
  self->base.functions = &functions;
  jpeg_failure_begin(&self->failure, message);
  self->info.err = &self->failure.errors;
  if (setjmp(self->failure.escape)) {
    image_codec_status status = self->failure.status;
    close_reader(&self->base);
    return status;
  }
  open_file(self, bytes, count);
  *reader = &self->base;
  return IMAGE_CODEC_OK;
}

#endif
