/**
 * git and the tools around it. Even reading can run programs that a repository's configuration names (filters,
 * fsmonitor, hooks), so nothing here is safe outside a read-only sandbox.
 */
import type { Need } from "../../core/sandbox.ts";
import {
  addNeeds,
  extreme,
  extremeRows,
  type Row,
  rows,
  sensitive,
  sensitiveRows,
} from "../program.ts";

const READS = "reads the repository, whose configuration may run programs";
const CHANGES = "changes the repository";
const HISTORY = "discards history";
const WORK = "discards work that is not committed";
const NETWORK = "network: talks to the remote repository";

const OUTPUT = {
  "--output": "write",
  "--ext-diff": extreme("runs programs that the repository names"),
  "-O --open-files-in-pager": "code",
  "--textconv": extreme("runs programs that the repository names"),
  "--contents": "read",
} as const;

const REMOTE = {
  "--upload-pack --receive-pack -u --exec": "code",
  "-c --config --template": "code",
} as const;

const readOnlyRows = (names: string): Row[] =>
  rows(names, sensitive(READS), { options: OUTPUT, safeSandboxed: true });

const SUBCOMMANDS: readonly Row[] = [
  ...readOnlyRows(
    `
      status log diff show blame annotate shortlog describe rev-parse rev-list ls-files
      ls-tree ls-remote cat-file name-rev merge-base cherry range-diff whatchanged diff-tree
      diff-index diff-files for-each-ref show-ref show-branch count-objects check-ignore
      check-attr check-mailmap check-ref-format var version help fsck verify-commit verify-tag
      verify-pack request-pull interpret-trailers patch-id stripspace column merge-tree show-index
      fmt-merge-msg get-tar-commit-id unpack-file
    `,
  ),
  ...rows("grep", sensitive(READS), {
    safeSandboxed: true,
    options: { "-O --open-files-in-pager": "code", "-e -A -B -C -m": "text" },
  }),
  ...rows("status", sensitive(READS), { safeSandboxed: true }),
  ...sensitiveRows("ls-remote", NETWORK, { options: { "--upload-pack --exec": "code" } }),
  ...sensitiveRows(
    `
      add stage mv notes replace rerere sparse-checkout apply am cherry-pick revert merge
      pull-request pack-refs repack commit-tree mktree write-tree
      update-index hash-object mktag commit-graph multi-pack-index archive format-patch
      fast-export subtree merge-file merge-index merge-one-file index-pack pack-objects
      prune-packed pack-redundant unpack-objects update-server-info init-db quiltimport mailsplit
      mailinfo bugreport diagnose
    `,
    CHANGES,
    {
      options: {
        "-o --output --output-directory": "write",
        "--exec --remote": "code",
        "--template --separate-git-dir": "write",
      },
    },
  ),
  ...sensitiveRows("init bundle", CHANGES, {
    operands: "write",
    options: { "--template --separate-git-dir": "write", "-b --initial-branch": "text" },
  }),
  ...sensitiveRows("apply", CHANGES, {
    options: {
      "--unsafe-paths --directory": extreme("writes outside the workspace"),
      "--build-fake-ancestor": "write",
    },
  }),
  ...sensitiveRows("commit", CHANGES, {
    options: {
      "-F --file -t --template": "read",
      "-m --message --author --date -C -c --reuse-message --fixup --squash": "text",
    },
  }),
  ...sensitiveRows("rm", "removes files", {
    operands: "write",
    options: { "-r": extreme("removes recursively"), "--pathspec-from-file": "read" },
  }),
  ...sensitiveRows("reset", CHANGES, {
    options: { "--hard --merge --keep": extreme(WORK), "--pathspec-from-file": "read" },
  }),
  ...sensitiveRows("checkout switch restore", CHANGES, {
    options: {
      "-f --force --discard-changes": extreme(WORK),
      "-b -B -c -C --orphan -s --source": "text",
    },
  }),
  ...sensitiveRows("rebase", CHANGES, {
    options: { "-x --exec": "code", "--onto -s --strategy -X": "text" },
  }),
  ...sensitiveRows("branch", CHANGES, {
    options: {
      "-D": extreme(HISTORY),
      "-f --force -M": extreme(HISTORY),
      "-m --contains --format --sort": "text",
    },
  }),
  ...sensitiveRows("tag", CHANGES, {
    options: { "-f --force": extreme(HISTORY), "-m --message": "text", "-F": "read" },
  }),
  ...sensitiveRows("stash", CHANGES, {
    subcommands: [
      ...readOnlyRows("list show"),
      ...sensitiveRows("push save pop apply create store branch", CHANGES),
      ...extremeRows("drop clear", WORK),
    ],
  }),
  ...extremeRows("clean checkout-index", WORK),
  ...sensitiveRows("read-tree", CHANGES, { options: { "-u --reset": extreme(WORK) } }),
  ...sensitiveRows("maintenance", CHANGES, {
    subcommands: [...extremeRows("start stop register unregister", "changes what runs by itself")],
  }),
  ...sensitiveRows("reflog", READS, {
    subcommands: [...readOnlyRows("show exists"), ...extremeRows("expire delete", HISTORY)],
  }),
  ...sensitiveRows("gc", CHANGES, { options: { "--prune": extreme(HISTORY) } }),
  ...extremeRows(
    "filter-branch filter-repo prune update-ref symbolic-ref replace fast-import",
    HISTORY,
  ),
  ...extremeRows(
    "credential credential-store credential-cache credential-manager",
    "handles passwords",
  ),
  ...extremeRows(
    `
      daemon shell http-backend upload-pack receive-pack send-pack send-email imap-send
      instaweb cvsserver svn p4 hook
    `,
    "serves or sends the repository",
  ),
  ...sensitiveRows("fetch pull", NETWORK, {
    options: { ...REMOTE, "-f --force": extreme(HISTORY), "-x --exec": "code" },
  }),
  ...sensitiveRows("clone", NETWORK, {
    operands: "write",
    skip: 1,
    options: {
      ...REMOTE,
      "-b --branch --depth -o --origin": "text",
      "--reference --separate-git-dir": "read",
    },
  }),
  ...sensitiveRows("push", "network: sends commits to the remote repository", {
    options: {
      "--receive-pack --exec": "code",
      "-f --force --force-with-lease --force-if-includes --mirror --prune -d --delete": extreme(
        "discards history of the remote repository",
      ),
      "-o --push-option": "text",
    },
  }),
  ...sensitiveRows("remote", CHANGES, {
    subcommands: [
      ...readOnlyRows("show get-url"),
      ...sensitiveRows("add rename update prune set-head set-branches", CHANGES),
      ...extremeRows("set-url remove rm", "changes where commits are sent"),
    ],
  }),
  ...sensitiveRows("config", READS, { grammar: "git" }),
  ...sensitiveRows("submodule", CHANGES, {
    subcommands: [
      ...sensitiveRows("add update init sync absorbgitdirs", NETWORK),
      ...readOnlyRows("status summary"),
      ...extremeRows("foreach", "runs text as code"),
      ...extremeRows("deinit", WORK),
    ],
  }),
  ...sensitiveRows("bisect", CHANGES, {
    subcommands: [
      ...sensitiveRows(
        "start good bad new old skip reset log view visualize terms replay",
        CHANGES,
      ),
      ...sensitiveRows("run", "runs a command for many commits", {
        wrapper: { flags: "", valued: "" },
      }),
    ],
  }),
  ...sensitiveRows("worktree", CHANGES, {
    operands: "text",
    subcommands: [
      ...readOnlyRows("list"),
      ...sensitiveRows("add", CHANGES, { operands: "write", options: { "-b -B": "text" } }),
      ...sensitiveRows("prune lock unlock repair move", CHANGES, { operands: "write" }),
      ...sensitiveRows("remove", "removes a working tree", {
        operands: "write",
        options: { "-f --force": extreme(WORK) },
      }),
    ],
  }),
  ...extremeRows("difftool mergetool", "runs programs that the configuration names"),
  ...sensitiveRows("annex flow town gui citool", CHANGES),
  ...sensitiveRows("lfs", CHANGES, {
    subcommands: [...extremeRows("prune push uninstall", HISTORY)],
  }),
];

/** Subcommands that talk to other repositories, and those that write the configuration. */
const REMOTE_COMMANDS = /^(fetch|pull|clone|push|ls-remote|submodule|lfs|annex)$/;
const CONFIGURING =
  /^(config|remote|branch|push|pull|checkout|switch|init|clone|submodule|worktree|bisect|sparse-checkout|maintenance)$/;

function gitNeeds([name, { safeSandboxed }]: Row): Need[] {
  if (safeSandboxed) return [];
  return [
    "repository",
    ...(CONFIGURING.test(name) ? ["repository_config" as const] : []),
    ...(REMOTE_COMMANDS.test(name) ? ["network" as const, "keys" as const] : []),
  ];
}

/** Rows of the program table. */
export const GIT: readonly Row[] = [
  ...sensitiveRows("git", "uses the repository", {
    grammar: "git",
    executes: [".git/config"],
    options: {
      "-c --config-env --exec-path": extreme("sets configuration that may run programs"),
      "-C": "read",
      "--git-dir --work-tree": "write",
      "--namespace --super-prefix --attr-source": "text",
    },
    subcommands: SUBCOMMANDS.flatMap((row) => addNeeds(gitNeeds(row), [row])),
  }),
  ...sensitiveRows("svn", "uses the repository", {
    options: { "--config-option --config-dir --diff-cmd --editor-cmd": "code" },
    subcommands: [
      ...sensitiveRows("checkout co export", "writes files", { operands: "write" }),
      ...extremeRows("revert", WORK),
    ],
  }),
  ...sensitiveRows("hg bzr fossil jj sl gitk tig lazygit gitui", "uses the repository", {
    options: { "--config": "code" },
    subcommands: [
      ...extremeRows("strip purge obliterate", HISTORY),
      ...extremeRows("revert", WORK),
    ],
  }),
  ...sensitiveRows("gh glab hub tea", "network: talks to the code host", {
    needs: ["network", "keys"],
    subcommands: [
      ...sensitiveRows("api", "network: talks to the code host", {
        options: {
          "-f --raw-field -F --field --input -X --method -H --header": extreme(
            "may act on the code host",
          ),
          "-q --jq -t --template --hostname -p --preview --cache": "text",
        },
      }),
      ...extremeRows(
        "auth secret variable ssh-key gpg-key alias extension config",
        "handles keys or settings",
      ),
      ...sensitiveRows("repo", "network: talks to the code host", {
        subcommands: [
          ...extremeRows(
            "create delete archive rename edit transfer sync deploy-key",
            "changes a repository on the code host",
          ),
        ],
      }),
      ...sensitiveRows("release", "network: talks to the code host", {
        subcommands: [
          ...extremeRows(
            "create delete delete-asset upload edit",
            "publishes what cannot be taken back",
          ),
        ],
      }),
      ...sensitiveRows("gist", "network: talks to the code host", {
        subcommands: [...extremeRows("create edit delete", "publishes what cannot be taken back")],
      }),
      ...sensitiveRows("pr mr", "network: talks to the code host", {
        subcommands: [...extremeRows("merge", "merges on the code host")],
      }),
      ...sensitiveRows(
        "issue label cache codespace cs project milestone environment ruleset org workflow run ci",
        "network: talks to the code host",
        {
          subcommands: [
            ...extremeRows(
              "run delete cancel disable enable transfer ssh cp unlink close-all trigger retry",
              "acts on the code host",
            ),
          ],
        },
      ),
      ...extremeRows("delete fork sync", "changes a repository on the code host"),
    ],
  }),
];
