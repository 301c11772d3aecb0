/* Preloaded into a stack: the first program of the name $CAIRN_TEST_PROGRAM that starts while the file $CAIRN_TEST_FLAG is there takes
 * it away and 200 MB of memory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BYTES ((size_t)200 << 20)

__attribute__((constructor)) static void grow(void)
{
	static char *volatile kept;
	const char *name = getenv("CAIRN_TEST_PROGRAM"), *flag = getenv("CAIRN_TEST_FLAG");
	if (name == NULL || flag == NULL || strcmp(name, program_invocation_short_name) != 0 ||
	    unlink(flag) != 0)
		return;
	kept = malloc(BYTES);
	if (kept != NULL)
		memset(kept, 1, BYTES);
}
