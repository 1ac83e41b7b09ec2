/**
 * The arguments that a model means where it uses other names than the schema: `filePath` and `file_path` for
 * `file_paths`, `cmd` for `command`. The same holds for calls of the protocol and for those written as text.
 */
import { isObject, type JsonObject } from "./schema.ts";

/** The schemas of a tool's arguments, by their names. */
type Properties = Readonly<Record<string, JsonObject>>;

/** Names that models use for the one argument of a format. */
const ALIASES: Readonly<Record<string, ReadonlySet<string>>> = {
  path: new Set(["path", "paths", "file", "files", "filename", "filepath", "dir", "directory"]),
  command: new Set(["cmd", "script", "shell_command"]),
};

/** Gives known arguments their proper names: kebab-case, camelCase, singular or plural, aliases. */
export function normalizeNames(
  properties: Properties,
  input: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const entries = Object.entries(input).map(([key, value]): [string, unknown] => {
    if (Object.hasOwn(properties, key)) return [key, value];
    const snake = key.replace(/([a-z0-9])([A-Z])/g, "$1_$2").replaceAll("-", "_").toLowerCase();
    const candidates = [snake, `${snake}s`, snake.replace(/s$/, ""), aliasFor(properties, snake)];
    const name = candidates.find((candidate) =>
      candidate !== undefined && Object.hasOwn(properties, candidate) &&
      !Object.hasOwn(input, candidate)
    );
    return [name ?? key, value];
  });
  return Object.fromEntries(entries);
}

/** The argument that an alias means, if just one argument has the alias's format. */
function aliasFor(properties: Properties, key: string): string | undefined {
  for (const [format, names] of Object.entries(ALIASES)) {
    if (!names.has(key)) continue;
    const matching = Object.entries(properties)
      .filter(([, property]) => formatOf(property) === format)
      .map(([name]) => name);
    if (matching.length === 1) return matching[0];
  }
  return undefined;
}

/** The `format` of a property, or of its items. */
function formatOf(property: JsonObject): unknown {
  return property.format ?? (isObject(property.items) ? property.items.format : undefined);
}
