/**
 * Reading fields of JSON that nobody vouches for: what is not of the expected type is simply absent.
 * Servers differ in everything, so the readers of this room look and never assume.
 */

/** The value as an object with unknown fields, or undefined. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Record<string, unknown>
    : undefined;
}

/** The value as a list, or an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value if it is a string with something in it, or undefined. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The value if it is a finite number, or undefined. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
