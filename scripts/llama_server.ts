// deno-lint-ignore-file no-console
/**
 * A real llama-server for tests and measurements: Debian sid's `llama.cpp-tools` with all that it depends on, unpacked
 * into a cache directory and started by its own loader, so that nothing is installed and no root is needed. Without a
 * model of yours it serves one of random weights.
 */
import { Command } from "commander";
import { join } from "node:path";
import { messageOf } from "../src/lib/text.ts";
import { chatTemplate } from "../tests/support/chat_templates.ts";
import { writeRandomModel } from "../tests/support/random_model.ts";

/** Why there is no llama-server, and what to do. */
export class LlamaServerError extends Error {
  override name = "LlamaServerError";
}

/** A llama-server that can be started. */
export interface LlamaServerProgram {
  /** Debian's, as "1:0.7.0+dfsg-2". */
  readonly version: string;
  readonly command: readonly [program: string, ...args: string[]];
  /** It loads its backends from the directory in which it is started. */
  readonly cwd: string;
}

const PACKAGE = "llama.cpp-tools";
/** Milliseconds for which the newest version is believed to be the newest. */
const FRESH_MS = 24 * 60 * 60 * 1000;
const KEYRINGS = ["pgp", "gpg"].map((end) => `/usr/share/keyrings/debian-archive-keyring.${end}`);

/**
 * The newest llama-server of Debian, looked for once a day, or a pinned version. Where Debian cannot be reached, the
 * newest that was unpacked before.
 * @throws {LlamaServerError} there is none
 */
export async function getLlamaServer(
  { pin, cache = defaultCache() }: { pin?: string | undefined; cache?: string } = {},
): Promise<LlamaServerProgram> {
  const record = join(cache, "newest");
  const known = pin ?? await readIfThere(record);
  const unpacked = known === undefined ? undefined : await findUnpacked(cache, known);
  if (unpacked !== undefined && (pin !== undefined || await isFresh(record))) return unpacked;
  try {
    const version = await unpackFromDebian(cache, pin);
    if (pin === undefined) await Deno.writeTextFile(record, version);
    const program = await findUnpacked(cache, version);
    if (program === undefined) {
      throw new LlamaServerError(
        `${PACKAGE} ${version} has no llama-server. Pin a version that has.`,
      );
    }
    return program;
  } catch (error) {
    if (!(error instanceof LlamaServerError) || unpacked === undefined) throw error;
    return unpacked;
  }
}

function defaultCache(): string {
  const caches = Deno.env.get("XDG_CACHE_HOME") || join(Deno.env.get("HOME") ?? "/", ".cache");
  return join(caches, "ally-llama-server");
}

async function readIfThere(path: string): Promise<string | undefined> {
  return await Deno.readTextFile(path).catch(() => undefined);
}

async function isFresh(path: string): Promise<boolean> {
  const { mtime } = await Deno.stat(path);
  return mtime !== null && Date.now() - mtime.getTime() < FRESH_MS;
}

/** A colon would end a directory in the loader's list. */
function directoryOf(cache: string, version: string): string {
  return join(cache, encodeURIComponent(version));
}

/** The program that was unpacked; undefined if there is none of that version. */
async function findUnpacked(
  cache: string,
  version: string,
): Promise<LlamaServerProgram | undefined> {
  const root = directoryOf(cache, version);
  const server = join(root, "usr/bin/llama-server");
  if (await Deno.stat(server).catch(() => undefined) === undefined) return undefined;
  for await (const { name } of Deno.readDir(join(root, "usr/lib"))) {
    const libraries = join(root, "usr/lib", name);
    const loader = (await namesIn(libraries)).find((one) => /^ld-linux.*\.so\.\d+$/.test(one));
    if (loader === undefined) continue;
    const backends = (await namesIn(join(libraries, "ggml")))
      .find((one) => one.startsWith("backends")) ?? "";
    return {
      version,
      command: [
        join(libraries, loader),
        "--library-path",
        `${libraries}:${join(libraries, "llama")}`,
        server,
      ],
      cwd: join(libraries, "ggml", backends),
    };
  }
  return undefined;
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name);
  } catch {
    return [];
  }
}

/** Downloads and unpacks a version if it is not there yet, and returns which one it is. */
async function unpackFromDebian(cache: string, pin: string | undefined): Promise<string> {
  const mirror = await findMirror();
  await Deno.mkdir(cache, { recursive: true });
  const scratch = await Deno.makeTempDir({ dir: cache, prefix: "fetch-" });
  try {
    const apt = await prepareApt(scratch, mirror);
    await apt(["update"], `Cannot read the list of Debian's packages from ${mirror}`);
    const version = pin ?? await readCandidate(apt);
    const target = directoryOf(cache, version);
    if (await Deno.stat(target).catch(() => undefined) !== undefined) return version;
    const wanted = `${PACKAGE}=${version}`;
    const install = ["install", "--download-only", "--yes", "--no-install-recommends", wanted];
    const hint = pin === undefined
      ? ""
      : " (mirrors keep only the newest, which --pin need not name)";
    await apt(install, `Cannot get ${PACKAGE} ${version} from ${mirror}${hint}`);
    const archives = join(scratch, "cache/archives");
    const root = join(scratch, "root");
    await Deno.mkdir(root);
    for (const name of await namesIn(archives)) {
      if (!name.endsWith(".deb")) continue;
      await execute("dpkg-deb", {
        args: ["-x", join(archives, name), root],
        doing: `Cannot unpack ${name}`,
      });
    }
    // Another process may have been faster: then its copy serves.
    await Deno.rename(root, target).catch(() => undefined);
    return version;
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
}

type Apt = (args: readonly string[], doing: string) => Promise<string>;

/** apt with a state of its own, which knows sid and no installed package, and the machine's own proxies. */
async function prepareApt(scratch: string, mirror: string): Promise<Apt> {
  for (const name of ["lists/partial", "cache/archives/partial"]) {
    await Deno.mkdir(join(scratch, name), { recursive: true });
  }
  const architecture = (await execute("dpkg", {
    args: ["--print-architecture"],
    doing: "Cannot ask dpkg for the architecture",
  })).trim();
  const keyring =
    (await Promise.all(KEYRINGS.map((path) => Deno.stat(path).then(() => path, () => undefined))))
      .find((path) => path !== undefined);
  const options = [
    `arch=${architecture}`,
    ...keyring === undefined ? [] : [`signed-by=${keyring}`],
  ];
  const files = {
    status: "",
    "sources.list": `deb [${options.join(" ")}] ${mirror} sid main\n`,
    "apt.conf": `Dir::State "${scratch}";
Dir::State::status "${scratch}/status";
Dir::Cache "${scratch}/cache";
Dir::Etc::sourcelist "${scratch}/sources.list";
Dir::Etc::sourceparts "-";
Dir::Etc::preferences "-";
Dir::Etc::preferencesparts "-";
Acquire::Languages "none";
Acquire::Retries "2";
APT::Sandbox::User "root";
APT::Update::Error-Mode "any";
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
`,
  };
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(join(scratch, name), text);
  }
  const env = { APT_CONFIG: join(scratch, "apt.conf") };
  return (args, doing) => execute("apt-get", { args, doing, env });
}

/** The newest version, as apt would install it. */
async function readCandidate(apt: Apt): Promise<string> {
  const plan = await apt(
    ["install", "--simulate", PACKAGE],
    `Cannot find ${PACKAGE} in Debian sid`,
  );
  const version = /^Inst llama\.cpp-tools \((\S+)/m.exec(plan)?.[1];
  if (version !== undefined) return version;
  throw new LlamaServerError(
    `Cannot read from apt which version of ${PACKAGE} is the newest. Pin one.`,
  );
}

/** The mirror of Debian that the machine's own apt uses. */
async function findMirror(): Promise<string> {
  const list = await execute("apt-get", {
    args: ["indextargets", "--no-release-info", "--format", "$(REPO_URI)", "Created-By: Packages"],
    doing: "Cannot ask apt for its mirrors",
  });
  const mirror = list.split("\n").find((uri) => /\/debian(\.list)?\/?$/.test(uri));
  if (mirror !== undefined) return mirror;
  throw new LlamaServerError(
    "apt names no mirror of Debian on this machine, and llama-server comes from there. Add one to " +
      "/etc/apt/sources.list.d, or run this in a container of Debian.",
  );
}

async function execute(
  program: string,
  { args, doing, env = {} }: {
    args: readonly string[];
    /** "Cannot ...", for the message. */
    doing: string;
    env?: Readonly<Record<string, string>>;
  },
): Promise<string> {
  let output: Deno.CommandOutput;
  try {
    output = await new Deno.Command(program, {
      args: [...args],
      env: { ...env, LC_ALL: "C.UTF-8" },
      stdin: "null",
    }).output();
  } catch (error) {
    throw new LlamaServerError(
      `${doing}: ${program} does not start. llama-server comes from Debian's packages: run this on a Debian.`,
      { cause: error },
    );
  }
  const decoder = new TextDecoder();
  if (output.success) return decoder.decode(output.stdout);
  const said = decoder.decode(output.stderr).trim().split("\n");
  const words = said.find((line) => line.startsWith("E: "))?.slice(3) ?? said.at(-1);
  throw new LlamaServerError(`${doing}: ${words}`);
}

interface Request {
  readonly pin?: string;
  readonly template?: string;
}

/** Starts it with the arguments of the command line, until it ends. */
async function serve({ pin, template }: Request, given: readonly string[]): Promise<number> {
  const { version, command: [program, ...args], cwd } = await getLlamaServer({ pin });
  const scratch = await Deno.makeTempDir({ prefix: "ally-llama-" });
  try {
    const model = join(scratch, "random.gguf");
    const hasModel = given.some((word) => /^(-m|--model|-hf|--hf-repo)$/.test(word));
    if (!hasModel) {
      const text = template === undefined
        ? chatTemplate("strips")
        : await Deno.readTextFile(template);
      await writeRandomModel(model, { chatTemplate: text });
    }
    const words = hasModel ? given : ["-m", model, "--alias", "random", ...given];
    console.log(`llama-server of ${PACKAGE} ${version}`);
    const child = new Deno.Command(program, { args: [...args, ...words], cwd }).spawn();
    // Ctrl+C reaches the server by itself; either way it is waited for, so that nothing of it stays.
    Deno.addSignalListener("SIGINT", () => {});
    Deno.addSignalListener("SIGTERM", () => child.kill("SIGTERM"));
    return (await child.status).code;
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
}

if (import.meta.main) {
  const command = new Command("deno task llama-server")
    .description(
      "Start llama-server from Debian's packages; without a model, with one of random weights.",
    )
    .option("--pin <VERSION>", "Debian's version, as 1:0.7.0+dfsg-2 (default: the newest)")
    .option("--template <FILE>", "the random model's chat template, in Jinja")
    .argument("[ARGUMENTS...]", "go to llama-server, after --")
    .parse(Deno.args, { from: "user" });
  try {
    Deno.exitCode = await serve(command.opts<Request>(), command.args);
  } catch (error) {
    if (!(error instanceof LlamaServerError)) throw error;
    console.error(messageOf(error));
    Deno.exitCode = 1;
  }
}
