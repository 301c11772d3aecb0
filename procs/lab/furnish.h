/* furnish.h - `cairn furnish`: a floor plan as a furnished world. */
#ifndef CAIRN_PROCS_LAB_FURNISH_H
#define CAIRN_PROCS_LAB_FURNISH_H

#include "procs/cli/cli.h"

int cairn_furnish_command(const struct cli *cli);

#endif
