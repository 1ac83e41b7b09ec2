/**
 * `#words`: adds a line to the project's notes, as the user typed it. Shown as a diff, and undone as any change.
 */
import type { Files } from "../core/files.ts";
import { dominantLineEnd, withLineEnds } from "../lib/line_ends.ts";
import { previewsOf } from "../tools/previews.ts";
import type { CommandContext, SlashCommand } from "./command.ts";

/** The first of these that exists holds the notes. */
const FILES = ["ALLY.md", "AGENTS.md", "CLAUDE.md"];

/** `#words`; not in the table, because it is not typed as a command is. */
export const note: SlashCommand = {
  name: "note",
  changes: "session",
  usage: "WORDS",
  summary: "add a line to the project's instructions",
  async run(argument, context) {
    if (await addNote(argument, context)) context.tellModel(`The user has noted: ${argument}`);
    return "continue";
  },
};

/** Adds a note; true if it was added. @throws {ToolError} the file cannot be changed */
async function addNote(note: string, context: CommandContext): Promise<boolean> {
  const { agent, workspace: files, say, show, confirm } = context;
  const known = await findNotesFile(files);
  const path = known ?? await files.resolve("ALLY.md");
  if (known === undefined && !await confirm(`There are no notes yet. Begin ${path.absolute}?`)) {
    say("Nothing was noted.");
    return false;
  }
  const before = known === undefined ? null : (await files.read(path, { unseen: true })).text;
  const after = appendNote(before, note);
  const plan = { changes: [{ path, before, after }] };
  show(await previewsOf({ plan, accesses: [], cwd: files.cwd, diffs: agent.deps.scheduler.diffs }));
  await files.commit(plan.changes, { tool: "note", callId: "note", unseen: true });
  say(`Noted in \`${path.display}\`. \`/undo\` takes it back.`);
  return true;
}

async function findNotesFile(files: Files) {
  for (const name of FILES) {
    const path = await files.resolve(name);
    if (await files.info(path) !== undefined) return path;
  }
  return undefined;
}

/** The text with one more item at its end; a list that stands there goes on. */
function appendNote(before: string | null, note: string): string {
  const item = `- ${note.trim()}`;
  if (before === null || before.trim() === "") return `# Notes\n\n${item}\n`;
  const text = before.trimEnd();
  const isList = /^\s*[-*+]\s/.test(text.split(/\r?\n/).at(-1) ?? "");
  const added = `${text}${isList ? "\n" : "\n\n"}${item}\n`;
  return withLineEnds(added, dominantLineEnd(before) ?? "\n");
}
