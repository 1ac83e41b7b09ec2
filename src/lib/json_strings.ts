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
  if (Array.isArray(value)) return mapItems(value, map) ?? value;
  if (!isObject(value)) return value;
  const keys = Object.keys(value);
  const items = mapItems(keys.map((key) => value[key]), map);
  return items === undefined ? value : Object.fromEntries(keys.map((key, at) => [key, items[at]]));
}

/** Undefined if nothing changes: then nothing is copied. */
function mapItems(items: readonly unknown[], map: (text: string) => string): unknown[] | undefined {
  let mapped: unknown[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const item = mapValue(items[index], map);
    if (item !== items[index]) (mapped ??= [...items])[index] = item;
  }
  return mapped;
}
