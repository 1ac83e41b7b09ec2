/**
 * The question whether a plugin may run: what it may and may not do, what changed since it was allowed, and the
 * answers. Enter alone, Escape, Ctrl+C and a closed terminal mean "deny".
 */
import type { AskConsent, ConsentChoice, ConsentRequest } from "../core/plugin_consent.ts";
import { cutEnd } from "../lib/text.ts";
import { choose, type Option } from "./question.ts";
import { escapeLine } from "./safe_text.ts";
import { type Suspend, withScreen } from "./suspend.ts";
import type { Terminal } from "./terminal.ts";
import type { Layout, Theme } from "./theme.ts";
import { fit, wrapCode, wrapProse } from "./wrap.ts";

/** Characters shown of a tool's description. */
const MAX_CHARACTERS = 150;
/** Lines shown of one list; the rest is counted. */
const MAX_LINES = 15;

const ANSWERS: readonly Option<ConsentChoice>[] = [
  { value: "session", key: "a", label: "Allow in this session" },
  { value: "always", key: "w", label: "Always allow it as it is now" },
  { value: "deny", key: "d", label: "Deny" },
];

/** Makes the port that asks a person at a terminal. */
export function createConsentAsk(options: {
  terminal: Terminal;
  theme: Theme;
  suspend: Suspend;
}): AskConsent {
  const { terminal, theme, suspend } = options;
  return (request, signal) =>
    withScreen(suspend, () =>
      choose<ConsentChoice>({
        lines: (columns) => consentLines(request, { columns, theme }),
        options: ANSWERS,
        fallback: "deny",
        renderAnswer: (choice) => answerLine(request, { choice, columns: terminal.columns, theme }),
      }, { terminal, theme, signal }));
}

/** What a person reads before deciding: wrapped, and cut only where the rest is counted. */
function consentLines(
  request: ConsentRequest,
  { columns, theme }: Layout,
): string[] {
  const { name, version, description, folder, may, tools, changes } = request;
  const head = changes === undefined
    ? `Let the plugin ${escapeLine(name)} run? It is used for the first time.`
    : `Let the plugin ${escapeLine(name)} run? It changed since you allowed it.`;
  const list = (title: string, lines: readonly string[]) =>
    listLines(title, lines, { columns, theme });
  return [
    "",
    ...wrapProse(theme.paint("bold", head), columns),
    ...wrapProse(escapeLine(`${version}: ${description}`), columns - 2).map((line) => `  ${line}`),
    ...wrapCode(escapeLine(folder), columns - 2).map((line) => theme.paint("dim", `  ${line}`)),
    "",
    ...list("Its tools", tools.map((tool) => cutEnd(tool, MAX_CHARACTERS))),
    ...(changes === undefined ? [] : list("Changed", changes)),
    // Next to the answers, so that nothing an author wrote can scroll it away.
    ...list("It", may),
  ];
}

function listLines(
  title: string,
  lines: readonly string[],
  { columns, theme }: Layout,
): string[] {
  const more = lines.length - MAX_LINES;
  return [
    theme.paint("accent", `  ${title}`),
    ...lines.slice(0, MAX_LINES).flatMap((line) =>
      wrapProse(escapeLine(line), Math.max(1, columns - 6))
        .map((part, row) => `${row === 0 ? "    " : "      "}${part}`)
    ),
    ...(more > 0 ? [theme.paint("warning", `    and ${more} more`)] : []),
  ];
}

function answerLine(
  { name }: ConsentRequest,
  { choice, columns, theme }: Layout & { choice: ConsentChoice },
): string {
  const granted = choice !== "deny";
  const mark = granted
    ? theme.paint("success", theme.glyphs.granted)
    : theme.paint("warning", theme.glyphs.cancelled);
  const verb = granted ? choice === "always" ? "Always allowed" : "Allowed" : "Denied";
  const text = fit(`${verb} the plugin ${escapeLine(name)}`, columns - 3, theme.glyphs.ellipsis);
  return `${mark} ${theme.paint("dim", text)}`;
}
