/**
 * Judges an input by the patterns of a manifest in time that grows with the text and no faster: somebody else's
 * regular expression would otherwise hold up all of ally. Loaded with the first tool that has one.
 */
import { RE2JS } from "re2js";
import { ToolError } from "../core/errors.ts";
import { isObject } from "../lib/schema.ts";
import type { InputPattern } from "./plugin.ts";

/** A function that refuses inputs; a pattern that looks around or back is left to the plugin. */
export function createPatternCheck(
  patterns: readonly InputPattern[],
): (input: Readonly<Record<string, unknown>>) => void {
  const known = patterns.flatMap(({ path, pattern }) => {
    const expression = compile(pattern);
    return expression === undefined ? [] : [{ path, pattern, expression }];
  });
  return (input) => {
    for (const { path, pattern, expression } of known) {
      const wrong = valuesAt(input, path).find((text) => !expression.matcher(text).find());
      if (wrong === undefined) continue;
      const name = path.join(".").replaceAll(".[]", "[]");
      throw new ToolError(`Invalid '${name}': it does not match ${pattern}`, {
        kind: "validation",
      });
    }
  };
}

function compile(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch {
    return undefined;
  }
}

function valuesAt(value: unknown, [step, ...rest]: readonly string[]): string[] {
  if (step === undefined) return typeof value === "string" ? [value] : [];
  if (step === "[]") {
    return Array.isArray(value) ? value.flatMap((one) => valuesAt(one, rest)) : [];
  }
  return isObject(value) && Object.hasOwn(value, step) ? valuesAt(value[step], rest) : [];
}
