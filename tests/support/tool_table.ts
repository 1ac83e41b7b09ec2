/**
 * Tables of calls: one test a row, each a call of one tool on the file `f`, through the pipeline as a
 * model reaches it. Used by the tests of the tools that change files.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { runCalls } from "../../src/tools/scheduler.ts";
import { type Call, type Harness, harness, toolCall } from "./agent_harness.ts";

/** One call and what comes of it. */
export interface Row {
  /** Behind the tool's name this makes the test's. */
  readonly says: string;
  /** The file `f` before; absent for a file that is not there. */
  readonly has?: string;
  /** Arguments; `file_path` is `f` unless they say otherwise. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The file `f` after; @default as before */
  readonly gives?: string;
  /** What the result holds, if it is a success. */
  readonly result?: Readonly<Record<string, unknown>>;
  /** How the result reads, if it is a failure. */
  readonly error?: RegExp;
  readonly suggests?: RegExp;
  readonly kind?: "user_error" | "validation_error" | "system_error";
  /** Whether `f` is read first. @default true */
  readonly read?: boolean;
  /** What happens between the read and the call. */
  readonly meanwhile?: (made: Harness) => Promise<unknown>;
}

/** Makes a test of each row. */
export function testTable(tool: string, rows: readonly Row[]): void {
  for (const row of rows) {
    Deno.test(`${tool} ${row.says}`, async () => {
      await using made = await harness({
        files: row.has === undefined ? {} : { f: row.has },
        rules: { allowAll: true },
      });
      if (row.has !== undefined && row.read !== false) {
        await settle(made, ["read", { file_paths: ["f"] }, "call_read"]);
      }
      await row.meanwhile?.(made);
      const record = await settle(made, [tool, { file_path: "f", ...row.input }, "call_it"]);
      const { error, kind, suggests, result = {} } = row;
      if (error === undefined) {
        assert.equal(record.error, "");
        for (const [field, value] of Object.entries(result)) {
          assert.deepEqual(record[field], value, field);
        }
      } else {
        assert.match(record.error, error);
        assert.equal(record.error_type, kind);
        assert.match(record.suggestion ?? "", suggests ?? /./);
      }
      const expected = row.gives ?? (row.meanwhile === undefined ? row.has : undefined);
      if (expected !== undefined) assert.equal(await made.read("f"), expected);
    });
  }
}

/** Rows that are the same for every tool that changes a file; `change` is a change of the text "a\n". */
export function commonRows(change: Readonly<Record<string, unknown>>): readonly Row[] {
  const at = (made: Harness) => join(made.dir, "f");
  return [
    {
      says: "refuses a call without file_path",
      input: { ...change, file_path: undefined },
      kind: "validation_error",
      error: /Missing required parameter 'file_path'/,
      suggests: /Example: /,
    },
    {
      says: "refuses an empty file_path",
      input: { ...change, file_path: "" },
      kind: "validation_error",
      error: /Cannot use the path "": it is empty/,
    },
    {
      says: "refuses a parameter it does not know",
      has: "a\n",
      input: { ...change, mode: "fast" },
      kind: "validation_error",
      error: /Unknown parameter 'mode'/,
    },
    {
      says: "refuses a file that was not read",
      has: "a\n",
      input: change,
      read: false,
      kind: "validation_error",
      error: /Cannot change f: it has not been read in this session/,
      suggests: /Call read with file_paths \["f"\] first/,
    },
    {
      says: "refuses a file that changed since it was read",
      has: "a\n",
      input: change,
      meanwhile: (made) => Deno.writeTextFile(at(made), "a\nb\n"),
      gives: "a\nb\n",
      kind: "validation_error",
      error: /Cannot change f: it has changed on disk since it was last read/,
      suggests: /Call read with file_paths \["f"\] again/,
    },
    {
      says: "refuses a directory",
      input: { ...change, file_path: "d" },
      meanwhile: (made) => Deno.mkdir(join(made.dir, "d")),
      kind: "user_error",
      error: /d: it is a directory/,
    },
    {
      says: "refuses a binary file",
      input: change,
      meanwhile: (made) => Deno.writeFile(at(made), new Uint8Array([97, 0, 98])),
      kind: "validation_error",
      error: /Cannot change f: it is a binary file/,
    },
    {
      says: "refuses a file marked read-only",
      has: "a\n",
      input: change,
      meanwhile: (made) => Deno.chmod(at(made), 0o444),
      gives: "a\n",
      kind: "user_error",
      error: /Cannot change f: it is marked read-only/,
    },
  ];
}

/** Runs one call and gives its record. */
export async function settle(made: Harness, call: Call) {
  const { signal } = new AbortController();
  const { results } = await runCalls([toolCall(call)], { deps: made.deps, signal });
  const [outcome] = results;
  assert.ok(outcome);
  return outcome.record;
}
