/**
 * Answers by a JSON Schema, asked for as a script does.
 */
import assert from "node:assert/strict";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import type { DialectRow } from "./dialect_row.ts";
import { type Finished, runAlly, type Stage, stage } from "./program.ts";

export const SCHEMA = {
  type: "object",
  properties: { n: { type: "integer" }, why: { type: "string" } },
  required: ["n"],
  additionalProperties: false,
};
/** An answer that fits. */
export const FITS: ScriptedReply = { text: '{"n": 7, "why": "so"}' };

/** Runs `ally -p --output-schema`; a schema that is a text is given as it is. */
export async function askBySchema(
  at: Stage,
  { schema = SCHEMA, args = [] }: { schema?: unknown; args?: readonly string[] } = {},
): Promise<Finished> {
  const given = typeof schema === "string" ? schema : JSON.stringify(schema);
  return await runAlly(at.place, { args: ["-p", "--output-schema", given, ...args, "how many?"] });
}

/** Whatever the first reply is, the next ones are asked for until one fits. */
export async function testDialects(rows: readonly DialectRow[]): Promise<void> {
  for (const row of rows) {
    const files = { "a.txt": "alpha x\ny 7\n" };
    await using at = await stage([row.reply, { text: "done" }, FITS], files);
    const { code, stdout, stderr } = await askBySchema(at);
    assert.deepEqual([code, stdout], [0, '{"n":7,"why":"so"}\n'], `${row.name}: ${stderr}`);
  }
}
