/**
 * What is unusual in a call that a person is asked about, beside its risk: where it reaches, and what of its text could
 * be overlooked or misread. Where it reaches is what the judgement found. Pure.
 */
import type { Access, Preview, Verdict } from "../core/permission.ts";
import { plural } from "../lib/text.ts";
import {
  addedLines,
  findUnusualText,
  type NumberedLine,
  numberLines,
} from "../lib/unusual_text.ts";
import { accessName } from "./messages.ts";
import { remoteTool } from "./rules.ts";

/** Findings that a question tells of one call. */
const MAX_TOLD = 8;

/** What is known of a call. */
interface AskedCall {
  readonly accesses: readonly Access[];
  readonly verdict: Verdict;
  readonly previews: readonly Preview[];
}

/** What is unusual in a call, each in words. */
export function findUnusual(call: AskedCall): string[] {
  const found = [
    ...findOutside(call),
    ...(usesNetwork(call) ? ["with the network"] : []),
    ...call.previews.flatMap(findInPreview),
  ];
  const each = [...new Set(found)];
  const rest = each.length - MAX_TOLD;
  return rest > 1 ? [...each.slice(0, MAX_TOLD), `and ${rest} more`] : each;
}

function findOutside({ accesses, verdict: { why, parts } }: AskedCall): string[] {
  const paths = accesses.filter(({ kind, inside }) =>
    (kind === "read" || kind === "write") && inside === false
  ).map((access) => `${access.kind}s outside the workspace: ${accessName(access)}`);
  const inCommands = (parts?.map((part) => part.why) ?? [why]).filter((reason) =>
    reason.includes("outside the workspace")
  );
  return [...paths, ...inCommands];
}

function usesNetwork(
  { accesses, verdict: { why, parts = [], sandboxPolicy } }: AskedCall,
): boolean {
  return why.includes("with the network") ||
    sandboxPolicy?.needs.includes("network") === true ||
    parts.some(({ powers = [] }) => powers.includes("network")) ||
    accesses.some(({ kind, target, powers = [] }) =>
      powers.includes("network") || (kind === "net" && remoteTool(target) === undefined)
    );
}

function findInPreview(preview: Preview): string[] {
  switch (preview.kind) {
    case "command":
      return [
        ...findHereDocuments(preview.command),
        ...findUnusualText(numberLines(preview.command)),
      ];
    case "sent":
      return findUnusualText(numberLines(preview.text));
    case "diff":
      return findInFile(preview.path, addedLines(preview.diff));
    case "new_file":
      return findInFile(preview.path, numberLines(preview.content));
    default:
      return findInFile(preview.path, []);
  }
}

function findInFile(path: string, lines: readonly NumberedLine[]): string[] {
  const inName = findUnusualText(numberLines(path));
  // A file of one line has a second, empty one for its line end.
  return [
    ...inName.map((what) => `the name ${path}: ${what}`),
    ...findUnusualText(lines.length === 1 ? [...lines, EMPTY] : lines).map((what) =>
      `${path}: ${what}`
    ),
  ];
}

const EMPTY: NumberedLine = { number: 0, text: "" };

const HERE_DOCUMENT = /<<-?[ \t]*(["']?)([\w.-]+)\1[^\n]*\n([^]*?)^\t*\2$/gm;

function findHereDocuments(command: string): string[] {
  return [...command.matchAll(HERE_DOCUMENT)].map(([, , word, text = ""]) => {
    const lines = text.split("\n").length - 1;
    return `a here-document ${word} (${plural(lines, "line")})`;
  });
}
