/**
 * `/copy`: the last answer, its last block of code, or what has a number, into the clipboard: as it was written, with
 * no line wrapped, and with secrets masked.
 */
import { formatCount, plural, stripControls } from "../lib/text.ts";
import type { CommandContext, SlashCommand } from "./command.ts";
import { findItem, isNumber } from "./numbered_items.ts";

/** `/copy [N | code]` */
export const copy: SlashCommand = {
  name: "copy",
  terminalOnly: true,
  duringTurn: true,
  usage: "[N | code]",
  summary: "copy the last answer, its last code, or what has a number",
  examples: ["/copy", "/copy code", "/copy 12"],
  complete: () => Promise.resolve(["code"]),
  async run(argument, context) {
    const text = context.mask(stripControls(await findText(argument, context))).replace(/\n$/, "");
    const { program, terminal } = await context.copy(text);
    const size = plural(text.length, "character").replace(/^\d+/, formatCount(text.length));
    if (program === undefined && !terminal) {
      throw new Error(
        `Cannot copy ${size}: there is no wl-copy, xclip, xsel or pbcopy here, and the terminal ` +
          "takes no text of this length. /save N FILE writes what has a number to a file.",
      );
    }
    const ways = [
      ...program === undefined ? [] : [`by \`${program}\``],
      ...terminal ? ["by the terminal (OSC 52)"] : [],
    ];
    const doubt = program === undefined ? ", unless it is set to take none" : "";
    context.say(`Copied ${size} ${ways.join(" and ")}${doubt}.`);
    return "continue";
  },
};

async function findText(argument: string, context: CommandContext): Promise<string> {
  if (isNumber(argument)) return (await findItem(argument, context)).content.text;
  const answer = lastAnswer(context);
  if (argument === "") return answer;
  if (argument !== "code") {
    throw new Error(`'${argument}' cannot be copied. Use /copy, /copy code or /copy N.`);
  }
  const code = await lastCode(answer);
  if (code !== undefined) return code;
  throw new Error("The last answer holds no code. /copy N copies what has a number.");
}

/** The words of the last reply that has some, as Markdown. @throws {Error} there is none */
function lastAnswer({ agent }: CommandContext): string {
  const { messages } = agent.deps.conversation;
  const answer = messages.findLast((one) => one.role === "assistant" && one.content.trim() !== "");
  if (answer !== undefined) return answer.content.trim();
  throw new Error("There is no answer yet to copy.");
}

/** The last block of code of a text, wherever it stands in it. */
async function lastCode(markdown: string): Promise<string | undefined> {
  const { Marked } = await import("marked");
  const marked = new Marked({ gfm: true });
  let code: string | undefined;
  marked.walkTokens(marked.lexer(markdown), (token) => {
    if (token.type === "code" && "text" in token) code = String(token.text);
  });
  return code;
}
