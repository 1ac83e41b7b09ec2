/**
 * Secret places that variables of ally's own name, through the front door: extreme to read, and not to be seen in the
 * sandbox but for the need of the place that they stand for. In the workspace they are the project's.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { SECRET_VARIABLES } from "../../src/core/secret_places.ts";
import { type Place, runAlly } from "../support/program.ts";
import { bash, type Guarded, guarded, hasBubblewrap } from "../support/sandbox.ts";

type Variables = Readonly<Record<string, string>>;

/** Of variables that name more than a secret place, where such a place lies in that. */
const BELOW: Readonly<Record<string, string>> = {
  ".config": "gh/hosts.yml",
  ".local/share": "keyrings/login.keyring",
  ".local/state": "x_history",
  ".cache": "huggingface/token",
  ".composer": "auth.json",
  ".config/pypoetry": "auth.toml",
  ".bundle": "config",
  ".gradle": "gradle.properties",
  ".cargo": "credentials.toml",
  ".pub-cache": "credentials.json",
  ".pulumi": "credentials.json",
  ".fly": "config.yml",
  ".cache/huggingface": "token",
  ".docker": "config.json",
};

/** What each variable names in a home, and the secret in that. */
const NAMED = SECRET_VARIABLES.map(({ variable, path, isList }) => {
  const own = `named/${variable}`;
  const below = BELOW[path];
  return { variable, isList, own, file: below === undefined ? own : `${own}/${below}` };
});
const ORDINARY = [
  "named/CARGO_HOME/config.toml",
  "named/XDG_CONFIG_HOME/app/settings",
  "letters/a",
];

/** Makes files of a home, each with the word that is looked for. */
async function makeFiles(
  { env }: Pick<Place, "env">,
  names: readonly string[],
): Promise<string> {
  const home = env.HOME!;
  for (const name of names) {
    await Deno.mkdir(dirname(join(home, name)), { recursive: true });
    await Deno.writeTextFile(join(home, name), "HUSH");
  }
  return home;
}

/** A script that prints what it can read of files in the home, and is nowhere judged by their names. */
function lookAt(names: readonly string[]): string {
  const lines = names.map((name) => `text=; read -r text <"$h/${name}"; echo "${name}: $text"`);
  return `h=$(printf %s ~); { ${lines.join("\n")}\n} 2>/dev/null; echo looked`;
}

/** The names of files that a command printed. */
function shownIn(text: string): readonly string[] {
  return text.replaceAll("\\n", "\n").match(/[\w/.-]+(?=: HUSH)/g) ?? [];
}

/** A file in the machine's own `/tmp`, gone at the end. */
async function makeShared() {
  const directory = await Deno.makeTempDir({ dir: "/tmp", prefix: "ally-shared-" });
  const path = join(directory, "netrc");
  await Deno.writeTextFile(path, "HUSH");
  return { path, [Symbol.asyncDispose]: () => Deno.remove(directory, { recursive: true }) };
}

/** The class of each command, as `ally permissions explain` says it. */
async function classesOf(place: Place, commands: readonly string[], env: Variables) {
  const { stdout } = await runAlly(place, {
    args: ["permissions", "explain", "--json", "-"],
    input: commands.map((one) => JSON.stringify(one)).join("\n"),
    env,
  });
  return stdout.trimEnd().split("\n").map((line): unknown => JSON.parse(line).class);
}

/** What the only command of a session printed. */
async function printedBy(at: Guarded, env: Variables, flags = ["-A"]): Promise<string> {
  await at.run(flags, { env });
  const [text = ""] = at.results();
  assert.match(text, /looked/);
  return text;
}

Deno.test({
  name: "what variables name as secret places is extreme to read and hidden, and nothing beside it",
  ignore: !hasBubblewrap(),
  async fn() {
    const names = NAMED.map(({ file }) => file);
    await using at = await guarded([bash("bash look.sh")], {
      files: { "look.sh": lookAt([...names, ...ORDINARY]) },
    });
    const home = await makeFiles(at.place, [...names, ...ORDINARY]);
    const env = Object.fromEntries(NAMED.map(({ variable, own, isList }) => [
      variable,
      isList ? `:relative:${join(home, own)}` : join(home, own),
    ]));
    const classes = await classesOf(
      at.place,
      names.map((name) => `cat '${join(home, name)}'`),
      env,
    );
    assert.deepEqual(names.filter((_, index) => classes[index] !== "extreme"), []);
    assert.deepEqual(shownIn(await printedBy(at, env)), ORDINARY);
  },
});

Deno.test({
  name:
    "what is named comes to sight for the need of the place that it stands for, and for no other",
  ignore: !hasBubblewrap(),
  async fn() {
    const names = ["gpg/key", "aws", "ghx/hosts.yml", "npm"];
    await using at = await guarded(["git fetch origin"], { repository: true });
    const home = await makeFiles(at.place, names);
    const ssh = join(home, "bin/ssh");
    await Deno.mkdir(dirname(ssh));
    const program = `#!/bin/bash\nseen=$(${lookAt(names)})\necho "$seen" >&2\nexit 1\n`;
    await Deno.writeTextFile(ssh, program, { mode: 0o755 });
    await Deno.writeTextFile(join(home, ".gitconfig"), `[core]\n\tsshCommand = ${ssh}\n`);
    await at.git("remote", "add", "origin", "server:/repository");
    const text = await printedBy(at, {
      GNUPGHOME: join(home, "gpg"),
      AWS_CONFIG_FILE: join(home, "aws"),
      GH_CONFIG_DIR: join(home, "ghx"),
      NPM_CONFIG_USERCONFIG: join(home, "npm"),
    });
    assert.deepEqual(shownIn(text), ["gpg/key", "ghx/hosts.yml"]);
  },
});

Deno.test("what a variable names in the workspace is read as a project's .env is", async () => {
  await using at = await guarded([], { files: { "kube.yml": "a" } });
  await makeFiles({ env: { HOME: at.place.dir } }, ["cfg/gh/hosts.yml"]);
  const commands = ["cat .env", "cat kube.yml", "cat cfg/gh/hosts.yml", "cat cfg/other", "ls"];
  const sensitive = ["sensitive", "sensitive", "sensitive", "safe", "safe"];
  for (const kube of ["kube.yml", "./kube.yml", join(at.place.dir, "kube.yml")]) {
    const env = { KUBECONFIG: `/nowhere:${kube}`, XDG_CONFIG_HOME: join(at.place.dir, "cfg") };
    assert.deepEqual(await classesOf(at.place, commands, env), sensitive, kube);
  }
  const [, ...without] = await classesOf(at.place, commands, {});
  assert.deepEqual(without, ["safe", "safe", "safe", "safe"]);
});

Deno.test("a secret place is known by the variable that names it, where only running shows its path", async () => {
  await using at = await guarded([]);
  const commands = [
    'cat "$KUBECONFIG"',
    "cat ${AWS_CONFIG_FILE}",
    "cat $CARGO_HOME/credentials.toml",
    "cat $XDG_CONFIG_HOME/gh/hosts.yml",
  ];
  assert.deepEqual(await classesOf(at.place, commands, {}), commands.map(() => "extreme"));
  const others = ["cat $CARGO_HOME/config.toml", "cat $KUBECONFIGS", "echo $KUBECONFIG"];
  assert.ok(!(await classesOf(at.place, others, {})).includes("extreme"));
});

Deno.test({
  name: "where the workspace holds the home, what is named is the user's: neither shown nor found",
  ignore: !hasBubblewrap(),
  async fn() {
    const search = { name: "grep", arguments: { pattern: "HUSH", path: "." } };
    await using at = await guarded([bash("bash look.sh"), { calls: [search] }, "cat k/config"], {
      files: { "look.sh": lookAt(["k/config", "letters/a"]) },
    });
    const { dir } = at.place;
    await makeFiles({ env: { HOME: dir } }, ["k/config", "letters/a"]);
    await at.run([], { env: { HOME: dir, KUBECONFIG: join(dir, "k/config") } });
    const [text = "", found = "", denied = ""] = at.results();
    assert.deepEqual(shownIn(text), ["letters/a"]);
    assert.match(found, /letters/);
    assert.doesNotMatch(found, /k\/config/);
    assert.match(denied, /reads secrets/);
  },
});

Deno.test({
  name: "what is named hides what it leads to, and by a slip neither home, workspace nor system",
  ignore: !hasBubblewrap(),
  async fn() {
    const names = ["k/a", "k/b", "letters/a"];
    await using at = await guarded(
      [bash("bash look.sh; ls /usr/bin/env kube.yml; ls /tmp/ally-sh*; cat /etc/hosts")],
      {
        files: { "look.sh": lookAt(names), "kube.yml": "a" },
      },
    );
    const home = await makeFiles(at.place, names);
    await using shared = await makeShared();
    await Deno.symlink("k/a", join(home, "current"));
    const text = await printedBy(at, {
      KUBECONFIG: join(home, "current"),
      GNUPGHOME: home,
      DOCKER_CONFIG: "/",
      CLOUDSDK_CONFIG: "/usr/bin",
      AZURE_CONFIG_DIR: dirname(at.place.dir),
      KAGGLE_CONFIG_DIR: at.place.dir,
      DOCKER_CERT_PATH: "/etc",
      HISTFILE: "/dev/null",
      NETRC: shared.path,
      XDG_CONFIG_HOME: "/etc/xdg",
    });
    assert.deepEqual(shownIn(text), ["k/b", "letters/a"]);
    assert.match(text, /kube\.yml/);
    assert.match(text, /\/usr\/bin\/env/);
    assert.match(text, /localhost/);
    assert.doesNotMatch(text, /ally-shared/);
  },
});

Deno.test({
  name: "without a sandbox a search asks where what is named lies below",
  async fn() {
    await using at = await guarded(["grep -r HUSH k", "grep -r HUSH letters"]);
    const { dir } = at.place;
    await makeFiles({ env: { HOME: dir } }, ["k/config", "letters/a"]);
    const env = { HOME: dir, KUBECONFIG: join(dir, "k/config") };
    await at.run(["--no-sandbox"], { env });
    const [denied = "", found = ""] = at.results();
    assert.doesNotMatch(denied, /k\/config/);
    assert.match(found, /letters/);
  },
});
