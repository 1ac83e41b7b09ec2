/**
 * The schema of a tool's input as a manifest gives it: what is wrong with it, and what is made of it. `manifest.ts`
 * calls.
 */
import type { Parameters } from "../core/tool.ts";
import { sanitizeSchema, type SchemaPath } from "../lib/sanitize_schema.ts";
import type { JsonObject } from "../lib/schema.ts";
import { stripControls } from "../lib/text.ts";
import type { InputPattern, PluginTool } from "./plugin.ts";

const SANITIZE_OPTIONS = { keepFormats: true, toPlainText: stripControls } as const;

/** What is wrong with a schema, each with its place in it. */
export function schemaFaults(schema: JsonObject): { path: SchemaPath; message: string }[] {
  const faults: { path: SchemaPath; message: string }[] = [];
  sanitizeSchema(schema, {
    ...SANITIZE_OPTIONS,
    onFault: (path, message) => faults.push({ path, message }),
    onPattern: (place, pattern) => {
      if (isPattern(pattern)) return;
      faults.push({ path: [...place, "pattern"], message: "it is no regular expression" });
    },
  });
  return faults;
}

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, "u") !== undefined;
  } catch {
    return false;
  }
}

/** What the input must be: what is checked at once, and the patterns, which `patterns.ts` judges by. */
export function parseInputSchema(schema: JsonObject): Pick<PluginTool, "parameters" | "patterns"> {
  const patterns: InputPattern[] = [];
  const taken = sanitizeSchema(schema, {
    ...SANITIZE_OPTIONS,
    onPattern: (place, pattern) => {
      const path = inputPathOf(place);
      if (path !== undefined) patterns.push({ path, pattern });
    },
  });
  const parameters = { additionalProperties: false, properties: {}, ...taken, type: "object" };
  return { parameters: parameters as Parameters, patterns };
}

/** Where in an input a part of its schema applies; undefined where that depends on more. */
function inputPathOf(place: SchemaPath): readonly string[] | undefined {
  const path: string[] = [];
  const steps = place.filter((step) => step !== "$ref");
  for (let index = 0; index < steps.length; index++) {
    if (steps[index] === "items" && typeof steps[index + 1] !== "number") path.push("[]");
    else if (steps[index] === "properties") path.push(String(steps[++index]));
    else return undefined;
  }
  return path;
}
