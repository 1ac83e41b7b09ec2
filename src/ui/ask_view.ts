/**
 * The text of a permission question: who wants what, why it asks, the parts of a command, the possible answers. What
 * a person decides on is wrapped, never cut, and its invisible characters are made visible; only the rule in an
 * answer that would store it may be cut.
 */
import {
  type Answer,
  type Breadth,
  BREADTHS,
  type CommandPart,
  type GrantOffer,
  type GrantScope,
  type PermissionRequest,
  tellsUnusual,
} from "../core/permission.ts";
import { cutEnd, oneLine, splitLines } from "../lib/text.ts";
import { countChanges } from "./diff_view.ts";
import { alwaysOffers, grantChoices, MAX_RULE, rulesIn, SCOPE_WORDS } from "./grant_choices.ts";
import { plainCode } from "./highlight.ts";
import { renderPreview } from "./preview.ts";
import type { Option } from "./question.ts";
import { escapeControls } from "./safe_text.ts";
import type { Layout, Theme } from "./theme.ts";
import { fit, wrapCommand, wrapProse } from "./wrap.ts";

/** What can be chosen: an answer, or an action before answering. */
export type AskChoice =
  | { readonly kind: Exclude<Answer["kind"], "always"> }
  | { readonly kind: "always"; readonly scope: GrantScope; readonly breadth: Breadth }
  | { readonly kind: "each" }
  | { readonly kind: "view" };

/** The default: Enter alone. */
export const DENY: AskChoice = { kind: "deny" };

/** What a question is about, and how it is shown. */
export interface PermissionQuestion {
  readonly requests: readonly PermissionRequest[];
  readonly theme: Theme;
  readonly cwd: string;
  /** "2 of 3" */
  readonly position?: string | undefined;
  /** Whether the calls are on the screen right above. */
  readonly shownAbove: boolean;
  /** Whether part of what they would do is neither there nor in the question. */
  readonly isHidden: boolean;
  /** What the person has begun to say. */
  readonly words?: string | undefined;
  /** How many questions are waiting. */
  readonly waiting: () => number;
}

/** The letters that choose how much "Always" allows. */
const BREADTH_KEYS: Readonly<Record<Breadth, string>> = {
  exact: "w",
  program: "p",
  repository: "g",
  kind: "s",
};
/** The possible answers. */
export function askOptions(
  { requests, isHidden, words = "" }: PermissionQuestion,
): Option<AskChoice>[] {
  const many = requests.length > 1;
  const editable = many ? undefined : requests[0]?.editable;
  return [
    { value: { kind: "allow" }, key: "a", label: many ? "Allow all" : "Allow" },
    ...BREADTHS.flatMap((breadth) => alwaysOption(requests, breadth)),
    { value: DENY, key: "d", label: many ? "Deny all" : "Deny" },
    {
      value: { kind: "instead" as const },
      key: "i",
      label: "Deny and say what to do instead",
      ...words !== "" && { note: escapeText(cutEnd(words, MAX_RULE)) },
    },
    ...(editable
      ? [{
        value: { kind: "edit" as const },
        key: "e",
        label: `Edit ${editable.kind}`,
        pauses: true,
      }]
      : []),
    ...(isHidden
      ? [{ value: { kind: "view" as const }, key: "v", label: "View the whole", pauses: true }]
      : []),
    ...(many ? [{ value: { kind: "each" as const }, key: "c", label: "Choose one by one" }] : []),
  ];
}

/** "Always" in one breadth, for as long as the left and right arrow keys say; nothing if it is not offered. */
function alwaysOption(
  requests: readonly PermissionRequest[],
  breadth: Breadth,
): Option<AskChoice>[] {
  const choices = grantChoices(requests, breadth);
  const isForEdits = choices.some(({ scope }) => scope === "turn");
  const offers = alwaysOffers(requests, breadth);
  const [form, ...variants] = choices.map(({ scope, label }) => ({
    label,
    value: { kind: "always", scope, breadth } as const,
    ...scope === "turn"
      ? { note: "Shift+Tab: of this session" }
      // What holds for a turn would have covered none but this turn's.
      : { note: coversAny(requests) ? describeCoverage(offers) : undefined },
    isWidest: isForEdits && scope === "session",
  }));
  return form ? [{ ...form, key: BREADTH_KEYS[breadth], variants }] : [];
}

/** Whether any breadth would have covered a question of today: only then there is something to compare. */
function coversAny(requests: readonly PermissionRequest[]): boolean {
  return BREADTHS.some((breadth) =>
    (alwaysOffers(requests, breadth)[0]?.coverage?.covered ?? 0) > 0
  );
}

/** What a rule would have covered today; nothing for several calls, or if nothing is known of today. */
function describeCoverage([offer, ...others]: readonly GrantOffer[]): string | undefined {
  const { coverage } = offer ?? {};
  if (!coverage || others.length > 0) return undefined;
  const { questions, covered, denied } = coverage;
  if (questions === 1) {
    return `would ${covered === 0 ? "not " : ""}have covered today's only question here`;
  }
  const all = `today's ${questions} questions here`;
  if (covered === 0) return `would have covered none of ${all}`;
  const which = denied === 0 ? "" : `, ${denied} of which you denied`;
  return `would have covered ${covered} of ${all}${which}`;
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

/** A question and its width. */
interface QuestionLayout {
  readonly question: PermissionQuestion;
  readonly columns: number;
}

function callLines(request: PermissionRequest, { question, columns }: QuestionLayout): string[] {
  const { theme, requests, shownAbove } = question;
  const extreme = request.risk === "extreme";
  const why = escapeText(request.why, theme);
  const number = requests.length > 1 ? `${requests.indexOf(request) + 1}. ${request.tool} ` : "";
  const what = escapeText(`${number}${request.description}`, theme) + countLines(request, theme);
  const commands = request.previews.filter((preview) => preview.kind === "command");
  return [
    ...(shownAbove ? [] : wrapCommand(what, columns)),
    ...(shownAbove
      ? []
      : commands.flatMap((preview) => fullPreview(preview, { question, columns }))),
    ...countParts(request.parts ?? []).flatMap((part) =>
      partLines(part, { request, theme, columns })
    ),
    ...wrapProse(extreme ? `! Extremely sensitive: ${why}` : why, columns)
      .map((line) => theme.paint(extreme ? "error" : isMarked(request) ? "warning" : "dim", line)),
    ...unusualLines(request, { theme, columns }),
    ...boundLines(request, { theme, columns }),
  ].map((line) => `  ${line}`);
}

/** Whether the reason itself tells something unusual. */
function isMarked({ unusual = [], why }: PermissionRequest): boolean {
  return unusual.some((what) => tellsUnusual(why, what));
}

/** What is unusual and the reason does not tell. */
function unusualLines(
  { unusual = [], why }: PermissionRequest,
  { theme, columns }: Layout,
): string[] {
  const rest = unusual.filter((what) => !tellsUnusual(why, what));
  if (rest.length === 0) return [];
  const words = rest.map((what) => escapeText(what, theme)).join("; ");
  return wrapProse(`! ${words}`, columns).map((line) => theme.paint("warning", line));
}

/** Files named in the question; the list of rules has them all. */
const MAX_NAMED = 3;

/** Which files a rule for it would be bound to. */
function boundLines({ offers, risk }: PermissionRequest, { theme, columns }: Layout): string[] {
  const bound = offers.flatMap((offer) => offer.bound ?? [])[0];
  if (!bound || risk === "extreme") return [];
  const { files, runsUnknown } = bound;
  const more = files.length - MAX_NAMED;
  const named = [...files.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(", ");
  const which = files.length === 1 ? "this file" : `one of ${files.length} files`;
  const holds = files.length === 0
    ? "A rule for it holds whatever becomes of the files that it runs, as nobody can tell which these are"
    : `A rule for it holds until ${which} changes: ${named}`;
  const unknown = runsUnknown && files.length > 0 ? "; it may also run others" : "";
  return wrapProse(escapeText(`${holds}${unknown}`, theme), columns)
    .map((line) => theme.paint("dim", line));
}

interface CountedPart extends CommandPart {
  readonly times: number;
}

/** Equal parts as one with their number. */
function countParts(parts: readonly CommandPart[]): CountedPart[] {
  const counted = new Map<string, CountedPart>();
  for (const part of parts) {
    const key = `${part.risk} ${part.command} ${part.gets}`;
    counted.set(key, { ...part, times: (counted.get(key)?.times ?? 0) + 1 });
  }
  return [...counted.values()];
}

/** One part of a command with its risk, and why it is asked about if the call's reason does not tell. */
function partLines(
  part: CountedPart,
  { request, theme, columns }: Layout & { readonly request: PermissionRequest },
): string[] {
  const style = part.risk === "extreme" ? "error" : part.risk === "safe" ? "dim" : "warning";
  const times = part.times > 1 ? ` (${part.times} times)` : "";
  const gets = part.gets === undefined ? "" : `, ${part.gets}`;
  const what = `${part.risk}: ${escapeText(part.command, theme)}${times}${gets}`;
  const lines = wrapCommand(what, columns)
    .map((line) => theme.paint(style, line));
  if (part.risk === "safe" || request.why.includes(part.why)) return lines;
  const why = wrapProse(escapeText(part.why, theme), columns - 2);
  return [...lines, ...why.map((line) => `  ${theme.paint("dim", line)}`)];
}

/** How many lines a call adds and removes, after its description. */
function countLines({ previews }: PermissionRequest, theme: Theme): string {
  const counts = previews.flatMap((preview) => {
    if (preview.kind === "diff") return [countChanges(preview.diff)];
    if (preview.kind === "deleted_file") return [{ added: 0, removed: preview.lines }];
    if (preview.kind !== "new_file") return [];
    return [{ added: splitLines(preview.content).length, removed: 0 }];
  });
  if (counts.length === 0) return "";
  const added = counts.reduce((sum, one) => sum + one.added, 0);
  const removed = counts.reduce((sum, one) => sum + one.removed, 0);
  return ` ${theme.paint("added", `+${added}`)} ${theme.paint("removed", `-${removed}`)}`;
}

/** Every line of what the calls would do. */
export function fullLines(question: PermissionQuestion, columns: number): string[] {
  const { requests, theme } = question;
  return requests.flatMap(({ tool, description, previews }, index) => {
    const title = `${index + 1} of ${requests.length}: ${tool} ${description}`;
    const head = requests.length > 1
      ? ["", ...wrapCommand(theme.paint("bold", escapeText(title, theme)), columns)]
      : [];
    const lines = previews.flatMap((preview) => [
      "",
      ...fullPreview(preview, { question, columns }),
    ]);
    return [...head, ...lines];
  });
}

function fullPreview(
  preview: PermissionRequest["previews"][number],
  { question: { theme, cwd }, columns }: QuestionLayout,
): string[] {
  return renderPreview(preview, { theme, columns, rows: Infinity, highlight: plainCode, cwd });
}

/** The line that replaces an answered question. */
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
      const rules = rulesIn(alwaysOffers(requests, choice.breadth)).join(", ");
      return line("success", granted, `Always ${SCOPE_WORDS[choice.scope]}: ${rules}`);
    }
    case "deny":
      return line("warning", cancelled, `Denied ${subject}`);
    case "instead":
      return line("warning", cancelled, `Not allowed: ${subject}. What to do instead?`);
    case "each":
      return line("success", pending, "Choosing one by one");
    case "edit":
      return line("success", pending, `Editing ${subject}`);
    case "view":
      return "";
  }
}

/** One line with invisible characters made visible, carriage returns included. */
function escapeText(text: string, theme?: Theme): string {
  return oneLine(escapeControls(text, { ascii: theme?.unicode === false }));
}
