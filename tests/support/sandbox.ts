/**
 * What tests of the OS sandbox share: whether this machine has one, a repository to defend, and a model
 * that runs commands.
 */
import { dirname, join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { type ScriptedReply, startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { type Finished, makePlace, type Place, runAlly, type RunOptions } from "./program.ts";

/** What ally needs of bubblewrap: an old one knows not all of it, and in a container it may do little or nothing. */
const NEEDED = [
  ...["--unshare-all", "--unshare-user", "--cap-drop", "ALL", "--die-with-parent", "--as-pid-1"],
  ...["--ro-bind", "/", "/", "--dev", "/dev", "--size", "65536", "--tmpfs", "/dev/shm"],
  ...["--remount-ro", "/dev", "--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"],
];

let holds: boolean | undefined;

/** Whether bubblewrap is there and may make the sandboxes that ally makes; tried once. */
export function hasBubblewrap(): boolean {
  return holds ??= tryBubblewrap();
}

function tryBubblewrap(): boolean {
  try {
    const args = [...NEEDED, "--", "true"];
    return new Deno.Command("bwrap", { args, stderr: "null" }).outputSync().success;
  } catch {
    return false;
  }
}

/**
 * Whether the kernel can keep a command with the network from sockets that have no file: from 6.12 on. Where it cannot,
 * each start says so.
 */
export function hasSocketScope(): boolean {
  try {
    // The version of Landlock.
    const args = ["-e", "print syscall(444, 0, 0, 1)"];
    const { stdout } = new Deno.Command("perl", { args }).outputSync();
    return Number(new TextDecoder().decode(stdout)) >= 6;
  } catch {
    return false;
  }
}

/** What a replay is told where nothing else could run its commands: to run them without a sandbox. */
export function sandboxFlags(): string[] {
  return hasBubblewrap() ? [] : ["--no-sandbox"];
}

/** A reply that calls `bash`. */
export function bash(input: string | Record<string, unknown>): ScriptedReply {
  const given = typeof input === "string" ? { command: input } : input;
  return { calls: [{ name: "bash", arguments: given }] };
}

/** A directory with a model that runs the given commands, one a reply. */
export interface Guarded extends AsyncDisposable {
  readonly place: Place;
  readonly port: number;
  /** Runs git outside of any sandbox. */
  git(...args: string[]): Promise<string>;
  run(args: readonly string[], options?: RunOptions): Promise<Finished>;
  /** What the model read of its calls. */
  results(): string[];
}

/** Makes one; with `repository`, its directory is a git repository with one commit. */
export async function guarded(
  commands: readonly (string | Record<string, unknown> | ScriptedReply)[],
  options: { files?: Readonly<Record<string, string>>; repository?: boolean } = {},
): Promise<Guarded> {
  const replies = commands.map((one) =>
    typeof one === "string" || !("calls" in one || "text" in one) ? bash(one as string) : one
  );
  const server = await startScriptedServer({ replies: [...replies, { text: "ally lives" }] });
  const place = await makePlace({ endpoint: server.url, files: options.files ?? {} });
  const git = async (...args: string[]) => {
    const identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
    const command = new Deno.Command("git", {
      args: [...identity, ...args],
      cwd: place.dir,
      clearEnv: true,
      env: { PATH: place.env.PATH ?? "", HOME: place.env.HOME ?? "" },
      stderr: "inherit",
    });
    return new TextDecoder().decode((await command.output()).stdout);
  };
  if (options.repository) {
    await git("init", "-q", "-b", "main");
    await git("config", "user.name", "a");
    await git("config", "user.email", "a@b.c");
    // What ally runs reads the machine's settings of git, too.
    await git("config", "commit.gpgSign", "false");
    await git("config", "core.hooksPath", ".git/hooks");
    await git("add", "-A");
    await git("commit", "-q", "--allow-empty", "-m", "first");
  }
  return {
    place,
    port: Number(new URL(server.url).port),
    git,
    run: (args, more = {}) => runAlly(place, { ...more, args: ["-p", ...args, "go"] }),
    results() {
      const messages = server.requests.at(-1)?.body.messages as
        | { role: string; content: string }[]
        | undefined;
      return (messages ?? []).filter(({ role }) => role === "tool").map(({ content }) => content);
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await place[Symbol.asyncDispose]();
    },
  };
}

/** Makes one whose repository has a hook in its working tree, which git runs after each checkout. */
export async function withHook(
  commands: Parameters<typeof guarded>[0],
  hook: string,
): Promise<Guarded> {
  const at = await guarded(commands, { repository: true, files: { "a.txt": "a\n" } });
  await Deno.mkdir(join(at.place.dir, ".husky"));
  await writeProgram(join(at.place.dir, ".husky", "post-checkout"), `#!/bin/sh\n${hook}\n`);
  await at.git("config", "core.hooksPath", ".husky");
  return at;
}

/**
 * Lets git reach the repositories of this disk as it reaches others, `server:/path`, with the user's keys: by an ssh of
 * the user's own that runs here what it is told. The key is `plover`.
 */
export async function serveBySsh({ place }: Pick<Guarded, "place">): Promise<void> {
  const home = place.env.HOME!;
  const [keys, ssh] = [join(home, ".ssh"), join(home, "bin", "local-ssh")];
  for (const directory of [keys, dirname(ssh)]) await Deno.mkdir(directory, { recursive: true });
  await Deno.writeTextFile(join(keys, "id_test"), "plover");
  const there = 'env -i PATH="$PATH" HOME="$HOME" sh -c "$last"';
  await writeProgram(ssh, `#!/bin/sh\nfor last; do :; done\nexec ${there}\n`);
  await Deno.writeTextFile(join(home, ".gitconfig"), `[core]\n\tsshCommand = ${ssh}\n`);
}

/** A directory for PATH that holds the named programs of this machine, and what is written into it. */
export async function programsOnly(place: Place, names: readonly string[]): Promise<string> {
  const directory = join(place.home, "..", "bin");
  await Deno.mkdir(directory, { recursive: true });
  for (const name of names) {
    const { stdout } = await new Deno.Command("sh", { args: ["-c", `command -v ${name}`] })
      .output();
    await Deno.symlink(new TextDecoder().decode(stdout).trim(), join(directory, name));
  }
  return directory;
}
