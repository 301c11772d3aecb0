/* blot.h - a secret that a service repeats is overwritten before anybody sees, logs or records its answer.
 *
 * A service may repeat the key as it is, or written another way: as a JSON escape ("\/", "\u0073", also escaped once more
 * inside a JSON text), as a percent code, as an HTML entity, or with characters inside that nobody sees and that cleaning
 * removes later. All of these are found in the text as it came, so the text need not be parsed and stays as valid as
 * it was. What is only joined when it is read (an answer in several parts) is found by reading it. */
#ifndef CAIRN_COMMON_VLM_BLOT_H
#define CAIRN_COMMON_VLM_BLOT_H

#include "common/vlm/provider.h"

#define CAIRN_BLOT_KEY_MIN 4 /* shorter ones are no keys: they would eat the text */

/* Overwrites each occurrence of key with '*', in place; how many there were. A beginning of the key at the very end of
 * the text (of at least 8 characters) counts: the rest was cut off. key may be NULL. */
size_t cairn_blot(char *text, size_t count, const char *key);

/* True when what a reader makes of this body holds the key, although the body itself does not: it came in parts. */
bool cairn_blot_joined(const struct cairn_provider *format, const char *body, size_t count, const char *key);

#endif
