// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// A download with libcurl. Its central function is variadic, so Swift cannot call it. The library
// is opened when the program runs.

#ifndef CURL_FETCH_H
#define CURL_FETCH_H

#include <stddef.h>
#include <stdint.h>

// The functions of libcurl, named without the prefix `curl_`.
typedef struct {
  int (*global_init)(long flags);
  void *(*easy_init)(void);
  int (*easy_setopt)(void *handle, int option, ...);
  int (*easy_perform)(void *handle);
  int (*easy_getinfo)(void *handle, int info, ...);
  void (*easy_reset)(void *handle);
  const char *(*easy_strerror)(int code);
} CurlFunctions;

// The limits of a download.
enum {
  CurlMostBytes = 128 << 20,  // Twice the size of the largest cameras' JPEGs.
  CurlConnectSeconds = 4,     // A command reports an unreachable server within five seconds.
  CurlSilentSeconds = 30,
  CurlMostSeconds = 60,
  CurlMostRedirections = 5,
};

// The result of a download.
typedef struct {
  uint8_t *bytes;        // The caller must free them.
  size_t count;
  int is_too_large;      // Whether there were more bytes than allowed.
  int code;              // The code of libcurl; 0 when the server responded.
  long status;           // The status of the response.
  long system_error;     // The errno of a connection that failed.
  int was_connected;     // Whether there was a connection.
  char reason[256];      // The error message of libcurl.
} CurlAnswer;

// The codes of libcurl that callers distinguish.
enum {
  CurlUnsupportedProtocol = 1,
  CurlMalformedAddress = 3,
  CurlUnknownHost = 6,
  CurlCannotConnect = 7,
  CurlWeirdAnswer = 8,
  CurlPartialFile = 18,
  CurlTimedOut = 28,
  CurlTLSFailed = 35,
  CurlTooManyRedirections = 47,
  CurlEmptyAnswer = 52,
  CurlBrokenConnection = 56,
  CurlRefusedCertificate = 60,
  CurlUnusableAuthorities = 77,
};

// Downloads the content of an http or https URL into memory.
//
// `handle` comes from `easy_init` and is used by one thread at a time. It keeps connections for the
// next download. `authorities` is a PEM file of certificates to trust instead of the system's, or
// null.
CurlAnswer curl_fetch(
  const CurlFunctions *curl, void *handle, const char *address, const char *authorities);

#endif
