/* commands.h - the commands of `cairn`, the operator's tool: run functions of the rows in commands.c. */
#ifndef CAIRN_PROCS_CAIRN_COMMANDS_H
#define CAIRN_PROCS_CAIRN_COMMANDS_H

#include "common/base/geom.h"
#include "procs/cli/cli.h"

int cli_up(const struct cli *cli);
int cli_down(const struct cli *cli);
int cli_status(const struct cli *cli);
int cli_ask_verb(const struct cli *cli);
int cli_goto(const struct cli *cli);
int cli_task(const struct cli *cli);
int cli_agent(const struct cli *cli);
int cli_stop(const struct cli *cli);
int cli_hear(const struct cli *cli);
int cli_say(const struct cli *cli);
int cli_logs(const struct cli *cli);
int cli_discoveries(const struct cli *cli);
int cli_decisions(const struct cli *cli);
int cli_scene(const struct cli *cli);
int cli_runs(const struct cli *cli);
int cli_topics(const struct cli *cli);
int cli_look(const struct cli *cli);
int cli_map(const struct cli *cli);
int cli_doctor(const struct cli *cli);
int cli_camera_check(const struct cli *cli);
int cli_dry(const struct cli *cli);
int cli_echo(const struct cli *cli);
int cli_hz(const struct cli *cli);
int cli_plot(const struct cli *cli);
int cli_record(const struct cli *cli);
int cli_recording(const struct cli *cli);
int cli_mcp(const struct cli *cli);
int cli_bringup(const struct cli *cli);
int cli_calibrate(const struct cli *cli);
int cli_devices(const struct cli *cli);
int cli_import(const struct cli *cli);
int cli_audit(const struct cli *cli);
int cli_replay(const struct cli *cli);
int cli_player(const struct cli *cli);
int cli_repair(const struct cli *cli); /* cairn record FILE --repair */
int cli_web_key(const struct cli *cli);
int cli_open(const struct cli *cli);
int cli_teleop(const struct cli *cli);
int cli_exec(const struct cli *cli);
int cli_new_stage(const struct cli *cli);
int cli_config(const struct cli *cli);
int cli_install_service(const struct cli *cli);
int cli_keygen(const struct cli *cli);
int cli_key(const struct cli *cli);

/* CLI_OK when the arguments make a request of the command's verb; CLI_USAGE after a message (cmd_ask.c). */
int cli_check_verb(const struct cli *cli);
/* Where to go for a room, a thing or a place of the scene graph, by name or id (cmd_scene.c). False: it is not in it, or no way is
 * known. *ret_said: what is known of it, empty where nothing is. */
bool cli_scene_find(
    const struct cli *cli, const char *name, struct cairn_vec2 *ret_at, char *ret_said, size_t cap);
/* Prints docs/bus.md and docs/config.md (cmd_topics.c, cmd_config.c). */
void cli_print_bus_markdown(FILE *out);
void cli_print_config_markdown(FILE *out);

#endif
