/**
 * Answers as they are acted on. Whoever gives them may be a program: what is no answer is a denial, and what was checked
 * is what counts.
 */
import { type Answer, BREADTHS, RULE_SCOPES } from "../core/permission.ts";
import { isObject } from "../lib/schema.ts";

/** What a missing answer means. */
export const DENIED: Answer = { kind: "deny" };

/** The answers in what was given for them. @throws what reading it throws */
export function readAnswers(given: unknown): readonly Answer[] {
  return Array.isArray(given) ? given.map(readAnswer) : [];
}

function readAnswer(given: unknown): Answer {
  if (!isObject(given)) return DENIED;
  const { kind, text, others = [], scope, breadth = "exact" } = given;
  switch (kind) {
    case "allow":
      return { kind };
    case "always": {
      const holds = ["turn" as const, ...RULE_SCOPES].find((one) => one === scope);
      const covers = BREADTHS.find((one) => one === breadth);
      return holds && covers ? { kind, scope: holds, breadth: covers } : DENIED;
    }
    case "instead":
      return typeof text === "string" ? { kind, text } : DENIED;
    case "edit":
      return typeof text === "string" && isTexts(others)
        ? { kind, text, others: [...others] }
        : DENIED;
    default:
      return DENIED;
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
