/**
 * A command line in parts as one process to start: a shell outside of any sandbox, whose script is written here and
 * holds nothing but the command lines of sandboxes, joined as the parts are. The command lines are its arguments, so
 * that nothing of them is read by it. All is one process group, with one time limit and one output.
 */
import { type EndedPart, isPipe, type PartedScript, type ScriptPart } from "../core/sandbox.ts";
import { openInputs } from "../lib/process.ts";
import type { CommandList, ConfinedCommand, EndedCommand } from "../sandbox/sandbox.ts";
import { findHashing, UNCHANGED } from "./unchanged_check.ts";

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
      /** Whether a part with keys is confined after it. */
      beforeKeys: boolean;
    },
  ) => Promise<ConfinedCommand>;
  /** Absolute path of a file to be made, in which the shell notes how each part ended. */
  readonly notes: string;
  /** Where what hashes files is found. */
  readonly env: Readonly<Record<string, string>>;
  /** The workspace, from which no such program is taken. */
  readonly roots: readonly string[];
}

/** Stand in a command line for what only the joining shell knows: its directory, its exit status. */
const DIRECTORY = "ally:directory";
const STATUS = "ally:status";

/** Notes how a part ended, and ends as it did. */
const NOTE = `ended() { printf '%s\\n' "$1 $2" 2>/dev/null >>"$notes" || :; return "$2"; }`;

/** The joining shell waits for a part that is told to end, and starts no other then. */
const WHEN_TOLD_TO_END = "trap 'exit 143' TERM";

/** The parts as one command. @throws as `confine` */
export async function joinParts(
  parted: PartedScript,
  options: JoinOptions,
): Promise<ConfinedCommand> {
  const parts = inConfiningOrder(parted);
  const joiner = new Joiner(options, { hasKeys: parts.some(hasKeys) });
  try {
    const lastWithKeys = parts.findLastIndex(hasKeys);
    for (const [at, part] of parts.entries()) await joiner.confine(part, at < lastWithKeys);
    return joiner.command(joiner.render(parted));
  } catch (error) {
    await joiner.finish();
    throw error;
  }
}

/**
 * The parts in the order in which they are confined: as they begin, but of a pipe, whose parts run at once, those with
 * keys last, when it is known what runs beside them.
 */
function inConfiningOrder(parted: PartedScript): ScriptPart[] {
  switch (parted.kind) {
    case "script":
      return [parted];
    case "subshell":
    case "group":
      return inConfiningOrder(parted.body);
    case "chain": {
      const pipes: ScriptPart[][] = [];
      for (const [at, item] of parted.items.entries()) {
        if (at === 0 || !isPipe(parted.operators[at - 1])) pipes.push([]);
        pipes.at(-1)!.push(...inConfiningOrder(item));
      }
      return pipes.flatMap((parts) => [
        ...parts.filter((part) => !hasKeys(part)),
        ...parts.filter(hasKeys),
      ]);
    }
    default:
      return [];
  }
}

function hasKeys({ policy }: ScriptPart): boolean {
  return policy.needs.includes("keys");
}

class Joiner {
  readonly #options: JoinOptions;
  readonly #args: string[] = [];
  readonly #scripts: ScriptPart[] = [];
  readonly #parts = new Map<ScriptPart, ConfinedCommand>();
  readonly #list: CommandList;

  constructor(options: JoinOptions, list: CommandList) {
    this.#options = options;
    this.#list = list;
  }

  command(script: string): ConfinedCommand {
    const { bash } = this.#options;
    const parts = [...this.#parts.values()];
    const shielded = parts.find((part) => part.shielded !== undefined)?.shielded;
    const notes = this.#words([this.#options.notes]);
    const text = [`notes=${notes}`, NOTE, ...this.#checks(), WHEN_TOLD_TO_END, script].join("; ");
    return {
      argv: [bash, "--noprofile", "--norc", "-c", text, bash, ...this.#args],
      inputs: {},
      merges: false,
      ...(shielded !== undefined && { shielded }),
      policies: parts.flatMap(({ policies }) => policies),
      finish: () => this.finish(),
    };
  }

  /** What the shell needs to find files unchanged, if a part must. */
  #checks(): string[] {
    if (this.#scripts.every(({ policy }) => policy.unchanged === undefined)) return [];
    const { env, roots } = this.#options;
    const { print = "", hash = [] } = findHashing(env, roots) ?? {};
    return [`print=${this.#words([print])}`, `hash=(${this.#words(hash)})`, UNCHANGED];
  }

  async finish(): Promise<EndedCommand> {
    const ends = await Promise.all(Array.from(this.#parts.values(), (part) => part.finish()));
    return {
      leftBehind: ends.some(({ leftBehind }) => leftBehind),
      setAside: ends.flatMap(({ setAside }) => setAside),
      skippedHooks: [...new Set(ends.flatMap(({ skippedHooks }) => skippedHooks))],
      keysWithheldFor: [...new Set(ends.flatMap(({ keysWithheldFor }) => keysWithheldFor))],
      parts: this.#readNotes(),
    };
  }

  /** The parts that ended, in that order; what cannot be read is left out. */
  #readNotes(): EndedPart[] {
    const { notes } = this.#options;
    try {
      const lines = Deno.readTextFileSync(notes).matchAll(/^(\d+) (\d+)$/gm);
      Deno.removeSync(notes);
      return [...lines].flatMap(([, index, code]) => {
        const part = this.#scripts[Number(index)];
        return part ? [{ part, code: Number(code) }] : [];
      });
    } catch {
      return [];
    }
  }

  /** What the shell runs whose parts are confined. */
  render(parted: PartedScript): string {
    switch (parted.kind) {
      case "script":
        return this.#script(parted);
      case "cd":
        return `cd -P -- ${this.#words([parted.directory])}`;
      case "exit":
        return parted.code === undefined ? "exit" : `exit ${Number(parted.code)}`;
      case "options":
        return parted.options.length === 0
          ? ":"
          : `set ${parted.options.map((option) => `-o ${option}`).join(" ")}`;
      case "subshell":
        return `( ${this.render(parted.body)} )`;
      case "group":
        return `{ ${this.render(parted.body)}; }`;
      case "chain": {
        let text = parted.negated ? "! " : "";
        for (const [at, item] of parted.items.entries()) {
          text += at === 0 ? "" : ` ${parted.operators[at - 1]} `;
          text += this.render(item);
        }
        return text;
      }
    }
  }

  /** Puts a part into its sandbox, `beforeKeys` if one with keys is to come. @throws as `confine` of the options */
  async confine(part: ScriptPart, beforeKeys: boolean): Promise<void> {
    const { text, policy, readsStatus, setup } = part;
    const argv = this.#options.interpret(`${setup}${readsStatus ? "(exit $1); " : ""}${text}`);
    const program: Argv = readsStatus ? [...argv, this.#options.bash, STATUS] : argv;
    const how = { policy, cwd: DIRECTORY, list: this.#list, beforeKeys };
    this.#parts.set(part, await this.#options.confine(program, how));
  }

  #script(part: ScriptPart): string {
    const confined = this.#parts.get(part)!;
    const index = this.#scripts.push(part) - 1;
    const words = this.#words(confined.argv) + openInputs(confined.inputs);
    const run = `(exec ${words}) && code=0 || code=$?`;
    const files = this.#words(Object.entries(part.policy.unchanged ?? {}).flat());
    const checked = files ? `if unchanged ${files}; then ${run}; else code=126; fi` : run;
    // A shell below another, as in a pipeline, has none of its traps.
    return `{ status=$?; ${WHEN_TOLD_TO_END}; ${checked}; ended ${index} "$code"; }`;
  }

  /** Words of the script that stand for these arguments. */
  #words(argv: readonly string[]): string {
    const words: string[] = [];
    let from = this.#args.length;
    const flush = () => {
      const count = this.#args.length - from;
      if (count > 0) words.push(`"\${@:${from + 1}:${count}}"`);
      from = this.#args.length;
    };
    for (const one of argv) {
      if (one !== DIRECTORY && one !== STATUS) {
        this.#args.push(one);
        continue;
      }
      flush();
      words.push(one === DIRECTORY ? '"$PWD"' : '"$status"');
    }
    flush();
    return words.join(" ");
  }
}
