#include "common/notify/notify_ports.h"

const struct cairn_out cairn_notify_out[] = {
    {CAIRN_TOPIC_NOTIFY, 1000},
    {CAIRN_TOPIC_COUNT, 0},
};
