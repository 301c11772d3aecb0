/* words.h - what names of things tell: containers, surfaces, and rooms by what stands in them. */
#ifndef CAIRN_COMMON_SCENE_WORDS_H
#define CAIRN_COMMON_SCENE_WORDS_H

#include <stdbool.h>

struct cairn_scene_word {
	const char *word; /* of a label, in lower case */
	bool container, occludes, surface;
	const char *room; /* that it speaks for, or NULL */
	int weight;
};

/* The row of the table whose word stands in the label; the longest one. NULL: none does. */
const struct cairn_scene_word *cairn_scene_word(const char *label);
/* Does the word stand in the text as a whole word, whatever the case? */
bool cairn_scene_has_word(const char *text, const char *word);

#endif
