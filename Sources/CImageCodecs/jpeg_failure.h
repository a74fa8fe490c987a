// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// Turns libjpeg's errors and warnings into a status and a message.

#ifndef JPEG_FAILURE_H
#define JPEG_FAILURE_H

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include "CImageCodecs.h"

// libjpeg's structures point to `errors`, so it must be the first member.
typedef struct {
  struct jpeg_error_mgr errors;
  jmp_buf escape;
  image_codec_status status;
  image_codec_message *message;
} jpeg_failure;

// Makes errors and warnings about damaged data jump to `escape`, which the caller sets.
void jpeg_failure_begin(jpeg_failure *self, image_codec_message *message);

// Jumps to `escape` with a message.
void jpeg_failure_throw(j_common_ptr info, image_codec_status status, const char *text);

#endif
