/**
 * One simple command while it is judged: what it is, where it runs, and what all rules have found against it.
 */
import { isRiskier } from "../core/permission.ts";
import type { Need } from "../core/sandbox.ts";
import type { GeneratedFiles } from "./generated_scripts.ts";
import type { StdinSource } from "./parsed_command.ts";
import { judgeRead, judgeWrite, type PathContext } from "./paths.ts";
import {
  type Arguments,
  extreme,
  type Finding,
  type Program,
  type Role,
  tentative,
} from "./program.ts";
import type { InnerScript } from "./script/render.ts";
import type { ShellWord } from "./words.ts";

/** What surrounds a script. */
export interface ScriptContext extends PathContext {
  readonly depth: number;
  /** Whether the shell that runs it may know nothing but the standard's syntax. */
  readonly posix: boolean;
  readonly generated: GeneratedFiles;
  /** Scripts that commands of this one run as text, as they are found. */
  readonly scripts: InnerScript[];
  /** Variables that may hold anything: the output of a command, what was read. */
  readonly uncertain: ReadonlySet<string>;
}

/** What surrounds a command. */
export interface AnalysisContext extends ScriptContext {
  readonly input: StdinSource;
  readonly functions: ReadonlySet<string>;
  /** Judges the words of an inner command. */
  readonly judgeWords: (words: readonly ShellWord[], inner: CommandAnalysis) => void;
  /** Judges a text as a script of its own, for the same shell or the one named. */
  readonly judgeScript: (script: ShellWord, shell?: { readonly posix: boolean }) => void;
}

/** The riskier of two findings; the first if they are alike. */
export function riskier<T extends Finding>(one: T, other: T): T {
  const outweighs = one.held && !other.held && other.risk === one.risk;
  return outweighs || isRiskier(other.risk, one.risk) ? other : one;
}

/** A program as it is started, while it is judged. */
export interface Invocation {
  /** With its subcommands: "git push". */
  readonly name: string;
  /** The words after the name. */
  readonly rest: readonly ShellWord[];
  readonly analysis: CommandAnalysis;
}

/** The same with its words sorted by its row. */
export interface SortedInvocation extends Invocation {
  readonly program: Program;
  readonly args: Arguments;
}

/** A word that git is given. */
export interface GitWord {
  /** Absent if only running it shows what it is. */
  readonly value?: string;
  /** The text of one that names files. */
  readonly pattern?: string;
  /** Whether git gets it as it is here: the value may stand for another with the same meaning to ally, as `.` does. */
  readonly exact: boolean;
}

/** What code of a project may have, whatever name it has. */
const FOR_PROJECTS: readonly Need[] = ["network", "registries"];

/** What is found where nothing speaks against a command. */
export const ONLY_READS: Finding = { risk: "safe", why: "only reads" };

/** Collects what is found against one command. */
export class CommandAnalysis {
  readonly context: AnalysisContext;
  /** Names of the program and of those inside it. */
  readonly programs: string[] = [];
  /** The words of each git among these, wherever it stands. */
  readonly git: (readonly GitWord[])[] = [];
  /** Files of the workspace whose content decides what it does. */
  readonly executes: string[] = [];
  /** Of these, the scripts and programs that it names. */
  readonly scripts: string[] = [];
  /** What it gets in the sandbox once it is allowed. */
  readonly needs: Need[] = [];
  /** The words after the program's name. */
  words: readonly ShellWord[] = [];
  /** Was told no more than to look at what there is. */
  onlyLooks = false;
  /** Runs code given as text: no rule with a list may allow it. */
  runsText = false;
  /** Runs a program, or a shell's text, that only the shell will know. */
  opaque = false;
  /** What speaks against what it reads: it lies outside of the workspace, may be secret, or is not known. */
  reads = ONLY_READS;
  /** A place outside of the workspace that it writes itself, absolute. */
  outside: string | undefined;
  #known: Finding = ONLY_READS;
  #tentative: Finding = ONLY_READS;

  constructor(context: AnalysisContext) {
    this.context = context;
  }

  /** All that was found; tentative if nothing but that speaks against it, and it needs nothing by its rows. */
  get finding(): Finding {
    const { risk, why: worst, held } = riskier(this.#known, this.#tentative);
    const isTold = this.reads === ONLY_READS || worst.includes(this.reads.why);
    const why = isTold ? worst : `${worst}, and ${this.reads.why}`;
    // Logins alone are no power: without the network nobody gets them.
    const hasPower = this.needs.some((need) => need !== "registries");
    const outside = this.outside !== undefined && { outside: this.outside };
    return this.#known.risk === "safe" && this.#tentative !== ONLY_READS && !hasPower
      ? tentative({ risk, why })
      : { risk, why, ...(held && { held }), ...outside };
  }

  /** Whether it runs text as code, or has words that may be code to it. */
  get mayRunText(): boolean {
    return this.runsText || this.#tentative.risk === "extreme";
  }

  /** Adds that it runs what only the shell will know. */
  addOpaque(why: string): void {
    this.opaque = true;
    this.add(extreme(why));
  }

  /** Whether the sandbox keeps to the workspace what it changes: with some powers it acts elsewhere. */
  get isHeld(): boolean {
    return this.context.sandboxed === true &&
      this.needs.every((need) => need === "network" || need === "registries");
  }

  add(finding: Finding | undefined): void {
    if (finding?.tentative) this.#tentative = riskier(this.#tentative, finding);
    else if (finding) this.#known = riskier(this.#known, finding);
  }

  /** Adds what a word means in its role. */
  addWord(role: Role, word: ShellWord): void {
    switch (role) {
      case "path":
        return this.addPathIn(word, "read");
      case "read": {
        const finding = judgeRead(word, this.context);
        this.reads = riskier(this.reads, finding ?? ONLY_READS);
        return this.add(finding);
      }
      case "write": {
        // What a tool of the project is told to work by is code to it.
        const sandboxed = this.isHeld && this.executes.length === 0;
        const finding = judgeWrite(word, { ...this.context, sandboxed });
        this.outside ??= finding?.outside;
        return this.add(finding);
      }
      case "volume": {
        const volume = { ...word, value: word.value.split(":")[0]! };
        return this.add(judgeWrite(volume, { ...this.context, sandboxed: false }));
      }
      case "code":
        this.runsText = true;
        this.opaque = true;
        return this.add(tentative(extreme(`runs text as code: ${word.text}`)));
    }
  }

  /**
   * Adds what options of the table mean; `here` if what they send stays on this machine, `checked` if nothing is
   * written that they name.
   */
  addOptions(
    program: Program,
    { effects, unknownOptions }: Arguments,
    { here = false, checked = false } = {},
  ): void {
    for (const { effect, option, value } of effects) {
      if (typeof effect !== "string") {
        const risk = here && /sends data/.test(effect.why) ? "sensitive" : effect.risk;
        this.add({ ...effect, risk, why: `${effect.why} (${option})` });
      } else if (effect === "setting") {
        const name = value?.kind === "literal" ? value.value.replace(/=[^]*/, "") : undefined;
        const [known] = program.subcommands.get("config")?.unless ?? [];
        if (name === undefined || known?.test(name) === false) {
          this.addOpaque(`sets what may run programs: ${value?.text}`);
        }
      } else if (value) this.addWord(checked && effect === "write" ? "read" : effect, value);
      else if (effect === "code") this.add(tentative(extreme(`${option} runs text as code`)));
    }
    const writes = /^(write|copy|link)$/.test(program.operands);
    for (const word of unknownOptions) this.addPathIn(word, writes ? "write" : "read");
  }

  /** An inner command decides about this one; what it finds is added. */
  addInner(...how: Parameters<CommandAnalysis["runInner"]>): void {
    const inner = this.runInner(...how);
    this.add(inner.#known);
    this.add(inner.#tentative);
  }

  /** Runs an inner command, which becomes part of this one, and returns it; `ofProject` if it may be code of that name. */
  runInner(
    words: readonly ShellWord[],
    how: { readonly input?: StdinSource; readonly ofProject?: boolean } = {},
  ): CommandAnalysis {
    const { input = this.context.input, ofProject = false } = how;
    const inner = new CommandAnalysis({ ...this.context, sandboxed: this.isHeld, input });
    this.context.judgeWords(words, inner);
    this.programs.push(...inner.programs);
    if (!ofProject) this.git.push(...inner.git);
    this.executes.push(...inner.executes);
    this.scripts.push(...inner.scripts);
    this.needs.push(...inner.needs.filter((need) => !ofProject || FOR_PROJECTS.includes(need)));
    this.runsText ||= inner.runsText;
    this.opaque ||= inner.opaque;
    this.reads = riskier(this.reads, inner.reads);
    this.outside ??= inner.outside;
    return inner;
  }

  /** Adds what the path in a word means that no row knows, such as `--cache=/x`. */
  addPathIn(word: ShellWord, role: "read" | "write"): void {
    const path = /^(?:--?[\w-]*=?)?([/~.].*)$/.exec(word.value)?.[1];
    if (path !== undefined) this.addWord(role, { ...word, value: path, prefix: path });
  }
}
