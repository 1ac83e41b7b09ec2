/**
 * git and what is built round it. Even its reads can run programs that a repository's configuration names
 * (filters, fsmonitor, hooks), so that none is safe outside a read-only sandbox.
 */
import type { Need } from "../../core/sandbox.ts";
import { asks, extreme, grave, needing, type Row, rows, sensitive } from "../program.ts";

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

const reads = (names: string): Row[] =>
  rows(names, sensitive(READS), { options: OUTPUT, safeConfined: true });

const SUBCOMMANDS: readonly Row[] = [
  ...reads(
    `
      status log diff show blame annotate shortlog describe rev-parse rev-list ls-files
      ls-tree ls-remote cat-file name-rev merge-base cherry range-diff whatchanged diff-tree
      diff-index diff-files for-each-ref show-ref show-branch count-objects check-ignore
      check-attr check-mailmap var version help fsck verify-commit verify-tag verify-pack
      request-pull interpret-trailers patch-id stripspace column merge-tree
    `,
  ),
  ...rows("grep", sensitive(READS), {
    safeConfined: true,
    options: { "-O --open-files-in-pager": "code", "-e -A -B -C -m": "text" },
  }),
  ...rows("status", sensitive(READS), { safeConfined: true }),
  ...asks("ls-remote", NETWORK, { options: { "--upload-pack --exec": "code" } }),
  ...asks(
    `
      add stage mv notes replace rerere sparse-checkout apply am cherry-pick revert merge
      pull-request pack-refs repack commit-tree mktree write-tree
      update-index hash-object mktag commit-graph multi-pack-index archive format-patch
      fast-export
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
  ...asks("init bundle", CHANGES, {
    operands: "write",
    options: { "--template --separate-git-dir": "write", "-b --initial-branch": "text" },
  }),
  ...asks("apply", CHANGES, {
    options: {
      "--unsafe-paths --directory": extreme("writes outside the workspace"),
      "--build-fake-ancestor": "write",
    },
  }),
  ...asks("commit", CHANGES, {
    options: {
      "-F --file -t --template": "read",
      "-m --message --author --date -C -c --reuse-message --fixup --squash": "text",
    },
  }),
  ...asks("rm", "removes files", {
    operands: "write",
    options: { "-r": extreme("removes recursively"), "--pathspec-from-file": "read" },
  }),
  ...asks("reset", CHANGES, {
    options: { "--hard --merge --keep": extreme(WORK), "--pathspec-from-file": "read" },
  }),
  ...asks("checkout switch restore", CHANGES, {
    options: {
      "-f --force --discard-changes": extreme(WORK),
      "-b -B -c -C --orphan -s --source": "text",
    },
  }),
  ...asks("rebase", CHANGES, {
    options: { "-x --exec": "code", "--onto -s --strategy -X": "text" },
  }),
  ...asks("branch", CHANGES, {
    options: {
      "-D": extreme(HISTORY),
      "-f --force -M": extreme(HISTORY),
      "-m --contains --format --sort": "text",
    },
  }),
  ...asks("tag", CHANGES, {
    options: { "-f --force": extreme(HISTORY), "-m --message": "text", "-F": "read" },
  }),
  ...asks("stash", CHANGES, {
    subcommands: [
      ...reads("list show"),
      ...asks("push save pop apply create store branch", CHANGES),
      ...grave("drop clear", WORK),
    ],
  }),
  ...grave("clean checkout-index", WORK),
  ...asks("read-tree", CHANGES, { options: { "-u --reset": extreme(WORK) } }),
  ...asks("maintenance", CHANGES, {
    subcommands: [...grave("start stop register unregister", "changes what runs by itself")],
  }),
  ...asks("reflog", READS, {
    subcommands: [...reads("show exists"), ...grave("expire delete", HISTORY)],
  }),
  ...asks("gc", CHANGES, { options: { "--prune": extreme(HISTORY) } }),
  ...grave("filter-branch filter-repo prune update-ref symbolic-ref replace fast-import", HISTORY),
  ...grave("credential credential-store credential-cache credential-manager", "handles passwords"),
  ...grave(
    `
      daemon shell http-backend upload-pack receive-pack send-pack send-email imap-send
      instaweb cvsserver svn p4 hook
    `,
    "serves or sends the repository",
  ),
  ...asks("fetch pull", NETWORK, {
    options: { ...REMOTE, "-f --force": extreme(HISTORY), "-x --exec": "code" },
  }),
  ...asks("clone", NETWORK, {
    operands: "write",
    skip: 1,
    options: {
      ...REMOTE,
      "-b --branch --depth -o --origin": "text",
      "--reference --separate-git-dir": "read",
    },
  }),
  ...asks("push", "network: sends commits to the remote repository", {
    options: {
      "--receive-pack --exec": "code",
      "-f --force --force-with-lease --force-if-includes --mirror --prune -d --delete": extreme(
        "discards history of the remote repository",
      ),
      "-o --push-option": "text",
    },
  }),
  ...asks("remote", CHANGES, {
    subcommands: [
      ...reads("show get-url"),
      ...asks("add rename update prune set-head set-branches", CHANGES),
      ...grave("set-url remove rm", "changes where commits are sent"),
    ],
  }),
  ...asks("config", READS, { grammar: "git" }),
  ...asks("submodule", CHANGES, {
    subcommands: [
      ...asks("add update init sync absorbgitdirs", NETWORK),
      ...reads("status summary"),
      ...grave("foreach", "runs text as code"),
      ...grave("deinit", WORK),
    ],
  }),
  ...asks("bisect", CHANGES, {
    subcommands: [
      ...asks("start good bad new old skip reset log view visualize terms replay", CHANGES),
      ...asks("run", "runs a command for many commits", { wrapper: { flags: "", valued: "" } }),
    ],
  }),
  ...asks("worktree", CHANGES, {
    operands: "text",
    subcommands: [
      ...reads("list"),
      ...asks("add", CHANGES, { operands: "write", options: { "-b -B": "text" } }),
      ...asks("prune lock unlock repair move", CHANGES, { operands: "write" }),
      ...asks("remove", "removes a working tree", {
        operands: "write",
        options: { "-f --force": extreme(WORK) },
      }),
    ],
  }),
  ...grave("difftool mergetool", "runs programs that the configuration names"),
  ...asks("annex flow town gui citool", CHANGES),
  ...asks("lfs", CHANGES, { subcommands: [...grave("prune push uninstall", HISTORY)] }),
];

/** Those that talk to other repositories, and those that write the configuration. */
const REMOTE_COMMANDS = /^(fetch|pull|clone|push|ls-remote|submodule|lfs|annex)$/;
const CONFIGURING =
  /^(config|remote|branch|push|pull|checkout|switch|init|clone|submodule|worktree|bisect|sparse-checkout|maintenance)$/;

function needsOf([name, { safeConfined }]: Row): Need[] {
  if (safeConfined) return [];
  return [
    "repository",
    ...(CONFIGURING.test(name) ? ["repository_config" as const] : []),
    ...(REMOTE_COMMANDS.test(name) ? ["network" as const, "keys" as const] : []),
  ];
}

/** Rows of the program table. */
export const GIT: readonly Row[] = [
  ...asks("git", "uses the repository", {
    grammar: "git",
    executes: [".git/config"],
    needs: ["repository"],
    options: {
      "-c --config-env --exec-path": extreme("sets configuration that may run programs"),
      "-C": "read",
      "--git-dir --work-tree": "write",
      "--namespace --super-prefix --attr-source": "text",
    },
    subcommands: SUBCOMMANDS.flatMap((row) => needing(needsOf(row), [row])),
  }),
  ...asks("svn", "uses the repository", {
    options: { "--config-option --config-dir --diff-cmd --editor-cmd": "code" },
    subcommands: [
      ...asks("checkout co export", "writes files", { operands: "write" }),
      ...grave("revert", WORK),
    ],
  }),
  ...asks("hg bzr fossil jj sl gitk tig lazygit gitui", "uses the repository", {
    options: { "--config": "code" },
    subcommands: [
      ...grave("strip purge obliterate", HISTORY),
      ...grave("revert", WORK),
    ],
  }),
  ...asks("gh glab hub tea", "network: talks to the code host", {
    needs: ["network", "keys"],
    subcommands: [
      ...asks("api", "network: talks to the code host", {
        options: {
          "-f --raw-field -F --field --input -X --method -H --header": extreme(
            "may act on the code host",
          ),
          "-q --jq -t --template --hostname -p --preview --cache": "text",
        },
      }),
      ...grave(
        "auth secret variable ssh-key gpg-key alias extension config",
        "handles keys or settings",
      ),
      ...asks("repo", "network: talks to the code host", {
        subcommands: [
          ...grave(
            "create delete archive rename edit transfer sync deploy-key",
            "changes a repository on the code host",
          ),
        ],
      }),
      ...asks("release", "network: talks to the code host", {
        subcommands: [
          ...grave("create delete delete-asset upload edit", "publishes what cannot be taken back"),
        ],
      }),
      ...asks("gist", "network: talks to the code host", {
        subcommands: [...grave("create edit delete", "publishes what cannot be taken back")],
      }),
      ...asks("pr mr", "network: talks to the code host", {
        subcommands: [...grave("merge", "merges on the code host")],
      }),
      ...asks(
        "issue label cache codespace cs project milestone environment ruleset org workflow run ci",
        "network: talks to the code host",
        {
          subcommands: [
            ...grave(
              "run delete cancel disable enable transfer ssh cp unlink close-all trigger retry",
              "acts on the code host",
            ),
          ],
        },
      ),
      ...grave("delete fork sync", "changes a repository on the code host"),
    ],
  }),
];
