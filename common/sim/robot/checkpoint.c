#include "common/sim/robot/checkpoint.h"

#include <stdatomic.h>
#include <string.h>

#include "common/base/hash.h"

#define KEEP_MAGIC UINT64_C(0x314d49534e524943) /* "CIRNSIM1" in memory */

struct slot {
	uint64_t serial;
	struct cairn_sim_state state;
	uint64_t sum;
};

struct head {
	uint64_t magic, key, state_bytes, bitmap_bytes, sum;
};

struct keep {
	struct head head;
	struct slot slots[2];
};

static uint64_t slot_sum(const struct slot *s)
{
	return cairn_hash_bytes(CAIRN_HASH_START, s, offsetof(struct slot, sum));
}

static uint64_t head_sum(const struct head *h)
{
	return cairn_hash_bytes(CAIRN_HASH_START, h, offsetof(struct head, sum));
}

uint64_t cairn_checkpoint_key(
    const struct cairn_sim *sim, const struct cairn_world *world, const struct cairn_config *cfg)
{
	const struct cairn_pose2 *start = &cairn_sim_state(sim)->start;
	uint64_t h = cairn_hash_bytes(world->hash, start, sizeof(*start));
	return cairn_hash_bytes(h, &cfg->sim.seed, sizeof(cfg->sim.seed));
}

size_t cairn_checkpoint_bytes(size_t bitmap_bytes)
{
	return sizeof(struct keep) + bitmap_bytes;
}

bool cairn_checkpoint_load(
    const void *memory, size_t bytes, uint64_t key, size_t bitmap_bytes, struct cairn_sim_state *ret_state)
{
	const struct keep *k = memory;
	const struct slot *best = NULL;
	if (bytes != cairn_checkpoint_bytes(bitmap_bytes) || k->head.magic != KEEP_MAGIC ||
	    k->head.key != key || k->head.state_bytes != sizeof(struct cairn_sim_state) ||
	    k->head.bitmap_bytes != bitmap_bytes || k->head.sum != head_sum(&k->head))
		return false;
	for (int i = 0; i < 2; i++) {
		const struct slot *s = &k->slots[i];
		if (s->serial != 0 && s->sum == slot_sum(s) && (best == NULL || s->serial > best->serial))
			best = s;
	}
	if (best == NULL)
		return false;
	*ret_state = best->state;
	return true;
}

void cairn_checkpoint_clear(void *memory, uint64_t key, size_t bitmap_bytes)
{
	struct keep *k = memory;
	memset(memory, 0, cairn_checkpoint_bytes(bitmap_bytes));
	k->head = (struct head){KEEP_MAGIC, key, sizeof(struct cairn_sim_state), bitmap_bytes, 0};
	k->head.sum = head_sum(&k->head);
}

void cairn_checkpoint_save(void *memory, const struct cairn_sim_state *state)
{
	struct keep *k = memory;
	uint64_t newest = k->slots[0].serial > k->slots[1].serial ? k->slots[0].serial : k->slots[1].serial;
	struct slot *s = &k->slots[(newest + 1) & 1u];
	s->sum = 0;
	/* The order matters only to a process that is killed half way, so the compiler is all that has to
	 * keep it. */
	atomic_signal_fence(memory_order_seq_cst);
	s->serial = newest + 1;
	memcpy(&s->state, state, sizeof(*state));
	atomic_signal_fence(memory_order_seq_cst);
	s->sum = slot_sum(s);
}

uint8_t *cairn_checkpoint_bitmap(void *memory)
{
	return (uint8_t *)memory + sizeof(struct keep);
}
