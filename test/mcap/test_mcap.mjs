// A recording of common/record, read with the packages that Foxglove reads MCAP with: every checksum in order, every message by the index,
// every message by its own schema; and cut anywhere, it is never read wrongly.
// Usage: test_mcap.mjs FILE SUMMARY [SHORT]; SUMMARY is JSON: messages in all, and of each topic. SHORT: a recording to be cut, so often as
// CAIRN_MCAP_CUTS says (default 20).
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, createReadStream, readFileSync, truncateSync } from "node:fs";
import { open } from "node:fs/promises";
import test from "node:test";
import { parse } from "@foxglove/rosmsg";
import { MessageReader } from "@foxglove/rosmsg2-serialization";
import { McapIndexedReader, McapStreamReader } from "@mcap/core";
import { loadDecompressHandlers } from "@mcap/support";

const [file, summaryFile, short] = process.argv.slice(2);
const expected = JSON.parse(readFileSync(summaryFile, "utf8"));
const decompressHandlers = await loadDecompressHandlers();

async function readableOf(handle) {
  const size = BigInt((await handle.stat()).size);
  return {
    size: async () => size,
    read: async (offset, length) => {
      const buffer = Buffer.alloc(Number(length));
      const { bytesRead } = await handle.read(buffer, 0, Number(length), Number(offset));
      assert.equal(bytesRead, Number(length));
      return new Uint8Array(buffer);
    },
  };
}

test("every record is read in order, its checksums right", async () => {
  const reader = new McapStreamReader({ validateCrcs: true, decompressHandlers });
  const topics = new Map(), counts = {};
  let messages = 0, ended = false;
  for await (const bytes of createReadStream(file, { highWaterMark: 1 << 20 })) {
    reader.append(bytes);
    for (let record; (record = reader.nextRecord());) {
      ended ||= record.type === "Footer";
      if (record.type === "Channel")
        topics.set(record.id, record.topic);
      if (record.type !== "Message")
        continue;
      const topic = topics.get(record.channelId);
      counts[topic] = (counts[topic] ?? 0) + 1;
      messages++;
    }
  }
  assert.ok(ended && reader.done());
  assert.equal(messages, expected.messages);
  assert.deepEqual(counts, expected.topics);
});

test("every message is found by the index, in the order of time, and read by its schema", async () => {
  const handle = await open(file), readable = await readableOf(handle);
  const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers });
  assert.equal(Number(reader.statistics.messageCount), expected.messages);
  assert.equal(reader.header.profile, "ros2");
  const readers = new Map();
  let messages = 0, before = 0n;
  for await (const m of reader.readMessages({ validateCrcs: true })) {
    const channel = reader.channelsById.get(m.channelId), schema = reader.schemasById.get(channel.schemaId);
    assert.ok(m.logTime >= before);
    before = m.logTime;
    messages++;
    if (channel.messageEncoding === "json") {
      assert.equal(schema.encoding, "jsonschema");
      const message = JSON.parse(new TextDecoder().decode(m.data));
      const known = readers.get(channel.id) ?? JSON.parse(new TextDecoder().decode(schema.data));
      readers.set(channel.id, known);
      for (const key of Object.keys(message))
        assert.ok(key in known.properties, `${channel.topic}: ${key} is not in the schema`);
    } else {
      assert.equal(channel.messageEncoding, "cdr");
      assert.equal(schema.encoding, "ros2msg");
      assert.ok(channel.metadata.has("offered_qos_profiles"));
      const known = readers.get(channel.id) ?? new MessageReader(parse(new TextDecoder().decode(schema.data), { ros2: true }));
      readers.set(channel.id, known);
      known.readMessage(m.data);
    }
  }
  await handle.close();
  assert.equal(messages, expected.messages);
});

// From the source of rosbag2 (sequential_reader.cpp, mcap_storage.cpp), which is not here to try: one encoding for all channels, a schema
// for each, whose name is the type; statistics; indexes of messages to play by; and names that ROS allows.
test("what is of ROS 2 is a file as rosbag2 asks for one, with every message of those topics", async () => {
  const handle = await open(process.env.BAG);
  const reader = await McapIndexedReader.Initialize({ readable: await readableOf(handle), decompressHandlers });
  const channels = [...reader.channelsById.values()], counts = {};
  assert.equal(reader.header.profile, "ros2");
  assert.ok(channels.length >= 10, `${channels.length} topics`);
  for (const c of channels) {
    const schema = reader.schemasById.get(c.schemaId);
    assert.deepEqual([c.messageEncoding, schema?.encoding], ["cdr", "ros2msg"], c.topic);
    assert.match(schema.name, /^[a-z0-9_]+\/msg\/[A-Za-z0-9]+$/);
    assert.match(c.topic, /^(\/[A-Za-z_][A-Za-z0-9_]*)+$/);
    assert.equal(c.metadata.get("offered_qos_profiles"), "", "no profile of a release of ROS, so that each plays with its own");
    counts[c.topic] = Number(reader.statistics.channelMessageCounts.get(c.id) ?? 0n);
  }
  for (const chunk of reader.chunkIndexes)
    assert.ok(chunk.messageIndexOffsets.size > 0);
  const due = Object.fromEntries(Object.entries(expected.topics).filter(([topic]) => !topic.startsWith("/cairn/")));
  assert.deepEqual(counts, due);
  let messages = 0;
  for await (const m of reader.readMessages({ validateCrcs: true }))
    messages += m.data[1] === 1 ? 1 : 0; // CDR, little endian
  assert.equal(messages, Object.values(due).reduce((sum, n) => sum + n, 0));
  await handle.close();
});

// Everything up to here, as one number: of two files with the same digest after n messages, those n are the same.
async function digests(path) {
  const handle = await open(path), reader = new McapStreamReader({ validateCrcs: true, decompressHandlers });
  const topics = new Map(), chain = [""];
  for await (const bytes of handle.createReadStream()) {
    reader.append(bytes);
    for (let record; (record = reader.nextRecord());) {
      if (record.type === "Channel")
        topics.set(record.id, record.topic);
      if (record.type === "Message")
        chain.push(createHash("sha1").update(`${chain.at(-1)} ${topics.get(record.channelId)} ${record.sequence} ${record.logTime} ${record.publishTime} `)
          .update(record.data).digest("hex"));
    }
  }
  assert.ok(reader.done(), "it has no end");
  return chain;
}

async function indexed(path) {
  const handle = await open(path);
  const reader = await McapIndexedReader.Initialize({ readable: await readableOf(handle), decompressHandlers });
  let messages = 0;
  for await (const _ of reader.readMessages({ validateCrcs: true }))
    messages++;
  assert.equal(Number(reader.statistics?.messageCount ?? 0), messages);
  await handle.close();
  return messages;
}

const cairn = (...args) => spawnSync(process.env.CAIRN_PROGRAM, args, { encoding: "utf8" });

// Numbers that look random and are the same each time (mulberry32).
function random(seed) {
  return () => {
    let t = (seed = (seed + 0x6d2b79f5) | 0);
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

if (short) test("a file that is cut anywhere holds the first messages and no other, also when it was repaired", async (t) => {
  const whole = await digests(short), size = readFileSync(short).length, next = random(1);
  const tries = Number(process.env.CAIRN_MCAP_CUTS ?? 20), counts = new Set();
  for (let i = 0; i < tries; i++) {
    const bytes = [3, size - 1][i] ?? Math.floor(next() * size);
    copyFileSync(short, "cut.mcap");
    truncateSync("cut.mcap", bytes);
    const told = cairn("recording", "cut.mcap", "--json");
    if (bytes < 8) { // not even a beginning
      assert.match(told.stderr, /no MCAP file/);
      continue;
    }
    const { messages, state } = JSON.parse(told.stdout);
    assert.ok(state === "cut" && told.status === 1, `${bytes}: ${told.stdout}`);
    assert.ok(bytes > size / 2 ? messages > 0 : messages < whole.length - 1, `${bytes}: ${messages} messages`);
    counts.add(messages);
    assert.equal(cairn("record", "cut.mcap", "--repair").status, 0);
    const repaired = await digests("cut.mcap");
    assert.equal(repaired.length - 1, messages, `${bytes} bytes`);
    assert.equal(repaired.at(-1), whole[messages], `${bytes} bytes`);
    assert.equal(await indexed("cut.mcap"), messages);
  }
  assert.ok(counts.size > 4, "the cuts are all alike");
  t.diagnostic(`${tries} cuts`);
});
