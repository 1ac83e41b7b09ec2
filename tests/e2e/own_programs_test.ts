/**
 * Programs that ally starts for itself, where a repository has its own of the same names in the person's PATH.
 */
import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { runAlly } from "../support/program.ts";
import { guarded } from "../support/sandbox.ts";

const NAMES = ["git", "bash", "sh", "bwrap", "env", "rg", "setsid", "prlimit", "xdg-open"];

/** Directories of PATH that a repository, or anybody, could fill, and what makes them. */
const PLACES: readonly (readonly [path: string, prepare: string])[] = [
  ["$WORK/bin", "mkdir -p $WORK/bin"],
  ["$WORK", "true"],
  ["bin", "mkdir -p $WORK/bin"],
  ["", "true"],
  ["$WORK/.venv/bin", "mkdir -p $WORK/.venv/bin"],
  ["$HOME/envs/x/bin", "mkdir -p $HOME/envs/x/bin && touch $HOME/envs/x/pyvenv.cfg"],
  ["$HOME/tools", "mkdir -p $WORK/bin && ln -s $WORK/bin $HOME/tools"],
  ["$HOME/x/../work/bin", "mkdir -p $WORK/bin $HOME/x"],
  ["$HOME/shared", "mkdir $HOME/shared && chmod 777 $HOME/shared"],
];

Deno.test("no program of ally's own comes from a directory of PATH that a repository could fill", async () => {
  await using at = await guarded(["true", "echo x >made"], { repository: true });
  const { place } = at;
  const home = place.env.HOME!;
  const setUp = new Deno.Command("/bin/sh", {
    args: ["-ec", PLACES.map(([, prepare]) => prepare).join("\n")],
    env: { WORK: place.dir, HOME: home, PATH: "/usr/bin:/bin" },
  });
  assert.ok((await setUp.output()).success);
  const paths = PLACES.map(([path]) => path.replace("$WORK", place.dir).replace("$HOME", home));
  for (const path of paths) {
    for (const name of NAMES) {
      // It says that it ran, then does what the real one does.
      const fake = `#!/bin/sh\necho "$0" >>${home}/ran\nexec /usr/bin/${name} "$@"\n`;
      await writeProgram(resolve(place.dir, path, name), fake);
    }
  }
  const env = { PATH: [...paths, "/usr/bin", "/bin"].join(":") };
  const run = await at.run(["-A", "--record", join(home, "r.jsonl")], { env });
  assert.match(run.stdout, /ally lives/, run.stderr);
  await runAlly(place, { args: ["doctor"], env });
  await runAlly(place, { args: ["replay", join(home, "r.jsonl")], env });
  assert.deepEqual(await Deno.readTextFile(join(home, "ran")).catch(() => ""), "");
});

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
  assert.match(logical ?? "", /cd -L link\/\.\.: may lead elsewhere than its path says/);
});
