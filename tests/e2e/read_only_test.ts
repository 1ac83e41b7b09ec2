import assert from "node:assert/strict";
import { join } from "node:path";
import { makePlace, runAlly, stage } from "../support/program.ts";

Deno.test("a home that is a file, or lies below one, is told, and the session stays in memory", async () => {
  await using at = await stage([{ text: "Done." }, { text: "Done." }], { file: "x" });
  for (const home of ["file", "file/below"]) {
    const done = await runAlly(at.place, {
      args: ["-p", "go"],
      env: { ALLY_HOME: join(at.place.dir, home) },
    });
    assert.match(done.stderr, /stays in memory|Cannot read/, home);
    assert.doesNotMatch(done.stderr, /Uncaught|\n\s+at /);
  }
  assert.equal(await at.place.read("file"), "x");
});

/** Each is named with what is wrong, ends the run with 2, and is left as it is. */
const BAD_CONFIGS: readonly (readonly [what: string, text: string, says: RegExp])[] = [
  ["broken JSON", '{"model": "x",\n "max_turns": }', /at line 2 column 15 it is not valid JSON/],
  ["no object", "[1, 2]", /does not hold a JSON object/],
  ["nothing", "", /not valid JSON/],
  ["a wrong type", '{"max_turns": "many"}', /'max_turns' .* is "many"/],
  ["a value out of range", '{"temperature": 9}', /'temperature' .* is 9/],
  ["a list of the wrong things", '{"banned_commands": [1]}', /'banned_commands'/],
  ["10 MB", `{"model": "${"x".repeat(10_000_000)}"}`, /it has 10.0 MB, more than 1.0 MB/],
  ["a very long wrong value", `{"max_turns": "${"x".repeat(900_000)}"}`, /'max_turns' .* is "x+…/],
];

for (const [what, text, says] of BAD_CONFIGS) {
  Deno.test(`a configuration with ${what} ends ally with 2, is named, and is not written over`, async () => {
    await using place = await makePlace({ endpoint: "http://127.0.0.1:1/v1" });
    await Deno.mkdir(place.home);
    const path = join(place.home, "config.json");
    await Deno.writeTextFile(path, text);
    const done = await runAlly(place, { args: ["-p", "go"] });
    assert.equal(done.code, 2);
    assert.ok(done.stderr.includes(path) && says.test(done.stderr), done.stderr.slice(0, 500));
    assert.ok(done.stderr.length < 1000);
    assert.equal(await Deno.readTextFile(path), text);
  });
}

Deno.test("unknown settings are named and ignored; names that every object has are no settings", async () => {
  await using at = await stage([{ text: "Done." }]);
  await Deno.mkdir(at.place.home);
  await Deno.writeTextFile(
    join(at.place.home, "config.json"),
    '{"colour": "blue", "__proto__": {"model": "evil"}, "constructor": 1}',
  );
  const done = await runAlly(at.place, { args: ["-p", "go"] });
  assert.equal(done.code, 0);
  assert.match(done.stderr, /unknown setting 'colour' is ignored/);
  assert.match(done.stderr, /unknown setting 'constructor' is ignored/);
});

Deno.test("a configuration that is a link to a file is read; a directory, a FIFO and a device are named", async () => {
  await using at = await stage([{ text: "Done." }]);
  await Deno.mkdir(at.place.home);
  const path = join(at.place.home, "config.json");
  await at.place.write("dotfile.json", '{"model": "linked"}');
  await Deno.symlink(join(at.place.dir, "dotfile.json"), path);
  await runAlly(at.place, { args: ["-p", "go"], env: { ALLY_MODEL: "" } });
  assert.equal(at.server.requests.at(-1)!.body.model, "linked");
  for (const make of ["mkdir", "mkfifo", "ln -s /dev/zero"]) {
    await Deno.remove(path);
    await new Deno.Command("sh", { args: ["-c", `${make} '${path}'`] }).output();
    const done = await runAlly(at.place, { args: ["-p", "go"] });
    assert.equal(done.code, 2, make);
    assert.match(done.stderr, /config\.json: it is not a regular file/);
  }
});

Deno.test("a configuration that changes while ally runs has no effect on the run, and stays as it was changed", async () => {
  await using at = await stage([
    { calls: [{ name: "bash", arguments: { command: 'printf broken > "$C"' } }] },
    { text: "Done." },
  ]);
  await Deno.mkdir(at.place.home);
  const path = join(at.place.home, "config.json");
  await Deno.writeTextFile(path, '{"max_turns": 5}');
  const done = await runAlly(at.place, {
    // The sandbox would hide the file.
    args: ["-p", "-A", "--no-sandbox", "go"],
    env: { C: path },
  });
  assert.equal(done.stdout, "Done.\n");
  assert.equal(await Deno.readTextFile(path), "broken");
});
