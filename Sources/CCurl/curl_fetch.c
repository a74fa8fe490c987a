// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#include "curl_fetch.h"

#include <stdlib.h>
#include <string.h>

// Constants of libcurl's stable interface (curl/curl.h).
enum {
  OPTION_WRITEDATA = 10001,
  OPTION_URL = 10002,
  OPTION_ERRORBUFFER = 10010,
  OPTION_CAINFO = 10065,
  OPTION_WRITEFUNCTION = 20011,
  OPTION_TIMEOUT = 13,
  OPTION_LOW_SPEED_LIMIT = 19,
  OPTION_LOW_SPEED_TIME = 20,
  OPTION_FOLLOWLOCATION = 52,
  OPTION_MAXREDIRS = 68,
  OPTION_CONNECTTIMEOUT = 78,
  OPTION_NOSIGNAL = 99,
  OPTION_PROTOCOLS = 181,
  OPTION_REDIR_PROTOCOLS = 182,
  INFO_RESPONSE_CODE = 0x200002,
  INFO_OS_ERRNO = 0x200019,
  INFO_CONNECT_TIME = 0x300005,
  PROTOCOLS_HTTP_AND_HTTPS = 3,
};

typedef struct {
  CurlAnswer *answer;
  size_t capacity;
} Receiver;

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
  Receiver *receiver = context;
  CurlAnswer *answer = receiver->answer;
  count *= size;
  if (count > CurlMostBytes - answer->count) {
    answer->is_too_large = 1;
    return 0;
  }
  if (answer->count + count > receiver->capacity) {
    size_t capacity = receiver->capacity * 2;
    if (capacity < answer->count + count) capacity = answer->count + count;
    uint8_t *grown = realloc(answer->bytes, capacity);
    if (!grown) return 0;
    answer->bytes = grown;
    receiver->capacity = capacity;
  }
  memcpy(answer->bytes + answer->count, bytes, count);
  answer->count += count;
  return count;
}

CurlAnswer curl_fetch(
  const CurlFunctions *curl, void *handle, const char *address, const char *authorities) {
  CurlAnswer answer = {0};
  Receiver receiver = {.answer = &answer};
  curl->easy_reset(handle);
  curl->easy_setopt(handle, OPTION_URL, address);
  curl->easy_setopt(handle, OPTION_ERRORBUFFER, answer.reason);
  curl->easy_setopt(handle, OPTION_WRITEFUNCTION, receive);
  curl->easy_setopt(handle, OPTION_WRITEDATA, &receiver);
  curl->easy_setopt(handle, OPTION_NOSIGNAL, 1L);
  curl->easy_setopt(handle, OPTION_PROTOCOLS, (long)PROTOCOLS_HTTP_AND_HTTPS);
  curl->easy_setopt(handle, OPTION_REDIR_PROTOCOLS, (long)PROTOCOLS_HTTP_AND_HTTPS);
  curl->easy_setopt(handle, OPTION_FOLLOWLOCATION, 1L);
  curl->easy_setopt(handle, OPTION_MAXREDIRS, (long)CurlMostRedirections);
  curl->easy_setopt(handle, OPTION_CONNECTTIMEOUT, (long)CurlConnectSeconds);
  curl->easy_setopt(handle, OPTION_LOW_SPEED_LIMIT, 1L);
  curl->easy_setopt(handle, OPTION_LOW_SPEED_TIME, (long)CurlSilentSeconds);
  curl->easy_setopt(handle, OPTION_TIMEOUT, (long)CurlMostSeconds);
  if (authorities) curl->easy_setopt(handle, OPTION_CAINFO, authorities);
  answer.code = curl->easy_perform(handle);
  double connect_time = 0;
  curl->easy_getinfo(handle, INFO_RESPONSE_CODE, &answer.status);
  curl->easy_getinfo(handle, INFO_OS_ERRNO, &answer.system_error);
  curl->easy_getinfo(handle, INFO_CONNECT_TIME, &connect_time);
  answer.was_connected = connect_time > 0;
  if (answer.code && !answer.reason[0])
    strncpy(answer.reason, curl->easy_strerror(answer.code), sizeof answer.reason - 1);
  // Remove the pointers to this call's buffers from the handle.
  curl->easy_reset(handle);
  return answer;
}
