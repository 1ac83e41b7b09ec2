/**
 * The one table of slash commands, and the routing of a typed line to one of them.
 */
import { didYouMean, findNear } from "../lib/names.ts";
import { agents } from "./agents.ts";
import { answer } from "./answer.ts";
import { editor, keys, theme } from "./appearance.ts";
import type { SlashCommand } from "./command.ts";
import { compact } from "./compact.ts";
import { config } from "./config.ts";
import { context } from "./context.ts";
import { copy } from "./copy.ts";
import { cost } from "./cost.ts";
import { debug } from "./debug.ts";
import { diff } from "./diff.ts";
import { addDir, defocus, focus } from "./focus.ts";
import { effort } from "./effort.ts";
import { fork } from "./fork.ts";
import { hooks } from "./hooks.ts";
import { init } from "./init.ts";
import { mcp } from "./mcp.ts";
import { model } from "./model.ts";
import { note } from "./note.ts";
import { permissions } from "./permissions.ts";
import { plan } from "./plan.ts";
import { plugins } from "./plugins.ts";
import { rewind } from "./rewind.ts";
import { run } from "./run.ts";
import { save } from "./save.ts";
import { clear, exit, help } from "./session.ts";
import { exportSession, rename, resume, sessions } from "./sessions.ts";
import { settings } from "./settings.ts";
import { show } from "./show.ts";
import { skills } from "./skills.ts";
import { stats } from "./stats.ts";
import { todo } from "./todo.ts";
import { tools } from "./tools.ts";
import { tree } from "./tree.ts";
import { redo, undo } from "./undo.ts";

/** All slash commands, in the order in which help shows them. */
export const COMMANDS: readonly SlashCommand[] = refuseWords([
  help,
  clear,
  compact,
  context,
  model,
  effort,
  answer,
  plan,
  focus,
  defocus,
  addDir,
  undo,
  redo,
  rewind,
  tree,
  diff,
  sessions,
  resume,
  fork,
  rename,
  exportSession,
  show,
  copy,
  save,
  run,
  todo,
  agents,
  permissions,
  config,
  settings,
  plugins,
  skills,
  mcp,
  hooks,
  tools,
  stats,
  cost,
  theme,
  keys,
  editor,
  init,
  debug,
  exit,
]);

/** What has no arguments refuses them: `/clear the cache of npm` is meant for the model. */
function refuseWords(commands: readonly SlashCommand[]): SlashCommand[] {
  return commands.map((command) =>
    command.usage !== undefined ? command : {
      ...command,
      run(argument, context) {
        if (argument === "") return command.run(argument, context);
        throw new Error(
          `/${command.name} takes no words. Type it alone, or begin words for the model without a slash.`,
        );
      },
    }
  );
}

/** What a typed line is. */
type Route =
  | { readonly kind: "command"; readonly command: SlashCommand; readonly argument: string }
  | { readonly kind: "unknown"; readonly name: string; readonly near: readonly string[] }
  | {
    readonly kind: "shell";
    readonly command: string;
    /** Whether it gets the terminal in any case. */
    readonly foreground: boolean;
  }
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "nothing" };

/** `/name argument`; a path is none. */
const COMMAND = /^\/([A-Za-z?][\w-]*(?::[\w.-]+)?)(?:\s+([^]*))?$/;
/** What people type alone on a line to leave and to find help: commands without their slash. */
const PLAIN_COMMAND = /^(exit|quit|help|\?)$/i;
/** How people leave vi. */
const VI_EXIT = /^:(q|wq|x|qa)!?$/;

/** A sign that begins a command, before anything follows it. */
const LONE_SIGN = /^(?:\/|#|!!?)$/;

/** "#words", but neither a heading, the number of an issue nor the first line of a script. */
const NOTE = /^#(?![#\d!])[ \t]*(\S[^\n]*)$/;

/** A slash command or its plain word, `!command`, `!!command`, `#note`, or words for the model. */
export function route(line: string, commands: readonly SlashCommand[] = COMMANDS): Route {
  const text = line.trim();
  if (text === "" || LONE_SIGN.test(text)) return { kind: "nothing" };
  if (text.startsWith("!")) {
    const foreground = text.startsWith("!!");
    return { kind: "shell", command: text.slice(foreground ? 2 : 1).trim(), foreground };
  }
  const words = NOTE.exec(text)?.[1];
  if (words !== undefined) return { kind: "command", command: note, argument: words };
  if (VI_EXIT.test(text)) return { kind: "command", command: exit, argument: "" };
  const match = COMMAND.exec(text) ?? PLAIN_COMMAND.exec(text);
  if (!match?.[1]) return { kind: "prompt", text };
  const name = match[1].toLowerCase();
  const command = commands.find((one) => one.name === name || one.aliases?.includes(name));
  if (command) return { kind: "command", command, argument: (match[2] ?? "").trim() };
  const near = findNear(name, commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  return { kind: "unknown", name, near };
}

/** What to say of a command that is not there; `otherwise` where no other is near. */
export function describeUnknown(
  { name, near }: Extract<Route, { kind: "unknown" }>,
  otherwise = "",
): string {
  const hint = didYouMean(near.map((one) => `/${one}`)) || otherwise;
  return [`There is no command /${name}.`, hint].filter(Boolean).join(" ");
}

/** The line that is routed to a command with an argument. */
export function lineOf(command: SlashCommand, argument: string): string {
  return command === note ? `#${argument}` : `/${command.name} ${argument}`.trimEnd();
}
