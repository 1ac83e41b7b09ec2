/**
 * The list of sessions to choose from: searched by title and by what was said, and each can be given a name or deleted
 * within it.
 */
import { formatAge, formatBytes, plural } from "../lib/text.ts";
import { SessionSearch } from "../store/session_search.ts";
import { type SearchableSummary, toTitle } from "../store/session_summary.ts";
import type { CommandContext } from "./command.ts";

const ACTIONS = [
  { key: "F2", name: "rename", does: "renames" },
  { key: "Delete", name: "delete", does: "deletes" },
] as const;

/** Lets the user choose one of the other sessions; its id, or undefined. @throws {Error} there is none */
export async function chooseFromSessions(
  context: CommandContext,
  filter = "",
): Promise<string | undefined> {
  const { pickEntry, sessions } = context;
  let typed = filter;
  let current: string | undefined;
  for (;;) {
    const others = (await sessions.recent(Infinity)).filter(({ id }) => id !== sessions.id());
    if (others.length === 0) throw new Error("There is no other session in this directory.");
    const search = new SessionSearch(others);
    const picked = await pickEntry?.("Go on with which session?", {
      entries: others.map(toEntry),
      search: (text) => search.find(text).map(toEntry),
      actions: ACTIONS,
      filter: typed,
      current,
    });
    const chosen = others.find(({ id }) => id === picked?.value);
    if (picked === undefined || chosen === undefined) return undefined;
    if (picked.action === undefined) return chosen.id;
    typed = picked.typed;
    current = chosen.id;
    if (picked.action === "rename") await renameSession(chosen, context);
    else await deleteSession(chosen, context);
  }
}

function toEntry({ id, title, branch, used, turns, size }: SearchableSummary) {
  const facts = [
    ...branch === undefined ? [] : [branch],
    plural(turns, "turn"),
    formatBytes(size),
    formatAge(used),
  ];
  return { value: id, label: title, detail: facts.join(" · ") };
}

async function renameSession(
  { id, title }: SearchableSummary,
  { askLine, sessions, mask }: CommandContext,
): Promise<void> {
  const name = await askLine?.("A new name for the session:", title);
  if (name) await sessions.rename(id, toTitle(mask(name)));
}

async function deleteSession(
  { id, title }: SearchableSummary,
  { confirm, sessions }: CommandContext,
): Promise<void> {
  if (await confirm(`Delete "${title}" for good?`)) await sessions.remove(id);
}
