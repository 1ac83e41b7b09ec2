/**
 * The schema of a tool's input in a manifest: what is wrong with it, and the parameters made from it.
 */
import type { Parameters } from "../core/tool.ts";
import { sanitizeSchema, type SchemaPath } from "../lib/sanitize_schema.ts";
import type { JsonObject } from "../lib/schema.ts";
import { stripControls } from "../lib/text.ts";
import type { InputPattern, PluginTool } from "./plugin.ts";

const SANITIZE_OPTIONS = { keepFormats: true, toPlainText: stripControls } as const;

/** What is wrong with a schema, each fault with its path. */
export function schemaFaults(schema: JsonObject): { path: SchemaPath; message: string }[] {
  const faults: { path: SchemaPath; message: string }[] = [];
  sanitizeSchema(schema, {
    ...SANITIZE_OPTIONS,
    onFault: (path, message) => faults.push({ path, message }),
    onPattern: (path, pattern) => {
      if (isPattern(pattern)) return;
      faults.push({ path: [...path, "pattern"], message: "it is not a regular expression" });
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

/** The parameters, and the patterns, which are checked apart from them (`patterns.ts`). */
export function parseInputSchema(schema: JsonObject): Pick<PluginTool, "parameters" | "patterns"> {
  const patterns: InputPattern[] = [];
  const sanitized = sanitizeSchema(schema, {
    ...SANITIZE_OPTIONS,
    onPattern: (schemaPath, pattern) => {
      const path = inputPathOf(schemaPath);
      if (path !== undefined) patterns.push({ path, pattern });
    },
  });
  const parameters = { additionalProperties: false, properties: {}, ...sanitized, type: "object" };
  return { parameters: parameters as Parameters, patterns };
}

/** Where in an input a part of its schema always applies; undefined if that depends on the input. */
function inputPathOf(schemaPath: SchemaPath): readonly string[] | undefined {
  const path: string[] = [];
  const steps = schemaPath.filter((step) => step !== "$ref");
  for (let index = 0; index < steps.length; index++) {
    if (steps[index] === "items" && typeof steps[index + 1] !== "number") path.push("[]");
    else if (steps[index] === "properties") path.push(String(steps[++index]));
    else return undefined;
  }
  return path;
}
