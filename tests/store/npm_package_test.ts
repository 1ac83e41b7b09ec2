import assert from "node:assert/strict";
import { fetchPackage } from "../../src/store/npm_package.ts";
import { archiveOf, startNpmRegistry } from "../support/npm_registry.ts";

const files = { "plugin.json": "{}" };
const signal = new AbortController().signal;

Deno.test("a package is fetched by name, version and tag, with a scope too", async () => {
  await using registry = await startNpmRegistry([
    { name: "tracker", version: "1.0.0", files },
    { name: "tracker", version: "1.1.0", files },
    { name: "@team/tracker", version: "2.0.0", files },
  ]);
  const versionOf = async (spec: string) =>
    (await fetchPackage(spec, { registry: registry.url, signal })).version;
  assert.equal(await versionOf("tracker"), "1.1.0");
  assert.equal(await versionOf("tracker@1.0.0"), "1.0.0");
  assert.equal(await versionOf("tracker@latest"), "1.1.0");
  assert.equal(await versionOf("@team/tracker@2.0.0"), "2.0.0");
  const { archive } = await fetchPackage("tracker", { registry: `${registry.url}/`, signal });
  assert.deepEqual(archive, await archiveOf(files));
});

Deno.test("what is not as the registry promised is refused", async () => {
  const wrong = `sha512-${btoa("x".repeat(64))}`;
  await using registry = await startNpmRegistry([
    { name: "forged", version: "1.0.0", files, integrity: wrong },
    { name: "weak", version: "1.0.0", files, integrity: "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=" },
    { name: "bare", version: "1.0.0", files, integrity: undefined },
    { name: "odd", version: "1.0.0", files, integrity: "sha512-" },
  ]);
  const fetching = (spec: string) => fetchPackage(spec, { registry: registry.url, signal });
  await assert.rejects(fetching("forged"), /not what the registry's checksum promises/);
  await assert.rejects(fetching("weak"), /no strong checksum/);
  await assert.rejects(fetching("bare"), /no checksum for bare@1\.0\.0/);
  await assert.rejects(fetching("odd"), /not what the registry's checksum promises/);
});

Deno.test("names and versions that do not exist, and a registry that does not answer, are told apart", async () => {
  await using registry = await startNpmRegistry([{ name: "tracker", version: "1.0.0", files }]);
  const fetching = (spec: string) => fetchPackage(spec, { registry: registry.url, signal });
  await assert.rejects(fetching("nothing"), /has no package nothing$/);
  await assert.rejects(fetching("tracker@9"), /no version '9'.*the last are 1\.0\.0/);
  await assert.rejects(fetching("tracker@__proto__"), /no version '__proto__'/);
  for (const name of ["../tracker", "Tracker", "a b", "", "@x", "http://x"]) {
    await assert.rejects(fetching(name), /is not the name of an npm package/, name);
  }
  await assert.rejects(
    fetchPackage("tracker", { registry: "http://127.0.0.1:1", signal }),
    /127\.0\.0\.1:1 cannot be reached/,
  );
});
