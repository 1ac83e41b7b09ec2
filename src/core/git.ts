/**
 * What is known of git: settings that do no harm, and what in its directory holds nothing of files. All else may be
 * such.
 */

/**
 * Settings by which nothing is run, sent, or taken from elsewhere, whatever they say: a pattern of their names, to be
 * read without case. `*` stands for anything in a name.
 */
export const HARMLESS_GIT_SETTINGS = `
advice.* author.* branch.*.description branch.*.merge branch.*.rebase branch.autosetup* branch.sort
checkout.* color.* column.* commit.cleanup commit.gpgsign commit.verbose committer.* core.abbrev
core.autocrlf core.compression core.eol core.filemode core.ignorecase core.logallrefupdates
core.longpaths core.precomposeunicode core.quotepath core.safecrlf core.trustctime
core.untrackedcache core.whitespace diff.algorithm diff.colormoved* diff.mnemonicprefix
diff.noprefix diff.renames feature.* fetch.parallel fetch.prune gc.auto* grep.*
init.defaultbranch log.* merge.conflictstyle merge.ff pull.ff pull.rebase push.autosetupremote push.default push.followtags rebase.autosquash
rebase.autostash rebase.updaterefs rerere.* stash.* status.* tag.gpgsign tag.sort user.*
versionsort.suffix
`.trim().replace(/\s+/g, "|").replaceAll(".", "\\.").replaceAll("*", "[^\\n=]*");

/** What in a directory of git's holds no contents of files: names, ids and settings. */
const WITHOUT_CONTENTS =
  /^(?:(?:[A-Z]+_)*HEAD|refs|packed-refs|logs|config(?:\.worktree)?|index|info|hooks|description|commondir|gitdir|shallow|branches|remotes)(?:\/|$)/;

/** Whether a path, relative to a directory of git's, may hold what files held; of a working tree, what it has of its own. */
export function mayHoldContents(path: string): boolean {
  return !WITHOUT_CONTENTS.test(path.replace(/^worktrees\/[^/]+\/(?=.)/, ""));
}
