/**
 * Every profile that bubblewrap gets, as rules of macOS's `sandbox-exec`, compared with `tests/fixtures/seatbelt`. No
 * Mac takes part: who changes a profile reads there what it means on one. `deno test -A FILE -- --update` writes the
 * fixtures anew.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Need, SandboxPolicy } from "../../src/core/sandbox.ts";
import { hiddenMounts } from "../../src/sandbox/hidden_places.ts";
import { createMachinePlaces } from "../../src/sandbox/machine_places.ts";
import type { SandboxProfile } from "../../src/sandbox/mount.ts";
import { pluginSandboxProfile } from "../../src/sandbox/plugin_profile.ts";
import { buildProfile } from "../../src/sandbox/profile.ts";
import type { SandboxPaths } from "../../src/sandbox/sandbox_paths.ts";
import { seatbeltCommand, seatbeltProfile } from "../../src/sandbox/seatbelt.ts";

const FIXTURES = join(dirname(fileURLToPath(import.meta.url)), "../fixtures/seatbelt");
/** Where all of it lies on a Mac. */
const HOME = "/Users/me";
const AGENT = "/private/tmp/com.apple.launchd.1/Listeners";

/** A home with keys, a program and a repository, as a Mac has it; only the names of the places are others. */
async function makeMachine(): Promise<{ paths: SandboxPaths; base: string } & AsyncDisposable> {
  const base = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-seatbelt-" }));
  const home = join(base, "home");
  const files = [
    ".ssh/id_rsa",
    ".npmrc",
    ".local/bin/tool",
    ".ally/outputs/x.log",
    ".ally/sandbox/1/tmp/x",
    ".ally/sandbox/cache/x",
    "project/.ally/config.json",
    "project/.git/HEAD",
    "project/.git/config",
    "project/.git/hooks/pre-commit",
    "project/.git/objects/x",
    "project/.git/refs/x",
    "project/secret/x",
    "project/kept/x",
    "plugin/run.py",
  ];
  for (const file of files) {
    await Deno.mkdir(join(home, dirname(file)), { recursive: true });
    await Deno.writeTextFile(join(home, file), "");
  }
  await Deno.writeTextFile(join(base, "agent"), "");
  const sockets = { SSH_AUTH_SOCK: "/private/tmp/agent", DOCKER_HOST: "unix:///x" };
  const path = `/usr/bin:/bin:${home}/.local/bin`;
  const env = { PATH: path, HOME: home, LANG: "en_US.UTF-8", ...sockets };
  const allyHome = join(home, ".ally");
  const pathDirectories = ["/usr/bin", "/bin", join(home, ".local/bin")];
  return {
    base,
    paths: {
      roots: () => [join(home, "project")],
      nested: () => [],
      home,
      allyHome,
      outputs: join(allyHome, "outputs"),
      tmp: join(allyHome, "sandbox/1/tmp"),
      cache: join(allyHome, "sandbox/cache"),
      keyedCache: join(allyHome, "sandbox/keyed-cache"),
      pathDirectories,
      sshAgent: join(base, "agent"),
      places: createMachinePlaces({ home, allyHome, roots: () => [], pathDirectories, env }),
      env,
    },
    [Symbol.asyncDispose]: () => Deno.remove(base, { recursive: true }),
  };
}

const CLOSED: SandboxPolicy = { write: false, needs: [], sandboxRequired: true };
const OPEN: SandboxPolicy = { ...CLOSED, write: true };
const NEEDS: Readonly<Record<Need, readonly Need[]>> = {
  network: ["network"],
  repository: ["repository"],
  repository_config: ["repository", "repository_config"],
  services: ["services"],
  keys: ["network", "keys", "repository"],
  registries: ["network", "registries"],
};

/** The profiles by the names of their fixtures. */
function profilesOf(paths: SandboxPaths): Map<string, SandboxProfile> {
  const project = paths.roots()[0]!;
  const build = (policy: SandboxPolicy) => buildProfile(policy, paths);
  const denied = {
    hidden: [join(project, "secret")],
    unwritable: [join(project, "kept")],
  };
  const plugin = {
    network: true,
    readable: [join(paths.home, "plugin"), project],
    writable: [join(project, "kept")],
    scratch: [],
    hidden: [join(project, "secret")],
    unwritable: [],
  };
  return new Map([
    ["closed", build(CLOSED)],
    ["closed_repository", build({ ...CLOSED, needs: ["repository"] })],
    ["workspace", build(OPEN)],
    ...Object.entries(NEEDS).map(([name, needs]) => [name, build({ ...OPEN, needs })] as const),
    ["denied", build({ ...OPEN, ...denied })],
    ["denied_closed", build({ ...CLOSED, ...denied })],
    ["plugin", pluginSandboxProfile(plugin, hiddenMounts(paths.places.standing().secrets))],
  ]);
}

/** What is this machine's own is left out, and the rest gets the names of a Mac. */
function onMac(value: SandboxProfile, base: string): SandboxProfile {
  const own = (path: string) => path.startsWith(`${base}/`) || /^\/(var\/)?tmp$/.test(path);
  // A home below /tmp is shown again there, which no Mac's is.
  const mounts = value.mounts.filter(({ path, kind }) =>
    own(path) && !(path === `${base}/home` && kind === "readonly")
  );
  const profile = { ...value, mounts };
  return JSON.parse(
    JSON.stringify(profile).replaceAll(`${base}/agent`, AGENT).replaceAll(`${base}/home`, HOME),
  );
}

const MAC = { program: "/usr/bin/sandbox-exec", tmp: `${HOME}/.ally/sandbox/1/tmp` };

Deno.test({
  name: "every profile of bubblewrap has its rules of sandbox-exec",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using machine = await makeMachine();
    const known = new Set([...Deno.readDirSync(FIXTURES)].map(({ name }) => name));
    for (const [name, value] of profilesOf(machine.paths)) {
      const profile = onMac(value, machine.base);
      const [program, flag, rules, ...command] = seatbeltCommand(["ls"], { ...MAC, profile });
      const text = [`${program} ${flag}`, rules, command.join(" "), ""].join("\n");
      const path = join(FIXTURES, `${name}.txt`);
      if (Deno.args.includes("--update")) await Deno.writeTextFile(path, text);
      assert.equal(text, await Deno.readTextFile(path), `${name}: -- --update writes it anew`);
      known.delete(`${name}.txt`);
    }
    assert.deepEqual([...known], [], "fixtures of no profile");
  },
});

/** Whether rules allow something at a path: the last that fits decides. */
function allows(text: string, operation: string, path: string): boolean {
  let allowed = false;
  for (const line of text.split("\n")) {
    const [, verdict, operations] = /^\((allow|deny) ([a-z*\- ]+?)(?: \(.*)?\)$/.exec(line) ?? [];
    if (verdict === undefined) continue;
    const fits = operations!.split(" ").some((one) =>
      one === "default" ||
      (one.endsWith("*") ? operation.startsWith(one.slice(0, -1)) : one === operation)
    );
    const filters = [...line.matchAll(/\((literal|subpath) "([^"]*)"\)/g)];
    const matches = filters.some(([, filter, place]) =>
      path === place || (filter === "subpath" && path.startsWith(place === "/" ? "/" : `${place}/`))
    );
    const isBare = !line.slice(1).includes("(");
    if (fits && (isBare || matches)) allowed = verdict === "allow";
  }
  return allowed;
}

Deno.test({
  name: "read as sandbox-exec reads them, the rules hold what the profiles promise",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using machine = await makeMachine();
    const texts = new Map(
      [...profilesOf(machine.paths)].map(([name, value]) =>
        [name, seatbeltProfile(onMac(value, machine.base), MAC)] as const
      ),
    );
    const project = `${HOME}/project`;
    const may = (name: string, operation: string, path: string) =>
      allows(texts.get(name)!, operation, path);
    for (const name of texts.keys()) {
      const tell = (what: string) => `${name}: ${what}`;
      assert.ok(!may(name, "file-write-data", `${HOME}/.zshrc`), tell("writes the home"));
      assert.ok(!may(name, "file-write-data", "/private/etc/hosts"), tell("writes the system"));
      assert.ok(
        !may(name, "file-read-data", `${HOME}/.ally/config.json`),
        tell("reads ally's own"),
      );
      assert.ok(
        !may(name, "file-write-data", `${project}/.ally/config.json`),
        tell("writes .ally"),
      );
      assert.ok(!may(name, "file-write-data", `${project}/.git/hooks/x`), tell("writes hooks"));
      assert.equal(
        may(name, "file-read-data", `${HOME}/.ssh/id_rsa`),
        name === "keys",
        tell("keys"),
      );
      assert.equal(
        may(name, "file-read-data", `${HOME}/.npmrc`),
        name === "registries",
        tell(".npmrc"),
      );
      assert.ok(
        may(name, "file-read-data", `${project}/a.txt`),
        tell("does not read the workspace"),
      );
      assert.equal(
        may(name, "network-outbound", "/private/var/run/docker.sock"),
        name === "services",
        tell("a socket of the machine"),
      );
      assert.equal(
        may(name, "network-outbound", AGENT),
        /^(keys|services)$/.test(name),
        tell("agent"),
      );
      const isOnline = /^(network|keys|registries|plugin)$/.test(name);
      assert.equal(texts.get(name)!.includes("(remote ip"), isOnline, tell("network"));
    }
    for (const name of ["closed", "closed_repository", "denied_closed"]) {
      assert.ok(!may(name, "file-write-data", `${project}/a.txt`), `${name} writes the workspace`);
      assert.ok(!may(name, "file-read-data", `${HOME}/letters.txt`), `${name} reads the home`);
    }
    for (const name of texts.keys()) {
      assert.ok(may(name, "file-read-metadata", HOME), `${name} does not find the way`);
    }
    assert.ok(may("workspace", "file-write-data", `${project}/a.txt`));
    assert.ok(may("workspace", "file-write-data", `${HOME}/.ally/sandbox/1/tmp/x`));
    assert.ok(!may("workspace", "file-write-data", `${project}/.git/index`));
    assert.ok(!may("workspace", "file-write-unlink", project), "moves what holds .git");
    assert.ok(may("repository", "file-write-data", `${project}/.git/index`));
    assert.ok(!may("repository", "file-write-data", `${project}/.git/config`));
    assert.ok(may("repository_config", "file-write-data", `${project}/.git/config`));
    assert.ok(!may("denied", "file-read-data", `${project}/secret/x`));
    assert.ok(!may("denied", "file-read-data", `${project}/.git/objects/x`));
    assert.ok(!may("denied", "file-write-data", `${project}/kept/x`));
  },
});
