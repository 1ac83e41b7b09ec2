/**
 * Runs one formatter on the text of one file. The text goes in and comes out by pipes: what becomes of
 * it is shown, asked about and committed like any other change.
 */
import { cutSafely, type ToolContext, ToolError } from "../../src/api.ts";
import type { Formatter } from "./formatters.ts";

/** Characters of a formatted text that are read, and shown of what a failed one said. */
const MAX_TEXT = 20_000_000;
const MAX_SHOWN = 1_000;

/** The formatted text, or why there is none. */
type FormatOutcome = { readonly text: string } | { readonly why: string };

/** @throws {ToolError} interrupted: the user stopped it */
export async function runFormatter(
  before: string,
  options: { formatter: Formatter; command: string; context: ToolContext },
): Promise<FormatOutcome> {
  const { formatter: { name, codes = [0] } } = options;
  const { code, output, late } = await pipe(before, { ...options, stderr: "drop" });
  if (late) return { why: `${name} did not end within ${late} seconds` };
  if (!codes.includes(code)) {
    // What it has to say is on stderr, which had to be kept apart from the text.
    const { output: words } = await pipe(before, { ...options, stderr: "merge" });
    return { why: `${name} failed with code ${code}: ${cutSafely(words.trim(), MAX_SHOWN)}` };
  }
  if (output.length > MAX_TEXT) return { why: `${name} printed more than a file may hold` };
  const text = output.replace(/^\ufeff/, "");
  // Some print nothing for a file that their configuration leaves out.
  if (text === "" && before.trim() !== "") return { why: `${name} printed nothing for it` };
  return { text };
}

async function pipe(
  input: string,
  options: { command: string; context: ToolContext; stderr: "merge" | "drop" },
): Promise<{ code: number; output: string; late?: number }> {
  const { command, context, stderr } = options;
  const timeout = context.limits.bashTimeout;
  let output = "";
  const { code, ended } = await context.shell.run({
    command,
    input,
    timeout,
    signal: context.signal,
    stderr,
    maxOutput: 0,
    onOutput(chunk) {
      if (output.length <= MAX_TEXT) output += chunk;
    },
  });
  if (ended === "interrupted") throw new ToolError("Format interrupted.", { kind: "interrupted" });
  return { code, output, ...(ended === "timeout" && { late: timeout }) };
}
