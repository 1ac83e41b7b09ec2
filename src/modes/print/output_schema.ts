/**
 * The JSON Schema that an answer is to fit, as the command line gives it.
 */
import { UsageError } from "../../core/errors.ts";
import { parseJson } from "../../lib/json_text.ts";
import { isObject, type JsonObject } from "../../lib/schema.ts";
import { messageOf } from "../../lib/text.ts";
import { schemaFaults } from "../../plugin_host/input_schema.ts";

/** Reads a schema that is given itself, or as a file (absolute). @throws {UsageError} it cannot be used */
export async function readOutputSchema(given: string): Promise<JsonObject> {
  const isFile = !given.trimStart().startsWith("{");
  const schema = parseJson(isFile ? await readFile(given) : given);
  const what = isFile ? given : "what was given";
  if (!isObject(schema)) {
    throw new UsageError(`--output-schema: ${what} is not a JSON object. Give a JSON Schema.`);
  }
  const [fault] = schemaFaults(schema);
  if (fault) {
    const place = fault.path.length === 0 ? "" : ` at ${fault.path.join(".")}`;
    throw new UsageError(`--output-schema: ${what} is no JSON Schema${place}: ${fault.message}.`);
  }
  return schema;
}

async function readFile(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (cause) {
    throw new UsageError(`--output-schema: Cannot read ${path}: ${messageOf(cause)}`, { cause });
  }
}

/** What the model is told with the prompt. */
export function describeOutputSchema(schema: JsonObject): string {
  return "When you are done, answer with one JSON value that fits this JSON Schema, and nothing else: " +
    JSON.stringify(schema);
}
