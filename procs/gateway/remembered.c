#include "procs/gateway/remembered.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "common/base/file.h"
#include "common/base/geom.h"

/* A session begins with `cairn up`, which writes the configuration in force anew; a stage that is started again does not. */
static uint64_t session_of(const struct cairn_stage *stage)
{
	char path[400];
	struct stat st;
	snprintf(path, sizeof(path), "%s/config.yaml", cairn_stage_run_dir(stage));
	return stat(path, &st) == 0 ? (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec
				    : 1;
}

static void keep_bad(const char *path, char *aside, size_t bytes)
{
	snprintf(aside, bytes, "%s.bad", path);
	(void)rename(path, aside);
}

static void resume_spending(struct remembered *r, const struct cairn_ledger *ledger)
{
	struct cairn_budget *budget = cairn_dialog_budget(r->dialog);
	struct cairn_spending spent = {0};
	struct cairn_error why = {""};
	int64_t now_ns = cairn_now_ns();
	char aside[520];
	size_t len = 0;
	char *text = cairn_file_read(r->spending_path, CAIRN_FILE_OWN, CAIRN_SPENDING_BYTES_MAX, &len, &why);
	bool missing = text == NULL && errno == ENOENT;
	bool ok = text != NULL && cairn_spending_read(&spent, text, len, &why);
	free(text);
	cairn_budget_resume(budget, ledger, &spent, session_of(r->stage), cairn_unix_ns(), now_ns);
	if (ok || missing)
		return;
	keep_bad(r->spending_path, aside, sizeof(aside));
	cairn_budget_carry_on(budget, ledger, now_ns);
	cairn_log_error(
	    "%s: %s; it is kept as %s, and what the memory's ledger has counts as spent in this hour",
	    r->spending_path, why.text, aside);
}

void remembered_load(
    struct remembered *r, struct cairn_stage *stage, struct cairn_dialog *dialog, const char *folder)
{
	struct cairn_memory *memory = cairn_dialog_memory(dialog);
	struct cairn_error why = {""};
	struct cairn_ledger ledger = {0};
	char aside[520];
	*r = (struct remembered){.stage = stage, .dialog = dialog};
	snprintf(r->memory_path, sizeof(r->memory_path), "%s/memory.yaml", folder);
	snprintf(r->spending_path, sizeof(r->spending_path), "%s/" CAIRN_SPENDING_FILE_NAME, folder);
	if (!cairn_memory_load(memory, &ledger, r->memory_path, &why)) {
		keep_bad(r->memory_path, aside, sizeof(aside));
		cairn_log_error("%s; it is kept as %s, the memory starts empty", why.text, aside);
	}
	memory->local_scene[0] = '\0';
	resume_spending(r, &ledger);
	if (ledger.calls > 0)
		cairn_log_info("goes on after %llu calls for %.4f USD, with %u rooms in memory",
		    (unsigned long long)ledger.calls, ledger.cost_usd, memory->rooms_count);
}

void remembered_save(struct remembered *r)
{
	struct cairn_error err = {""};
	const struct cairn_budget *budget = cairn_dialog_budget(r->dialog);
	bool *changed = cairn_dialog_changed(r->dialog);
	if (*changed) {
		bool ok =
		    cairn_memory_save(cairn_dialog_memory(r->dialog), &budget->ledger, r->memory_path, &err);
		cairn_stage_tried(r->stage, "save the memory", ok ? NULL : err.text);
		*changed = !ok;
	}
	if (budget->spent.task_usd != r->saved_task_usd)
		remembered_save_spending(r);
}

void remembered_save_spending(struct remembered *r)
{
	struct cairn_text text = {0};
	struct cairn_error err = {"out of memory"};
	struct cairn_spending spent;
	cairn_dialog_spending(r->dialog, cairn_now_ns(), &spent);
	cairn_spending_write(&text, &spent);
	bool ok = !text.failed && cairn_file_replace(r->spending_path, 0, 0644, text.data, text.len, &err);
	cairn_stage_tried(r->stage, "save what was spent", ok ? NULL : err.text);
	cairn_text_free(&text);
	if (ok)
		r->saved_task_usd = spent.task_usd;
}
