/**
 * Which settings of a repository the words of a command name. They were judged with it, so what git then writes is no
 * surprise; anything else that comes to be in a configuration is somebody else's.
 */
import type { GitSetting } from "../core/sandbox.ts";
import type { AnalyzedPart } from "../shell/analyze.ts";

/** What of a part counts here. */
type WordedPart = Pick<AnalyzedPart, "argv" | "plain" | "opaque" | "programs">;

/** Subcommands of newer `git config`. */
const VERBS = /^(set|unset|rename-section|remove-section)$/;
/** Options whose value is a word of its own. */
const VALUED = /^(--type|--default|--value|--comment|--url|-t|-m)$/;

/** The settings that these parts name. */
export function settingsIn(parts: readonly WordedPart[]): GitSetting[] {
  return parts.flatMap(({ argv = [], plain, opaque, programs }) => {
    if (!plain || opaque || programs.length !== 1 || argv[0] !== "git") return [];
    const words = [...argv.slice(1)];
    for (let option = words[0]; option?.startsWith("-"); option = words[0]) {
      words.splice(0, option === "-C" ? 2 : 1);
    }
    const [subcommand, ...rest] = words;
    if (subcommand === "config") return configured(rest);
    return subcommand === "remote" ? changedRemotes(rest) : [];
  });
}

function configured(words: readonly string[]): GitSetting[] {
  const plain = words.filter((word, at) =>
    !word.startsWith("-") && !(at > 0 && VALUED.test(words[at - 1]!))
  );
  const [name, ...values] = VERBS.test(plain[0] ?? "") ? plain.slice(1) : plain;
  if (name === undefined || !name.includes(".")) return [];
  const takesAway = words.some((word) => /^(--)?unset(-all)?$|section$/.test(word));
  return [{ name, values: takesAway ? [] : values.slice(0, 1) }];
}

/** All of a remote that a command of `git remote` names. */
function changedRemotes(words: readonly string[]): GitSetting[] {
  return words.slice(1).filter((word) => /^[\w.-]+$/.test(word) && !word.startsWith("-"))
    .map((word) => ({ name: `remote.${word}.`, values: words }));
}
