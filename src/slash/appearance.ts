/**
 * Commands about the screen and the keyboard: `/theme`, `/keys` and `/editor`.
 */
import { THEME_NAMES } from "../core/theme_names.ts";
import { findTopic } from "../help/topics.ts";
import type { SlashCommand } from "./command.ts";

const KEYS_PAGE = "keys";

/** `/theme [NAME]` */
export const theme: SlashCommand = {
  name: "theme",
  terminalOnly: true,
  changes: "machine",
  usage: "[NAME]",
  summary: "choose the colours of the screen, for this session and those to come",
  examples: ["/theme", "/theme light", "/theme high-contrast"],
  complete: () => Promise.resolve([...THEME_NAMES]),
  async run(argument, { config, pickTheme, say }) {
    const chosen = argument === "" ? await pickTheme?.() : argument;
    if (chosen === undefined) return "continue";
    await config.set("theme", chosen);
    say(`The theme is now **${chosen}**, here and in sessions to come.`);
    return "continue";
  },
};

/** `/keys` */
export const keys: SlashCommand = {
  name: "keys",
  terminalOnly: true,
  summary: "show what each key does",
  opensPage: () => true,
  async run(_argument, context) {
    const page = findTopic(KEYS_PAGE);
    if (page === undefined) throw new Error("There is no page about keys.");
    await context.showPage(await page.load());
    return "continue";
  },
};

/** `/editor [TEXT]` */
export const editor: SlashCommand = {
  name: "editor",
  terminalOnly: true,
  usage: "[TEXT]",
  summary: "write the next message in $EDITOR",
  async run(argument, { edit, prefill, say }) {
    const edited = await edit?.(argument);
    if (edited?.kind === "text") prefill(edited.text.trimEnd());
    else if (edited !== undefined) say(edited.why);
    return "continue";
  },
};
