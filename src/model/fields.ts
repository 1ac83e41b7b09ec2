/**
 * Reads fields of untrusted JSON: a value of another type than expected counts as absent. Servers differ in
 * everything, so nothing is assumed.
 */
import { isDeeper, isObject } from "../lib/schema.ts";

/** Levels and characters of fields that are kept as they came: what saves them walks through them recursively. */
const MAX_DEPTH = 100;
const MAX_CHARACTERS = 1_000_000;

/** The value as an object with unknown fields, or undefined. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isObject(value) ? value : undefined;
}

/** The value as a list, or an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value if it is a non-empty string, or undefined. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The value if it is a finite number, or undefined. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Fields that are saved and sent back as they came, or undefined if they are too many or too deep. */
export function keepableOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isObject(value) || isDeeper(value, MAX_DEPTH)) return undefined;
  return JSON.stringify(value).length <= MAX_CHARACTERS ? value : undefined;
}
