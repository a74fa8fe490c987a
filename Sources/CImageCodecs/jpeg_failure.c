// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if defined(__linux__)

#include "jpeg_parts.h"

#include <jerror.h>

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
  char text[JMSG_LENGTH_MAX];
  info->err->format_message(info, text);
  jpeg_failure_throw(info, status_of(info->err->msg_code), text);
}

// libjpeg warns about damaged data (level -1) and continues with made-up pixels.
static void stop_at_warning(j_common_ptr info, int level) {
  if (level >= 0) return;
  switch (info->err->msg_code) {
    case JWRN_ADOBE_XFORM:  // An unknown colour transform is guessed, but the data is intact.
    case JWRN_BOGUS_ICC:
    case JWRN_EXTRANEOUS_DATA:  // Some cameras pad between markers; a cut scan has another warning.
    case JWRN_JFIF_MAJOR:
      return;
    default:
      fail(info);
  }
}

static void ignore_message(j_common_ptr info) { (void)info; }

void jpeg_failure_begin(jpeg_failure *self, image_codec_message *message) {
  jpeg_std_error(&self->errors);
  self->errors.error_exit = fail;
  self->errors.emit_message = stop_at_warning;
  self->errors.output_message = ignore_message;
  self->status = IMAGE_CODEC_OK;
  self->message = message;
  message->text[0] = 0;
}

void jpeg_failure_throw(j_common_ptr info, image_codec_status status, const char *text) {
  jpeg_failure *self = (jpeg_failure *)info->err;
  snprintf(self->message->text, sizeof self->message->text, "%s", text);
  self->status = status;
  longjmp(self->escape, 1);
}

#endif
