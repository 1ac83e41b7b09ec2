/**
 * The port `Ask` for a person at a terminal. The renderer has already shown what the calls would do; here
 * stands only the question: why it asks, what "Always" would store, and the answers. Whatever goes wrong
 * (an abort, a closed terminal, Escape) is a denial.
 */
import type { Answer, Ask, CommandPart, PermissionRequest } from "../core/permission.ts";
import { plural } from "../lib/text.ts";
import { editLine } from "./line_editor.ts";
import { choose, type Option } from "./question.ts";
import { escapeControls, oneLine } from "./safe_text.ts";
import type { Terminal } from "./terminal.ts";
import type { Theme } from "./theme.ts";
import { fit, wrapCode, wrapProse } from "./wrap.ts";

/** What asking needs. */
export interface AskOptions {
  readonly terminal: Terminal;
  readonly theme: Theme;
  /** Takes the screen from the renderer until the returned function is called. */
  readonly suspend: () => Promise<() => void>;
}

type Choice = Answer["kind"] | "each";

const DENY: Answer = { kind: "deny" };

/** Makes the port; questions that come at the same time are asked one after another. */
export function createAsk(options: AskOptions): Ask {
  let last: Promise<unknown> = Promise.resolve();
  return (requests, signal) => {
    const answers = last.then(() => askInTurn(requests, signal, options));
    last = answers.catch(() => {});
    return answers;
  };
}

async function askInTurn(
  requests: readonly PermissionRequest[],
  signal: AbortSignal,
  options: AskOptions,
): Promise<readonly Answer[]> {
  if (requests.length === 0) return [];
  const resume = await options.suspend();
  try {
    await options.terminal.drain();
    const answer = await askOnce(requests, { ...options, signal });
    if (answer !== "each") return requests.map(() => answer);
    const answers: Answer[] = [];
    for (const [index, request] of requests.entries()) {
      const place = `${index + 1} of ${requests.length}`;
      const one = await askOnce([request], { ...options, signal, place });
      answers.push(one === "each" ? DENY : one);
    }
    return answers;
  } finally {
    resume();
  }
}

interface OnceOptions extends AskOptions {
  readonly signal: AbortSignal;
  /** "2 of 3" */
  readonly place?: string;
}

async function askOnce(
  requests: readonly PermissionRequest[],
  options: OnceOptions,
): Promise<Answer | "each"> {
  const { terminal, theme, signal } = options;
  const subject = requests.length === 1
    ? oneLine(`${requests[0]?.tool} ${requests[0]?.description}`)
    : plural(requests.length, "call");
  const choice = await choose<Choice>({
    lines: questionLines(requests, options),
    options: choices(requests),
    fallback: "deny",
    answered: (value) => answeredLine(value, { subject, requests, options }),
  }, { terminal, theme, signal });
  if (choice === "each") return "each";
  if (choice === "always") return { kind: "always", scope: "project" };
  if (choice !== "instead") return { kind: choice };
  const entered = await editLine(terminal, { theme, signal });
  const text = entered.kind === "line" ? entered.text.trim() : "";
  return text === "" ? DENY : { kind: "instead", text };
}

function choices(requests: readonly PermissionRequest[]): Option<Choice>[] {
  const many = requests.length > 1;
  const rules = alwaysRules(requests);
  return [
    { value: "allow", key: "a", label: many ? "Allow all" : "Allow" },
    ...(rules.length > 0
      ? [{ value: "always" as const, key: "w", label: `Always allow ${rules.join(", ")}` }]
      : []),
    { value: "deny", key: "d", label: many ? "Deny all" : "Deny" },
    { value: "instead", key: "i", label: "Deny and say what to do instead" },
    ...(many ? [{ value: "each" as const, key: "c", label: "Choose one by one" }] : []),
  ];
}

/** The rules that "Always" would store; none if a single call has none or is extremely sensitive. */
function alwaysRules(requests: readonly PermissionRequest[]): string[] {
  const rules = requests.map(({ always, class: grave }) =>
    grave === "extreme" ? undefined : always
  );
  if (rules.includes(undefined)) return [];
  return [...new Set(rules.map((rule) => oneLine(rule ?? "")))];
}

function questionLines(requests: readonly PermissionRequest[], options: OnceOptions): string[] {
  const { theme, terminal, place } = options;
  const columns = Math.max(1, terminal.columns - 1);
  const [first] = requests;
  const head = requests.length > 1
    ? `Allow these ${requests.length} calls?`
    : `Allow ${oneLine(first?.tool ?? "")}?${place ? ` (${place})` : ""}`;
  const calls = requests.flatMap((request) => callLines(request, requests.length > 1, options));
  return ["", ...wrapProse(theme.paint("bold", head), columns), ...calls];
}

/** What is decided on is wrapped, never cut. */
function callLines(
  request: PermissionRequest,
  many: boolean,
  { theme, terminal, place }: OnceOptions,
): string[] {
  const columns = terminal.columns - 3;
  const extreme = request.class === "extreme";
  const agent = request.agent.depth > 0 ? `${oneLine(request.agent.name)}: ` : "";
  const what = oneLine(`${agent}${many ? `${request.tool} ` : ""}${request.description}`);
  const why = oneLine(request.why);
  const shownAbove = !many && place === undefined && request.previews.length > 0;
  return [
    ...(shownAbove ? [] : wrapCode(what, columns)),
    ...(request.parts ?? []).flatMap((part) => partLines(part, { theme, columns })),
    ...wrapProse(extreme ? `! Extremely sensitive: ${why}` : why, columns)
      .map((line) => theme.paint(extreme ? "error" : "dim", line)),
  ].map((line) => `  ${line}`);
}

/** One part of a command, with its class; the grave ones stand out. */
function partLines(
  part: CommandPart,
  { theme, columns }: { theme: Theme; columns: number },
): string[] {
  const style = part.class === "extreme" ? "error" : part.class === "safe" ? "dim" : "warning";
  const text = oneLine(escapeControls(part.command));
  return wrapCode(`${part.class}: ${text}`, columns).map((line) => theme.paint(style, line));
}

function answeredLine(
  choice: Choice,
  { subject, requests, options }: {
    subject: string;
    requests: readonly PermissionRequest[];
    options: OnceOptions;
  },
): string {
  const { theme, terminal } = options;
  const columns = terminal.columns - 3;
  const line = (style: "success" | "warning", mark: string, text: string) =>
    `${theme.paint(style, mark)} ${theme.paint("dim", fit(text, columns, theme.glyphs.ellipsis))}`;
  switch (choice) {
    case "allow":
      return line("success", theme.glyphs.granted, `Allowed ${subject}`);
    case "always":
      return line("success", theme.glyphs.granted, `Always: ${alwaysRules(requests).join(", ")}`);
    case "deny":
      return line("warning", theme.glyphs.cancelled, `Denied ${subject}`);
    case "instead":
      return line("warning", theme.glyphs.cancelled, `Denied ${subject}. What to do instead?`);
    case "each":
      return line("success", theme.glyphs.pending, "Choosing one by one");
  }
}
