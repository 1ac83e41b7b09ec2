/**
 * `!command`: a shell command that the user typed. It takes the pipeline like any other call, but is not asked about. A
 * program that needs a keyboard gets the terminal; of any other the output is shown as it comes, and the model reads it
 * with the next message.
 */
import type { App } from "../../app/app.ts";
import type { Shell } from "../../core/shell.ts";
import { oneLine, stripControls } from "../../lib/text.ts";
import { wantsTerminal } from "../../shell/keyboard_use.ts";
import { changedFilesLine } from "../../tools/record.ts";
import { CommandOutput } from "../../ui/command_output.ts";
import type { Renderer } from "../../ui/render.ts";
import type { Terminal } from "../../ui/terminal.ts";
import type { Theme } from "../../ui/theme.ts";

/** A command as it was typed. */
interface TypedCommand {
  readonly command: string;
  /** Whether it gets the terminal, whatever it is. */
  readonly foreground: boolean;
}

/** Where it runs. */
interface UserCommandParts {
  readonly terminal: Terminal;
  readonly theme: Theme;
  readonly renderer: Renderer;
  readonly app: App;
}

/** Runs the command and shows its output. */
export async function runUserCommand(
  { command, foreground }: TypedCommand,
  parts: UserCommandParts & {
    /** Whether no key is read: the terminal can be given away at once. */
    isPaused: boolean;
  },
): Promise<void> {
  const { terminal, renderer } = parts;
  const takesTerminal = terminal.canRedraw && (foreground || wantsTerminal(command));
  if (!takesTerminal || !parts.isPaused) terminal.resume();
  if (takesTerminal && !parts.isPaused && !await waitForKey(parts)) return;
  const end = takesTerminal ? () => {} : renderer.showWork(oneLine(command));
  try {
    await run(command, { ...parts, takesTerminal });
  } finally {
    end();
    terminal.resume();
  }
}

async function run(
  command: string,
  { terminal, theme, renderer, app, takesTerminal }: UserCommandParts & { takesTerminal: boolean },
): Promise<void> {
  const output = new CommandOutput(renderer);
  const { shell } = app.userScheduler;
  const outcome = await app.agent.runCommand(command, {
    ...app.userScheduler,
    ...takesTerminal && { shell: foregroundShell(shell, terminal) },
    emit: (event) => {
      if (event.type === "tool_output") output.add(event.text);
      // It may come when a task ends, long after the command.
      else if (event.type === "notice") app.emit(event);
    },
  });
  output.end();
  const record = outcome.results[0]?.record;
  const notes: string[] = [];
  if (record && !record.success) {
    const error = stripControls(record.error.replace(/^bash\(.*?\): /s, ""));
    notes.push(...error.split("\n").map((line) => theme.paint("error", line)));
  }
  if (typeof record?.task_id === "string") {
    notes.push(theme.paint("dim", `${record.task_id} runs in the background until ally ends.`));
  }
  if (typeof record?.log_path === "string") {
    notes.push(theme.paint("dim", `The whole output: ${record.log_path}`));
  }
  for (const line of record ? changedFilesLine(record) : []) notes.push(theme.paint("dim", line));
  renderer.writeLines([...notes, ""]);
}

/** A shell whose commands have the terminal while they run. */
function foregroundShell(shell: Shell, terminal: Terminal): Shell {
  return {
    ...shell,
    run: (request) => terminal.handOver(() => shell.run({ ...request, foreground: true })),
  };
}

/**
 * Has the person press a key, and pauses reading: a read that is under way takes one key, which the program would lack.
 * False after Ctrl+C or Escape.
 */
async function waitForKey({ terminal, theme, renderer }: UserCommandParts): Promise<boolean> {
  const hint = "Press a key to give it the terminal, Esc to leave it.";
  renderer.writeLines([theme.paint("dim", hint)]);
  await renderer.flush();
  const pressed = Promise.withResolvers<boolean>();
  const release = terminal.listen({
    onInput([key]) {
      const goesOn = key?.kind !== "key" || !(key.name === "escape" || key.ctrl);
      if (goesOn) terminal.pause();
      pressed.resolve(goesOn);
    },
    onEnd: () => pressed.resolve(false),
  });
  const goesOn = await pressed.promise;
  release();
  return goesOn;
}
