import assert from "node:assert/strict";
import { packTar, type TarEntry, type TarHeader } from "modern-tar";
import { readArchive, selectBelowManifest } from "../../src/store/plugin_archive.ts";

const text = (name: string, body = "{}", header: Partial<TarHeader> = {}): TarEntry => ({
  header: { name, size: new TextEncoder().encode(body).length, type: "file", ...header },
  body,
});
const bare = (name: string, header: Partial<TarHeader>): TarEntry => ({
  header: { name, size: 0, ...header } as TarHeader,
});

async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const pathsOf = async (entries: TarEntry[]) =>
  selectBelowManifest(await readArchive(await packTar(entries))).map(({ path }) => path);

Deno.test("an archive is read with and without a folder round it, packed or not", async () => {
  assert.deepEqual(await pathsOf([text("plugin.json"), text("a/b.ts")]), ["plugin.json", "a/b.ts"]);
  assert.deepEqual(
    await pathsOf([bare("package/", { type: "directory" }), text("package/plugin.json")]),
    ["plugin.json"],
  );
  assert.deepEqual(await pathsOf([text("./x/plugin.json"), text("./x/y"), text("z")]), [
    "plugin.json",
    "y",
  ]);
  const top = bare("./", { type: "directory" });
  assert.deepEqual(await pathsOf([top, text("./plugin.json")]), ["plugin.json"]);
  const packed = await gzip(await packTar([text("plugin.json", "{}", { mode: 0o755 })]));
  const [file] = await readArchive(packed);
  assert.deepEqual([new TextDecoder().decode(file!.bytes), file!.executable], ["{}", true]);
});

Deno.test("a path longer than the old header, and in another alphabet, is kept", async () => {
  const long = `${"deep/".repeat(30)}größe.ts`;
  assert.deepEqual(await pathsOf([text("plugin.json"), text(long)]), ["plugin.json", long]);
});

Deno.test("whatever is no plain file below the plugin's folder refuses the whole archive", async () => {
  const rows: readonly (readonly [TarEntry, RegExp])[] = [
    [text("../evil"), /no plain path/],
    [text("a/../../evil"), /no plain path/],
    [text("/etc/evil"), /no plain path/],
    [text("C:/evil"), /no plain path/],
    [text("a\\..\\evil"), /no plain path/],
    [text("a\nb"), /no plain path/],
    [bare("link", { type: "symlink", linkname: "/etc/passwd" }), /link, a symlink/],
    [bare("hard", { type: "link", linkname: "plugin.json" }), /hard, a link/],
    [bare("fifo", { type: "fifo" }), /fifo, a fifo/],
    [bare("disk", { type: "block-device" }), /disk, a block-device/],
    [bare("../out/", { type: "directory" }), /no plain path/],
    [text("plugin.json", "other"), /twice/],
    [text("PLUGIN.json", "other"), /twice/],
  ];
  for (const [entry, message] of rows) {
    await assert.rejects(pathsOf([text("plugin.json"), entry]), message, entry.header.name);
  }
});

Deno.test("no archive, a cut one and one without a manifest are told apart", async () => {
  const whole = await packTar([text("plugin.json", "x".repeat(2000))]);
  await assert.rejects(readArchive(whole.slice(0, 1200)), /no whole \.tar/);
  await assert.rejects(readArchive(new TextEncoder().encode("hello")), /no whole \.tar/);
  await assert.rejects(readArchive((await gzip(whole)).slice(0, 60)), /no whole \.tar/);
  await assert.rejects(pathsOf([text("a/b/plugin.json")]), /holds no plugin\.json/);
  await assert.rejects(pathsOf([]), /holds no plugin\.json/);
});

Deno.test("a small archive that unpacks to too much is stopped on the way", async () => {
  const zeros = new Uint8Array(70 * 1024 * 1024);
  const header = { name: "zeros", size: zeros.length, type: "file" as const };
  const bomb = await gzip(await packTar([{ header, body: zeros }]));
  assert.ok(bomb.length < 1_000_000);
  await assert.rejects(readArchive(bomb), /more than 67\.1 MB/);
});
