/**
 * What the official code's schemas say of a message that is not valid, in words: it throws lists of issues as JSON.
 */
import { typeWords } from "../lib/schema.ts";
import { plural } from "../lib/text.ts";

/** Issues that are told. */
const MAX_TOLD = 3;
const WRONG_TYPE = /^Invalid input: expected (\w+), received (\w+)$/;

/** One thing wrong with a message, as the schemas' library tells it. */
interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** What is wrong with a message, as "it has no 'issuer'"; undefined if an error is about something else. */
export function describeIssues(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("issues" in error) || !Array.isArray(error.issues)) {
    return undefined;
  }
  const issues = error.issues as readonly Issue[];
  const told = issues.slice(0, MAX_TOLD).map(describeIssue);
  const more = issues.length - told.length;
  return [...told, ...more > 0 ? [`${plural(more, "more problem")}`] : []].join("; ");
}

function describeIssue({ path, message }: Issue): string {
  const name = path.length === 0 ? "it" : `'${path.map(String).join(".")}'`;
  const [, wanted, given] = WRONG_TYPE.exec(message) ?? [];
  if (wanted === undefined || given === undefined) return `${name}: ${message}`;
  if (given === "undefined") return `there is no ${name}`;
  return `${name} must be ${typeWords(wanted)}, not ${typeWords(given)}`;
}
