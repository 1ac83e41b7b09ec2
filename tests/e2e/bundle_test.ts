import assert from "node:assert/strict";
import { bundledMain } from "../support/bundle.ts";
import { denoDir } from "../support/deno_dir.ts";
import { basename } from "node:path";
import { allyCommand, makePlace, runAllyProcess } from "../support/program.ts";
import { dirname, walkFiles } from "../support/source_tree.ts";

Deno.test({
  name: "--debug shows where an error came from, in lines of the sources",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using place = await makePlace();
    const full = { program: ["sh", "-c", 'exec "$@" >/dev/full', "sh", ...allyCommand()] };
    const plain = await runAllyProcess(place, { ...full, args: ["--version"] });
    assert.equal(plain.code, 1);
    assert.doesNotMatch(plain.stderr, /\bat /);
    const { stderr } = await runAllyProcess(place, { ...full, args: ["--debug", "--version"] });
    assert.match(stderr, /\/src\/cli\/run\.ts:\d+:\d+/);
    assert.doesNotMatch(stderr, /chunk-|main\.js/);
  },
});

/** The bundler gives such a package to a dynamic import as its default alone, where Deno names its exports too. */
Deno.test("a package in CommonJS is imported by its default", () => {
  const folder = dirname(bundledMain());
  const chunks = walkFiles(folder, ["."]).filter((path) => path.endsWith(".js"))
    .map((path) => ({ name: basename(path), text: Deno.readTextFileSync(path) }));
  const packages = chunks.filter(({ text }) =>
    /\bvar ([\w$]+)=[\w$]+\(\);export\{\1 as default\};/.test(text)
  );
  assert.ok(packages.length > 0);
  for (const { name } of packages) {
    const specifier = `(${JSON.stringify(`./${name}`)})`;
    const imports = chunks.flatMap(({ text }) => {
      const at = text.indexOf(specifier);
      return at < 0 ? [] : [text.slice(at - 45, at + specifier.length + 10)];
    });
    assert.ok(imports.length > 0, name);
    for (const code of imports) assert.match(code, /\bdefault\b/);
  }
});

Deno.test("the bundle says nothing of the machine that made it", () => {
  const folder = dirname(bundledMain());
  const cache = denoDir();
  const named = walkFiles(folder, ["."]).filter((path) =>
    /\.(?:js|map)$/.test(path) && Deno.readTextFileSync(path).includes(cache)
  );
  assert.deepEqual(named, []);
});
