/**
 * `!command`: a shell command that the user typed. It takes the pipeline like any other call, but is not
 * asked about, and its output is shown as it comes.
 */
import type { App } from "../../app/app.ts";
import { stripControls } from "../../lib/text.ts";
import { changedFilesLine } from "../../tools/record.ts";
import type { Terminal } from "../../ui/terminal.ts";
import type { Theme } from "../../ui/theme.ts";

/** Runs the command and shows its output; the model reads both with the next message. */
export async function runUserCommand(
  command: string,
  parts: { terminal: Terminal; theme: Theme; app: App },
): Promise<void> {
  const { terminal, theme, app } = parts;
  let atLineStart = true;
  const write = (text: string) => {
    if (text === "") return;
    terminal.write(text);
    atLineStart = text.endsWith("\n");
  };
  const outcome = await app.agent.runCommand(command, {
    ...app.userScheduler,
    emit: (event) => {
      if (event.type === "tool_output") write(stripControls(event.text));
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
  for (const line of record ? changedFilesLine(record) : []) write(`${theme.paint("dim", line)}\n`);
  write("\n");
}
