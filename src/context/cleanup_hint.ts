/**
 * Results that fill the window without helping: how they are recognized, and what the model is told so
 * that it can give them up.
 */
import { countTokens } from "./tokens.ts";

/** What a search or a command says when it found nothing, and why that makes its result useless. */
const UNHELPFUL: readonly { says: string; reason: string }[] = [
  { says: "No matches found", reason: "no matches" },
  { says: "No files found", reason: "no files found" },
  { says: "No items found", reason: "nothing found" },
  { says: "Found 0 ", reason: "no matches" },
  { says: "not found", reason: "not found" },
  { says: "does not exist", reason: "does not exist" },
  { says: "No such file", reason: "no such file" },
];

/** Tools and commands say it in their first or last lines; in between it is the text of some file. */
const TELLING_LINES = 3;
/** Up to here a result costs no more than cleaning it up would. */
const CHEAP_TOKENS = 500;

/** For a large result that seems to hold nothing of use: its id, and how to give it up. */
export function cleanUpHint(content: string, callId: string): string | undefined {
  const lines = content.split("\n");
  const telling = [...lines.slice(0, TELLING_LINES), ...lines.slice(-TELLING_LINES)].join("\n");
  const unhelpful = UNHELPFUL.find(({ says }) => telling.includes(says));
  if (unhelpful === undefined || countTokens(content) <= CHEAP_TOKENS) return undefined;
  const id = JSON.stringify(callId);
  return `[tool_call_id: ${callId}]\n` +
    "If this result is of no help, free its space: " +
    `cleanup_tool_call(tool_call_ids=${id}, summary="what it showed, in 1-2 sentences", reason="${unhelpful.reason}")`;
}
