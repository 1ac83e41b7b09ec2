import assert from "node:assert/strict";
import { join } from "node:path";
import { denoCommand } from "../../src/app/deno_command.ts";
import { putProgram } from "../support/fake_program.ts";
import { makePlace } from "../support/program.ts";

Deno.test("denoCommand() is deno where that lasts on PATH, and goes through npx otherwise", async () => {
  await using place = await makePlace();
  const own = join(place.dir, "bin");
  const byNpx = join(place.dir, "_npx", "node_modules", ".bin");
  for (const directory of [own, byNpx]) await putProgram(join(directory, "deno"), {});
  const command = (...path: string[]) => denoCommand({ path: path.join(":"), cwd: place.dir });
  assert.equal(await command(byNpx, own), "deno");
  assert.equal(await command(byNpx), `npx -y deno@${Deno.version.deno}`);
  assert.equal(await command(""), `npx -y deno@${Deno.version.deno}`);
});
