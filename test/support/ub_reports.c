/* Linked into every program that is built with the address sanitizer and the one for undefined behaviour. GCC keeps
 * them in two libraries, and in that company the latter ignores its log_path: what it found in a stage would go to
 * the stage's log, where nobody looks. Where to is told by scripts/sanitizers.sh. */
#include <dlfcn.h>
#include <stdlib.h>

__attribute__((constructor)) static void tell_where(void)
{
	const char *path = getenv("CAIRN_UB_REPORTS");
	void *library = path != NULL ? dlopen("libubsan.so.1", RTLD_NOLOAD | RTLD_NOW) : NULL;
	void (*set_path)(const char *path) = NULL;
	if (library != NULL)
		*(void **)&set_path = dlsym(library, "__sanitizer_set_report_path");
	if (set_path != NULL)
		set_path(path);
}
