/**
 * Does something to every string in a JSON value, names of fields included, and leaves what it does not change as it is.
 */
import { isObject } from "./schema.ts";

/** The value with each string and each name of a field in it mapped; the very same value if nothing changes. */
export function mapStrings<T>(value: T, map: (text: string) => string): T {
  // The same names come again and again.
  const names = new Map<string, string>();
  const mapName = (name: string) => {
    const known = names.get(name) ?? map(name);
    names.set(name, known);
    return known;
  };
  return mapValue(value, { map, mapName }) as T;
}

interface StringMaps {
  readonly map: (text: string) => string;
  readonly mapName: (name: string) => string;
}

function mapValue(value: unknown, maps: StringMaps): unknown {
  if (typeof value === "string") return maps.map(value);
  if (Array.isArray(value)) return mapItems(value, maps) ?? value;
  if (!isObject(value)) return value;
  const keys = Object.keys(value);
  const names = mapNames(keys, maps);
  const before = keys.map((key) => value[key]);
  const items = mapItems(before, maps);
  if (items === undefined && names === undefined) return value;
  // This makes fields of their own of all names, `__proto__` too.
  return Object.fromEntries((names ?? keys).map((name, at) => [name, (items ?? before)[at]]));
}

/** Undefined if nothing changes: then nothing is copied. */
function mapItems(items: readonly unknown[], maps: StringMaps): unknown[] | undefined {
  let mapped: unknown[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const item = mapValue(items[index], maps);
    if (item !== items[index]) (mapped ??= [...items])[index] = item;
  }
  return mapped;
}

/** Undefined if nothing changes. Names that become alike are numbered, so that none takes the value of another. */
function mapNames(names: readonly string[], { mapName }: StringMaps): string[] | undefined {
  const mapped = names.map(mapName);
  if (mapped.every((name, at) => name === names[at])) return undefined;
  const taken = new Set(names.filter((name, at) => mapped[at] === name));
  return mapped.map((name, at) => {
    if (name === names[at]) return name;
    let free = name;
    for (let count = 2; taken.has(free); count++) free = `${name} (${count})`;
    taken.add(free);
    return free;
  });
}
