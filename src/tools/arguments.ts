/**
 * From the text a model sent as arguments to a value that the tool's schema accepts, or to an error that
 * shows how a correct call looks.
 */
import { ToolError } from "../core/errors.ts";
import type { ToolDefinition } from "../core/tool.ts";
import { normalizeNames } from "../lib/argument_names.ts";
import { coerce, isObject, type JsonObject, type Violation, violations } from "../lib/schema.ts";
import { cutEnd, messageOf } from "../lib/text.ts";

/**
 * Parses, renames what models commonly misname, coerces and validates.
 * @throws {ToolError} validation, with an example call as suggestion
 */
export function parseArguments(definition: ToolDefinition, text: string): JsonObject {
  const parsed = parse(definition, text);
  const schema = definition.parameters as unknown as JsonObject;
  const named = normalizeNames(definition.parameters.properties, parsed);
  return requireValid(definition, coerce(schema, named));
}

/** @throws {ToolError} validation: the tool does not take this */
export function requireValid(definition: ToolDefinition, value: unknown): JsonObject {
  const schema = definition.parameters as unknown as JsonObject;
  const wrong = violations(schema, value).filter((one) => !isSpared(definition, one));
  if (wrong.length > 0 || !isObject(value)) {
    throw new ToolError(wrong.map((one) => explainViolation(definition, one)).join("; "), {
      kind: "validation",
      suggestion: exampleOf(definition),
    });
  }
  return value;
}

function parse(definition: ToolDefinition, text: string): Record<string, unknown> {
  if (text.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ToolError(
      `The arguments are not valid JSON (${messageOf(error)}): ${cutEnd(text, 200)}`,
      { kind: "validation", suggestion: exampleOf(definition), cause: error },
    );
  }
  if (!isObject(value)) {
    throw new ToolError(`The arguments must be a JSON object: ${cutEnd(text, 200)}`, {
      kind: "validation",
      suggestion: exampleOf(definition),
    });
  }
  return value;
}

/** Whether a tool can do without what is missing. */
function isSpared({ mayOmit = [] }: ToolDefinition, violation: Violation): boolean {
  const missing = missingIn(violation);
  return missing !== undefined && violation.path === "" && mayOmit.includes(missing);
}

function missingIn({ keyword, message }: Violation): string | undefined {
  return keyword === "required" ? /"([^"]+)"/.exec(message)?.[1] : undefined;
}

function explainViolation(definition: ToolDefinition, violation: Violation): string {
  const missing = missingIn(violation);
  if (missing) {
    const where = violation.path === ""
      ? definition.name
      : `${violation.path} of ${definition.name}`;
    return `Missing required parameter '${missing}' for ${where}`;
  }
  if (violation.keyword === "false") {
    const known = Object.keys(definition.parameters.properties).join(", ") || "none";
    return `Unknown parameter '${violation.path}' for ${definition.name} (it takes: ${known})`;
  }
  const where = violation.path === "" ? "arguments" : `'${violation.path}'`;
  return `Invalid ${where}: ${violation.message}`;
}

/** `Example: read(file_paths=["src/main.ts"])` */
function exampleOf(definition: ToolDefinition): string {
  const values = Object.entries(definition.example)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `Example: ${definition.name}(${values.join(", ")})`;
}

/** The values of all arguments with a format, wherever they stand in the input. */
export function valuesOfFormat(
  definition: ToolDefinition,
  options: { format: "path" | "command"; input: JsonObject },
): string[] {
  return collect(definition.parameters as unknown as JsonObject, options.input, options.format);
}

function collect(schema: JsonObject, value: unknown, format: string): string[] {
  if (typeof value === "string") return schema.format === format ? [value] : [];
  if (Array.isArray(value)) {
    const items = schema.items;
    return isObject(items) ? value.flatMap((item) => collect(items, item, format)) : [];
  }
  if (!isObject(value) || !isObject(schema.properties)) return [];
  const properties = schema.properties;
  return Object.entries(value).flatMap(([key, item]) => {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    return isObject(property) ? collect(property, item, format) : [];
  });
}
