import assert from "node:assert/strict";
import { listInvocations } from "../../src/shell/analyze.ts";

const cases: readonly (readonly [text: string, programs: readonly (string | undefined)[]])[] = [
  ["ls -la", ["ls"]],
  ["a; b && c || d | e & f\ng", ["a", "b", "c", "d", "e", "f", "g"]],
  ["A=1 B=2 make", ["make"]],
  ["/usr/bin/git status", ["git"]],
  [`g"i"t status; \\ls; l''s`, ["git", "ls", "ls"]],
  ["$'\\x6cs'", ["ls"]],
  ["echo 'a; b' \"c | d\"", ["echo"]],
  ["echo $(a $(b)) `c`", ["echo", "a", "b", "c"]],
  ["X=$(a)", ["a"]],
  ["cat <(a) > >(b)", ["cat", "a", "b"]],
  ["cat <<END\na $(b)\nEND\nc", ["cat", "b", "c"]],
  ["cat <<'END'\na $(b)\nEND", ["cat"]],
  ["if a; then b; else c; fi; while d; do e; done", ["a", "b", "c", "d", "e"]],
  ["f() { a; }; (b; { c; })", ["a", "b", "c"]],
  ["[[ -n $(a) ]] && case x in y) b;; esac", ["a", "b"]],
  ["$TOOL x; ${A}b; {c,d} e", [undefined, undefined, undefined]],
  ["env -u X A=1 make all", ["env", "make"]],
  ["timeout -k 5 10 nice -n 5 make", ["timeout", "nice", "make"]],
  ["a | xargs -n 1 -I {} rm {}", ["a", "xargs", "rm"]],
  ["find . -name x -exec rm {} \\;", ["find", "rm"]],
  ["bash -lc 'a; sh -c \"b c\"'", ["bash", "a", "sh", "b"]],
  ["eval 'a; b' c", ["eval"]],
  ["env -S 'a b'", ["env", "a"]],
  ["command -v make; command make", ["command", "command", "make"]],
  ["# a comment", []],
  ["", []],
];

for (const [text, programs] of cases) {
  Deno.test(`listInvocations() finds the programs of ${JSON.stringify(text)}`, () => {
    assert.deepEqual(listInvocations(text)?.map((one) => one.program), programs);
  });
}

for (const text of ["echo 'a", "if a; then", "a; ) b", "bash -c 'echo \"a'"]) {
  Deno.test(`listInvocations() returns nothing for ${JSON.stringify(text)}, which is no bash`, () => {
    assert.equal(listInvocations(text), undefined);
  });
}

Deno.test("listInvocations() gives up on scripts in scripts without end", () => {
  let text = "ls";
  for (let depth = 0; depth < 7; depth++) text = `sh -c '${text.replaceAll("'", "'\\''")}'`;
  assert.equal(listInvocations(text), undefined);
});

Deno.test("listInvocations() returns arguments without quotes", () => {
  assert.deepEqual(listInvocations(`git commit -m "it's" 'a b' $X`), [
    { program: "git", args: ["commit", "-m", "it's", "a b", "$X"], fed: false },
  ]);
});

Deno.test("listInvocations() knows which commands are fed their input", () => {
  const text = "a | b; c < f; d <<< x; while e; do g; done < f; h 2>&1; ! i | j";
  const fed = listInvocations(text)?.filter((one) => one.fed).map((one) => one.program);
  assert.deepEqual(fed, ["b", "c", "d", "e", "g", "j"]);
});

Deno.test("listInvocations() takes commands of a function for fed if a call of it is", () => {
  const fedIn = (text: string) =>
    listInvocations(text)?.filter((one) => one.fed).map((one) => one.program);
  assert.deepEqual(fedIn("f() { a; b | c; }; f"), ["c"]);
  assert.deepEqual(fedIn("f() { a; b | c; }; d | f"), ["a", "b", "c", "f"]);
});
