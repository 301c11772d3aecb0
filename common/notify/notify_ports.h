/* notify_ports.h - what comes out of the core (ipc/ports.h); what goes in is news: cairn_news_in (common/voice/news.h). */
#ifndef CAIRN_COMMON_NOTIFY_NOTIFY_PORTS_H
#define CAIRN_COMMON_NOTIFY_NOTIFY_PORTS_H

#include "common/notify/notify.h"
#include "ipc/ports.h"

extern const struct cairn_out cairn_notify_out[];

#endif
