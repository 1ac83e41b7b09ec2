/**
 * Lets a person edit a proposed call, or the message they are writing: in the editor of $VISUAL or $EDITOR, which gets
 * the terminal meanwhile. Without one a call is edited at ally's own prompt. Whatever goes wrong leaves the text as it
 * was and says why.
 */
import { basename, join } from "node:path";
import { messageOf, plural, splitLines, stripControls } from "../lib/text.ts";
import type { EditText } from "./edit_call.ts";
import type { EditResult } from "./edited_line.ts";
import { editLine } from "./line_editor.ts";
import { programPath, type ProgramPlace } from "./program_path.ts";
import type { Terminal } from "./terminal.ts";
import type { Theme } from "./theme.ts";
import { wrapProse } from "./wrap.ts";

/** What an editor is started with. */
interface EditorOptions extends ProgramPlace {
  readonly terminal: Terminal;
  readonly theme: Theme;
}

/** A text to be edited. */
type EditedText = Parameters<EditText>[0];

/** Makes the function that lets a person edit a call; it never rejects. */
export function createEditor({ theme, ...options }: EditorOptions): EditText {
  const { terminal } = options;
  return async (editable, signal) => {
    const editor = editorOf(options);
    if (editor === undefined) {
      terminal.resume();
      return await editAtPrompt(editable, { terminal, theme, signal });
    }
    const { text } = editable;
    const name = fileName(editable);
    const edited = await editInProgram(editor, { name, text, signal, ...options });
    return edited.kind === "text" ? toEdited(editable, edited.text) : edited;
  };
}

/** Makes the function that lets a person edit what they are writing; it never rejects. */
export function createMessageEditor(
  options: Omit<EditorOptions, "theme">,
): (text: string, signal: AbortSignal) => Promise<EditResult> {
  return async (text, signal) => {
    const editor = editorOf(options);
    if (editor === undefined) return createUnchanged("Set $EDITOR to write a message there.");
    return await editInProgram(editor, { name: "message.md", text, signal, ...options });
  };
}

/** A terminal that cannot move its cursor has no use for a full-screen editor. */
function editorOf({ terminal, env }: Pick<EditorOptions, "terminal" | "env">): string | undefined {
  return (terminal.canRedraw && env.get("VISUAL")) || env.get("EDITOR") || undefined;
}

/** Gives the terminal to an editor of a text. */
async function editInProgram(
  editor: string,
  { name, text, signal, terminal, ...place }: Omit<EditorOptions, "theme"> & {
    name: string;
    text: string;
    signal: AbortSignal;
  },
): Promise<EditResult> {
  const path = programPath(place);
  try {
    return await terminal.handOver(() => editFile(editor, { name, text, path, signal }));
  } catch (error) {
    return createUnchanged(`The editor (${editor}) cannot be used: ${messageOf(error)}`);
  }
}

async function editFile(
  editor: string,
  { name, text, ...how }: { name: string; text: string; path: string; signal: AbortSignal },
): Promise<EditResult> {
  const directory = await Deno.makeTempDir({ prefix: "ally-edit-" });
  try {
    const file = join(directory, name);
    await Deno.writeTextFile(file, text, { mode: 0o600 });
    const { success, code } = await runEditor(editor, { file, ...how });
    if (!success) {
      return createUnchanged(`The editor (${editor}) ended with code ${code}; nothing was edited.`);
    }
    return { kind: "text", text: await Deno.readTextFile(file) };
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** The name of the file that will hold it, if it is a plain one: editors show it. */
function fileName({ kind, suffix, name = "" }: EditedText): string {
  const own = basename(name);
  if (/^\w[\w.-]{0,63}$/.test(own)) return own;
  return `${kind}${/^\.[\w-]{1,16}$/.test(suffix) ? suffix : ""}`;
}

/** Runs the editor through a shell: the variable may hold a command line, such as `code --wait`. */
async function runEditor(
  editor: string,
  { file, path, signal }: { file: string; path: string; signal: AbortSignal },
): Promise<Deno.CommandStatus> {
  const [program, args] = Deno.build.os === "windows" ? [editor, [file]] : ["/bin/sh", [
    "-c",
    `${/^[\w./ -]+$/.test(editor) ? "exec " : ""}${editor} "$@"`,
    editor,
    file,
  ]];
  const child = new Deno.Command(program, {
    args,
    env: { PATH: path },
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn();
  const stop = () => child.kill("SIGTERM");
  signal.addEventListener("abort", stop);
  try {
    return await child.status;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

async function editAtPrompt(
  editable: EditedText,
  { terminal, theme, signal }: { terminal: Terminal; theme: Theme; signal: AbortSignal },
): Promise<EditResult> {
  const lines = splitLines(editable.text).length;
  const advice = "Set $EDITOR to edit it.";
  if (!terminal.canRedraw) return createUnchanged(`It cannot be edited here. ${advice}`);
  if (lines > terminal.rows - 4) {
    return createUnchanged(`It has ${plural(lines, "line")}. ${advice}`);
  }
  const text = editable.text.replace(/\n$/, "");
  if (stripControls(text) !== text || text.includes("\t")) {
    return createUnchanged(`It contains characters that cannot be typed. ${advice}`);
  }
  const hint = "Enter takes it, Alt+Enter begins a line, Ctrl+C leaves it as it was.";
  const shown = wrapProse(hint, terminal.columns - 1).map((line) =>
    `${theme.paint("dim", line)}\n`
  );
  terminal.write(shown.join(""));
  const leave = new AbortController();
  const entered = await editLine(terminal, {
    theme,
    initialText: text,
    onInterrupt: () => void leave.abort(),
    signal: AbortSignal.any([signal, leave.signal]),
  });
  return entered.kind === "line"
    ? toEdited(editable, entered.text)
    : createUnchanged("Nothing was edited.");
}

/** The edited text, with a final line end exactly if the original has one. */
function toEdited(editable: EditedText, text: string): EditResult {
  const ended = editable.text.endsWith("\n");
  const bare = text.replace(/\r?\n$/, "");
  const edited = !ended ? bare : text === bare && text !== "" ? `${text}\n` : text;
  if (edited === editable.text) return { kind: "unchanged", why: "Nothing was edited." };
  return edited.trim() === "" && editable.kind !== "content"
    ? createUnchanged("Nothing is left of it; deny it instead.")
    : { kind: "text", text: edited };
}

function createUnchanged(why: string): EditResult {
  return { kind: "unchanged", why, stops: true };
}
