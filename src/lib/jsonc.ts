/**
 * JSON as people write it by hand, with comments and trailing commas. The parser for these is loaded only where
 * the text is no plain JSON.
 */
import type { ParseError } from "jsonc-parser";
import { unlessTooDeep } from "./json_text.ts";
import { positionAt, withoutBom } from "./text.ts";

/** The value of a text, or the place where it stops being JSON. */
export async function parseJsonc(
  file: string,
): Promise<{ readonly value: unknown } | ReturnType<typeof positionAt>> {
  const text = withoutBom(file);
  try {
    return { value: JSON.parse(text) };
  } catch {
    const { parse } = await import("jsonc-parser");
    const faults: ParseError[] = [];
    const parsed = unlessTooDeep(() => ({
      value: parse(text, faults, { allowTrailingComma: true }) as unknown,
    }));
    const [fault] = faults;
    if (parsed !== undefined && fault === undefined) return parsed;
    return positionAt(text, fault?.offset ?? text.length);
  }
}
