/**
 * Random commands of words, sed and awk, with the real programs as the judge: whatever runs unasked in the closed
 * shape changes nothing on the disk, and shows nothing that lies outside of the workspace.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { analyzeCommand } from "../../src/shell/analyze.ts";
import { quoteLiteral } from "../../src/shell/script/rendered_word.ts";
import { createPathFacts } from "../../src/workspace/path_facts.ts";
import { SHAPES, stageSandbox } from "../support/confined.ts";
import { randomNumbers, TEST_SEED, testCount } from "../support/random.ts";
import { hasBubblewrap } from "../support/sandbox.ts";

const CANARY = "canary-7f3a91";
/** Commands that one sandbox runs. */
const BATCH = 100;

type Pick = <T>(from: readonly T[]) => T;

/** Places: in the workspace, beside it, and above it, said in several ways. */
const PLACES = [
  "a.txt",
  "made.txt",
  "sub/b.txt",
  "link.txt",
  "../secret.txt",
  "$HOME/secret.txt",
  '"$HOME"/secret.txt',
  "~/secret.txt",
  "$(echo ../secret.txt)",
  '"$(printf %s/secret.txt "$HOME")"',
  "s*",
  "*.txt",
  "/tmp/made.txt",
] as const;

/** Pieces of sed scripts, `P` for a place. */
const SED =
  "p d q = n N g G x s/a/b/ s/o/x/w s/o/x/e e w~ r~ W~ R~ 1 $ /o/ ! { } ; , a\\ i\\ y/a/b/"
    .split(" ");
/** Pieces of awk programs. */
const AWK = [
  "{print}",
  'BEGIN{system("cat ~")}',
  'BEGIN{while((getline l<"~")>0)print l}',
  '{print>"~"}',
  '{print>>"~"}',
  '{print|"tee ~"}',
  'BEGIN{while(("cat ~"|getline l)>0)print l}',
  'BEGIN{printf "x">ARGV[1]}',
  "1",
  "/o/",
  "NR==1",
  "END{print NR}",
] as const;

const SHAPES_OF_COMMANDS: readonly ((pick: Pick, place: string) => string)[] = [
  (pick, place) => `sed ${pick(["", "-n", "-E", "-s"])} ${sedScript(pick, place)} ${pick(PLACES)}`,
  (pick, place) => `sed -e ${sedScript(pick, place)} -e ${sedScript(pick, place)} a.txt`,
  (pick, place) => `awk ${awkProgram(pick, place)} ${pick(PLACES)}`,
  (pick, place) => `awk ${awkProgram(pick, place)}${awkProgram(pick, place)} ${place}`,
  (_, place) => `cat ${place}`,
  (_, place) => `x=${place}; cat $x; echo hi | tee "$x"`,
  (pick, place) => `grep ${pick(["-r", "-f", "-e o -f", "-R", "-n"])} ${place} ${pick(PLACES)}`,
  (pick, place) =>
    `sort ${pick(["", "-o", "-T", "--files0-from", "-uo"])} ${place} ${pick(PLACES)}`,
  (pick, place) =>
    `find ${place} ${pick(["-print", "-delete", "-exec rm {} ;", "-fprint made.txt"])}`,
  (pick, place) => `find . -name 'a*' -exec ${pick(["cat", "rm", "cp"])} {} ${place} \\;`,
  (pick, place) => `echo ${place} | xargs ${pick(["cat", "rm -f", "touch", "ls -l"])}`,
  (pick, place) => `${pick(["head", "tail", "wc", "nl", "tac", "rev", "od -c"])} ${place}`,
  (pick, place) => `${pick(["diff", "cmp", "comm", "paste"])} ${place} ${pick(PLACES)}`,
  (pick, place) =>
    `${pick(["python3", "perl", "sh"])} -c ${quoteLiteral(`print(open("${place}").read())`)}`,
  (_, place) => `python3 -c ${quoteLiteral(`open("${place}", "w").write("x")`)}`,
  (_, place) => `sh -c 'cat ${place.replaceAll("'", "")}'`,
  (_, place) => `frobnicate ${place} || cat < ${place}`,
  (_, place) => `ln -s ${place} made.txt; cat made.txt`,
  (pick, place) =>
    `git ${pick(["diff --no-index", "grep --no-index o", "hash-object"])} a.txt ${place}`,
  (pick, place) => `tar ${pick(["tf", "xf", "cf made.tar"])} ${place}`,
  (pick, place) => `for f in ${place} ${pick(PLACES)}; do cat "$f"; : > "$f"; done`,
];

function sedScript(pick: Pick, place: string): string {
  const parts = Array.from({ length: 1 + pick([0, 1, 2, 3]) }, () => pick(SED));
  return quoteLiteral(parts.join(pick(["", ";", " ", "\n"])).replaceAll("~", ` ${bare(place)}`));
}

function awkProgram(pick: Pick, place: string): string {
  return quoteLiteral(pick(AWK).replaceAll("~", bare(place)));
}

function bare(place: string): string {
  return /^[\w./]+$/.test(place) ? place : "../secret.txt";
}

function* generateCommands(seed: number, count: number): Generator<string> {
  const random = randomNumbers(seed);
  const pick: Pick = (from) => from[Math.floor(random() * from.length)]!;
  for (let made = 0; made < count; made++) yield pick(SHAPES_OF_COMMANDS)(pick, pick(PLACES));
}

/** All below a directory: name, kind and content. */
async function describeTree(directory: string): Promise<string> {
  const lines: string[] = [];
  for await (const { name, isDirectory, isFile } of Deno.readDir(directory)) {
    const path = join(directory, name);
    if (isDirectory) lines.push(`${name}/`, await describeTree(path));
    else {lines.push(
        `${name} ${isFile ? await Deno.readTextFile(path) : await Deno.readLink(path)}`,
      );}
  }
  return lines.sort().join("\n");
}

const COUNT = testCount(10_000);

Deno.test({
  name:
    `what runs unasked of ${COUNT} random commands (seed ${TEST_SEED}) changes and shows nothing else`,
  ignore: !hasBubblewrap(),
  async fn() {
    await using stage = await stageSandbox();
    const { root, home, env } = stage;
    await stage.write("secret.txt", `${CANARY}\no\n`);
    for (const file of ["project/a.txt", "project/sub/b.txt"]) {
      await stage.write(file, "one\ntwo\n");
    }
    await Deno.symlink("../secret.txt", join(root, "link.txt"));
    const pathFacts = createPathFacts({ roots: { cwd: root, all: [root] }, home, env });
    const before = [await describeTree(root), await Deno.readTextFile(join(home, "secret.txt"))];
    let ran = 0;
    let batch: string[] = [];
    const runBatch = async () => {
      const script = batch.map((text) =>
        `timeout 5 bash --noprofile --norc -o physical -c ${quoteLiteral(text)}`
      ).join("\n");
      const { output } = await stage.run(SHAPES.closed, script);
      const after = [await describeTree(root), await Deno.readTextFile(join(home, "secret.txt"))];
      assert.deepEqual(after, before, `one of these changed the disk:\n${batch.join("\n")}`);
      assert.ok(!output.includes(CANARY), `one of these shows a secret:\n${batch.join("\n")}`);
      ran += batch.length;
      batch = [];
    };
    for (const text of generateCommands(TEST_SEED, COUNT)) {
      const { risk, rendering } = analyzeCommand(text, { pathFacts, sandboxed: true });
      if (risk !== "safe" || !("text" in rendering)) continue;
      batch.push(rendering.text);
      if (batch.length === BATCH) await runBatch();
    }
    await runBatch();
    assert.ok(ran > COUNT / 10, `only ${ran} of ${COUNT} commands ran`);
  },
});
