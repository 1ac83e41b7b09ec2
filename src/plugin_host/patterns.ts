/**
 * Checks an input against the patterns of a manifest in linear time: somebody else's regular expression could
 * otherwise block all of ally. Loaded with the first tool that has a pattern.
 */
import { RE2JS } from "re2js";
import { ToolError } from "../core/errors.ts";
import { isObject } from "../lib/schema.ts";
import type { InputPattern } from "./plugin.ts";

/** Makes the check; patterns with lookaround or backreferences are left to the plugin. */
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
