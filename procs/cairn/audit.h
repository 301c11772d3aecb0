/* audit.h - one decision of the journal, with what came of it, as one page. */
#ifndef CAIRN_PROCS_CAIRN_AUDIT_H
#define CAIRN_PROCS_CAIRN_AUDIT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct audit_page {
	const json_t *decision, *result;      /* records of the journal; result NULL: none came */
	const char *verdict;                  /* on the journal, one line */
	const unsigned char *picture, *above; /* JPEG that the model was sent; NULL: not kept */
	size_t picture_bytes, above_bytes;
	const char *picture_name;
	bool picture_right; /* its hash is that of the record */
};

void audit_text(const struct audit_page *page, FILE *out);
void audit_html(const struct audit_page *page, FILE *out);

#endif
