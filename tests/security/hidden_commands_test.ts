/**
 * Commands that the parser does not see in a script that looks safe, through the front door: nothing of them may
 * run unasked, with a sandbox and without one. What is plain runs as before.
 */
import assert from "node:assert/strict";
import { guarded, hasBubblewrap } from "../support/sandbox.ts";

/** Leaves a file, and on the output a number that the script does not hold. */
const HIDDEN = "touch ran; expr 70000 + 7777 >&2";
const OUTPUT = "77777";

/** Each is called safe by the tree that the parser makes of it, or hides the place that it reads. */
const ROWS: readonly string[] = [
  `let y=($(${HIDDEN}))`,
  `let y+=(\`${HIDDEN}\`)`,
  `let y=($(${HIDDEN})) && ls`,
  `ls; let z=(\`${HIDDEN}\`)`,
  `a=($(${HIDDEN}))x`,
  `a+=($(${HIDDEN}))x`,
  `a=()\`${HIDDEN}\``,
  `a=()$(${HIDDEN})`,
  `a=(1)$(${HIDDEN}) ls`,
  `echo \`echo a #\\\n<<\\E\n${HIDDEN}\nE\``,
  `x='a[$(${HIDDEN})]'; echo $((x))`,
  `x='y[$(${HIDDEN})]'; let x`,
  `echo 'a[$(${HIDDEN})]' > /dev/null; [[ 1 -eq 'a[$(${HIDDEN})]' ]]`,
  `x=$(cat index.txt); echo $((x))`,
  `x=$(cat index.txt); [[ $x -eq 1 ]]`,
  `x=$(cat test.txt); [ $x ]`,
  `x=$(cat format.txt); printf "$x" a`,
  `read -r x < index.txt; echo $((x))`,
  `y=x; read -r x < index.txt; echo $((y))`,
  `echo $(( $(cat index.txt) ))`,
  `echo $"\`${HIDDEN}\`"`,
  'cat {a,"/etc"}/passwd',
  "cat {a,'/etc'}/passwd",
  "cat {a,\\/etc/passwd}",
  'cat {a,"/et"c/passwd}',
  "$'\\x{72}m' -rf kept.txt",
  "$'\\x72m' -rf kept.txt",
];

const FILES = {
  "index.txt": "a[$(touch ran; expr 70000 + 7777 >&2)]\n",
  "test.txt": "-v a[$(touch${IFS}ran;expr${IFS}70000${IFS}+${IFS}7777>&2)]\n",
  "format.txt": "-va[$(touch ran; expr 70000 + 7777 >&2)]\n",
  "kept.txt": "kept\n",
};

async function assertNothingRan(args: readonly string[]): Promise<void> {
  await using at = await guarded(ROWS, { files: FILES });
  await at.run(["--max-turns", "100", ...args]);
  const results = at.results();
  assert.equal(results.length, ROWS.length);
  const ran = ROWS.filter((_, row) => {
    const result = results[row] ?? "";
    return result.includes(OUTPUT) || result.includes("root:");
  });
  assert.deepEqual(ran, []);
  const left = Array.from(Deno.readDirSync(at.place.dir), ({ name }) => name);
  assert.ok(!left.includes("ran") && left.includes("kept.txt"), left.join(" "));
}

Deno.test("no hidden command runs unasked without a sandbox", () =>
  assertNothingRan(["--no-sandbox"]));

Deno.test("no hidden command runs beside a list of programs without a sandbox", () =>
  assertNothingRan(["--no-sandbox", "--allow-run=ls,let,echo,printf,read,cat,["]));

Deno.test({
  name: "no hidden command runs unasked in the sandbox",
  ignore: !hasBubblewrap(),
  fn: () => assertNothingRan([]),
});

const ignore = !hasBubblewrap();

Deno.test({
  name:
    "a command that has no canonical text is denied where nobody is asked, and says how to write it",
  ignore,
  async fn() {
    await using at = await guarded(["a=(1 2); echo done-$?"]);
    const { code } = await at.run([]);
    assert.equal(code, 3);
    assert.match(at.results()[0] ?? "", /an array.*plain words, pipes and loops/);
  },
});

Deno.test({ name: "plain commands run unasked, and do what they say", ignore, fn: doAsTheySay });

async function doAsTheySay(): Promise<void> {
  const commands: Readonly<Record<string, RegExp>> = {
    "echo a\\ b \"c  d\" 'e$f'": /a b c {2}d e\$f/,
    "ls *.txt | wc -l": /\b2\b/,
    'for f in *.txt; do echo "<$f>"; done': /<a\.txt>\n<b\.txt>/,
    'x=5; y=$((x * 2)); echo "y=$y"': /y=10/,
    "cat {a,b}.txt": /one\ntwo/,
    "if [ -f a.txt ]; then echo yes; else echo no; fi": /yes/,
    "echo $(cat a.txt) `cat b.txt`": /one two/,
    "cat <<'E'\nit's $HOME\nE": /it's \$HOME/,
    "cat missing.txt 2>&1 || echo failed": /failed/,
    "case a.txt in *.txt) echo text;; *) echo other;; esac": /text/,
    "printf '%s|' one 'two three'; echo": /one\|two three\|/,
  };
  await using at = await guarded(Object.keys(commands), {
    files: { "a.txt": "one\n", "b.txt": "two\n" },
  });
  const { code } = await at.run(["--max-turns", "30"]);
  assert.equal(code, 0);
  Object.entries(commands).forEach(([text, expected], row) =>
    assert.match(at.results()[row] ?? "", expected, text)
  );
}

Deno.test("what a whole kind allows runs as it was written", async () => {
  await using at = await guarded(['a=(1 2); echo "n=${#a[@]}"']);
  const { code } = await at.run(["--no-sandbox", "--allow-run"]);
  assert.equal(code, 0);
  assert.match(at.results()[0] ?? "", /n=2/);
});
