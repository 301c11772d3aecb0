/* questions.c - the service "scene.query". Questions are no commands: they are not told to others, and not logged. A name for a room is one. */
#include <string.h>

#include "common/scene/scene_answer.h"
#include "common/scene/scene_file.h"
#include "ipc/commands.h"
#include "procs/scene/scene_stage.h"

static void on_question(void *ctx, const struct cairn_msg_command *command, struct cairn_msg_reply *reply)
{
	struct scene_stage *s = ctx;
	if (strcmp(command->verb, cairn_commands[CAIRN_COMMAND_SCENE_SAVE].verb) == 0) {
		(void)graph_checkpoint(s);
		reply->ok = cairn_scene_version(s->core) == s->saved_version;
		snprintf(reply->text, sizeof(reply->text),
		    reply->ok ? "%s is as new as the graph" : "%s could not be written",
		    CAIRN_SCENE_FILE_NAME);
		return;
	}
	cairn_scene_command(s->core, command, s->has_pose ? &s->robot : NULL, cairn_unix_s(), reply);
	/* A person's word outlives a kill from now on. */
	if (reply->ok && strcmp(command->verb, cairn_commands[CAIRN_COMMAND_SCENE_CALL].verb) == 0)
		(void)graph_checkpoint(s);
}

static void on_done(void *ctx, const struct cairn_msg_commanded *done)
{
	if (strcmp(done->verb, cairn_commands[CAIRN_COMMAND_SCENE_CALL].verb) == 0)
		cairn_stage_commanded(ctx, done);
}

static int on_questions(void *server)
{
	cairn_server_serve(server);
	return 0;
}

bool questions_open(struct scene_stage *s, struct cairn_error *err)
{
	struct cairn_server *server =
	    cairn_server_new(cairn_stage_bus(s->stage), CAIRN_SERVICE_SCENE, on_question, s, err);
	if (server == NULL)
		return false;
	cairn_stage_tell_commands(s->stage);
	cairn_server_on_done(server, on_done, s->stage);
	cairn_stage_watch_socket(s->stage, cairn_server_socket(server), on_questions, server);
	return true;
}
