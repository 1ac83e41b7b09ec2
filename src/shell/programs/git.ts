/**
 * git and its like. Even reading can run programs that a repository names, so nothing is safe outside a sandbox.
 */
import { HARMLESS_GIT_SETTINGS } from "../../core/git.ts";

/** Found unless all strategies are git's own. */
const STRATEGIES =
  String.raw`unless ^(?![^]*(?<![^\n])((?-i:-[efiknqrv]*s)(\n|(?!\n))|--str[a-z]*[\n=])` +
  String
    .raw`(?!(ours|recursive|resolve|octopus|subtree|ort)(\n|$))) => extreme runs a program as strategy`;

/** Rows of the program table. */
export const GIT = `
sensitive git: uses the repository
  -c: setting
  --config-env --exec-path --git-dir: extreme= sets configuration that may run programs
  -C: read
  --work-tree: write
  --namespace --super-prefix --attr-source: text
  executes .git/config .gitattributes .gitmodules
- safe =paths status log diff show blame annotate shortlog describe rev-parse rev-list ls-files ls-tree grep cat-file
    name-rev merge-base cherry range-diff whatchanged diff-tree diff-index diff-files for-each-ref show-ref show-branch
    count-objects check-ignore check-attr check-mailmap check-ref-format var version help fsck verify-commit verify-tag
    verify-pack request-pull interpret-trailers patch-id stripspace column merge-tree show-index fmt-merge-msg
    get-tar-commit-id unpack-file: reads the repository, whose configuration may run programs
  --output: write
  --ext-diff --textconv -O --open-files-in-pager: extreme runs programs that are not seen
  --in-place: rewrites
  --contents -S -f -F --file: path
- sensitive =reads +repository add stage rerere am cherry-pick revert pull-request pack-refs repack commit-tree mktree
    write-tree update-index hash-object mktag commit-graph multi-pack-index format-patch fast-export subtree
    merge-one-file index-pack prune-packed pack-redundant unpack-objects update-server-info quiltimport bugreport
    diagnose commit flow town gui citool reset gc read-tree: changes the repository
  --output-directory --export-marks --index-output --object-dir: write
  --remote --exec: code
  -t --template --add-file --import-marks --pathspec-from-file: read
  --hard --merge --keep --discard-changes --reset: extreme discards work that is not committed
  -m --message --author --date -C -c --fixup --squash: text
  -F --file: read
  --strategy: extreme runs a program as strategy
  words prune --prune: extreme discards history
- sensitive archive: packs what is in the repository
  --output: write
  --remote --exec: code
  --add-file: read
- sensitive =reads +repository merge rebase: changes the repository
  -m --message --into-name -s --strategy -X --strategy-option: text
  -F --file: read
  -x --exec: code
  ${STRATEGIES}
- sensitive =reads +repository notes reflog: changes the repository
  lists
  looks ^(list|show|exists|--oneline|-n\\d*)$
  -m --message -C -c: text
  -F --file: read
  words expire delete prune remove: extreme discards history
- sensitive =reads +repository apply: changes the repository
  looks ^--(check|stat|numstat|summary)$
  --apply: sensitive changes files
  --unsafe-paths --directory --build-fake-ancestor: extreme writes outside the workspace
- sensitive =reads +repository restore: changes the repository
  --staged -S: spares
  -W --worktree: extreme discards work that is not committed
  match ^(\\.{1,2}/?|:/?|(\\.\\./)+)$|^:|\\*|\\$\\( => extreme discards work that is not committed
- sensitive =reads +repository +repository_config checkout switch: changes the repository
  -f --force --discard-changes: extreme discards work that is not committed
  -B -C --force-create: extreme discards history
  match ^(\\.{1,2}/?|:/?|(\\.\\./)+)$|^:|\\*|\\$\\( => extreme discards work that is not committed
- sensitive =writes +repository mv: moves files
- sensitive =writes +repository rm: removes files
  match \\* => extreme removes many files at once
  unless (?<![^\\n])--cached(?![^\\n])|^(?![^]*(?<![^\\n])-\\w*r) => extreme removes recursively
- sensitive =writes +repository +repository_config init init-db bundle: changes the repository
  --template --separate-git-dir: code
- sensitive =reads +repository +repository_config branch: changes the repository
  lists
  looks ^(-l|--list|--contains|--no-contains|--points-at|--(no-)?merged|--show-current)$
  letters arv --all --remotes --verbose
  -D -f --force -M -C: extreme discards history
  -u --set-upstream-to --unset-upstream --edit-description -m --move -c --copy -d --delete: sensitive changes the repository
  --format --sort: text
- sensitive =reads +repository tag: changes the repository
  lists
  looks ^(-l|--list|--contains|--no-contains|--points-at|--(no-)?merged|-n\\d*)$
  -d --delete -f --force: extreme discards history
  -m --message --format --sort: text
  -F --file: read
- sensitive =reads +repository stash: changes the repository
- - safe list show: reads the repository
  --output: write
  --ext-diff --textconv: extreme runs programs that are not seen
- - extreme drop clear: discards work that is not committed
- extreme +repository clean checkout-index: discards work that is not committed
  letters dfqxX
  -e --exclude --prefix: text
  looks ^(-[a-zA-Z]*n[a-zA-Z]*|--dry-run)$
- extreme +repository replace filter-branch filter-repo prune update-ref fast-import maintenance: discards history
- extreme +repository symbolic-ref: discards history
  lists 1
  -d --delete: extreme discards history
- sensitive +repository bisect: changes the repository
  looks ^(log|terms)?$
  unless ^(?:start|good|bad|new|old|skip|reset|next|log|terms|replay|help)(?:\\n|$) => extreme runs a program that its words name
- - extreme run: runs a command for many commits
  wraps
- sensitive +repository +repository_config sparse-checkout worktree: changes the repository
  lists
  looks ^list$
- - sensitive =writes add remove move: changes the working trees
  -f --force: extreme discards work that is not committed
- sensitive +repository +repository_config config: changes the repository
  lists 1
  --unset --unset-all --add --replace-all --rename-section --remove-section: sensitive changes it
  looks ^(--get(-\\w+)*|--list|-l|list|get)$
  words edit -e --edit --global --system --worktree -f --file --blob: extreme sets configuration outside
  unless ^(?:(?:set|(?:--)?unset(?:-all)?|--(?:local|add|replace-all|bool|int|type[=\\n][\\w-]+))\\n)*(?:(?:${HARMLESS_GIT_SETTINGS})(?:\\n|$)|(?:--)?(?:remove|rename)-section\\nbranch\\.[^\\n]+(?:\\nbranch\\..+)?$) => extreme sets configuration of git that may run programs
- sensitive =reads +repository +network +keys fetch ls-remote annex lfs: network: talks to a remote
  match ^(ext|fd|[a-z]+):: => extreme runs a program as transport
  match ^\\+|:refs/(?!heads/|remotes/) => extreme discards history
  --upload-pack --receive-pack --exec -u -c --config --template: code
  --prune: sensitive changes it
  -f --force --stdin -P --prune-tags --shallow-since --shallow-exclude --update-shallow --refmap: extreme discards history
- - extreme prune push uninstall: discards history
- - safe ls-files env version status: reads the repository
- sensitive =reads +repository +repository_config +network +keys pull submodule: network: talks to a remote
  match ^(ext|fd|[a-z]+):: => extreme runs a program as transport
  match ^\\+|:refs/(?!heads/|remotes/) => extreme discards history
  -P --prune-tags --shallow-since --shallow-exclude --update-shallow --refmap: extreme discards history
  --upload-pack --receive-pack -u -c --config --template -x: code
  -s --strategy -X --strategy-option: text
  ${STRATEGIES}
  -f --force: extreme discards history
- - extreme +repository +network foreach: runs code
- - extreme +repository +repository_config deinit: discards work
- - extreme +repository +repository_config set-url: changes where commits are sent
- - sensitive +repository +repository_config sync set-branch absorbgitdirs: changes the repository
- - safe status summary: reads the repository
- sensitive =writes-1 +repository +repository_config +network +keys clone: network: talks to a remote
  match ^(ext|fd|[a-z]+):: => extreme runs a program as transport
  match ^(file:/|[/~]|\\.\\./) => sensitive reads outside the workspace
  --upload-pack -u -c --config --template --separate-git-dir: code
  --reference: write
  -b --branch --depth -o --origin -j --jobs: text
- sensitive +repository +repository_config +network +keys push: network: sends commits to a remote
  --receive-pack --exec: code
  --repo: extreme= network: sends commits to an address
  -f --force --force-with-lease --force-if-includes --mirror --prune -d --delete: extreme discards history of the remote repository
  match ^[+:]. => extreme discards history of the remote repository
  unless ^(?:(?:-[a-zA-Z]*o|--pu[^\\n=]*)\\n[^\\n]*(?:\\n|$)|-(?![a-zA-Z]*o\\n|-pu[^\\n=]*\\n)[^\\n]*(?:\\n|$))*(?:(?![-./~])[^\\n:$\\0]*(?:\\n[^]*)?)?$ => extreme network: sends commits to an address
- sensitive +repository +repository_config remote: changes the repository
  lists
  match :: => extreme runs a program as transport
- - safe show get-url: reads the repository
- - sensitive +repository +network +keys update prune set-head: network: talks to a remote
- - extreme set-url remove rm rename: changes where commits are sent
sensitive svn hg: uses the repository
  --config --config-option --config-dir: code
  words revert strip purge obliterate: extreme discards work or history
- sensitive =writes checkout co export: writes files
`;
