/**
 * Programs that ally starts for itself, where a repository has its own of the same names in the person's PATH.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { runAlly } from "../support/program.ts";
import { guarded } from "../support/sandbox.ts";

const NAMES = ["git", "bash", "sh", "bwrap", "env", "rg", "setsid", "prlimit", "xdg-open"];

/** Directories of PATH, seen from the workspace, and what makes them so. */
const PLACES: readonly (readonly [name: string, path: string, prepare: string])[] = [
  ["a directory of the workspace", "$WORK/bin", "mkdir -p $WORK/bin"],
  ["the workspace itself", "$WORK", "true"],
  ["a relative directory", "bin", "mkdir -p $WORK/bin"],
  ["an empty entry", "", "true"],
  ["a virtual environment of the workspace", "$WORK/.venv/bin", "mkdir -p $WORK/.venv/bin"],
  [
    "a virtual environment elsewhere",
    "$HOME/envs/x/bin",
    "mkdir -p $HOME/envs/x/bin && touch $HOME/envs/x/pyvenv.cfg",
  ],
  [
    "a link to the workspace",
    "$HOME/tools",
    "mkdir -p $WORK/bin && ln -s $WORK/bin $HOME/tools",
  ],
  [
    "a directory outside that leads back by ..",
    "$HOME/x/../work/bin",
    "mkdir -p $WORK/bin $HOME/x",
  ],
  ["what everybody can write", "$HOME/shared", "mkdir $HOME/shared && chmod 777 $HOME/shared"],
];

/** Programs that say that they ran, then do what the real one does. */
const FAKES = `for name in ${NAMES.join(" ")}; do
  printf '#!/bin/sh\\necho %s >>%s\\nexec /usr/bin/%s "$@"\\n' $name $HOME/ran $name >"$PLACE/$name"
  chmod 755 "$PLACE/$name"
done`;

for (const [name, path, prepare] of PLACES) {
  Deno.test(`no program of ally's own comes from PATH where it has ${name}`, async () => {
    await using at = await guarded(["true", "echo x >made"], { repository: true });
    const { place } = at;
    const home = place.env.HOME!;
    const variables = { WORK: place.dir, HOME: home, PATH: "/usr/bin:/bin" };
    const full = path.replace("$WORK", place.dir).replace("$HOME", home);
    const setUp = new Deno.Command("/bin/sh", {
      args: ["-ec", `${prepare}\n${FAKES}`],
      cwd: place.dir,
      env: { ...variables, PLACE: full || "." },
    });
    assert.ok((await setUp.output()).success);
    const env = { PATH: `${full}:/usr/bin:/bin` };
    const run = await at.run(["-A", "--record", join(home, "r.jsonl")], { env });
    assert.match(run.stdout, /ally lives/, run.stderr);
    await runAlly(place, { args: ["doctor"], env });
    await runAlly(place, { args: ["replay", join(home, "r.jsonl")], env });
    assert.deepEqual(await Deno.readTextFile(join(home, "ran")).catch(() => ""), "");
  });
}

Deno.test("cd is physical: from a link, .. leads above what the link names", async () => {
  await using at = await guarded([
    "mkdir -p a/deep && ln -s a/deep link",
    "cd link/.. && pwd",
    "cd link && cd .. && pwd",
    "cd -L link/.. && pwd",
  ]);
  await at.run(["--allow-run", "--allow-write"]);
  const [, chained, stepped, logical] = at.results();
  assert.match(chained ?? "", /work\/a\b/);
  assert.match(stepped ?? "", /work\/a\b/);
  assert.match(logical ?? "", /cd -L may lead elsewhere/);
});
