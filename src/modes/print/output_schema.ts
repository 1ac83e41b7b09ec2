/**
 * The JSON Schema that an answer is to fit, as the command line gives it.
 */
import { UsageError } from "../../core/errors.ts";
import { reasonOf } from "../../lib/fs.ts";
import { parseJson } from "../../lib/json_text.ts";
import { isObject, type JsonObject } from "../../lib/schema.ts";
import { withoutBom } from "../../lib/text.ts";

/** Reads a schema that is given itself, or as a file (absolute). @throws {UsageError} it cannot be read */
export async function readOutputSchema(given: string): Promise<JsonObject> {
  const isFile = !given.trimStart().startsWith("{");
  const schema = parseJson(isFile ? await readFile(given) : given);
  if (isObject(schema)) return schema;
  const what = isFile ? given : "what was given";
  throw new UsageError(`--output-schema: ${what} is not a JSON object. Give a JSON Schema.`);
}

async function readFile(path: string): Promise<string> {
  try {
    return withoutBom(await Deno.readTextFile(path));
  } catch (cause) {
    throw new UsageError(`--output-schema: Cannot read ${path}: ${reasonOf(cause)}.`, { cause });
  }
}
