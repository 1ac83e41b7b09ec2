import assert from "node:assert/strict";
import { analyzeCommand } from "../../src/shell/analyze.ts";
import { textPathFacts } from "../support/path_facts.ts";

const judge = (text: string, cwd?: string) =>
  analyzeCommand(text, {
    pathFacts: textPathFacts(),
    sandboxed: true,
    unasked: "safe",
    ...(cwd !== undefined && { cwd }),
  });

function assertExtreme(texts: readonly string[]): void {
  for (const text of texts) {
    const judged = judge(text);
    assert.equal(judged.risk, "extreme", `${text} was called ${judged.risk}: ${judged.why}`);
  }
}

Deno.test("what cannot be parsed is extreme, inside substitutions too", () => {
  assertExtreme([
    "if",
    "ls )",
    "echo 'a",
    'echo "$(if)"',
    "echo `for`",
    "cat <(case)",
    "echo $(( $(while) ))",
    "bash -c 'if'",
    "cat <<E\n$(if)\nE",
  ]);
});

Deno.test("a function may be defined wherever a command may stand", () => {
  for (
    const text of [
      "f() { ls; }; f",
      "ls && f() { ls; }",
      "{ f() { ls; }; }",
      "(f() { ls; })",
      "if :; then f() { ls; }; else function f { pwd; }; fi",
      "for x in a; do f() { ls; }; done",
      "case a in a) f() { ls; };; esac",
      "# a comment\n  f() { ls; }\nf",
    ]
  ) assert.equal(judge(text).risk, "safe", text);
});

Deno.test("a keyword behind a redirection is extreme: bash runs it in a substitution", () => {
  assertExtreme(["export X=$(2>&1 ! git push)", "echo $(>a ! touch b)", ">a { ls", "2>&1 if ls"]);
  assert.equal(judge("! grep x a.txt").risk, "safe");
  assert.equal(judge("{ ls; } 2>&1").risk, "safe");
});

Deno.test("a limit never lowers a class", () => {
  assert.equal(judge(`echo ${"a".repeat(60_000)}`).risk, "safe");
  assert.equal(judge(`echo ${"a".repeat(66_000)}`).risk, "extreme");
  assert.equal(judge(`echo ${"ü".repeat(33_000)}`).risk, "extreme");
  assert.equal(judge("ls;".repeat(200)).risk, "safe");
  assert.equal(judge("ls;".repeat(201)).risk, "extreme");
  assert.equal(judge(`${"echo $(".repeat(5)}ls${")".repeat(5)}`).risk, "safe");
  assert.equal(judge(`${"echo $(".repeat(300)}ls${")".repeat(300)}`).risk, "extreme");
  assert.equal(judge(`${"(".repeat(100)}ls${")".repeat(100)}`).risk, "extreme");
  const nested = Array.from({ length: 8 }).reduce<string>(
    (inner) => `bash -c '${inner.replaceAll("'", "'\\''")}'`,
    "ls",
  );
  assert.equal(judge(nested).risk, "extreme");
});

Deno.test("text that looks like something else than it is, is extreme", () => {
  assertExtreme([
    "echo a\u202eb",
    "echo a\x1b[2J",
    "ls\rrm -rf x",
    "l\u200bs",
    "ls\u00a0-la\u2066",
    "echo \ufeffa",
    "rm\u200d x",
    `ls${" ".repeat(60)}; rm x`,
    `ls${"\t".repeat(70)}&& rm x`,
    "рm x",
    "ｌｓ",
  ]);
  assert.equal(judge("echo '👩‍👩‍👧 ok'").risk, "safe");
  assert.equal(judge("echo 'grüße'").risk, "safe");
  assert.equal(judge(`echo a${" ".repeat(30)}b`).risk, "safe");
});

Deno.test("every place in which a command can stand counts", () => {
  const inner = "rm -rf x";
  assertExtreme([
    `ls | ${inner}`,
    `ls |& ${inner}`,
    `ls & ${inner}`,
    `(${inner})`,
    `{ ${inner}; }`,
    `if ${inner}; then :; fi`,
    `if :; then :; elif ${inner}; then :; fi`,
    `for x in $(${inner}); do :; done`,
    `for ((i=$(${inner}); i<1; i++)); do :; done`,
    `until ${inner}; do :; done`,
    `case a in $(${inner})) ;; esac`,
    `case a in b) ;; *) ${inner} ;; esac`,
    `select x in a; do ${inner}; done`,
    `f() { ${inner}; }`,
    `[[ -f $(${inner}) ]]`,
    `(( $(${inner}) ))`,
    `echo "\${x[$(${inner})]}"`,
    `echo \${x/\$(${inner})/y}`,
    `echo \${x:$(${inner})}`,
    `cat <<< $(${inner})`,
    `cat <<E\n\`${inner}\`\nE`,
    `ls 2> >(${inner})`,
    `x[$(${inner})]=1`,
    `time -p ${inner}`,
    `echo $(echo $(echo \`${inner}\`))`,
  ]);
});

Deno.test("text in quotes and quoted heredocs is only text", () => {
  for (
    const text of [
      "echo 'rm -rf /; $(sudo x)'",
      'echo "sudo rm -rf /"',
      "cat <<'E'\n$(rm -rf x)\nE",
      "cat <<\\E\n`rm -rf x`\nE",
      "grep 'curl | sh' README.md",
      "# rm -rf /\nls",
      "echo rm -rf x",
    ]
  ) {
    assert.equal(judge(text).risk, "safe", text);
  }
});

Deno.test("code given to a shell in a heredoc is classified like the rest", () => {
  assert.equal(judge("bash <<'E'\nnpm test\nE").risk, "sensitive");
  assertExtreme(["bash <<'E'\nrm -rf x\nE", "bash <<E\n$X\nE", "bash -s <<'E'\nsudo ls\nE"]);
});

Deno.test("a directory change is followed, and what is not sure counts at its worst", () => {
  const expected = {
    "cd src && cat ../a.txt": "safe",
    "cd src; cat ../a.txt": "sensitive",
    "cd src && cd .. && touch a": "sensitive",
    "cd src && touch ../../a": "extreme",
    "cd /etc && touch a": "extreme",
    "cd /tmp && touch a": "sensitive",
    "cd /etc; cd /w; touch a": "extreme",
    "(cd /tmp && ls) && ls": "sensitive",
    "cd missing; touch ../a": "extreme",
    'cd "$X" && cat a': "sensitive",
    "cd $X; touch a": "extreme",
    "f() { cd ..; }; f; touch a": "extreme",
    "builtin cd /etc; touch a": "extreme",
    "cd src && command cd .. && command cd .. && touch a": "extreme",
    "cd src && command -p cd /etc && touch a": "extreme",
    "! cd missing/missing && touch ../a": "extreme",
    "cd src && ! cd missing/missing && touch ../../a": "extreme",
    "cd src && true | cd /w/src/sub && touch ../../a": "extreme",
    "pushd -n src/sub && touch ../../a": "extreme",
    "pushd +1 && touch ../a": "extreme",
    "f() { touch a; }; cd .. && f": "extreme",
    "f() { cd /w; }; cd src && f && touch ../a": "extreme",
    "cd src && (cd /w/src/sub && ls) && touch ../../a": "extreme",
    "(cd src && { cd /w; } && touch ../a)": "extreme",
    "(cd src && touch ../a)": "sensitive",
    "(cd src && touch ../a) | tail": "sensitive",
    "cd src && (cd sub && ls) && touch ../a": "sensitive",
    'echo "$(cd src && ls ..)"': "safe",
    "for i in 1 2; do touch a; cd /etc; done": "extreme",
    "for i in 1 2; do touch a; (cd /tmp && ls); done": "sensitive",
    "for i in 1 2; do cd /w/src && touch ../a; done": "sensitive",
  };
  for (const [text, gravity] of Object.entries(expected)) {
    assert.equal(judge(text).risk, gravity, text);
  }
  assert.equal(judge("touch ../a", "/w/sub").risk, "sensitive");
});

Deno.test("a value that the script gives to a variable counts where the variable is used", () => {
  assertExtreme([
    "F=~/.ssh/id_rsa; cat $F",
    'K=/home/me/.aws; cat "$K/credentials"',
    "A=-delete; find . $A",
    "for o in -o/etc/x; do sort $o a; done",
  ]);
  assert.equal(judge('for d in src tests; do find "$d" -name x; done').risk, "safe");
});

Deno.test("the parts name each command, its class and why", () => {
  const { parts } = judge("cd src && git add . && timeout 5 rm -rf out > /dev/null; make > log");
  assert.deepEqual(parts.map((part) => [part.command, part.risk]), [
    ["cd src", "safe"],
    ["git add .", "sensitive"],
    ["timeout 5 rm -rf out > /dev/null", "extreme"],
    ["make > log", "sensitive"],
    ["> log", "sensitive"],
  ]);
  assert.deepEqual(parts[2]?.programs, ["timeout", "rm"]);
  assert.match(parts[2]!.why, /removes recursively/);
});

Deno.test("what is inside a script given as text is listed too", () => {
  const { parts } = judge("bash -c 'ls; npm test'");
  assert.deepEqual(parts.map((part) => [part.command, part.risk]), [
    ["ls", "safe"],
    ["npm test", "sensitive"],
    ["bash -c 'ls; npm test'", "sensitive"],
  ]);
});

Deno.test("keys of the home directory are secret even where that is the workspace", () => {
  const pathFacts = { ...textPathFacts(), home: "/w" };
  for (
    const text of ["cat ~/.ssh/id_rsa", "cat .ssh/id_rsa", "grep -r x .aws", "cat $HOME/.netrc"]
  ) {
    assert.equal(analyzeCommand(text, { pathFacts }).risk, "extreme", text);
  }
});
