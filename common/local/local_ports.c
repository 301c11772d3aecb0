#include "common/local/local_ports.h"

CAIRN_TAKE(take_pose, cairn_local, pose, cairn_local_pose(core, m))
CAIRN_TAKE(take_detections, cairn_local, detections, (cairn_local_detections(core, m, hdr->t_ns), 0))
CAIRN_TAKE(take_scene, cairn_local, scene, (cairn_local_scene(core, m), 0))

const struct cairn_in cairn_local_in[] = {
    {CAIRN_TOPIC_POSE, CAIRN_ACCEPT_FRESH, take_pose},
    {CAIRN_TOPIC_DETECTIONS, CAIRN_ACCEPT_FRESH, take_detections},
    {CAIRN_TOPIC_SCENE, CAIRN_ACCEPT_PLAUSIBLE, take_scene},
    {.take = NULL},
};

const struct cairn_out cairn_local_out[] = {
    {CAIRN_TOPIC_LOCAL, 0},
    {CAIRN_TOPIC_COUNT, 0},
};
