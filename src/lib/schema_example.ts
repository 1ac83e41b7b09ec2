/**
 * Examples of what a JSON Schema accepts, near enough to show a model the form of a call. For tools that others
 * write, which seldom give one.
 */

/** Arguments with every required one: its default, its first choice, or something of its type. */
export function exampleOf(
  { properties, required = [] }: {
    readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly required?: readonly string[];
  },
): Record<string, unknown> {
  return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})]));
}

function sampleOf(schema: Readonly<Record<string, unknown>>): unknown {
  if ("default" in schema) return schema.default;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  switch (schema.type) {
    case "number":
    case "integer":
      return 1;
    case "boolean":
      return true;
    case "array":
      return [];
    case "object":
      return {};
    default:
      return "...";
  }
}
