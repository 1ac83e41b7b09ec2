/**
 * Completion in a shell, against the real program.
 */
import assert from "node:assert/strict";
import { quoteWord } from "../../src/lib/text.ts";
import { allyCommand, runAlly, stage } from "../support/program.ts";

function hasFish(): boolean {
  try {
    return new Deno.Command("fish", { args: ["--version"], stdout: "null", stderr: "null" })
      .outputSync().success;
  } catch {
    return false;
  }
}

Deno.test("bash completes commands and options through the script that ally prints", async () => {
  await using at = await stage([]);
  const { stdout: script, code } = await runAlly(at.place, { args: ["completions", "bash"] });
  assert.equal(code, 0);
  const ally = allyCommand().map(quoteWord).join(" ");
  const program = `ally() { ${ally} "$@"; }
${script}
complete_function=$(complete -p ally | sed -E 's/.*-F ([^ ]+).*/\\1/')
for words in "ally perm" "ally permissions ex" "ally --out" "ally --model=" 'ally "$(touch made) --mod'; do
  COMP_LINE=$words; COMP_POINT=\${#words}; "$complete_function"
  printf '%s|' "\${COMPREPLY[@]}"; echo
done`;
  const { stdout, stderr } = await new Deno.Command("bash", {
    args: ["--noprofile", "--norc", "-c", program],
    cwd: at.place.dir,
    clearEnv: true,
    env: { ...at.place.env },
  }).output();
  const lines = new TextDecoder().decode(stdout).split("\n");
  const complaints = new TextDecoder().decode(stderr);
  assert.match(lines[0] ?? "", /^permissions/, complaints);
  assert.match(lines[1] ?? "", /^explain/, complaints);
  assert.match(lines[2] ?? "", /^--output-format/, complaints);
  assert.match(lines[3] ?? "", /^scripted\|other/, complaints);
  assert.match(lines[4] ?? "", /^--model/, complaints);
  await assert.rejects(at.place.read("made"));
});

Deno.test("models come from the server and sessions from the disk, and a dead server costs nothing", async () => {
  await using at = await stage([{ text: "Done." }]);
  await runAlly(at.place, { args: ["-p", "a title to find"] });
  const complete = async (...words: string[]) =>
    (await runAlly(at.place, { args: ["complete", "--", ...words] })).stdout;
  assert.match(await complete("help", "sand"), /^sandbox\t/m);
  assert.match(await complete("--model", ""), /^scripted\tmodel\nother\tmodel$/m);
  assert.match(await complete("-r", ""), /^\d\S+\ta title to find/m);
  await at.server.close();
  assert.match(await complete("--model", ""), /^:\d+\n$/);
});

Deno.test("sessions and settings are completed where they are named, and paths are left to the shell", async () => {
  await using at = await stage([{ text: "Done." }]);
  await runAlly(at.place, { args: ["-p", "a title to find"] });
  const complete = async (...words: string[]) =>
    (await runAlly(at.place, { args: ["complete", "--", ...words] })).stdout;
  assert.match(await complete("sessions", "show", ""), /^\d\S+\ta title to find\n:4\n$/);
  assert.match(await complete("config", "set", "max_tu"), /^max_turns\trequests one turn/);
  assert.equal(await complete("config", "set", "model", ""), ":4\n");
  for (const words of [["config", "set", "effort", ""], ["--effort", ""], ["--effort=m"]]) {
    assert.match(await complete(...words), /^(minimal\teffort\n|low\teffort\n|medium\teffort\n)+/);
  }
  assert.equal(await complete("config", "set", "stream", ""), "on\tstream\noff\tstream\n:4\n");
  for (
    const words of [
      ["replay", ""],
      ["-C", ""],
      ["--add-dir=s"],
      ["--allow-write=s"],
      ["plugin", "install", "."],
      ["-p", "fix", "a"],
    ]
  ) assert.equal(await complete(...words), ":0\n", words.join(" "));
});

Deno.test({
  name: "fish completes through the script that ally prints",
  ignore: !hasFish(),
  async fn() {
    await using at = await stage([], { "notes.txt": "" });
    const { stdout: script } = await runAlly(at.place, { args: ["completions", "fish"] });
    const ally = allyCommand().map(quoteWord).join(" ");
    const lines = ["ally permissions ex", "ally --model=", "ally -p read no"]
      .map((line) => `complete -C '${line}'`).join("\n");
    const { stdout, stderr } = await new Deno.Command("fish", {
      args: ["--no-config", "-c", `function ally; ${ally} $argv; end\n${script}\n${lines}`],
      cwd: at.place.dir,
      clearEnv: true,
      env: { ...at.place.env },
    }).output();
    const text = new TextDecoder().decode(stdout);
    const complaints = new TextDecoder().decode(stderr);
    assert.match(text, /^explain\t/m, complaints);
    assert.match(text, /^--model=scripted\t/m, complaints);
    assert.match(text, /^notes\.txt$/m, complaints);
  },
});

Deno.test("a shell that is not known is refused by name, and help says how to install", async () => {
  await using at = await stage([]);
  const refused = await runAlly(at.place, { args: ["completions", "tcsh"] });
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /bash, zsh, fish/);
  const help = await runAlly(at.place, { args: ["completions", "--help"] });
  assert.match(help.stdout, /source <\(ally completions bash\)/);
  // A prompt may begin with the word that scripts use.
  const prompt = await runAlly(at.place, { args: ["-p", "--endpoint", "nonsense", "complete it"] });
  assert.match(prompt.stderr, /Cannot use the endpoint/);
});
