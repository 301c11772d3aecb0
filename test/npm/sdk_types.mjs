// sdk_types.mjs - the requests that cairn writes (test/data/vlm/*.json, which test_providers compares with the code byte for
// byte) are of the types that the vendors' own SDKs declare, and so is every query of the agent in every format (agent_bodies.c).
// Usage: node sdk_types.mjs DATA_DIR AGENT_BODIES QUERIES_DEF. Exit status 77: the packages are not installed.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const data = process.argv[2];
const tsc = join(here, "node_modules", ".bin", "tsc");
for (const name of ["openai", "@anthropic-ai/sdk", "@google/genai", "typescript"]) {
	if (!existsSync(join(here, "node_modules", name))) {
		console.log(`skipped: the npm package ${name} is not installed; run scripts/setup.sh --ci, or npm ci in test/npm`);
		process.exit(77);
	}
}

// "@NAME" stands for the file of that name.
function expand(value) {
	if (typeof value === "string" && /^@[a-z_]+\.json$/.test(value))
		return expand(JSON.parse(readFileSync(join(data, value.slice(1)), "utf8")));
	if (Array.isArray(value)) return value.map(expand);
	if (value !== null && typeof value === "object")
		return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, expand(v)]));
	return value;
}

// The SDKs declare enums where the wire has the same words as texts.
const head = `
import type OpenAI from "openai";
import type Anthropic from "@anthropic-ai/sdk";
import type * as genai from "@google/genai";
type Wire<T> = T extends string ? \`\${T}\` : T extends (infer U)[] ? Wire<U>[] : T extends object ? { [K in keyof T]: Wire<T[K]> } : T;
type OpenAIBody = OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming;
type AnthropicBody = Anthropic.Messages.MessageCreateParamsNonStreaming;
type GeminiBody = {
	contents: Wire<genai.Content>[];
	systemInstruction?: Wire<genai.Content>;
	tools?: Wire<genai.Tool>[];
	toolConfig?: Wire<genai.ToolConfig>;
	generationConfig?: Wire<genai.GenerationConfig>;
};
`;
const types = { openai: "OpenAIBody", anthropic: "AnthropicBody", gemini: "GeminiBody" };
const requests = Object.keys(types).flatMap((format) =>
	["", "_followup", "_conversation"].map((which) => ({ format, name: `${format}${which}` })));

function check(bodies) {
	const dir = mkdtempSync(join(here, ".types-"));
	const lines = bodies.map(({ format, name, body }) =>
		`export const ${name}: ${types[format]} = ${JSON.stringify(body, null, 1)};\n`);
	writeFileSync(join(dir, "requests.ts"), head + lines.join("\n"));
	const run = spawnSync(tsc, ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext",
		"--moduleResolution", "nodenext", "--types", "", join(dir, "requests.ts")], { encoding: "utf8" });
	rmSync(dir, { recursive: true });
	return { ok: run.status === 0, text: (run.stdout ?? "") + (run.stderr ?? "") + (run.error ?? "") };
}

const bodies = requests.map((r) => ({ ...r, body: expand(JSON.parse(readFileSync(join(data, `${r.name}.json`), "utf8"))) }));
const printed = spawnSync(process.argv[3], { encoding: "utf8", maxBuffer: 1 << 28 });
const queries = printed.stdout.trim().split("\n").map((line) => JSON.parse(line));
const kinds = new Set(queries.map((q) => `${q.format} ${q.query}`));
const words = { openai: '"image_url"', anthropic: '"image"', gemini: '"inlineData"' };
const shown = new Set(queries.filter((q) => JSON.stringify(q.body).includes(words[q.format])).map((q) => `${q.format} ${q.query}`));
const rows = [...readFileSync(process.argv[4], "utf8").matchAll(/^QUERY\([A-Z]+, "([a-z]+)", [A-Z_]+, [A-Z]+, ([A-Z]+),/gm)];
const missing = rows.flatMap(([, kind, pictures]) => Object.keys(types).map((format) => [`${format} ${kind}`, pictures !== "NO"]))
	.filter(([name, pictures]) => !kinds.has(name) || (pictures && !shown.has(name)));
if (printed.status !== 0 || rows.length === 0 || missing.length > 0) {
	console.log(`the agent's queries: status ${printed.status}, ${rows.length} kinds; without a body, or without its picture: ` +
		missing.map(([name]) => name).join(", "));
	process.exit(1);
}
queries.forEach((q, i) => bodies.push({ format: q.format, name: `agent_${i}`, body: q.body }));
const good = check(bodies);
if (!good.ok) {
	console.log(good.text);
	console.log("a request is not of the type that the vendor's SDK declares");
	process.exit(1);
}

// It can fail: each format with a word that it does not know is found.
const spoilt = {
	openai: (b) => { b.messages[0].role = "boss"; },
	anthropic: (b) => { b.tool_choice.type = "perhaps"; },
	gemini: (b) => { b.generationConfig.max_tokens = 3; },
};
for (const r of bodies.filter((b) => b.name === b.format)) {
	const bad = structuredClone(r);
	spoilt[r.format](bad.body);
	if (check([bad]).ok) {
		console.log(`${r.format}: a spoilt request was not found`);
		process.exit(1);
	}
}
console.log(`${bodies.length} requests of ${Object.keys(types).length} formats are of their SDKs' types`);
