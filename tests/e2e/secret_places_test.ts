/**
 * The table of secret places through the front door: what it lists is extreme to read and not to be seen in the
 * sandbox, and what the sandbox hides is extreme to read.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import type { Need } from "../../src/core/sandbox.ts";
import { SECRET_PLACES } from "../../src/core/secret_places.ts";
import { createMachinePlaces } from "../../src/sandbox/machine_places.ts";
import { buildProfile } from "../../src/sandbox/profile.ts";
import { type Place, runAlly, stage } from "../support/program.ts";
import { guarded, hasBubblewrap } from "../support/sandbox.ts";

const quote = (path: string) => `'${path}'`;

/** Makes every place of the table in a home, with a secret in it, and returns all paths of the table. */
async function makePlaces(home: string): Promise<string[]> {
  const paths = SECRET_PLACES.map(({ path }) => path.replaceAll("*", "x"));
  for (const path of paths.filter((one) => !one.startsWith("/"))) {
    const isDirectory = paths.some((other) => other.startsWith(`${path}/`));
    const file = join(home, isDirectory ? join(path, "inner") : path);
    await Deno.mkdir(dirname(file), { recursive: true });
    await Deno.writeTextFile(file, "HUSH");
  }
  return paths.map((path) => path.startsWith("/") ? path : join(home, path));
}

/** The class of each command, as `ally permissions explain` says it. */
async function classesOf(place: Place, commands: readonly string[]): Promise<string[]> {
  const { stdout } = await runAlly(place, {
    args: ["permissions", "explain", "--json", "-"],
    input: commands.map((one) => JSON.stringify(one)).join("\n"),
  });
  return stdout.trimEnd().split("\n").map((line) => JSON.parse(line).class);
}

/** Those of the commands that are not extreme. */
async function notExtreme(place: Place, commands: readonly string[]): Promise<string[]> {
  const classes = await classesOf(place, commands);
  assert.equal(classes.length, commands.length);
  return commands.filter((_, at) => classes[at] !== "extreme");
}

Deno.test("reading a secret place is extreme, whatever the sandbox", async () => {
  await using at = await stage([]);
  const paths = await makePlaces(at.place.env.HOME!);
  const commands = paths.flatMap((path) => [`cat ${quote(path)}`, `cat ${quote(`${path}/x`)}`]);
  assert.deepEqual(await notExtreme(at.place, commands), []);
});

Deno.test({
  name: "the sandbox shows nothing of a secret place",
  ignore: !hasBubblewrap(),
  async fn() {
    await using at = await guarded(["bash look.sh"]);
    const paths = await makePlaces(at.place.env.HOME!);
    // By builtins alone: a program for each place takes longer than all the rest. What is blank is a device.
    const look = `shopt -s nullglob dotglob
      look() {
        if [ -d "$1" ]; then
          for one in "$1"/*; do [ -c "$one" ] || echo "SHOWN $one"; done
        elif { text=; read -rd "" text <"$1"; [ -n "$text" ]; } 2>/dev/null; then
          echo "SHOWN $1"
        fi
      }`;
    const script = [look, ...paths.map((path) => `look ${quote(path)}`), "echo looked"];
    await at.place.write("look.sh", script.join("\n"));
    await at.run(["--allow-run"]);
    const [output = ""] = at.results();
    assert.match(output, /looked/);
    assert.deepEqual(output.match(/SHOWN .*/g) ?? [], []);
  },
});

/** What a profile hides of a home, with these needs. */
function hiddenPlaces(place: Place, needs: readonly Need[]): string[] {
  const homes = { home: place.env.HOME!, allyHome: place.home, pathDirectories: [], env: {} };
  const { mounts } = buildProfile({ write: true, needs, sandboxRequired: true }, {
    ...homes,
    places: createMachinePlaces({ ...homes, roots: () => [] }),
    roots: () => [place.dir],
    nested: () => [],
    outputs: join(place.home, "outputs"),
    tmp: "/tmp",
    cache: join(place.home, "cache"),
    keyedCache: join(place.home, "keyed-cache"),
    sshAgent: "",
  });
  return mounts.filter(({ kind, path }) =>
    /empty|blank/.test(kind) && path !== join(place.dir, ".git")
  ).map(({ path }) => path);
}

Deno.test("a need shows the places that are for it, and no others", async () => {
  await using at = await stage([]);
  const home = at.place.env.HOME!;
  await makePlaces(home);
  const [npm, ssh, cargo] = [".npmrc", ".ssh", ".cargo/credentials.toml"].map((one) =>
    join(home, one)
  );
  const shown = (...needs: Need[]) => {
    const hidden = hiddenPlaces(at.place, needs);
    return [npm, ssh, cargo].filter((path) => !hidden.includes(path!));
  };
  assert.deepEqual(shown(), []);
  assert.deepEqual(shown("network"), []);
  assert.deepEqual(shown("network", "registries"), [npm]);
  assert.deepEqual(shown("network", "keys"), [ssh]);
});

Deno.test("what the sandbox hides is extreme to read, also ally's own files and where links lead", async () => {
  await using at = await stage([]);
  const { place } = at;
  const home = place.env.HOME!;
  await makePlaces(home);
  const linked = join(home, "dotfiles", "gh");
  await Deno.mkdir(linked, { recursive: true });
  await Deno.remove(join(home, ".config/gh"));
  await Deno.symlink(linked, join(home, ".config/gh"));
  await Deno.mkdir(place.home, { recursive: true });
  const hidden = hiddenPlaces(place, ["services"]);
  assert.ok(hidden.includes(linked) && hidden.includes(place.home));
  const commands = hidden.map((path) => `cat ${quote(path)}`);
  assert.deepEqual(await notExtreme(place, [...commands, `cat ${linked}/hosts.yml`]), []);
});

Deno.test("a pattern that may match a secret place is extreme", async () => {
  await using at = await stage([]);
  const commands = [
    "cat ~/.ss*/id",
    "cat ~/.{aws,x}/config",
    "cat ~/.config/*/hosts.yml",
    "cat ~/.n?mrc",
    "cat ~/.[n]pmrc",
    "head /etc/sha*",
    "cd ~ && cat .ss*/id",
  ];
  assert.deepEqual(await notExtreme(at.place, commands), []);
  const ordinary = ["cat ~/notes/*.txt", "ls ~/*", "cat /etc/*release*", "cat /usr/share/*/x"];
  assert.deepEqual(await notExtreme(at.place, ordinary), ordinary);
});
