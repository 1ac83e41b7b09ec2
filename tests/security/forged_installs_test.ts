/**
 * What `ally uninstall` removes by a record that somebody forged, or beside which they put links: nothing outside of the
 * version's own folder, and no shim but ally's.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  readInstalledVersion,
  RECORD_NAME,
  removeShim,
  removeVersion,
} from "../../src/app/install_record.ts";

/** Names of files in a record, none of which is one of the folder's. */
const FILES = [
  "../notes.txt",
  "../../notes.txt",
  "..",
  ".",
  "",
  "/",
  "//notes.txt",
  "ROOT/notes.txt",
  "a/../../../notes.txt",
  "a\n/../../../notes.txt",
  "\n../../../notes.txt",
  "a\\..\\..\\notes.txt",
  "..\\notes.txt",
  "linked/notes.txt",
  "linked",
  "linked/..",
  "linked/../notes.txt",
  "deep/linked/notes.txt",
  "x\u0000/../notes.txt",
  "x".repeat(10_000),
];

/** Files that are called shims. */
const SHIMS = [
  "notes.txt",
  "share/ally/1/linked/notes.txt",
  "",
  ".",
  "dangling",
  "directory",
  "fifo",
];

interface Stage extends AsyncDisposable {
  readonly root: string;
  readonly folder: string;
  /** Whether all that is not ally's is as it was. */
  isWhole(): boolean;
}

async function stageInstall(files: readonly string[], shim = ""): Promise<Stage> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-install-" }));
  const folder = join(root, "share", "ally", "1");
  await Deno.mkdir(join(folder, "deep"), { recursive: true });
  await Deno.mkdir(join(root, "directory"));
  await Deno.mkdir(join(root, "outside"));
  await Deno.writeTextFile(join(root, "notes.txt"), "notes\n");
  await Deno.writeTextFile(join(root, "outside", "notes.txt"), "notes\n");
  await Deno.symlink(join(root, "outside"), join(folder, "linked"));
  await Deno.symlink(join(root, "outside"), join(folder, "deep", "linked"));
  await Deno.symlink(join(root, "nowhere"), join(root, "dangling"));
  await new Deno.Command("mkfifo", { args: [join(root, "fifo")] }).output();
  const record = { version: "1", build: "x", root, files, shim: join(root, shim), directories: [] };
  await Deno.writeTextFile(join(folder, RECORD_NAME), JSON.stringify(record));
  return {
    root,
    folder,
    isWhole: () =>
      ["notes.txt", "outside/notes.txt", "directory", "dangling"].every((name) => {
        try {
          return Deno.lstatSync(join(root, name)) !== undefined;
        } catch {
          return false;
        }
      }),
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}

for (const file of FILES) {
  Deno.test({
    name: `a record that lists ${JSON.stringify(file).slice(0, 40)} removes nothing outside`,
    ignore: Deno.build.os === "windows",
    async fn() {
      const at = await stageInstall([file]);
      await using _at = at;
      const files = [file.replace("ROOT", at.root)];
      const version = readInstalledVersion(at.folder);
      if (version) removeVersion({ ...version, record: { ...version.record, files } });
      assert.ok(at.isWhole());
    },
  });
}

for (const shim of SHIMS) {
  Deno.test({
    name: `a record whose shim is '${shim}' removes nothing of somebody else's`,
    ignore: Deno.build.os === "windows",
    async fn() {
      await using at = await stageInstall([], shim);
      const version = readInstalledVersion(at.folder);
      if (version) removeShim(version.record.shim);
      assert.ok(at.isWhole());
    },
  });
}
