// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// glibc's allocator settings, which Swift's Glibc module doesn't include.
#pragma once

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif
