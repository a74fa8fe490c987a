// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <openssl/crypto.h>
#include <openssl/evp.h>
