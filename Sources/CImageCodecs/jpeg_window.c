// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if defined(__linux__)

#include "jpeg_parts.h"

#include <jerror.h>
#include <stdlib.h>
#include <string.h>

static void ignore(j_decompress_ptr info) { (void)info; }

static boolean fill(j_decompress_ptr info) {
  jpeg_window *window = (jpeg_window *)info->src;
  if (!window->rest || window->rest_bytes == 0) {
    WARNMS(info, JWRN_JPEG_EOF);
    return FALSE;
  }
  window->manager.next_input_byte = window->rest;
  window->manager.bytes_in_buffer = window->rest_bytes;
  window->rest = NULL;
  return TRUE;
}

static void skip(j_decompress_ptr info, long count) {
  struct jpeg_source_mgr *source = info->src;
  while (count > (long)source->bytes_in_buffer) {
    count -= (long)source->bytes_in_buffer;
    source->bytes_in_buffer = 0;
    if (!fill(info)) return;
  }
  source->next_input_byte += count;
  source->bytes_in_buffer -= (size_t)count;
}

// Returns the offset after a number of restart markers, or 0 if they are missing or out of order.
static size_t after_restarts(const uint8_t *bytes, size_t start, size_t count, JDIMENSION number) {
  JDIMENSION seen = 0;
  size_t offset = start;
  while (seen < number) {
    const uint8_t *found = memchr(bytes + offset, 0xff, count - offset);
    if (!found || found + 1 >= bytes + count) return 0;
    offset = (size_t)(found - bytes) + 1;
    uint8_t marker = bytes[offset];
    if (marker == 0xff) continue;
    if (marker != 0) {
      if (marker != 0xd0 + seen % 8) return 0;
      seen++;
    }
    offset++;
  }
  return offset;
}

// Returns the offset of the frame's height in the header, or 0 if it isn't found.
static size_t height_offset(const uint8_t *bytes, size_t end) {
  size_t offset = 2;
  while (offset + 9 < end && bytes[offset] == 0xff) {
    uint8_t marker = bytes[offset + 1];
    if (marker == 0xff) {
      offset++;
      continue;
    }
    if (marker == 0xc0 || marker == 0xc1) return offset + 5;
    offset += 2 + ((size_t)bytes[offset + 2] << 8 | bytes[offset + 3]);
  }
  return 0;
}

JDIMENSION jpeg_window_open(
    jpeg_window *window, j_decompress_ptr info, const uint8_t *bytes, size_t count,
    JDIMENSION unit_rows) {
  if (info->restart_interval == 0 || info->progressive_mode || info->arith_code) return 0;
  // The data of a single component isn't arranged in MCUs of the frame.
  if (info->comps_in_scan < 2 || info->comps_in_scan != info->num_components) return 0;
  JDIMENSION across = (JDIMENSION)info->max_h_samp_factor * 8;
  JDIMENSION units = (info->image_width + across - 1) / across;
  if (info->restart_interval % units != 0) return 0;
  JDIMENSION rows_between = info->restart_interval / units;
  // Markers are numbered from 0 to 7, and a file starts with 0.
  JDIMENSION restarts = unit_rows / rows_between / 8 * 8;
  if (restarts == 0) return 0;

  JDIMENSION left_out = restarts * rows_between;
  JDIMENSION cut = left_out * (JDIMENSION)info->max_v_samp_factor * 8;
  size_t start = count - info->src->bytes_in_buffer;
  size_t place = height_offset(bytes, start);
  size_t rest = after_restarts(bytes, start, count, restarts);
  // Without data after the markers, the file is truncated. Reading it as a whole reports that.
  if (cut >= info->image_height || place == 0 || rest == 0 || rest >= count) return 0;
  uint8_t *header = malloc(start);
  if (!header) return 0;
  memcpy(header, bytes, start);
  JDIMENSION height = info->image_height - cut;
  header[place] = (uint8_t)(height >> 8);
  header[place + 1] = (uint8_t)height;

  window->header = header;
  window->rest = bytes + rest;
  window->rest_bytes = count - rest;
  window->manager.next_input_byte = header;
  window->manager.bytes_in_buffer = start;
  window->manager.init_source = ignore;
  window->manager.fill_input_buffer = fill;
  window->manager.skip_input_data = skip;
  window->manager.resync_to_restart = jpeg_resync_to_restart;
  window->manager.term_source = ignore;
  return left_out;
}

void jpeg_window_close(jpeg_window *window) {
  free(window->header);
  window->header = NULL;
}

#endif
