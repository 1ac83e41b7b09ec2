import assert from "node:assert/strict";
import {
  findOwnProgram,
  findProgram,
  pathOutside,
  trustedPath,
} from "../../src/lib/find_program.ts";

Deno.test("findProgram() looks through PATH and wants a file that may be executed", async () => {
  const dir = await Deno.makeTempDir();
  await Deno.writeTextFile(`${dir}/tool`, "#!/bin/sh\n", { mode: 0o755 });
  await Deno.writeTextFile(`${dir}/data`, "", { mode: 0o644 });
  const where = { path: `/no/such/place:${dir}`, cwd: dir };
  assert.equal(await findProgram("tool", where), `${dir}/tool`);
  assert.equal(await findProgram("./tool", where), `${dir}/tool`);
  assert.equal(await findProgram("data", where), undefined);
  assert.equal(await findProgram("absent", where), undefined);
  await Deno.remove(dir, { recursive: true });
});

Deno.test("pathOutside() leaves out relative directories and what projects bring along", async () => {
  const home = await Deno.realPath(await Deno.makeTempDir());
  const made = [
    ...["repo/sub/bin", "repo/bin", "repo/node_modules/.bin", "repo/.venv/bin"],
    ...["own/bin", "own/venv/bin", "cache/node_modules/.bin"],
  ];
  for (const name of made) await Deno.mkdir(`${home}/${name}`, { recursive: true });
  for (const venv of ["repo/.venv", "own/venv"]) {
    await Deno.writeTextFile(`${home}/${venv}/pyvenv.cfg`, "");
  }
  await Deno.symlink(`${home}/repo/sub/bin`, `${home}/own/link`);
  const names = [...made, "own/link"].map((name) => `${home}/${name}`);
  const path = ["", ".", "node_modules/.bin", ...names, "/usr/bin"].join(":");
  const outside = (roots: string[], at = home) =>
    pathOutside({ path, roots, home: at }).replaceAll(`${home}/`, "").split(":");
  const own = ["own/bin", "own/venv/bin"];
  assert.deepEqual(outside([`${home}/repo/sub`]), ["repo/bin", ...own, "/usr/bin"]);
  assert.deepEqual(outside([`${home}/repo`]), [...own, "/usr/bin"]);
  // The home as a workspace is the person's own; that of somebody whose home is not known is a project.
  const all = ["repo/sub/bin", "repo/bin", "repo/.venv/bin", ...own, "own/link", "/usr/bin"];
  assert.deepEqual(outside([home]), all);
  assert.deepEqual(outside([home], ""), ["/usr/bin"]);
  await Deno.remove(home, { recursive: true });
});

Deno.test("ally's own programs come from no project that is active, wherever it lies", async () => {
  const home = await Deno.realPath(await Deno.makeTempDir());
  const directories = ["other/node_modules/.bin", "other/venv/bin", "tools"];
  for (const name of directories) {
    await Deno.mkdir(`${home}/${name}`, { recursive: true });
    await Deno.writeTextFile(`${home}/${name}/own-tool`, "#!/bin/sh\n", { mode: 0o755 });
  }
  await Deno.writeTextFile(`${home}/other/venv/pyvenv.cfg`, "");
  const where = {
    path: directories.map((name) => `${home}/${name}`).join(":"),
    roots: [`${home}/work`],
  };
  assert.equal(trustedPath(where), `${home}/tools`);
  assert.equal(findOwnProgram("own-tool", where), `${home}/tools/own-tool`);
  await Deno.remove(home, { recursive: true });
});
