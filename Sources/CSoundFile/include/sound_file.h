// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// Reading of audio files with libsndfile, which is opened when the program runs. Its header isn't
// needed: the interface below is that of the library's version 1.0.18 and all later ones.

#ifndef CSOUNDFILE_H
#define CSOUNDFILE_H

#include <stddef.h>
#include <stdint.h>

// The format of a file: SF_INFO.
typedef struct {
  int64_t frames;  // The largest integer if the file doesn't say it.
  int sample_rate;
  int channels;
  int format;
  int sections;
  int is_seekable;
} sound_info;

// How the library reads a file that isn't on a disk: SF_VIRTUAL_IO.
typedef struct {
  int64_t (*size)(void *context);
  int64_t (*seek)(int64_t offset, int origin, void *context);
  int64_t (*read)(void *bytes, int64_t count, void *context);
  int64_t (*write)(const void *bytes, int64_t count, void *context);
  int64_t (*tell)(void *context);
} sound_source;

// The functions that are used: X(name without sf_, result, arguments).
#define SOUND_FUNCTIONS(X)                                                 \
  X(close, int, (void *file))                                              \
  X(error, int, (void *file))                                              \
  X(open_fd, void *, (int descriptor, int mode, sound_info *, int closes)) \
  X(open_virtual, void *, (sound_source *, int mode, sound_info *, void *context)) \
  X(readf_float, int64_t, (void *file, float *samples, int64_t frames))    \
  X(strerror, const char *, (void *file))

typedef struct {
#define SOUND_MEMBER(name, result, arguments) result(*name) arguments;
  SOUND_FUNCTIONS(SOUND_MEMBER)
#undef SOUND_MEMBER
} sound_functions;

// Parts of `format`.
enum {
  SoundContainerMask = 0x0FFF0000,
  SoundWAV = 0x010000,
  SoundExtensibleWAV = 0x130000,
  SoundFLAC = 0x170000,
  SoundOgg = 0x200000,
  SoundRF64 = 0x220000,
  SoundEncodingMask = 0xFFFF,
};

// An open file.
typedef struct sound_file sound_file;

// Returns the name of a function by its index in the structure, or NULL after the last one.
const char *sound_function_name(long index);

// Opens the file of a descriptor, which the caller closes after this file.
//
// Returns NULL if the library can't read it. The reason is `strerror(NULL)`.
sound_file *sound_open_descriptor(
  const sound_functions *library, int descriptor, sound_info *info);

// Opens a file in memory. The bytes are copied.
sound_file *sound_open_bytes(
  const sound_functions *library, const void *bytes, size_t count, sound_info *info);

// Reads the next frames as interleaved samples, and returns their number. It is less than requested
// at the end, and after an error, which `message` then receives; otherwise, it is NULL.
int64_t sound_read(sound_file *file, float *samples, int64_t frames, const char **message);

void sound_close(sound_file *file);

#endif
