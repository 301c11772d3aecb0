/* mcp_results.c - what the tools of agents tell: pictures, and JSON with what is worth a model's tokens. */
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "procs/web/mcp.h"

#define DECISIONS 10
#define FRONTIERS_MAX 16

const char *const mcp_topic_names[MCP_TOPICS] = {
    "mission", "motion", "pose", "battery", "tier", "health", "frontiers"};

json_t *mcp_result_of(struct cairn_text *t)
{
	json_t *result = t->failed ? NULL : cairn_mcp_result(t->data != NULL ? t->data : "", t->len, false);
	cairn_text_free(t);
	return result;
}

json_t *mcp_failed(const char *why)
{
	return cairn_mcp_result(why, strlen(why), true);
}

const void *mcp_newest(struct web *web, int topic)
{
	int slot = hub_slot(web, mcp_topic_names[topic]);
	return answers_there(web, slot) ? web->slots[slot].msg : NULL;
}

void mcp_add_topics(struct web *web, struct cairn_text *t, unsigned topics)
{
	const char *names[MCP_TOPICS];
	size_t count = 0;
	for (int i = 0; i < MCP_TOPICS; i++)
		if ((topics & MCP_BIT(i)) != 0)
			names[count++] = mcp_topic_names[i];
	answers_add_topics(web, t, names, count);
}

/* What there is to explore, nearest first, without what only programs need. */
static void add_frontiers(struct web *web, struct cairn_text *t)
{
	const struct cairn_msg_frontiers *f = mcp_newest(web, MCP_FRONTIERS);
	cairn_text_add(t, "[");
	for (uint32_t i = 0; f != NULL && i < f->items_count && i < FRONTIERS_MAX; i++) {
		const struct cairn_msg_frontier *one = &f->items[i];
		cairn_text_addf(t,
		    "%s{\"id\":%u,\"x_m\":%.2f,\"y_m\":%.2f,\"width_m\":%.2f,\"reachable\":%s}",
		    i > 0 ? "," : "", one->id, one->x_m, one->y_m, one->width_m,
		    one->distance_m >= 0.0 ? "true" : "false");
	}
	cairn_text_add(t, "]");
}

json_t *mcp_map_result(struct web *web, const struct web_picture_now *now)
{
	struct cairn_text t = {0};
	const struct cairn_msg_pose *pose = mcp_newest(web, MCP_POSE);
	cairn_text_add(&t, "{\"robot\":");
	if (pose != NULL)
		cairn_text_addf(
		    &t, "{\"x_m\":%.2f,\"y_m\":%.2f,\"yaw_rad\":%.2f}", pose->x_m, pose->y_m, pose->yaw_rad);
	else
		cairn_text_add(&t, "null");
	cairn_text_add(&t, ",\"openings\":");
	add_frontiers(web, &t);
	cairn_text_add(&t, "}");
	return cairn_mcp_result_picture(mcp_result_of(&t), now->blob->data, now->blob->bytes, "image/png");
}

json_t *mcp_look_result(bool live, const struct web_picture_now *now)
{
	struct cairn_text t = {0};
	cairn_text_addf(&t, "%s, %.1f s old\n", live ? "camera" : "as the model is given it",
	    (double)(cairn_now_ns() - now->t_ns) * 1e-9);
	if (now->text != NULL)
		cairn_text_bytes(&t, now->text->data, now->text->bytes);
	json_t *result = mcp_result_of(&t);
	if (now->blob == NULL)
		return result;
	return cairn_mcp_result_picture(result, now->blob->data, now->blob->bytes, "image/jpeg");
}

json_t *mcp_decisions_result(struct web *web, double last)
{
	size_t most = last >= 1.0 ? (size_t)last : DECISIONS;
	json_t *list = answers_decisions(web, most), *one;
	size_t i;
	json_array_foreach(list, i, one)
	{
		json_object_del(one, "prompt"); /* pages of text each */
	}
	while (json_array_size(list) > most)
		json_array_remove(list, 0);
	char *text = json_dumps(list, JSON_COMPACT);
	json_t *result = text != NULL ? cairn_mcp_result(text, strlen(text), false) : NULL;
	free(text);
	json_decref(list);
	return result;
}

json_t *mcp_discoveries_result(struct web *web)
{
	struct cairn_text t = {0};
	struct cairn_error err = {""};
	if (answers_add_discoveries(web, &t, &err))
		return mcp_result_of(&t);
	cairn_text_free(&t);
	return mcp_failed(err.text);
}
