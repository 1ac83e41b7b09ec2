import assert from "node:assert/strict";
import { join } from "node:path";
import { PackedEntries } from "../../src/lib/packed_entries.ts";
import { type DirectoryLister, openLister, PORTABLE } from "../../src/lib/directory_listing.ts";

/** All that a lister says of a directory, by name. */
function describe(lister: DirectoryLister, directory: string) {
  using listing = lister.open(directory);
  if (listing === undefined) return undefined;
  return Array.from({ length: listing.length }, (_, at) => {
    const { name, isDirectory } = listing.entryAt(at);
    const entries = new PackedEntries();
    const kind = listing.addTo(entries, at);
    const signature = lister.signatureOf(join(directory, name));
    if (/^[ -~]*$/.test(name)) {
      assert.ok(listing.has(name) && !listing.has(`${name}x`));
      assert.equal(signature?.kind, kind);
    }
    assert.equal(entries.length, kind === undefined ? 0 : 1);
    assert.equal(listing.isDirectory(at), isDirectory);
    assert.equal(listing.isHidden(at), name.startsWith("."));
    if (kind === undefined) return { name, isDirectory };
    assert.deepEqual([entries.nameAt(0), entries.kindAt(0)], [name, kind]);
    assert.deepEqual(signature, entries.signatureAt(0));
    return { name, isDirectory, signature };
  }).sort((a, b) => (a.name < b.name ? -1 : 1));
}

const name = "the quickest lister finds what Deno finds, whatever lies in the directory";
Deno.test({ name, ignore: Deno.build.os !== "linux" }, async () => {
  const dir = await Deno.makeTempDir({ prefix: "ally-test-" });
  using lister = openLister();
  try {
    const make = String.raw`
      mkdir sub .hidden; touch 'a b' ü $'new\nline' $'\xef\xbb\xbfmarked' $'not\xffutf8' empty
      printf 12345 > five; ln five other; ln -s five link; ln -s nowhere dangling; ln -s sub to-sub
      chmod 4755 five; chmod 1777 sub; mkfifo pipe
      touch -d '2001-02-03 04:05:06.789' old; touch -d '1960-01-01 00:00:00.25' ancient
      touch "$(printf 'n%.0s' $(seq 255))"; truncate -s 5G huge
      mkdir many; cd many; touch $(seq 3000)`;
    const { success } = await new Deno.Command("bash", { args: ["-ec", make], cwd: dir }).output();
    assert.ok(success);
    for (const name of ["", "many", "sub", "five", "link", "to-sub", "missing"]) {
      const [quick, slow] = [lister, PORTABLE].map((one) => describe(one, join(dir, name)));
      assert.deepEqual(quick, slow, name);
    }
    assert.equal(describe(lister, dir)?.length, 19);
    assert.equal(lister.open("/nothing".repeat(1000)), undefined);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
