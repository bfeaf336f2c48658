// SPDX-License-Identifier: Apache-2.0
// 64-bit FNV-1a hash, for provenance and change detection.  It is not cryptographic.
#ifndef DC_BASE_HASH_H
#define DC_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define DC_HASH_SEED UINT64_C(0xcbf29ce484222325)

uint64_t dc_hash(uint64_t seed, const void *bytes, size_t count);

#endif
