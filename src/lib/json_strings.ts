/**
 * Does something to every string in a JSON value, and leaves what it does not change as it is.
 */
import { isObject } from "./schema.ts";

/** The value with each string in it mapped, keys excepted; the very same value if nothing changes. */
export function mapStrings<T>(value: T, map: (text: string) => string): T {
  return mapValue(value, map) as T;
}

function mapValue(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => mapValue(item, map));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, mapValue(item, map)] as const);
  return entries.some(([key, item]) => item !== value[key]) ? Object.fromEntries(entries) : value;
}
