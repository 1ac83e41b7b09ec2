/**
 * Variables by which programs load code, where they name the workspace: neither what ally starts for itself, the
 * sandbox's own program first of all, nor what has the user's keys loads anything from there.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { guarded, hasBubblewrap, serveBySsh } from "../support/sandbox.ts";

/** A library that says in which process it runs, in a file outside of the workspace if it may. */
const LIBRARY = `#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void run(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s/LOADED", getenv("HOME") ? getenv("HOME") : "/nowhere");
  FILE *file = fopen(path, "a");
  if (file) fclose(file);
}
`;

/** Builds it; false where there is no compiler. */
async function build(path: string): Promise<boolean> {
  await Deno.writeTextFile(`${path}.c`, LIBRARY);
  try {
    const args = ["-shared", "-fPIC", "-o", path, `${path}.c`];
    return (await new Deno.Command("cc", { args, stderr: "null" }).output()).success;
  } catch {
    return false;
  }
}

const hasCompiler = await (async () => {
  const directory = await Deno.makeTempDir();
  try {
    return await build(join(directory, "x.so"));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
})();

for (const flags of [[], ["-A"]]) {
  Deno.test({
    name: `nothing that ally starts for itself loads a library of the workspace ${flags.join()}`,
    ignore: !hasBubblewrap() || !hasCompiler,
    async fn() {
      await using at = await guarded(["ls", 'touch x && echo "$LD_LIBRARY_PATH" > out'], {
        repository: true,
      });
      const { dir, env: { HOME = "" } } = at.place;
      await build(join(dir, "libcap.so.2"));
      const { stderr } = await at.run(flags, {
        env: { LD_PRELOAD: join(dir, "libcap.so.2"), LD_LIBRARY_PATH: `${dir}:` },
      });
      assert.doesNotMatch(stderr, /without a sandbox/);
      await assert.rejects(Deno.lstat(join(HOME, "LOADED")));
      // The command itself, which may write no home, has them.
      if (flags.length > 0) assert.equal(await at.place.read("out"), `${dir}:\n`);
    },
  });
}

Deno.test({
  name: "git with keys loads nothing of the workspace by a variable of ally's own environment",
  ignore: !hasBubblewrap(),
  async fn() {
    for (const name of ["GIT_EXEC_PATH", "LD_LIBRARY_PATH", "PERL5LIB", "OPENSSL_CONF"]) {
      for (const value of ["x", "", "/nowhere:"]) {
        await using at = await guarded([
          'git fetch -q "server:$PWD/up.git" HEAD; echo $?',
          `echo "$${name}" > out`,
        ], { repository: true });
        await serveBySsh(at);
        await at.git("init", "-q", "--bare", "up.git");
        await at.git("push", "-q", "up.git", "HEAD:main");
        await at.git("--git-dir=up.git", "symbolic-ref", "HEAD", "refs/heads/main");
        const named = value === "x" ? join(at.place.dir, "x") : value;
        await at.run(["-A"], { env: { [name]: named } });
        assert.equal(at.results()[0], "0\n", `${name}=${named}`);
        assert.equal(await at.place.read("out"), `${named}\n`);
      }
    }
  },
});
