// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// One download through libcurl, whose central function takes a variable number of arguments, so that
// Swift cannot call it. The library is opened when the program runs.

#ifndef CURL_FETCH_H
#define CURL_FETCH_H

#include <stddef.h>
#include <stdint.h>

// The functions of libcurl, by their names without the prefix `curl_`.
typedef struct {
  int (*global_init)(long flags);
  void *(*easy_init)(void);
  int (*easy_setopt)(void *handle, int option, ...);
  int (*easy_perform)(void *handle);
  int (*easy_getinfo)(void *handle, int info, ...);
  void (*easy_reset)(void *handle);
  const char *(*easy_strerror)(int code);
} CurlFunctions;

// What a download may take.
typedef struct {
  size_t bytes;
  long connect_seconds;
  long silent_seconds;
  long seconds;
  long redirections;
} CurlLimits;

// What came of a download.
typedef struct {
  uint8_t *bytes;        // the caller frees them
  size_t count;
  int is_too_large;      // whether there were more bytes than allowed
  int code;              // libcurl's; 0 when the server answered
  long status;           // the answer's
  long system_error;     // errno of a connection that failed
  int was_connected;     // whether there was a connection
  char reason[256];      // libcurl's own words
} CurlAnswer;

// Codes of libcurl that callers tell apart.
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

// Downloads what is behind an address of http or https into memory.
//
// `handle` is of `easy_init`, used by one thread at a time; it keeps connections for the next download.
// `authorities` is a file of certificates in PEM that are trusted in place of the system's, or null.
CurlAnswer curl_fetch(
  const CurlFunctions *curl, void *handle, const char *address, const char *authorities,
  CurlLimits limits);

#endif
