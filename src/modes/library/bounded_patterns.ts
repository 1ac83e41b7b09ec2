/**
 * Patterns of a caller's schemas, matched in linear time: what they are matched with comes from a model.
 */
import { UsageError } from "../../core/errors.ts";
import type { JsonObject } from "../../lib/schema.ts";

/** A schema with patterns, as values are validated by it. */
interface BoundedSchema {
  /** What one value is validated with. */
  readonly schemaFor: (value: unknown) => JsonObject;
  /** It takes all that the whole schema takes. */
  readonly withoutPatterns: JsonObject;
}

/** Undefined for a schema without patterns. @throws {UsageError} a pattern of it, as `what` names it, has no bound */
export async function boundPatterns(
  schema: JsonObject,
  what: string,
): Promise<BoundedSchema | undefined> {
  if (!JSON.stringify(schema).includes('"pattern')) return undefined;
  const { linearizePatterns, withoutPatterns } = await import("../../lib/linear_patterns.ts");
  const { unbounded: [pattern], schemaFor } = linearizePatterns(schema);
  if (pattern === undefined) return { schemaFor, withoutPatterns: withoutPatterns(schema) };
  throw new UsageError(
    `${what} has the pattern ${pattern}, which could take for ever to match. ` +
      "Write it without lookahead, lookbehind and references back.",
  );
}
