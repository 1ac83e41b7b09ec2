/** Installing below a root, with a bundle and a Deno that stand for the real ones, which are tested in tests/slow. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { installBundle, InstallError } from "../../scripts/install_bundle.ts";
import { listInstalledVersions, removeVersion } from "../../src/app/install_record.ts";
import { putProgram } from "../support/fake_program.ts";
import { makePlace } from "../support/program.ts";

/** A root in a directory that a shell would take apart. */
const ROOT = "a root's $HOME";

interface Built {
  readonly version?: string;
  /** What the bundle prints beside its version. */
  readonly text?: string;
}

/** Builds a bundle and installs it; tells what was said. */
async function install(dir: string, { version = "1.0.0", text = "" }: Built = {}) {
  const bundle = join(dir, "bundle");
  await Deno.mkdir(join(bundle, "assets"), { recursive: true });
  await Deno.writeTextFile(join(bundle, "assets", "a.wasm"), "asset");
  await Deno.writeTextFile(
    join(bundle, "main.js"),
    `console.log("${version}"); // ${text}
if (Deno.args[0] === "wait") await new Promise((resolve) => setTimeout(resolve, 60_000));
if (Deno.args[0] === "say") console.log(JSON.stringify(Deno.args.slice(1)));`,
  );
  const deno = join(dir, "deno");
  await putProgram(deno, { script: `exec '${Deno.execPath()}' "$@"` });
  const licence = join(dir, "LICENSE");
  await Deno.writeTextFile(licence, "MIT");
  const said: string[] = [];
  const installed = await installBundle({
    root: join(dir, ROOT),
    version,
    bundle,
    deno: { path: deno, version: Deno.version.deno },
    documents: [licence],
    say: (line) => said.push(line),
  });
  return { ...installed, said: said.join("\n") };
}

async function start(shim: string, args: readonly string[] = [], cwd = "/"): Promise<string> {
  const { stdout, stderr } = await new Deno.Command(shim, { args: [...args], cwd }).output();
  const decoder = new TextDecoder();
  return decoder.decode(stdout) + decoder.decode(stderr);
}

function names(directory: string): string[] {
  return [...Deno.readDirSync(directory)].map(({ name }) => name).sort();
}

Deno.test("installBundle() makes a folder of the version and a shim that hands arguments over as they are", async () => {
  await using place = await makePlace();
  const { directory, record } = await install(place.dir);
  assert.equal(directory, join(place.dir, ROOT, "share", "ally", "1.0.0"));
  assert.deepEqual(names(directory), ["LICENSE", "bundle", "deno", "install.json"]);
  assert.deepEqual(record.files, ["LICENSE", "bundle/assets/a.wasm", "bundle/main.js", "deno"]);
  await Deno.remove(join(place.dir, "bundle"), { recursive: true });
  await place.write("deno.json", "{ broken");
  await place.write("package.json", "{ broken");
  const args = ["", "two words", "$HOME", `'"\\`, "-A"];
  assert.equal(
    await start(record.shim, ["say", ...args], place.dir),
    `1.0.0\n${JSON.stringify(args)}\n`,
  );
});

Deno.test("the shim says it where the current directory is gone", async () => {
  await using place = await makePlace();
  const { record } = await install(place.dir);
  const { stderr, code } = await new Deno.Command("/bin/sh", {
    args: ["-c", 'mkdir gone && cd gone && rmdir ../gone && exec "$1"', "sh", record.shim],
    cwd: place.dir,
  }).output();
  assert.match(new TextDecoder().decode(stderr), /the current directory is gone/);
  assert.equal(code, 2);
});

Deno.test("the same build again changes nothing, and mends what is missing", async () => {
  await using place = await makePlace();
  const first = await install(place.dir);
  await Deno.remove(first.record.shim);
  const second = await install(place.dir);
  assert.match(second.said, /is there already/);
  assert.equal(second.directory, first.directory);
  assert.equal(await start(second.record.shim), "1.0.0\n");
  await Deno.remove(join(first.directory, "bundle", "main.js"));
  const third = await install(place.dir);
  assert.notEqual(third.directory, first.directory);
  assert.equal(await start(third.record.shim), "1.0.0\n");
  assert.equal(names(dirname(third.directory)).length, 1);
});

Deno.test("an update removes the old version, but not while an ally runs from it", async () => {
  await using place = await makePlace();
  const old = await install(place.dir);
  const running = new Deno.Command(old.record.shim, { args: ["wait"], stdout: "piped" }).spawn();
  try {
    // Its first line: it has started.
    await running.stdout.getReader({ mode: "byob" }).read(new Uint8Array(100));
    const next = await install(place.dir, { version: "1.1.0" });
    assert.match(next.said, /still runs from .*1\.0\.0/);
    assert.equal(await start(next.record.shim), "1.1.0\n");
    // The same version built anew.
    const again = await install(place.dir, { version: "1.1.0", text: "changed" });
    assert.deepEqual(names(dirname(old.directory)), [
      "1.0.0",
      `1.1.0-${again.record.build.slice(0, 8)}`,
    ]);
  } finally {
    running.kill();
    await running.status;
  }
  const last = await install(place.dir, { version: "1.2.0" });
  assert.deepEqual(names(dirname(last.directory)), ["1.2.0"]);
  // Made by the first install, remembered by the last.
  assert.deepEqual(last.record.directories, old.record.directories);
});

Deno.test("a file of somebody else's in the place of the shim is left alone, and nothing is installed", async () => {
  await using place = await makePlace();
  const bin = join(place.dir, ROOT, "bin");
  await putProgram(join(bin, "ally"), { stdout: "another ally" });
  await assert.rejects(install(place.dir), (error: Error) => {
    assert.ok(error instanceof InstallError);
    assert.match(error.message, /bin\/ally is there and was not put there by this task/);
    return true;
  });
  assert.deepEqual(names(join(place.dir, ROOT)), ["bin"]);
  assert.equal(await start(join(bin, "ally")), "another ally\n");
  // A link may lead to a file that must not be replaced.
  await Deno.remove(join(bin, "ally"));
  await Deno.symlink("/bin/true", join(bin, "ally"));
  await assert.rejects(install(place.dir), InstallError);
});

Deno.test("a bundle that does not start is not installed, and the ally before it stays", async () => {
  await using place = await makePlace();
  const { record, directory } = await install(place.dir);
  await assert.rejects(install(place.dir, { version: '1.1.0" + missing + "' }), /does not start/);
  assert.deepEqual(names(dirname(directory)), ["1.0.0"]);
  assert.equal(await start(record.shim), "1.0.0\n");
});

Deno.test("what a killed install left goes with the next", async () => {
  await using place = await makePlace();
  const share = join(place.dir, ROOT, "share", "ally");
  await Deno.mkdir(join(share, ".new-999999999", "bundle"), { recursive: true });
  await install(place.dir);
  assert.deepEqual(names(share), ["1.0.0"]);
});

Deno.test("a root that cannot be written is named, with what to do", async () => {
  await using place = await makePlace();
  await place.write(ROOT, "a file");
  await assert.rejects(
    install(place.dir),
    (error: Error) => error instanceof InstallError && error.message.includes(ROOT),
  );
});

Deno.test("removing a version leaves what others put into its folder", async () => {
  await using place = await makePlace();
  const { directory } = await install(place.dir);
  await Deno.writeTextFile(join(directory, "bundle", "mine.txt"), "mine");
  const [version] = listInstalledVersions(dirname(directory));
  assert.deepEqual(removeVersion(version!), [
    { path: directory, why: "it holds files that ally did not put there" },
  ]);
  assert.deepEqual(names(directory), ["bundle"]);
  assert.deepEqual(names(join(directory, "bundle")), ["mine.txt"]);
});

Deno.test("a record that names files outside of its folder is none", async () => {
  await using place = await makePlace();
  const { directory, record } = await install(place.dir);
  for (const file of ["../../../LICENSE", "/etc/passwd", "bundle/../../x", ".."]) {
    const text = JSON.stringify({ ...record, files: [file] });
    await Deno.writeTextFile(join(directory, "install.json"), text);
    assert.deepEqual(listInstalledVersions(dirname(directory)), [], file);
  }
});
