/**
 * Converts what a plugin's tool returned to a tool result: checked, limited in size, and data only.
 */
import { ToolError } from "../core/errors.ts";
import type { ToolData, ToolResult } from "../core/tool.ts";
import { isObject } from "../lib/schema.ts";
import { withNote } from "../lib/text.ts";

/** How deep lists and objects may be nested. */
const MAX_DEPTH = 100;
/** Fields of a record that say how the call went. */
const OUTCOME = new Set(["success", "error", "error_type", "suggestion"]);

/**
 * The result for a value: an object is its own fields, anything else is the only one; an object with
 * `success: false` is a failure. A note of ally's comes first.
 * @throws {ToolError} system: it is nested too deeply
 */
export function toToolResult(value: unknown, note?: string): ToolResult {
  const noted = note === undefined ? {} : { note };
  if (typeof value === "string") {
    return { ok: true, data: { ...noted, output: value }, text: withNote(value, note) };
  }
  const plain = plainData(value, 0);
  if (!isObject(plain)) return { ok: true, data: { ...noted, result: plain } };
  const own = Object.entries(plain).filter(([key]) => !OUTCOME.has(key));
  const data: ToolData = { ...noted, ...Object.fromEntries(own), ...noted };
  if (plain.success !== false) return { ok: true, data };
  const { error, suggestion } = plain;
  const message = typeof error === "string" && error !== "" ? error : "The plugin's tool failed";
  return {
    ok: false,
    error: {
      kind: "user",
      message,
      ...(typeof suggestion === "string" && { suggestion }),
    },
    data,
  };
}

/** A copy of the data in plain objects, without `__proto__`. */
function plainData(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) {
    throw new ToolError(`The plugin's result is nested deeper than ${MAX_DEPTH} levels`, {
      kind: "system",
    });
  }
  if (Array.isArray(value)) return value.map((item) => plainData(item, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([key]) => key !== "__proto__")
      .map(([key, item]) => [key, plainData(item, depth + 1)]),
  );
}
