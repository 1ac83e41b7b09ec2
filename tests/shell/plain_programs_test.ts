/**
 * What is safe without a sandbox: one program of the table, told nothing but what its row knows, over files that
 * lie in the workspace when links have been followed.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { analyzeCommand } from "../../src/shell/analyze.ts";
import { createPathFacts } from "../../src/workspace/path_facts.ts";
import { textPathFacts } from "../support/path_facts.ts";

const argvOf = (text: string, cwd = "/w") =>
  analyzeCommand(text, { pathFacts: textPathFacts(), cwd }).argv;

Deno.test("a plain program is found with its words, quotes removed", () => {
  const rows: readonly (readonly [text: string, argv: readonly string[]])[] = [
    ["ls", ["ls"]],
    ["l's' -la \"src\"", ["ls", "-la", "src"]],
    ["grep -rn 'a  b' src tests", ["grep", "-rn", "a  b", "src", "tests"]],
    ["grep -e a -e b src/a.ts", ["grep", "-e", "a", "-e", "b", "src/a.ts"]],
    ["head -20 a", ["head", "-20", "a"]],
    ["tail -n +5 a", ["tail", "-n", "+5", "a"]],
    ["echo --- -e '*' 'a;b'", ["echo", "---", "-e", "*", "a;b"]],
    ["find . -name '*.ts' -not -path './x/*'", [
      "find",
      ".",
      "-name",
      "*.ts",
      "-not",
      "-path",
      "./x/*",
    ]],
    ["cat -- -x", ["cat", "--", "-x"]],
    ["date '+%F %T'", ["date", "+%F %T"]],
    ["date --date '2 days ago'", ["date", "--date", "2 days ago"]],
    ["rg --files src", ["rg", "--files", "src"]],
    ["ls --color=never", ["ls", "--color=never"]],
  ];
  for (const [text, argv] of rows) assert.deepEqual(argvOf(text), argv, text);
});

/** Each reads, writes or runs more than its row allows, or is more than one program with plain words. */
const REFUSED = [
  "ls | cat",
  "ls; ls",
  "ls && ls",
  "ls &",
  "! ls",
  "(ls)",
  "{ ls; }",
  "time ls",
  "A=1 ls",
  "ls > out.txt",
  "ls 2>/dev/null",
  "cat < a.txt",
  "cat <<< a",
  "ls *.ts",
  "ls {a,b}",
  "ls $HOME",
  'ls "$x"',
  "ls $(pwd)",
  "ls ~",
  "echo ~user",
  "/bin/ls",
  "./ls",
  "command ls",
  "env ls",
  "ls\u00a0-l",
  "ls -I x",
  "ls /etc",
  "ls ..",
  "ls -L",
  "cat /etc/passwd",
  "cat ../a",
  "cat .env",
  "cat .git-credentials",
  "cat -",
  "tail -f a",
  "tail --follow a",
  "tail -fn5 a",
  "tail +1f a",
  "head --lines 5 /etc/passwd",
  "wc --files0-from=a",
  "grep -f a b",
  "grep --file=a b",
  "grep -R a .",
  "grep a -e b /etc/passwd",
  "grep /etc/passwd -e root /etc/passwd",
  "grep -ne a /etc/passwd",
  "grep --include a b /etc/passwd",
  "grep --color always /etc/passwd",
  "grep",
  "rg -L a",
  "rg --pre x a",
  "rg -z a",
  "rg -f a b",
  "rg --hostname-bin=x a",
  "rg --files /etc",
  "find . -exec ls {} +",
  "find . -delete",
  "find . -fprint x",
  "find -L . -name a",
  "find -files0-from a",
  "find . -newer /etc/passwd",
  "find /etc -name a",
  "find . -name a -o -ok ls",
  "sort -o a b",
  "sort -oa b",
  "sort -T /x a",
  "sort --compress-program=x a",
  "sort --files0-from=a",
  "uniq a b",
  "cut -d, -f1 /etc/passwd",
  "diff -r a b",
  "diff --to-file=x a",
  "diff /etc/passwd a",
  "stat -L /etc/passwd",
  "file -f a",
  "file -m a b",
  "file -z a",
  "file -C a",
  "du --files0-from=a",
  "du -L",
  "du -X a",
  "df -h /etc",
  "tree -o a",
  "tree -l",
  "tree -IRH x base -L 1",
  "tree -Pl x",
  "tree -L2",
  "tree --fromfile a",
  "test -f /etc/passwd",
  "[ -f a ]",
  "realpath /etc/passwd",
  "readlink /proc/self/exe",
  "date -s now",
  `date --date 'TZ="/etc/passwd" now'`,
  `date --date=' TZ="a" now'`,
  "date 010203042026",
  "date -f a",
  "date -r /etc/passwd",
  "id root",
  "which /x/y",
  "sleep infinity",
  "md5sum -c a",
  "sha256sum --check a",
  "whoami x",
  "strings @a",
  "less a",
  "man ls",
  "jq . a",
  "awk 1 a",
  "sed p a",
  "xargs ls",
  "git status",
  "node -v",
  "tac a",
  "unknown",
];

Deno.test("what tells a program more than its row knows, or is more than one program, is not plain", () => {
  const found = REFUSED.filter((text) => argvOf(text) !== undefined);
  assert.deepEqual(found, []);
});

Deno.test("nothing is plain in a directory outside of the workspace", () => {
  assert.equal(argvOf("ls", "/etc"), undefined);
});

Deno.test({
  name: "a file is plain if it lies in the workspace when links have been followed",
  ignore: Deno.build.os === "windows",
  async fn() {
    const base = await Deno.realPath(await Deno.makeTempDir());
    try {
      const cwd = join(base, "w");
      await Deno.mkdir(join(cwd, "sub"), { recursive: true });
      await Deno.writeTextFile(join(base, "secret"), "");
      await Deno.writeTextFile(join(cwd, "a"), "");
      await Deno.symlink("a", join(cwd, "inner"));
      await Deno.symlink("../secret", join(cwd, "outer"));
      await Deno.symlink("..", join(cwd, "above"));
      await Deno.symlink("../../secret", join(cwd, "sub", "a"));
      const roots = { cwd, all: [cwd] };
      const pathFacts = createPathFacts({ roots, home: "", env: {} });
      const isFound = (text: string) => analyzeCommand(text, { pathFacts }).argv !== undefined;
      for (const text of ["cat a", "cat inner", "ls sub", "diff a inner"]) {
        assert.ok(isFound(text), text);
      }
      for (
        const text of ["cat outer", "ls above", "cat above/secret", "cat sub/a", "diff sub a"]
      ) assert.ok(!isFound(text), text);
    } finally {
      await Deno.remove(base, { recursive: true });
    }
  },
});
