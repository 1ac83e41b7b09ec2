/**
 * Commands about saved sessions: the title of this one, a copy of it in a file, and the others.
 */
import { fullHistory } from "../context/transcript.ts";
import { formatOf, renderAs } from "../context/transcript_formats.ts";
import { mapStrings } from "../lib/json_strings.ts";
import { formatAge, formatBytes, quoteName } from "../lib/text.ts";
import { titleOf, toTitle } from "../store/session_summary.ts";
import type { CommandContext, SlashCommand } from "./command.ts";
import { escapeMarkdown, inlineCode, markdownTable } from "./markdown.ts";

/** Sessions that are listed. */
const MAX_LISTED = 20;

/** `/rename [TITLE]` */
export const rename: SlashCommand = {
  name: "rename",
  usage: "[TITLE]",
  summary: "give this session a name, or show the one it has",
  async run(argument, context) {
    if (argument === "") {
      context.say(`This session is called **${escapeMarkdown(currentTitle(context))}**.`);
    } else {
      await context.agent.deps.conversation.rename(toTitle(argument));
      context.say(`This session is now called **${escapeMarkdown(currentTitle(context))}**.`);
    }
    return "continue";
  },
};

/** `/export [FILE]` */
export const exportSession: SlashCommand = {
  name: "export",
  usage: "[FILE]",
  summary: "write this conversation to a file (.md, .html, .json), secrets masked",
  examples: ["/export", "/export talk.html"],
  async run(argument, context) {
    const { agent: { deps: { conversation } }, workspace, sessions } = context;
    if (conversation.messages.length === 0) throw new Error("There is nothing to export yet.");
    const title = currentTitle(context);
    const format = formatOf(argument);
    const path = await workspace.resolve(argument === "" ? `${slugify(title)}.md` : argument);
    const head = { title, id: sessions.id(), cwd: workspace.cwd };
    const { calls, turns } = conversation;
    const talk = { messages: fullHistory(conversation), calls, turns };
    const masked = mapStrings({ talk: { ...talk, calls: [...calls] }, head }, context.mask);
    const after = await renderAs(format, {
      talk: { ...masked.talk, calls: new Map(masked.talk.calls) },
      head: masked.head,
      imageUrlOf: (image) => sessions.imageUrlOf(image),
    });
    const info = await workspace.info(path);
    const name = quoteName(path.display);
    if (info !== undefined && !await context.confirm(`${name} is there already. Overwrite it?`)) {
      context.say("Nothing was written.");
      return "continue";
    }
    const before = info === undefined ? null : (await workspace.read(path, { unseen: true })).text;
    if (before === after) context.say(`\`${name}\` holds exactly this already.`);
    else {
      const by = { tool: "export", callId: "export", unseen: true };
      const { bytesWritten: [bytes = 0] } = await workspace.commit([{ path, before, after }], by);
      context.say(`Wrote \`${name}\` (${formatBytes(bytes)}).`);
    }
    return "continue";
  },
};

/** `/sessions` */
export const sessions: SlashCommand = {
  name: "sessions",
  terminalOnly: true,
  summary: "list the saved sessions of this directory",
  async run(_argument, context) {
    const listed = await context.sessions.recent(MAX_LISTED);
    const current = context.sessions.id();
    const rows = listed.map((one) => [
      inlineCode(one.id),
      `${escapeMarkdown(one.title)}${one.id === current ? " **this one**" : ""}`,
      escapeMarkdown(one.branch ?? "-"),
      formatAge(one.used),
      one.turns,
      formatBytes(one.size),
    ]);
    const head = ["id", "title", "branch", "used", "turns", "size"];
    context.say(
      rows.length === 0 ? "No session of this directory is saved yet." : [
        ...markdownTable(head, { rows, numeric: [4, 5] }),
        "",
        "`/resume ID` goes on with one of them.",
      ].join("\n"),
    );
    return "continue";
  },
};

/** `/resume [ID | WORDS]` */
export const resume: SlashCommand = {
  name: "resume",
  terminalOnly: true,
  changes: "machine",
  usage: "[ID | WORDS]",
  summary: "go on with another session, by its id or words of it",
  complete: async ({ sessions }) => (await sessions.recent(MAX_LISTED)).map(({ id }) => id),
  async run(argument, context) {
    const id = await chooseSession(argument, context);
    if (id === undefined) return "continue";
    await context.sessions.resume(id);
    announceSession(context);
    return "continue";
  },
};

/** Says which session goes on, and shows its last turns. */
export function announceSession(context: CommandContext): void {
  context.say(`**${escapeMarkdown(currentTitle(context))}** goes on.`);
  context.showLastTurns();
}

async function chooseSession(
  words: string,
  context: CommandContext,
): Promise<string | undefined> {
  const { chooseFromSessions } = await import("./session_list.ts");
  if (words === "") return await chooseFromSessions(context);
  const { sessions } = context;
  const all = (await sessions.recent(Infinity)).filter(({ id }) => id !== sessions.id());
  const byId = all.filter(({ id }) => id.startsWith(words));
  const { SessionSearch } = await import("../store/session_search.ts");
  const matches = byId.length > 0 ? byId : new SessionSearch(all).find(words);
  const [only] = matches;
  if (only === undefined) {
    throw new Error(`No other session has '${words}' in its title or words. /sessions lists them.`);
  }
  return matches.length === 1 ? only.id : await chooseFromSessions(context, words);
}

/** The name it was given, else the user's first words. */
function currentTitle({ agent: { deps: { conversation } } }: CommandContext): string {
  const { title, messages, covered } = conversation;
  return titleOf(title, fullHistory({ messages, covered })) || "a new conversation";
}

function slugify(title: string): string {
  const words = title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  return words.slice(0, 40).replace(/-+$/, "") || "conversation";
}
