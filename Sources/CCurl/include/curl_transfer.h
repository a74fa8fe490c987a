// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// Downloads with libcurl. Its central functions are variadic, so Swift cannot call them. The library
// is opened when the program runs.

#ifndef CURL_TRANSFER_H
#define CURL_TRANSFER_H

#include <stddef.h>
#include <stdint.h>

// The functions of libcurl, named without the prefix `curl_`.
typedef struct {
  int (*global_init)(long flags);
  void *(*easy_init)(void);
  int (*easy_setopt)(void *handle, int option, ...);
  int (*easy_getinfo)(void *handle, int info, ...);
  void (*easy_reset)(void *handle);
  const char *(*easy_strerror)(int code);
  void *(*multi_init)(void);
  int (*multi_add_handle)(void *multi, void *handle);
  int (*multi_remove_handle)(void *multi, void *handle);
  int (*multi_perform)(void *multi, int *running);
  int (*multi_wait)(void *multi, void *files, unsigned count, int milliseconds, int *ready);
  void *(*multi_info_read)(void *multi, int *left);
  void *(*slist_append)(void *list, const char *text);
  void (*slist_free_all)(void *list);
} CurlFunctions;

// The limits of a download.
enum {
  CurlMostBytes = 128 << 20,  // Twice the size of the largest cameras' JPEGs.
  CurlConnectSeconds = 4,     // A command reports an unreachable server within five seconds.
  CurlSilentSeconds = 30,
  CurlMostSeconds = 60,
  CurlMostRedirections = 5,
};

// What is requested. The texts are copied.
typedef struct {
  const char *address;      // An http or https URL.
  const char *authorities;  // A PEM file of certificates to trust instead of the system's, or null.
  const char *range;        // The bytes, such as "100-", or null for all.
  const char *condition;    // A header field, or null.
  const char *credentials;  // The key and its secret, such as "KEY:SECRET", or null for none.
  const char *signing;      // How libcurl signs with them, such as "aws:amz:us-east-1:s3".
  const char *token;        // A header field that is signed, too, or null.
  int is_file;              // Whether all bytes are kept in memory, with limits on size and time.
  int follows;              // Whether redirections are followed.
  const char *authorization;  // A header field, or null.
  const char *body;         // A document of JSON that is sent with POST, or null for GET.
} CurlRequest;

// The state of a download.
typedef struct {
  uint8_t *bytes;         // The bytes that were received and not taken.
  size_t count;
  int is_over;            // Whether no more bytes arrive.
  int is_too_large;       // Whether there were more bytes than allowed.
  int code;               // The code of libcurl; 0 when the server responded.
  long status;            // The status of the response.
  long system_error;      // The errno of a connection that failed.
  int was_connected;      // Whether there was a connection.
  int64_t retry_seconds;  // How long the server asks to wait; 0 if it doesn't.
  char tag[128];          // The field ETag of the response.
  char region[64];        // The field x-amz-bucket-region.
  char reason[256];       // The error message of libcurl.
} CurlAnswer;

// The codes of libcurl that callers distinguish.
enum {
  CurlUnsupportedProtocol = 1,
  CurlMalformedAddress = 3,
  CurlUnknownHost = 6,
  CurlCannotConnect = 7,
  CurlWeirdAnswer = 8,
  CurlBrokenStream = 16,
  CurlPartialFile = 18,
  CurlTimedOut = 28,
  CurlTLSFailed = 35,
  CurlTooManyRedirections = 47,
  CurlUnknownOption = 48,
  CurlEmptyAnswer = 52,
  CurlBrokenSending = 55,
  CurlBrokenConnection = 56,
  CurlRefusedCertificate = 60,
  CurlUnusableAuthorities = 77,
  CurlResetStream = 92,
};

// A download, whose connections stay open for the next one. One thread at a time uses it.
typedef struct CurlTransfer CurlTransfer;

// Makes a transfer, or returns null if memory can't be allocated. It is never freed.
CurlTransfer *curl_transfer_make(CurlFunctions curl);

// Begins a download. It must be ended.
void curl_transfer_begin(CurlTransfer *transfer, const CurlRequest *request);

// Waits until a number of bytes is there or the download is over, and returns its state.
const CurlAnswer *curl_transfer_await(CurlTransfer *transfer, size_t count);

// Removes bytes that are there.
void curl_transfer_take(CurlTransfer *transfer, size_t count);

// Ends a download, and frees its bytes.
void curl_transfer_end(CurlTransfer *transfer);

#endif
