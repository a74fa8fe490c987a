// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#include <stdio.h>

#include <jpeglib.h>

#include "CBaseline.h"

size_t baseline_decode_jpeg(const uint8_t *bytes, size_t count, uint8_t *pixels) {
  struct jpeg_decompress_struct info;
  struct jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, bytes, (unsigned long)count);
  jpeg_read_header(&info, TRUE);
  info.out_color_space = JCS_RGB;
  jpeg_start_decompress(&info);
  size_t stride = (size_t)info.output_width * 3;
  if (pixels) {
    while (info.output_scanline < info.output_height) {
      JSAMPROW row = pixels + info.output_scanline * stride;
      jpeg_read_scanlines(&info, &row, 1);
    }
    jpeg_finish_decompress(&info);
  }
  size_t needed = stride * info.output_height;
  jpeg_destroy_decompress(&info);
  return needed;
}
