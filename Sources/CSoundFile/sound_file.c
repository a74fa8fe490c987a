// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#include "sound_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sound_file {
  sound_functions library;
  void *handle;
  uint8_t *bytes;
  int64_t count;
  int64_t position;
};

enum { MODE_READ = 0x10 };

const char *sound_function_name(long index) {
#define NAME(name, result, arguments) "sf_" #name,
  static const char *const names[] = {SOUND_FUNCTIONS(NAME)};
#undef NAME
  const long count = sizeof names / sizeof *names;
  return index < 0 || index >= count ? NULL : names[index];
}

// MARK: Memory

static int64_t memory_size(void *context) { return ((sound_file *)context)->count; }

static int64_t memory_tell(void *context) { return ((sound_file *)context)->position; }

static int64_t memory_seek(int64_t offset, int origin, void *context) {
  sound_file *file = context;
  int64_t start = origin == SEEK_SET ? 0 : origin == SEEK_CUR ? file->position : file->count;
  int64_t position;
  // A position after the end is valid: reading there returns nothing.
  if (__builtin_add_overflow(start, offset, &position) || position < 0) return -1;
  return file->position = position;
}

static int64_t memory_read(void *bytes, int64_t count, void *context) {
  sound_file *file = context;
  if (file->position >= file->count || count <= 0) return 0;
  int64_t rest = file->count - file->position;
  if (count > rest) count = rest;
  memcpy(bytes, file->bytes + file->position, (size_t)count);
  file->position += count;
  return count;
}

static int64_t memory_write(const void *bytes, int64_t count, void *context) {
  (void)bytes;
  (void)count;
  (void)context;
  return 0;
}

// MARK: Files

static sound_file *opened(sound_file *file) {
  if (file->handle != NULL) return file;
  free(file->bytes);
  free(file);
  return NULL;
}

sound_file *sound_open_descriptor(
    const sound_functions *library, int descriptor, sound_info *info) {
  sound_file *file = calloc(1, sizeof *file);
  if (file == NULL) return NULL;
  file->library = *library;
  *info = (sound_info){0};
  file->handle = library->open_fd(descriptor, MODE_READ, info, 0);
  return opened(file);
}

sound_file *sound_open_bytes(
    const sound_functions *library, const void *bytes, size_t count, sound_info *info) {
  sound_file *file = calloc(1, sizeof *file);
  if (file == NULL) return NULL;
  file->library = *library;
  *info = (sound_info){0};
  file->bytes = malloc(count > 0 ? count : 1);
  if (file->bytes != NULL) {
    if (count > 0) memcpy(file->bytes, bytes, count);
    file->count = (int64_t)count;
    sound_source source = {memory_size, memory_seek, memory_read, memory_write, memory_tell};
    file->handle = library->open_virtual(&source, MODE_READ, info, file);
  }
  return opened(file);
}

int64_t sound_read(sound_file *file, float *samples, int64_t frames, const char **message) {
  int64_t count = file->library.readf_float(file->handle, samples, frames);
  *message = file->library.error(file->handle) == 0 ? NULL : file->library.strerror(file->handle);
  return count;
}

void sound_close(sound_file *file) {
  if (file == NULL) return;
  file->library.close(file->handle);
  free(file->bytes);
  free(file);
}
