// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#include "curl_transfer.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

// Constants of libcurl's stable interface (curl/curl.h, curl/multi.h).
enum {
  OPTION_WRITEDATA = 10001,
  OPTION_URL = 10002,
  OPTION_USERPWD = 10005,
  OPTION_RANGE = 10007,
  OPTION_ERRORBUFFER = 10010,
  OPTION_HTTPHEADER = 10023,
  OPTION_HEADERDATA = 10029,
  OPTION_CAINFO = 10065,
  OPTION_COPYPOSTFIELDS = 10165,
  OPTION_AWS_SIGV4 = 10305,
  OPTION_WRITEFUNCTION = 20011,
  OPTION_HEADERFUNCTION = 20079,
  OPTION_TIMEOUT = 13,
  OPTION_LOW_SPEED_LIMIT = 19,
  OPTION_LOW_SPEED_TIME = 20,
  OPTION_FOLLOWLOCATION = 52,
  OPTION_MAXREDIRS = 68,
  OPTION_CONNECTTIMEOUT = 78,
  OPTION_NOSIGNAL = 99,
  OPTION_PROTOCOLS = 181,
  OPTION_REDIR_PROTOCOLS = 182,
  OPTION_PATH_AS_IS = 234,
  INFO_RESPONSE_CODE = 0x200002,
  INFO_OS_ERRNO = 0x200019,
  INFO_CONNECT_TIME = 0x300005,
  INFO_RETRY_AFTER = 0x600039,
  PROTOCOLS_HTTP_AND_HTTPS = 3,
  OUT_OF_MEMORY = 27,
};

// The beginning of libcurl's `CURLMsg`.
typedef struct {
  int kind;
  void *handle;
  union {
    void *pointer;
    int code;
  } result;
} Message;

struct CurlTransfer {
  CurlFunctions curl;
  void *easy;
  void *multi;
  void *fields;
  uint8_t *memory;  // Begins with the bytes that were taken.
  size_t capacity;
  int is_file;
  CurlAnswer answer;
};

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
  CurlTransfer *transfer = context;
  CurlAnswer *answer = &transfer->answer;
  count *= size;
  if (transfer->is_file && count > CurlMostBytes - answer->count) {
    answer->is_too_large = 1;
    return 0;
  }
  size_t taken = transfer->memory ? answer->bytes - transfer->memory : 0;
  if (taken + answer->count + count > transfer->capacity) {
    // The bytes that are there move to the beginning before the memory grows.
    if (taken) memmove(transfer->memory, answer->bytes, answer->count);
    if (answer->count + count > transfer->capacity) {
      size_t capacity = transfer->capacity * 2;
      if (capacity < answer->count + count) capacity = answer->count + count;
      uint8_t *grown = realloc(transfer->memory, capacity);
      if (!grown) return 0;
      transfer->memory = grown;
      transfer->capacity = capacity;
    }
    answer->bytes = transfer->memory;
  }
  memcpy(answer->bytes + answer->count, bytes, count);
  answer->count += count;
  return count;
}

// Copies a header field's value if the field has that name.
static void copy_field(
  const char *name, const char *bytes, size_t count, char *value, size_t capacity) {
  size_t length = strlen(name);
  if (count <= length || strncasecmp(bytes, name, length)) return;
  for (bytes += length, count -= length; count && *bytes == ' '; count--) bytes++;
  while (count && (bytes[count - 1] == '\r' || bytes[count - 1] == '\n')) count--;
  if (count >= capacity) return;
  memcpy(value, bytes, count);
  value[count] = 0;
}

static size_t receive_field(char *bytes, size_t size, size_t count, void *context) {
  CurlAnswer *answer = &((CurlTransfer *)context)->answer;
  count *= size;
  copy_field("etag:", bytes, count, answer->tag, sizeof answer->tag);
  copy_field("x-amz-bucket-region:", bytes, count, answer->region, sizeof answer->region);
  return count;
}

CurlTransfer *curl_transfer_make(CurlFunctions curl) {
  CurlTransfer *transfer = calloc(1, sizeof(CurlTransfer));
  if (!transfer) return NULL;
  transfer->curl = curl;
  transfer->easy = curl.easy_init();
  transfer->multi = curl.multi_init();
  return transfer->easy && transfer->multi ? transfer : NULL;
}

static void finish(CurlTransfer *transfer, int code) {
  const CurlFunctions *curl = &transfer->curl;
  CurlAnswer *answer = &transfer->answer;
  double connect_time = 0;
  answer->is_over = 1;
  answer->code = code;
  curl->easy_getinfo(transfer->easy, INFO_OS_ERRNO, &answer->system_error);
  curl->easy_getinfo(transfer->easy, INFO_CONNECT_TIME, &connect_time);
  curl->easy_getinfo(transfer->easy, INFO_RETRY_AFTER, &answer->retry_seconds);
  answer->was_connected = connect_time > 0;
  if (code && !answer->reason[0])
    strncpy(answer->reason, curl->easy_strerror(code), sizeof answer->reason - 1);
}

void curl_transfer_begin(CurlTransfer *transfer, const CurlRequest *request) {
  const CurlFunctions *curl = &transfer->curl;
  void *easy = transfer->easy;
  transfer->answer = (CurlAnswer){0};
  transfer->is_file = request->is_file;
  curl->easy_reset(easy);
  curl->easy_setopt(easy, OPTION_URL, request->address);
  curl->easy_setopt(easy, OPTION_ERRORBUFFER, transfer->answer.reason);
  curl->easy_setopt(easy, OPTION_WRITEFUNCTION, receive);
  curl->easy_setopt(easy, OPTION_WRITEDATA, transfer);
  curl->easy_setopt(easy, OPTION_HEADERFUNCTION, receive_field);
  curl->easy_setopt(easy, OPTION_HEADERDATA, transfer);
  curl->easy_setopt(easy, OPTION_NOSIGNAL, 1L);
  curl->easy_setopt(easy, OPTION_PROTOCOLS, (long)PROTOCOLS_HTTP_AND_HTTPS);
  curl->easy_setopt(easy, OPTION_REDIR_PROTOCOLS, (long)PROTOCOLS_HTTP_AND_HTTPS);
  curl->easy_setopt(easy, OPTION_FOLLOWLOCATION, (long)request->follows);
  curl->easy_setopt(easy, OPTION_MAXREDIRS, (long)CurlMostRedirections);
  curl->easy_setopt(easy, OPTION_CONNECTTIMEOUT, (long)CurlConnectSeconds);
  curl->easy_setopt(easy, OPTION_LOW_SPEED_LIMIT, 1L);
  curl->easy_setopt(easy, OPTION_LOW_SPEED_TIME, (long)CurlSilentSeconds);
  if (request->is_file) curl->easy_setopt(easy, OPTION_TIMEOUT, (long)CurlMostSeconds);
  if (request->authorities) curl->easy_setopt(easy, OPTION_CAINFO, request->authorities);
  if (request->range) curl->easy_setopt(easy, OPTION_RANGE, request->range);
  if (request->condition)
    transfer->fields = curl->slist_append(transfer->fields, request->condition);
  if (request->authorization)
    transfer->fields = curl->slist_append(transfer->fields, request->authorization);
  if (request->body) {
    curl->easy_setopt(easy, OPTION_COPYPOSTFIELDS, request->body);
    transfer->fields = curl->slist_append(transfer->fields, "Content-Type: application/json");
    // Without this, a large body waits for the server's permission.
    transfer->fields = curl->slist_append(transfer->fields, "Expect:");
  }
  int code = 0;
  if (request->credentials) {
    // The signature covers the path as it is written.
    curl->easy_setopt(easy, OPTION_PATH_AS_IS, 1L);
    curl->easy_setopt(easy, OPTION_USERPWD, request->credentials);
    code = curl->easy_setopt(easy, OPTION_AWS_SIGV4, request->signing);
    if (request->token) transfer->fields = curl->slist_append(transfer->fields, request->token);
  }
  if (transfer->fields) curl->easy_setopt(easy, OPTION_HTTPHEADER, transfer->fields);
  if (!code && curl->multi_add_handle(transfer->multi, easy)) code = OUT_OF_MEMORY;
  if (code) finish(transfer, code);
}

const CurlAnswer *curl_transfer_await(CurlTransfer *transfer, size_t count) {
  const CurlFunctions *curl = &transfer->curl;
  CurlAnswer *answer = &transfer->answer;
  // Nothing is received between two calls, so a slow caller slows down the server.
  while (!answer->is_over && answer->count < count) {
    int number = 0;
    if (curl->multi_perform(transfer->multi, &number)) {
      finish(transfer, OUT_OF_MEMORY);
      break;
    }
    const Message *message = curl->multi_info_read(transfer->multi, &number);
    if (message) {
      finish(transfer, message->result.code);
    } else if (answer->count < count) {
      number = 0;
      curl->multi_wait(transfer->multi, NULL, 0, 1000, &number);
      // Without a connection, such as while a name is resolved, nothing is waited for.
      if (!number) nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
  }
  curl->easy_getinfo(transfer->easy, INFO_RESPONSE_CODE, &answer->status);
  return answer;
}

void curl_transfer_take(CurlTransfer *transfer, size_t count) {
  transfer->answer.bytes += count;
  transfer->answer.count -= count;
}

void curl_transfer_end(CurlTransfer *transfer) {
  const CurlFunctions *curl = &transfer->curl;
  curl->multi_remove_handle(transfer->multi, transfer->easy);
  // Remove the pointers to this download's memory from the handle.
  curl->easy_reset(transfer->easy);
  curl->slist_free_all(transfer->fields);
  transfer->fields = NULL;
  free(transfer->memory);
  transfer->memory = NULL;
  transfer->capacity = 0;
  transfer->answer.bytes = NULL;
  transfer->answer.count = 0;
}
