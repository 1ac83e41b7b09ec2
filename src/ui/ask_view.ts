/**
 * What stands in a question of permission: who wants what, why it asks, the parts of a command, the answers on
 * offer. What is decided on is wrapped, never cut, and what hides in it is shown; only a rule that repeats it
 * is cut in the answer that would store it. `ask.ts` asks.
 */
import type { Answer, CommandPart, GrantScope, PermissionRequest } from "../core/permission.ts";
import { cutEnd, oneLine } from "../lib/text.ts";
import { plainCode } from "./highlight.ts";
import { renderPreview } from "./preview.ts";
import type { Option } from "./question.ts";
import { escapeControls } from "./safe_text.ts";
import type { Theme } from "./theme.ts";
import { fit, wrapCode, wrapProse } from "./wrap.ts";

/** What can be chosen: an answer, or something to do before answering. */
export type AskChoice =
  | { readonly kind: Exclude<Answer["kind"], "always"> }
  | { readonly kind: "always"; readonly scope: GrantScope }
  | { readonly kind: "each" }
  | { readonly kind: "view" };

/** Enter alone. */
export const DENY: AskChoice = { kind: "deny" };

/** What a question is about, and how it is shown. */
export interface PermissionQuestion {
  readonly requests: readonly PermissionRequest[];
  readonly theme: Theme;
  readonly cwd: string;
  /** "2 of 3" */
  readonly position?: string | undefined;
  /** Whether the calls stand on the screen right above. */
  readonly shownAbove: boolean;
  /** Whether what is above lacks lines of what is decided on. */
  readonly isCut: boolean;
  /** How many questions wait behind this one. */
  readonly waiting: () => number;
}

/** Characters of a rule in the answer that would store it. */
const MAX_RULE = 300;
const SCOPES: readonly (readonly [scope: GrantScope, words: string])[] = [
  ["project", "in this project"],
  ["session", "in this session"],
  ["user", "everywhere"],
];

/** The answers on offer. */
export function askOptions({ requests, isCut }: PermissionQuestion): Option<AskChoice>[] {
  const many = requests.length > 1;
  const [always, ...others] = alwaysForms(requests);
  const editable = many ? undefined : requests[0]?.editable;
  return [
    { value: { kind: "allow" }, key: "a", label: many ? "Allow all" : "Allow" },
    ...(always ? [{ ...always, key: "w", variants: others }] : []),
    { value: DENY, key: "d", label: many ? "Deny all" : "Deny" },
    { value: { kind: "instead" }, key: "i", label: "Deny and say what to do instead" },
    ...(editable
      ? [{
        value: { kind: "edit" as const },
        key: "e",
        label: `Edit ${editable.kind}`,
        pauses: true,
      }]
      : []),
    ...(isCut ? [{ value: { kind: "view" as const }, key: "v", label: "View the whole" }] : []),
    ...(many ? [{ value: { kind: "each" as const }, key: "c", label: "Choose one by one" }] : []),
  ];
}

function alwaysForms(
  requests: readonly PermissionRequest[],
): { label: string; value: AskChoice }[] {
  const rules = alwaysRules(requests);
  if (rules.length === 0) return [];
  return SCOPES.map(([scope, words]) => ({
    // A long rule names what stands above it as a whole, and the answers have to fit on the screen.
    label: `Always allow ${cutEnd(rules.join(", "), MAX_RULE)} ${words}`,
    value: { kind: "always", scope },
  }));
}

/** The rules that "Always" would store; none if a single call has none or is extremely sensitive. */
function alwaysRules(requests: readonly PermissionRequest[]): string[] {
  const rules = requests.map(({ always, risk: grave }) => grave === "extreme" ? undefined : always);
  if (rules.includes(undefined)) return [];
  return [...new Set(rules.map((rule) => escapeText(rule ?? "")))];
}

/** The question in lines of at most `columns` cells. */
export function questionLines(question: PermissionQuestion, columns: number): string[] {
  const { requests, theme, position, waiting } = question;
  const [first] = requests;
  const agent = first && first.agent.depth > 0 ? `${oneLine(first.agent.name)} asks: ` : "";
  const what = requests.length > 1 ? `these ${requests.length} calls` : oneLine(first?.tool ?? "");
  const notes = [position, ...(waiting() > 0 ? [`${waiting()} more waiting`] : [])].filter(Boolean);
  const head = `${agent}Allow ${what}?${notes.length > 0 ? ` (${notes.join(", ")})` : ""}`;
  return [
    "",
    ...wrapProse(theme.paint("bold", head), columns),
    ...requests.flatMap((request) => callLines(request, { question, columns: columns - 2 })),
  ];
}

/** What a question is about, and how wide it may be. */
interface QuestionLayout {
  readonly question: PermissionQuestion;
  readonly columns: number;
}

function callLines(request: PermissionRequest, { question, columns }: QuestionLayout): string[] {
  const { theme, requests, shownAbove } = question;
  const extreme = request.risk === "extreme";
  const why = escapeText(request.why, theme);
  const what = requests.length > 1
    ? escapeText(`${request.tool} ${request.description}`, theme)
    : escapeText(request.description, theme);
  const commands = request.previews.filter((preview) => preview.kind === "command");
  return [
    ...(shownAbove ? [] : wrapCode(what, columns)),
    ...(shownAbove
      ? []
      : commands.flatMap((preview) => fullPreview(preview, { question, columns }))),
    ...countParts(request.parts ?? []).flatMap((part) => partLines(part, { theme, columns })),
    ...wrapProse(extreme ? `! Extremely sensitive: ${why}` : why, columns)
      .map((line) => theme.paint(extreme ? "error" : "dim", line)),
  ].map((line) => `  ${line}`);
}

interface CountedPart extends CommandPart {
  readonly times: number;
}

/** Parts that are alike as one. */
function countParts(parts: readonly CommandPart[]): CountedPart[] {
  const counted = new Map<string, CountedPart>();
  for (const part of parts) {
    const key = `${part.risk} ${part.command}`;
    counted.set(key, { ...part, times: (counted.get(key)?.times ?? 0) + 1 });
  }
  return [...counted.values()];
}

/** One part of a command, with its class; the grave ones stand out. */
function partLines(
  part: CountedPart,
  { theme, columns }: { theme: Theme; columns: number },
): string[] {
  const style = part.risk === "extreme" ? "error" : part.risk === "safe" ? "dim" : "warning";
  const times = part.times > 1 ? ` (${part.times} times)` : "";
  return wrapCode(`${part.risk}: ${escapeText(part.command, theme)}${times}`, columns)
    .map((line) => theme.paint(style, line));
}

/** Every line of what the calls would do. */
export function fullLines(question: PermissionQuestion, columns: number): string[] {
  const previews = question.requests.flatMap((request) => request.previews);
  return previews.flatMap((preview) => ["", ...fullPreview(preview, { question, columns })]);
}

function fullPreview(
  preview: PermissionRequest["previews"][number],
  { question: { theme, cwd }, columns }: QuestionLayout,
): string[] {
  return renderPreview(preview, { theme, columns, rows: Infinity, highlight: plainCode, cwd });
}

/** The one line that stands for an answered question. */
export function answerLine(choice: AskChoice, { question, columns }: QuestionLayout): string {
  const { theme, requests } = question;
  const subject = requests.length === 1
    ? oneLine(`${requests[0]?.tool} ${requests[0]?.description}`)
    : `${requests.length} calls`;
  const line = (style: "success" | "warning", mark: string, text: string) =>
    `${theme.paint(style, mark)} ${theme.paint("dim", fit(text, columns, theme.glyphs.ellipsis))}`;
  const { granted, cancelled, pending } = theme.glyphs;
  switch (choice.kind) {
    case "allow":
      return line("success", granted, `Allowed ${subject}`);
    case "always": {
      const words = SCOPES.find(([scope]) => scope === choice.scope)?.[1];
      return line("success", granted, `Always ${words}: ${alwaysRules(requests).join(", ")}`);
    }
    case "deny":
      return line("warning", cancelled, `Denied ${subject}`);
    case "instead":
      return line("warning", cancelled, `Denied ${subject}. What to do instead?`);
    case "each":
      return line("success", pending, "Choosing one by one");
    case "edit":
      return line("success", pending, `Editing ${subject}`);
    case "view":
      return "";
  }
}

/** One line that shows what hides in it. */
function escapeText(text: string, theme?: Theme): string {
  return oneLine(escapeControls(text, { ascii: theme?.unicode === false }));
}
