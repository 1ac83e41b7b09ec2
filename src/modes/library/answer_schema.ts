/**
 * The JSON Schema that the answer of a turn is to fit.
 */
import { UsageError } from "../../core/errors.ts";
import type { JsonObject } from "../../lib/schema.ts";
import { schemaFaults } from "../../plugin_host/input_schema.ts";

/** @throws {UsageError} it is no JSON Schema */
export function requireAnswerSchema(schema: JsonObject): void {
  const [fault] = schemaFaults(schema);
  if (fault === undefined) return;
  const place = fault.path.length === 0 ? "" : ` at ${fault.path.join(".")}`;
  throw new UsageError(`The schema of the answer is no JSON Schema${place}: ${fault.message}.`);
}

/** What the model is told with the prompt. */
export function describeAnswerSchema(schema: JsonObject): string {
  return "When you are done, answer with one JSON value that fits this JSON Schema, and nothing else: " +
    JSON.stringify(schema);
}
