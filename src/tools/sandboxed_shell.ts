/**
 * The shell that a tool gets: it starts only what was judged, in the OS sandbox and under the policy that was
 * judged. If a command failed because of the sandbox, a person may let the call run once outside of it.
 */
import type { RanCommand } from "../core/action_log.ts";
import type { CommandChanges } from "../core/command_watch.ts";
import { ToolError } from "../core/errors.ts";
import type { Confinement } from "../core/permission.ts";
import type { Power, SandboxBlock, SandboxPolicy } from "../core/sandbox.ts";
import type { CanonicalCommand, RunOptions, Shell } from "../core/shell.ts";
import type { ToolResult } from "../core/tool.ts";
import { quoteName } from "../lib/text.ts";
import { describeMissing } from "../permission/powers.ts";
import type { ResumedScript } from "../permission/resumed_script.ts";

/** For a call whose commands were judged at an earlier try. */
const DEFAULT_POLICY: SandboxPolicy = { write: true, needs: [], sandboxRequired: false };

/**
 * A shell that runs commands in the sandbox. A tool without the effect `exec` gets the plain shell: it starts
 * only what ally brings, such as the search program, which reads no configuration and runs nothing else.
 */
export function sandboxedShell(
  shell: Shell,
  options: {
    effects: readonly string[];
    confinement?: Confinement | undefined;
    onBlocked?: ((blocked: SandboxBlock, output: string) => void) | undefined;
    /** What a command line printed of which only the rest runs now. */
    earlierOutput?: string | undefined;
  },
): Shell {
  const { effects, onBlocked, earlierOutput = "" } = options;
  const { sandboxPolicy = DEFAULT_POLICY, parted } = options.confinement ?? {};
  if (!effects.includes("exec")) return shell;
  return {
    ...shell,
    async run(request: RunOptions) {
      const { command } = request;
      const result = await shell.run({
        ...request,
        sandboxPolicy,
        ...(typeof command === "string" && { parted: parted?.get(command) }),
      });
      const output = earlierOutput + result.output;
      if (result.blocked) onBlocked?.(result.blocked, output);
      return { ...result, output };
    },
  };
}

/** A shell that has each command told when it has ended, or goes on as a background task. */
export function loggedShell(
  shell: Shell,
  log: (ran: Pick<RanCommand, "options" | "result">) => void,
): Shell {
  return {
    ...shell,
    async run(options: RunOptions) {
      const result = await shell.run(options);
      log({ options, result });
      return result;
    },
  };
}

/** A shell that starts only the command lines that were judged. */
export function restrictShell(shell: Shell, commands: readonly string[]): Shell {
  return {
    ...shell,
    async run(options: RunOptions) {
      const { command } = options;
      if (typeof command === "string" && commands.includes(command)) {
        return await shell.run(options);
      }
      const line = typeof command === "string" ? command : command.join(" ");
      throw notAllowed(line);
    },
  };
}

function notAllowed(line: string): ToolError {
  return new ToolError(`Cannot run ${line}: it is not what was allowed.`, {
    kind: "security",
    suggestion: "The project's configuration may have changed just now; call the tool again.",
  });
}

/** A shell that runs what was judged in place of each command line; any other line is refused. */
export function canonicalShell(shell: Shell, runs: ReadonlyMap<string, CanonicalCommand>): Shell {
  return {
    ...shell,
    async run(options: RunOptions) {
      const { command } = options;
      if (typeof command !== "string") return await shell.run(options);
      const script = runs.get(command);
      if (script === undefined) throw notAllowed(command);
      return await shell.run({ ...options, script });
    },
  };
}

/** The result of what failed, all of it or a part, that says what the sandbox had to do with it, and what can be done. */
export function withSandboxHint(result: ToolResult, { why, instead }: SandboxBlock): ToolResult {
  const next = instead ??
    "Do without it, or tell the user: in an interactive session they can let it run outside.";
  const data = { ...result.data, sandbox: why };
  if (result.ok) {
    const text = `[A part of it probably failed because ${why}. ${next}]\n${result.text}`;
    return { ...result, data, ...(result.text !== undefined && { text }) };
  }
  const suggestion = [`It probably failed because ${why}. ${next}`, result.error.suggestion]
    .filter((text) => text !== undefined).join(" ");
  return { ...result, error: { ...result.error, suggestion }, data };
}

/** What a call, or a part of its command line, was given after it had failed for want of it. */
export interface GivenPowers {
  readonly powers: readonly Power[];
  /** The part, as people and the model know it. @default all of it */
  readonly part?: string;
  /** Where it went on. */
  readonly from: ResumedScript["from"];
}

/** The result of a call that ran again with powers that it lacked, saying so. */
export function withPowerNote(result: ToolResult, given: readonly GivenPowers[]): ToolResult {
  const needs = given.map(({ powers, part = "it" }) => `${part} needs ${describeMissing(powers)}`)
    .join(", ");
  const note = { sandbox: `ran again with what it lacked: ${needs}` };
  const text = given.some(({ from }) => from === "part")
    ? `[A part failed at first, because ${needs}; with that the command went on from there.]`
    : `[It ran twice: the first run failed because ${needs}.]`;
  return result.ok
    ? {
      ...result,
      data: { ...result.data, ...note },
      ...(result.text !== undefined && { text: `${text}\n${result.text}` }),
    }
    : { ...result, data: { ...result.data, ...note } };
}

/** The result of a call that ran outside of the sandbox, saying so. */
export function withOutsideNote(result: ToolResult): ToolResult {
  const note = { sandbox: "ran outside, once, because the user allowed it" };
  return result.ok
    ? {
      ...result,
      data: { ...result.data, ...note },
      ...(result.text !== undefined &&
        { text: `[It ran outside of the sandbox.]\n${result.text}` }),
    }
    : { ...result, data: { ...result.data, ...note } };
}

/** Why a call that failed in the sandbox is asked about again. */
export function outsideQuestion(
  { why }: SandboxBlock,
  { hasParts, changes }: { hasParts: boolean; changes: CommandChanges | undefined },
): string {
  const what = hasParts ? "all of it, what has run already too," : "it";
  const next = `${describeTakenBack(changes)}run ${what} once more outside of the sandbox`;
  return `it failed because ${why}; ${next}?`;
}

/** Files that are named where more are taken back: of those that were made, and of the others. */
const [MAX_CREATED, MAX_CHANGED] = [3, 20];

/** What is taken back before a call runs again, as words before that; "" for nothing. */
export function describeTakenBack(changes: CommandChanges | undefined): string {
  if (changes === undefined || changes.files.length === 0) return "";
  const { files, created } = changes;
  const others = files.filter((file) => !created.includes(file));
  const named = [...others.slice(0, MAX_CHANGED), ...created.slice(0, MAX_CREATED)];
  const more = files.length - named.length;
  const list = `${named.map(quoteName).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return `take back what has changed in the meantime (${list}), and `;
}

/** Why a call that may not run twice is not asked about. */
export const MOVED_REFS =
  "Git has changed branches or tags before, so that it is not run again: look with `git status` and `git branch`, " +
  "and go on from there.";
