/* annotator_ports.h - what goes into the annotator, as tables (ipc/ports.h). Scans and poses, which it answers, and frames are handed to
 * it by the stage. */
#ifndef CAIRN_COMMON_PERCEPT_ANNOTATOR_PORTS_H
#define CAIRN_COMMON_PERCEPT_ANNOTATOR_PORTS_H

#include "common/percept/annotator.h"
#include "ipc/ports.h"

/* core: struct cairn_annotator. The first acts at once on what makes a snapshot due. */
extern const struct cairn_in cairn_annotator_in[];
extern const struct cairn_in cairn_annotator_path_in[], cairn_annotator_candidates_in[],
    cairn_annotator_local_in[];

#endif
