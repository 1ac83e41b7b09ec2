/**
 * `ally permissions`: gathers what decides, lists it, removes from it, and explains what a command would be
 * judged to be, part by part, and what "Always" would store.
 */
import type { Environment } from "../../app/environment.ts";
import { EXIT } from "../../app/exit_codes.ts";
import type { InputStream, Io } from "../../app/io.ts";
import type { PermissionsOptions } from "../../app/options.ts";
import { gatherPermissions, type PermissionSources } from "../../app/permission_sources.ts";
import { probeSandbox } from "../../app/sandbox.ts";
import { openStandardStreams, readChunks, wrapForTerminal } from "../../app/standard_streams.ts";
import { UsageError } from "../../core/errors.ts";
import type { CommandPart, Verdict } from "../../core/permission.ts";
import { jsonLine, plural } from "../../lib/text.ts";
import { type ExplainedCommand, Policy } from "../../permission/policy.ts";
import { describePowers } from "../../permission/powers.ts";
import { findNamedPlaces } from "../../sandbox/secret_files.ts";
import { readConfig } from "../../store/config.ts";
import { type AllyPaths, findAllyPaths, homeDirectory } from "../../store/paths.ts";
import { type Config, DEFAULTS } from "../../store/settings_table.ts";
import { escapeControls } from "../../ui/safe_text.ts";
import { addedDirectory, canonicalDirectory } from "../../workspace/roots.ts";
import { childEnvironment } from "../../workspace/shell_environment.ts";
import type { PermissionsRequest } from "./command.ts";
import { listPermissions, removePermissions } from "./list.ts";

/** Does what `ally permissions` was asked for, and returns the exit code. @throws {UsageError} it cannot */
export async function runPermissions(
  { request, options }: { request: PermissionsRequest; options: PermissionsOptions },
  io: Io,
): Promise<number> {
  const { out, err } = openStandardStreams(io);
  const { env, proofs } = io;
  const { sources, paths, config, hasProblem } = await gatherSetup(options, { env, err });
  const mode = options.settings.sandbox ?? config.sandbox ?? DEFAULTS.sandbox;
  const sandbox = () =>
    probeSandbox({ mode, roots: [sources.pathFacts.cwd], env: env.toObject(), proofs });
  switch (request.what) {
    case "explain": {
      const confined = (await sandbox()).state === "active";
      const policy = new Policy({
        ...sources,
        banned: config.banned_commands,
        unasked: config.unasked ?? DEFAULTS.unasked,
        interactive: true,
        sandboxed: () => confined,
      });
      return await explainAll(request, { policy, cwd: sources.pathFacts.cwd, out, io });
    }
    case "list": {
      const about = { ...request, sources, paths, config, sandbox: await sandbox() };
      const text = await listPermissions(about);
      out(request.json ? text : await wrapForTerminal(text, { io, stream: "stdout" }));
      return hasProblem() ? EXIT.usage : EXIT.done;
    }
    case "remove":
      out(await removePermissions(request.id, sources));
      return EXIT.done;
  }
}

interface PermissionSetup {
  readonly sources: PermissionSources;
  readonly paths: AllyPaths | undefined;
  readonly config: Config;
  /** Whether stored decisions could not be read, which may be known only once they were asked for. */
  readonly hasProblem: () => boolean;
}

async function gatherSetup(
  { cwd, addDirs, rules }: PermissionsOptions,
  { env, err }: { env: Environment; err: (line: string) => void },
): Promise<PermissionSetup> {
  let hasProblem = false;
  const root = canonicalDirectory(cwd);
  const paths = findAllyPaths(root, env);
  const { config, warnings } = paths
    ? await readConfig(paths.config)
    : { config: {}, warnings: [] };
  const sources = gatherPermissions({
    rules,
    files: paths ? [{ source: "config", path: paths.config, value: config.permissions }] : [],
    cwd: root,
    roots: { cwd: root, all: [root, ...addDirs.map(addedDirectory)] },
    storedPath: paths?.permissions,
    home: homeDirectory(env),
    allyHome: paths?.home ?? "",
    env: childEnvironment(env.toObject()),
    named: findNamedPlaces(env.toObject(), { home: homeDirectory(env), cwd: root }),
    onProblem(text) {
      hasProblem = true;
      err(`ally: ${text}`);
    },
  });
  for (const text of [...warnings, ...sources.warnings]) err(`ally: ${text}`);
  return { sources, paths, config, hasProblem: () => hasProblem };
}

/** What programs read; the contract names its fields. */
interface Explanation {
  readonly class: Verdict["risk"];
  readonly parts: readonly CommandPart[];
  readonly rule?: string;
  readonly decision: Verdict["decision"];
  readonly runs?: string;
  readonly sandbox: ExplainedCommand["sandbox"];
}

interface Explained extends Explanation {
  readonly why: string;
  readonly offers?: Verdict["offers"];
}

/** Explains one command or many. @throws {UsageError} a line is no JSON string */
async function explainAll(
  { command, json }: { command: string; json: boolean },
  { policy, cwd, out, io }: {
    policy: Policy;
    cwd: string;
    out: (line: string) => void;
    io: Io;
  },
): Promise<number> {
  const explain = (text: string) => explainOne(text, { policy, cwd });
  if (command !== "-") {
    const explained = await explain(command);
    const text = () => wrapForTerminal(toText(command, explained), { io, stream: "stdout" });
    out(json ? toJson(explained) : await text());
    return EXIT.done;
  }
  let number = 0;
  for await (const line of readLines(io.stdin)) {
    number++;
    if (line.trim() !== "") out(toJson(await explain(parseCommand(line, number))));
  }
  return EXIT.done;
}

async function explainOne(
  text: string,
  { policy, cwd }: { policy: Policy; cwd: string },
): Promise<Explained> {
  const explained = await policy.explain({ kind: "run", target: text, cwd });
  const { verdict, parts, runs, sandbox } = explained;
  const { risk, decision, why, offers, rule } = verdict;
  return {
    class: risk,
    parts,
    ...(rule !== undefined && { rule }),
    decision,
    ...(runs !== undefined && { runs }),
    sandbox,
    why,
    ...(offers !== undefined && { offers }),
  };
}

function toJson({ class: risk, parts, rule, decision, runs, sandbox }: Explained): string {
  return jsonLine({
    class: risk,
    parts: parts.map(({ command, risk, why }) => ({ command, class: risk, why })),
    ...(rule !== undefined && { rule }),
    decision,
    ...(runs !== undefined && { runs }),
    sandbox,
  });
}

function toText(command: string, explained: Explained): string {
  const { parts, class: risk, decision, why, runs, sandbox } = explained;
  const width = Math.max(...parts.map((part) => part.risk.length), 0);
  const list = parts.map((part) =>
    `  ${part.risk.padEnd(width)}  ${escapeControls(part.command)}\n` +
    `  ${" ".repeat(width)}  ${escapeControls(part.why)}` +
    (part.powers ? `\n  ${" ".repeat(width)}  ${describePowers(part)}` : "")
  );
  const isHarmless = decision === "allow" && sandbox === "closed" && !why.includes("only reads");
  const reason = `${escapeControls(why)}${isHarmless ? ", and can change nothing" : ""}`;
  return [
    escapeControls(command),
    "",
    ...list,
    ...(parts.length === 0 ? ["  It runs nothing."] : []),
    "",
    `Class     ${risk} (${plural(parts.length, "part")})`,
    `Decision  ${decision}: ${reason}`,
    `Always    ${describeAlways(explained).join(`\n${" ".repeat(10)}`)}`,
    `Runs      ${runs === undefined ? NOT_PLAIN : escapeControls(runs)}`,
    `Sandbox   ${sandbox}`,
  ].join("\n");
}

const NOT_PLAIN = "as written, and only once somebody allows it: it cannot be written plainly";

function describeAlways(explained: Explained): string[] {
  const { offers = [] } = explained;
  if (offers.length > 0) {
    const texts = offers.map(({ breadth, text }) =>
      escapeControls(
        breadth === "kind" || breadth === "repository"
          ? text
          : `${text}, for this directory and the files it runs`,
      )
    );
    return [`would store ${texts[0]}`, ...texts.slice(1).map((text) => `or ${text}`)];
  }
  if (explained.decision === "deny") return ["is not offered: it is denied"];
  if (explained.decision === "allow") return ["is not needed: nothing is asked"];
  return [
    explained.class === "extreme"
      ? "is not offered for what is extremely sensitive"
      : "is not offered: it runs code given as text, takes in files that nobody follows, or does what is only known at run time",
  ];
}

function parseCommand(line: string, number: number): string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // Reported below.
  }
  if (typeof value === "string") return value;
  throw new UsageError(
    `Line ${number} of standard input is not a JSON string. Give one command a line, such as "ls -la".`,
  );
}

async function* readLines(input: InputStream): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of readChunks(input)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  yield rest + decoder.decode();
}
