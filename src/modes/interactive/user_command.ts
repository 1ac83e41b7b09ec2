/**
 * `!command`: a shell command that the user typed. It takes the pipeline like any other call, but is not
 * asked about, and its output is shown as it comes.
 */
import type { Composition } from "../../app/app.ts";
import { stripControls } from "../../lib/text.ts";
import { changedLine } from "../../tools/record.ts";
import type { Terminal } from "../../ui/terminal.ts";
import type { Theme } from "../../ui/theme.ts";

/** Runs the command and shows its output; the model reads both with the next message. */
export async function showUserCommand(
  command: string,
  parts: { terminal: Terminal; theme: Theme; composition: Composition },
): Promise<void> {
  const { terminal, theme, composition } = parts;
  let atLineStart = true;
  const write = (text: string) => {
    if (text === "") return;
    terminal.write(text);
    atLineStart = text.endsWith("\n");
  };
  const outcome = await composition.agent.runCommand(command, {
    ...composition.userScheduler,
    emit: (fact) => {
      if (fact.type === "tool_output") write(stripControls(fact.text));
    },
  });
  const record = outcome.results[0]?.record;
  if (!atLineStart) write("\n");
  if (record && !record.success) {
    write(`${theme.paint("error", stripControls(record.error.replace(/^bash\(.*?\): /s, "")))}\n`);
  }
  if (typeof record?.task_id === "string") {
    write(`${theme.paint("dim", `${record.task_id} runs in the background until ally ends.`)}\n`);
  }
  for (const line of record ? changedLine(record) : []) write(`${theme.paint("dim", line)}\n`);
  write("\n");
}
