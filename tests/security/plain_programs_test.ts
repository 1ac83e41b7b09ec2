/**
 * Without a sandbox, what runs unasked is a program of the system that is started by itself: neither a shell nor
 * what the environment says has a part in it.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { guarded } from "../support/sandbox.ts";

Deno.test({
  name: "a plain program comes from the system, whatever PATH and the environment say",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using at = await guarded(["ls", "grep -n kept kept.txt"], {
      files: { "kept.txt": "kept\n", "start.sh": "echo taken over\n" },
    });
    const bin = join(at.place.home, "bin");
    await Deno.mkdir(bin, { recursive: true });
    for (const name of ["ls", "grep", "bash", "sh"]) {
      await writeProgram(join(bin, name), "#!/bin/sh\necho taken over\n");
    }
    const env = {
      PATH: `${bin}:${at.place.env.PATH}`,
      BASH_ENV: join(at.place.dir, "start.sh"),
      GREP_OPTIONS: "-v",
    };
    const { code } = await at.run(["--no-sandbox"], { env });
    assert.equal(code, 0);
    const [listed = "", found = ""] = at.results();
    assert.match(listed, /kept\.txt/);
    assert.match(found, /1:kept/);
    assert.doesNotMatch(listed + found, /taken over/);
  },
});

Deno.test("what the allowlist does not know is denied without a sandbox, and nothing of it runs", async () => {
  const commands = [
    "tail -f kept.txt",
    "sort -o ran kept.txt",
    "sed -n 'w ran' kept.txt",
    "awk 'BEGIN{system(\"touch ran\")}'",
    "find . -fprint ran",
    "ls | tee ran",
    'python3 -c \'open("ran", "w")\'',
    "uniq kept.txt ran",
    "git status",
  ];
  await using at = await guarded(commands, { files: { "kept.txt": "kept\n" } });
  const { code } = await at.run(["--no-sandbox"]);
  assert.equal(code, 3);
  assert.equal(at.results().length, commands.length);
  for (const result of at.results()) assert.match(result, /"success":false/);
  await assert.rejects(Deno.stat(join(at.place.dir, "ran")), Deno.errors.NotFound);
});
