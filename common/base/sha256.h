/* sha256.h - SHA-256 (FIPS 180-4) of bytes in memory. */
#ifndef CAIRN_COMMON_BASE_SHA256_H
#define CAIRN_COMMON_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define CAIRN_SHA256_HEX 65 /* 64 lower-case digits and the NUL */

void cairn_sha256(const void *data, size_t bytes, uint8_t ret[32]);
void cairn_sha256_hex(const void *data, size_t bytes, char ret[CAIRN_SHA256_HEX]);

#endif
