/**
 * `ally permissions explain`: what a command would be judged to be, part by part, what decides about it, and
 * what "Always" would store. With `-` it reads commands from standard input, one JSON string a line.
 */
import { UsageError } from "../core/errors.ts";
import type { CommandPart, Verdict } from "../core/permission.ts";
import { jsonLine, messageOf, plural } from "../lib/text.ts";
import { createGround } from "../workspace/ground.ts";
import type { Rules } from "../permission/rules.ts";
import { classifyCommand } from "../permission/classify.ts";
import { Policy } from "../permission/policy.ts";
import { escapeControls } from "../ui/safe_text.ts";
import { EXIT } from "./exit_codes.ts";
import { standardStreams } from "./standard_streams.ts";

export interface ExplainOptions {
  /** The command, or `-` to read commands from standard input. */
  readonly command: string;
  readonly json: boolean;
  /** Absolute. */
  readonly cwd: string;
  /** Absolute. */
  readonly addDirs: readonly string[];
  readonly rules: Rules;
}

/** What programs read; the contract names its fields. */
interface Explanation {
  readonly class: Verdict["class"];
  readonly parts: readonly CommandPart[];
  readonly rule?: string;
  readonly decision: Verdict["decision"];
}

interface Explained extends Explanation {
  readonly why: string;
  readonly always?: string;
}

/** Explains one command or many, and returns the exit code. @throws {UsageError} a line is no JSON string */
export async function runExplain(options: ExplainOptions): Promise<number> {
  const { out } = standardStreams();
  const explain = explainer(options);
  if (options.command !== "-") {
    const explained = await explain(options.command);
    out(options.json ? asJson(explained) : asText(options.command, explained));
    return EXIT.done;
  }
  let number = 0;
  for await (const line of linesOf(Deno.stdin.readable)) {
    number++;
    if (line.trim() !== "") out(asJson(await explain(commandOf(line, number))));
  }
  return EXIT.done;
}

function explainer({ cwd, addDirs, rules }: ExplainOptions): (text: string) => Promise<Explained> {
  const root = canonical(cwd);
  const ground = createGround({
    cwd: root,
    all: [root, ...addDirs.map(canonical)],
    home: Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE") ?? "",
  });
  const policy = new Policy({ rules, interactive: true, ground });
  return async (text) => {
    const verdict = await policy.judge([{ kind: "run", target: text, cwd: root }]);
    const { parts } = classifyCommand(text, { ground });
    const { class: gravity, decision, why, always } = verdict;
    const rule = /^(--\S+) (?:allows|forbids) it$/.exec(why)?.[1];
    return {
      class: gravity,
      parts: parts.map(({ command, class: grave, why }) => ({ command, class: grave, why })),
      ...(rule !== undefined && { rule }),
      decision,
      why,
      ...(always !== undefined && { always }),
    };
  };
}

function canonical(directory: string): string {
  try {
    return Deno.realPathSync(directory);
  } catch (error) {
    throw new UsageError(`Cannot work in ${directory}: ${messageOf(error)}`, { cause: error });
  }
}

function asJson({ class: gravity, parts, rule, decision }: Explained): string {
  return jsonLine({ class: gravity, parts, ...(rule !== undefined && { rule }), decision });
}

function asText(command: string, explained: Explained): string {
  const { parts, class: gravity, decision, rule, why, always } = explained;
  const width = Math.max(...parts.map((part) => part.class.length), 0);
  const list = parts.map((part) =>
    `  ${part.class.padEnd(width)}  ${escapeControls(part.command)}\n` +
    `  ${" ".repeat(width)}  ${escapeControls(part.why)}`
  );
  const reason = rule === undefined ? escapeControls(why) : `${rule} decides`;
  return [
    escapeControls(command),
    "",
    ...list,
    ...(parts.length === 0 ? ["  It runs nothing."] : []),
    "",
    `Class     ${gravity} (${plural(parts.length, "part")})`,
    `Decision  ${decision}: ${reason}`,
    `Always    ${alwaysLine(explained, always)}`,
  ].join("\n");
}

function alwaysLine(explained: Explained, always: string | undefined): string {
  if (always !== undefined) {
    return `would store ${escapeControls(always)}, for this directory and the files it runs`;
  }
  if (explained.decision !== "ask") return "is not needed: nothing is asked";
  return explained.class === "extreme"
    ? "is not offered for what is extremely sensitive"
    : "is not offered: what it does is known only when it runs";
}

function commandOf(line: string, number: number): string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // Reported below.
  }
  if (typeof value === "string") return value;
  throw new UsageError(
    `Line ${number} of standard input is not a JSON string. Give one command a line, such as "ls -la".`,
  );
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  yield rest + decoder.decode();
}
