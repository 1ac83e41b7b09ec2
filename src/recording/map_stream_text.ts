/**
 * Replaces words in a model's answer as it came over the wire. A stream cuts its words anywhere, so the pieces
 * of one text are put together, replaced as a whole, and sent as one piece.
 */
import { mapStrings } from "../lib/json_strings.ts";
import { parseJson } from "../lib/json_text.ts";
import { numberOf, objectOf } from "../model/fields.ts";

/** The answer's body with every text of it mapped; the very same body if nothing changes. */
export function mapStreamText(body: string, map: (text: string) => string): string {
  const whole = parseJson(body);
  if (whole !== undefined) return mapJson(whole, { body, map });
  const lines = body.split("\n");
  const events = lines.map((line) => {
    const data = /^data:\s?(.*?)\r?$/.exec(line)?.[1];
    return data === undefined ? undefined : parseJson(data);
  });
  const texts = new StreamTexts();
  for (const event of events) {
    visit(event, (text, key) => {
      if (key !== undefined) texts.add(key, text);
      return text;
    });
  }
  const changed = texts.changed(map);
  if (changed.size === 0 && map(body) === body) return body;
  const sent = new Set<string>();
  return lines.map((line, index) => {
    const event = events[index];
    if (event === undefined) return map(line);
    const replaced = visit(event, (text, key) => {
      const whole = key === undefined ? undefined : changed.get(key);
      if (key === undefined || whole === undefined) return map(text);
      // The first piece carries it all.
      const isFirst = !sent.has(key);
      sent.add(key);
      return isFirst ? whole : "";
    });
    return `data: ${JSON.stringify(replaced)}`;
  }).join("\n");
}

function mapJson(
  value: unknown,
  { body, map }: { body: string; map: (text: string) => string },
): string {
  const mapped = mapStrings(value, map);
  return mapped === value ? body : JSON.stringify(mapped);
}

/** The texts of a stream, each put together from its pieces. */
class StreamTexts {
  readonly #texts = new Map<string, string>();

  add(key: string, piece: string): void {
    this.#texts.set(key, (this.#texts.get(key) ?? "") + piece);
  }

  changed(map: (text: string) => string): Map<string, string> {
    const mapped = [...this.#texts].map(([key, text]) => [key, text, map(text)] as const);
    return new Map(
      mapped.filter(([, before, after]) => before !== after).map(([key, , text]) => [key, text]),
    );
  }
}

/** Fields that hold a text in pieces; all else comes whole. */
const IN_PIECES: ReadonlySet<string> = new Set([
  "content",
  "reasoning_content",
  "reasoning",
  "thinking",
  "text",
  "arguments",
]);

/** Gets a text, and where it is a piece of one, the key of that. */
type MapText = (text: string, key: string | undefined) => string;

/** An event, or what stands at a key of it, with its texts mapped. */
function visit(value: unknown, map: MapText, key = ""): unknown {
  if (typeof value === "string") {
    return map(value, IN_PIECES.has(key.slice(key.lastIndexOf(".") + 1)) ? key : undefined);
  }
  if (Array.isArray(value)) {
    return value.map((item, position) =>
      visit(item, map, `${key}.${numberOf(objectOf(item)?.["index"]) ?? position}`)
    );
  }
  const fields = objectOf(value);
  return fields === undefined ? value : Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, visit(field, map, `${key}.${name}`)]),
  );
}
