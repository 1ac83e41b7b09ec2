/**
 * A command line in parts as one process to start: a shell outside of any sandbox, whose script is written here and
 * holds nothing but the command lines of sandboxes, joined as the parts are. These are words to it, so that nothing of
 * them is read by it. All is one process group, with one time limit and one output.
 *
 * A part is confined when it begins, and what it did is looked at before the next one is: as if each were a command of
 * its own. Parts of a pipe run at once, and count as one.
 */
import { ToolError } from "../core/errors.ts";
import { type EndedPart, isPipe, type PartedScript, type ScriptPart } from "../core/sandbox.ts";
import { openInputs } from "../lib/process.ts";
import { messageOf, quoteWord } from "../lib/text.ts";
import { followPath, kindOf, realPath } from "../sandbox/inspect.ts";
import type { CommandList, ConfinedCommand, EndedCommand } from "../sandbox/sandbox.ts";
import { fingerprint } from "./path_facts.ts";
import { ShellRequests, WITHOUT_REQUESTS } from "./shell_requests.ts";

type Argv = readonly [program: string, ...args: string[]];

/** How parts are started. */
interface JoinOptions {
  /** Absolute path of bash. */
  readonly bash: string;
  /** The command line that runs a text. */
  readonly interpret: (text: string) => Argv;
  /** Puts a command line into its sandbox, to run in a directory. */
  readonly confine: (
    argv: Argv,
    options: {
      policy: ScriptPart["policy"];
      cwd: string;
      list: CommandList;
      errorsAt: number;
    },
  ) => Promise<ConfinedCommand>;
  /** Where all of it begins; absolute. */
  readonly cwd: string;
  /** An absolute path of nothing yet, that no command sees; another one each time. */
  readonly privatePath: () => string;
  /** Where programs of ally's own are found. */
  readonly env: Readonly<Record<string, string>>;
  /** The workspace, from which no such program is taken. */
  readonly roots: readonly string[];
}

/** Stand in a command line for what only the joining shell knows: its directory, its exit status. */
const DIRECTORY = "ally:directory";
const STATUS = "ally:status";

/** Notes how a part ended, and ends as it did. */
const NOTE = `ended() { printf '%s\\n' "$1 $2" 2>/dev/null >>"$notes" || :; return "$2"; }`;

/** Where the sandbox of a part itself is to write, and no command can; shows what it has written. */
const TELL =
  `own() { errors=$own$1; : 2>/dev/null >>"$errors" || errors=/dev/null; }; told() { [[ -s $own$1 ]] && printf '%s\\n' "$(<"$own$1")" >&2 || :; }`;
/** Descriptor of a part's errors. */
const ERRORS = 6;

/** The joining shell waits for a part that is told to end, and starts no other then. */
const WHEN_TOLD_TO_END = "trap 'exit 143' TERM";

/** Runs what is confined when it begins: the shell asks for a script, and reads it with the status of what was before. */
const RUN = 'back() { return "$1"; }; ' +
  'run() { local status=$? answer; ask "$1"; . "$answer"; ' +
  'if back "$status"; then unit; else unit; fi; }';

/** The exit status of a part that does not begin. */
const NOT_RUN = 126;

/** The parts as one command. @throws as `confine`, for the first of them */
export async function joinParts(
  parted: PartedScript,
  options: JoinOptions,
): Promise<ConfinedCommand> {
  const joiner = new Joiner(parted, options);
  try {
    return await joiner.start();
  } catch (error) {
    await joiner.finish();
    throw error;
  }
}

/** What is confined at once: a part, or a pipe with all that is in it. */
interface Unit {
  readonly parted: PartedScript;
  /** Those with keys last, when it is known what runs beside them. */
  readonly parts: readonly ScriptPart[];
}

/** Where parts begin, absolute; without those of which only the shell will know. */
type Directories = ReadonlyMap<ScriptPart, string>;

/** A unit as the shell runs it, which finds the words of its command lines in `words`. */
interface UnitScript {
  readonly script: string;
  readonly words: readonly string[];
}

class Joiner {
  readonly #options: JoinOptions;
  readonly #parted: PartedScript;
  readonly #units: readonly Unit[];
  /** What joins the units. */
  readonly #script: string;
  readonly #notes: string;
  /** What paths begin with that hold what the sandbox of each part wrote. */
  readonly #own: string;
  /** By the numbers that the shell notes. */
  readonly #begun: ScriptPart[] = [];
  #running: ConfinedCommand[] = [];
  readonly #ends: EndedCommand[] = [];
  readonly #refused: EndedPart[] = [];
  /** What the shell has read of the unit that runs. */
  #file: string | undefined;
  #requests: Promise<ShellRequests> | undefined;

  constructor(parted: PartedScript, options: JoinOptions) {
    this.#options = options;
    this.#notes = options.privatePath();
    this.#own = `${options.privatePath()}-`;
    const units: Unit[] = [];
    this.#script = render(parted, (one) => {
      const index = units.push({ parted: one, parts: partsOf(one) }) - 1;
      return index === 0 ? "unit" : `run ${index}`;
    });
    this.#units = units;
    this.#parted = parted;
  }

  async start(): Promise<ConfinedCommand> {
    const { bash, cwd } = this.#options;
    const [first, ...others] = this.#units;
    this.#requests = others.length === 0 ? undefined : this.#openRequests();
    // Nothing has run before the first.
    const [{ script, words }, requests] = await Promise.all([
      first ? this.#begin(first, directoriesIn(this.#parted, cwd)) : { script: ":", words: [] },
      this.#requests,
    ]);
    const shielded = this.#running.find((command) => command.shielded !== undefined)?.shielded;
    const text = [
      `notes=${quoteWord(this.#notes)} own=${quoteWord(this.#own)} words=("$@")`,
      `unit() { ${script}; }`,
      NOTE,
      TELL,
      WHEN_TOLD_TO_END,
      ...requests ? [requests.setup, RUN] : [],
      this.#script,
    ].join("; ");
    return {
      argv: [bash, "--noprofile", "--norc", "-c", text, bash, ...words],
      inputs: {},
      merges: false,
      ...(shielded !== undefined && { shielded }),
      finish: () => this.finish(),
    };
  }

  async finish(): Promise<EndedCommand> {
    await this.#requests?.then((requests) => requests.end(), () => {});
    await this.#finishRunning();
    const ends = this.#ends;
    const begun = new Set(this.#begun);
    const others = this.#units.flatMap(({ parts }) => parts).filter((part) => !begun.has(part));
    return {
      leftBehind: ends.some(({ leftBehind }) => leftBehind),
      setAside: ends.flatMap(({ setAside }) => setAside),
      skippedHooks: [...new Set(ends.flatMap(({ skippedHooks }) => skippedHooks))],
      keysWithheldFor: [...new Set(ends.flatMap(({ keysWithheldFor }) => keysWithheldFor))],
      policies: [
        ...ends.flatMap(({ policies }) => policies),
        ...others.map(({ policy }) => policy),
      ],
      ownErrors: this.#readOwnErrors(),
      parts: [...this.#readNotes(), ...this.#refused],
    };
  }

  #openRequests(): Promise<ShellRequests> {
    const { privatePath, env, roots } = this.#options;
    return ShellRequests.open({
      requests: privatePath(),
      answers: privatePath(),
      answer: async (request, directory) =>
        this.#writeScript(await this.#next(this.#units[Number(request)]!, directory)),
      env,
      roots,
    });
  }

  /** Begins a unit when all before it have ended. Never rejects. */
  async #next(unit: Unit, directory: string): Promise<UnitScript> {
    await this.#finishRunning();
    if (directoryAt(directory) === undefined) {
      return this.#refuse(unit, `not run: its directory is gone, ${directory}`);
    }
    try {
      return await this.#begin(unit, directoriesIn(unit.parted, directory));
    } catch (error) {
      const suggestion = error instanceof ToolError ? ` ${error.suggestion ?? ""}` : "";
      return this.#refuse(unit, `${messageOf(error)}.${suggestion}`);
    }
  }

  async #finishRunning(): Promise<void> {
    const running = this.#running;
    this.#running = [];
    if (this.#file !== undefined) await Deno.remove(this.#file).catch(() => {});
    this.#ends.push(...await Promise.all(running.map((command) => command.finish())));
  }

  /** @throws as `confine` of the options */
  async #begin(unit: Unit, directories: Directories): Promise<UnitScript> {
    const changed = unit.parts.flatMap(({ policy }) => Object.entries(policy.unchanged ?? {}))
      .find(([path, print]) => fingerprint(path) !== print);
    if (changed) {
      const why = `not run: the rule for it is bound to ${changed[0]}, which has changed meanwhile`;
      return this.#refuse(unit, `${why}. Run it by itself.`);
    }
    const list: CommandList = { hasKeys: unit.parts.some(hasKeys) };
    const confined = new Map<ScriptPart, ConfinedCommand>();
    for (const part of unit.parts) {
      const cwd = directories.get(part) ?? DIRECTORY;
      const { text, policy, readsStatus, setup } = part;
      const argv = this.#options.interpret(`${setup}${readsStatus ? "(exit $1); " : ""}${text}`);
      const program: Argv = readsStatus ? [...argv, this.#options.bash, STATUS] : argv;
      const how = { policy, cwd, list, errorsAt: ERRORS };
      const command = await this.#options.confine(program, how);
      this.#running.push(command);
      confined.set(part, command);
    }
    const words: string[] = [];
    const script = renderWhole(unit.parted, (part) => {
      const index = this.#begun.push(part) - 1;
      const command = confined.get(part)!;
      const errors = command.errorsAt === undefined ? "" : ` ${ERRORS}>&2 2>>"$errors"`;
      const run = `(exec ${commandLine(command, words)}${errors}) && code=0 || code=$?`;
      // A shell below another, as in a pipeline, has none of its traps.
      return `{ status=$?; ${WHEN_TOLD_TO_END}; own ${index}; ${run}; told ${index}; ended ${index} "$code"; }`;
    });
    return { script, words };
  }

  /** Says why a unit does not run, instead of running it. */
  #refuse({ parts }: Unit, why: string): UnitScript {
    this.#refused.push(...parts.map((part) => ({ part, code: NOT_RUN })));
    return { script: `printf >&2 '%s\\n' "$words"; (exit ${NOT_RUN})`, words: [`ally: ${why}`] };
  }

  /** A file that the shell reads: the words, and a function. */
  #writeScript({ script, words }: UnitScript): string {
    const path = this.#file = this.#options.privatePath();
    const text = `words=(${words.map(quoteWord).join(" ")})\nunit() { ${script}; }\n`;
    Deno.writeTextFileSync(path, text, { createNew: true, mode: 0o600 });
    return path;
  }

  #readOwnErrors(): string {
    return [...this.#begun.keys()].map((index) => {
      const path = `${this.#own}${index}`;
      try {
        const text = Deno.readTextFileSync(path);
        Deno.removeSync(path);
        return text;
      } catch {
        return "";
      }
    }).join("");
  }

  /** The parts that ended, in that order; what cannot be read is left out. */
  #readNotes(): EndedPart[] {
    try {
      const lines = Deno.readTextFileSync(this.#notes).matchAll(/^(\d+) (\d+)$/gm);
      Deno.removeSync(this.#notes);
      return [...lines].flatMap(([, index, code]) => {
        const part = this.#begun[Number(index)];
        return part ? [{ part, code: Number(code) }] : [];
      });
    } catch {
      return [];
    }
  }
}

/** The text of a shell that joins units; of a pipe it is one. */
function render(parted: PartedScript, renderUnit: (unit: PartedScript) => string): string {
  switch (parted.kind) {
    case "script":
      return renderUnit(parted);
    case "cd":
      return `cd -P -- ${quoteWord(parted.directory)}`;
    case "exit":
      return parted.code === undefined ? "exit" : `exit ${Number(parted.code)}`;
    case "options":
      return parted.options.length === 0
        ? ":"
        : `set ${parted.options.map((option) => `-o ${option}`).join(" ")}`;
    case "subshell":
      return `( ${render(parted.body, renderUnit)} )`;
    case "group":
      return `{ ${render(parted.body, renderUnit)}; }`;
    case "chain": {
      const text = pipesOf(parted)
        .map(({ pipe, operator }) =>
          `${pipe.items.length > 1 ? renderUnit(pipe) : render(pipe.items[0]!, renderUnit)}${
            operator === undefined ? "" : ` ${operator} `
          }`
        ).join("");
      return parted.negated ? `! ${text}` : text;
    }
  }
}

/** The same of all that is in a unit. */
function renderWhole(unit: PartedScript, renderPart: (part: ScriptPart) => string): string {
  if (unit.kind === "script") return renderPart(unit);
  if (unit.kind !== "chain") return "";
  return unit.items.map((item, at) => {
    const text = render(item, (inner) => renderWhole(inner, renderPart));
    const operator = unit.operators[at];
    return operator === undefined ? text : `${text} ${operator} `;
  }).join("");
}

type Chain = Extract<PartedScript, { kind: "chain" }>;

/** What a chain joins that is no pipe, each with what stands behind it. */
function pipesOf(
  { items, operators }: Chain,
): { pipe: Chain; operator: Chain["operators"][number] | undefined }[] {
  const found = [];
  let from = 0;
  for (const at of items.keys()) {
    const operator = operators[at];
    if (isPipe(operator)) continue;
    const pipe: Chain = {
      kind: "chain",
      items: items.slice(from, at + 1),
      operators: operators.slice(from, at),
      negated: false,
    };
    found.push({ pipe, operator });
    from = at + 1;
  }
  return found;
}

/** The parts in a unit, those with keys last. */
function partsOf(unit: PartedScript): ScriptPart[] {
  const parts: ScriptPart[] = [];
  renderWhole(unit, (part) => {
    parts.push(part);
    return "";
  });
  return parts.toSorted((one, other) => Number(hasKeys(one)) - Number(hasKeys(other)));
}

/** Where all parts begin of what begins in a directory, as the disk is now. */
function directoriesIn(whole: PartedScript, directory: string): Directories {
  const found = new Map<ScriptPart, string>();
  /** Notes where parts begin, and returns where what stands behind them does. */
  const follow = (parted: PartedScript, from: string | undefined): string | undefined => {
    switch (parted.kind) {
      case "script":
        if (from !== undefined) found.set(parted, from);
        return from;
      case "cd":
        // Where `-` leads only the shell knows.
        return from === undefined || parted.directory === "-"
          ? undefined
          : directoryAt(followPath(from, parted.directory));
      case "subshell":
        follow(parted.body, from);
        return from;
      case "group":
        return follow(parted.body, from);
      case "chain":
        return followChain(parted, from);
      default:
        return from;
    }
  };
  const followChain = ({ items, operators }: Chain, from: string | undefined) => {
    let at = from;
    for (const [index, item] of items.entries()) {
      const end = follow(item, at);
      const [before, behind] = [operators[index - 1], operators[index]];
      if (end === at || isPipe(before) || isPipe(behind)) continue;
      const endsElse = behind === "||" && items[index + 1]?.kind === "exit";
      at = before === "||" || (behind === "||" && !endsElse) ? undefined : end;
    }
    return at;
  };
  follow(whole, directory);
  return found;
}

/** A directory without links; undefined if there is none. */
function directoryAt(path: string): string | undefined {
  const real = realPath(path);
  return real !== undefined && kindOf(real) === "directory" ? real : undefined;
}

function hasKeys({ policy }: ScriptPart): boolean {
  return policy.needs.includes("keys");
}

/** A command line of the shell that runs what is confined; its words are added to those that the shell finds. */
function commandLine({ argv, inputs }: ConfinedCommand, words: string[]): string {
  const line: string[] = [];
  let from = words.length;
  const flush = () => {
    const count = words.length - from;
    if (count > 0) line.push(`"\${words[@]:${from}:${count}}"`);
    from = words.length;
  };
  for (const word of argv) {
    if (word !== DIRECTORY && word !== STATUS) {
      words.push(word);
      continue;
    }
    flush();
    line.push(word === DIRECTORY ? '"$PWD"' : '"$status"');
  }
  flush();
  return `${line.join(" ")}${openInputs(inputs)}${WITHOUT_REQUESTS}`;
}
