// The official JSON schemas of VDA 5050, from the project's shared data; null where that is not there.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import addFormats from "ajv-formats";
import Ajv from "ajv/dist/2020.js";

const NAMES = ["connection", "state", "factsheet", "visualization", "order", "instantActions", "zoneSet"];

// version: "2.1.0" or "3.0.0". Returns {topic: function}, each as of ajv.
export function schemas(root, version) {
  const folder = join(process.env.CAIRN_SHARED ?? join(root, "../shared/data"), "vda5050", version);
  if (!existsSync(folder)) return null;
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats(ajv);
  const checks = {};
  for (const name of NAMES) {
    const path = join(folder, `${name}.schema`);
    if (!existsSync(path)) continue; // 2.1 has no zone sets
    // Some of the published files have commas too many, and one names its draft by http.
    const text = readFileSync(path, "utf8").replace(/^\uFEFF/, "").replace(/,(\s*[}\]])/g, "$1");
    const { $schema, ...schema } = JSON.parse(text);
    checks[name] = ajv.compile(schema);
  }
  return checks;
}
