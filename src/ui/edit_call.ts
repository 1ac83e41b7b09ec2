/**
 * What a person may do to a call at a question before they answer it: edit its command, its arguments, or the files
 * that it would write, one after another.
 */
import type { EditableCall, EditableText, EditAnswer } from "../core/permission.ts";
import { oneLine } from "../lib/text.ts";
import type { EditResult } from "./edited_line.ts";
import type { Terminal } from "./terminal.ts";
import type { Theme } from "./theme.ts";
import { noticeLines } from "./turn_view.ts";
import { fit } from "./wrap.ts";

/** Lets the person edit one text. Never rejects. */
export type EditText = (
  text: EditableText & Pick<EditableCall, "kind">,
  signal: AbortSignal,
) => Promise<EditResult>;

/** What a call is edited with. */
interface EditCallOptions {
  readonly terminal: Terminal;
  readonly theme: Theme;
  readonly signal: AbortSignal;
  readonly edit: EditText;
}

/** The edited call as an answer; undefined, after saying why, if nothing changed, and if it was aborted. */
export async function editCall(
  call: EditableCall,
  options: EditCallOptions,
): Promise<EditAnswer | undefined> {
  const { terminal, theme, signal } = options;
  try {
    const edited = await editTexts([call, ...call.others ?? []], { ...options, kind: call.kind });
    if (signal.aborted) return undefined;
    if ("texts" in edited) {
      const [text = "", ...others] = edited.texts;
      return { kind: "edit", text, ...others.length > 0 && { others } };
    }
    const columns = Math.max(1, terminal.columns - 1);
    const lines = noticeLines({ level: "warning", text: edited.why }, { theme, columns });
    terminal.write(lines.map((line) => `${line}\n`).join(""));
    return undefined;
  } finally {
    terminal.resume();
  }
}

/** Has texts edited one after another; after one that cannot be, the rest stays as it is. */
async function editTexts(
  texts: readonly EditableText[],
  { kind, edit, signal, terminal, theme }: EditCallOptions & Pick<EditableCall, "kind">,
): Promise<{ texts: readonly string[] } | { why: string }> {
  const edited = texts.map(({ text }) => text);
  let why = "Nothing was edited.";
  let isChanged = false;
  for (const [index, one] of texts.entries()) {
    if (texts.length > 1) {
      const line = `Editing ${oneLine(one.name ?? kind)} (${index + 1} of ${texts.length})`;
      terminal.write(`${theme.paint("dim", fit(line, terminal.columns - 1))}\n`);
    }
    const result = await edit({ ...one, kind }, signal);
    if (signal.aborted) break;
    if (result.kind === "unchanged") {
      why = result.why;
      if (result.stops) break;
    } else {
      edited[index] = result.text;
      isChanged ||= result.text !== one.text;
    }
  }
  return isChanged ? { texts: edited } : { why };
}
