/**
 * The files that a shell script runs or takes in: the words of every command in it, wherever it stands, are judged as
 * those of a command line are. Unlike there a script that does what nobody can judge is still looked through.
 */
import { basename, dirname, join } from "node:path";
import { type Command, forEachChild, type ParsedScript, type SyntaxNode, type Word } from "unbash";
import { isFile } from "../../core/path_facts.ts";
import { CommandAnalysis } from "../../shell/command_analysis.ts";
import { GeneratedFiles } from "../../shell/generated_scripts.ts";
import { judgeWords } from "../../shell/judge.ts";
import type { StdinSource } from "../../shell/parsed_command.ts";
import { filesInside } from "../../shell/paths.ts";
import { readArguments } from "../../shell/program.ts";
import { findProgram } from "../../shell/programs/table.ts";
import { readVariables } from "../../shell/script_variables.ts";
import { parseScript } from "../../shell/syntax.ts";
import { literalWord, readWord, type ShellWord } from "../../shell/words.ts";
import { evaluatesData } from "./evaluated_data.ts";
import { entryFiles } from "./entry_files.ts";
import { UNKNOWN_TO_MAKE } from "./make_variables.ts";
import {
  joinReferences,
  type Language,
  type Reference,
  type References,
  type SourceFile,
  type WrittenPlace,
} from "./reference.ts";
import { repositoryMarks } from "./repositories.ts";
import { toolFiles } from "./tool_files.ts";
import { hijacks, isExtreme, runsUnseenCode } from "./unseen_code.ts";
import { COPIES, copiesExactly, workOf } from "./written.ts";

/** Scripts given as text within scripts. */
const MAX_NESTED = 5;
/** Directories that a script enters. */
const MAX_DIRECTORIES = 20;
/** Characters of a path that are looked at. */
const MAX_NAME = 1000;

/** The script itself, its directory, and that as scripts usually find it, without quotes and blanks. */
const ME = String.raw`\$\{?(?:0|BASH_SOURCE(?:\[0\])?)\}?`;
const RESOLVED = String.raw`(?:${ME}|\$\((?:readlink-f|realpath)(?:--)?${ME}\))`;
const DIRECTORY = String
  .raw`(?:\$\(dirname(?:--)?${RESOLVED}\)|\$\{(?:0|BASH_SOURCE(?:\[0\])?)%\/\*\})`;
const TAIL = String.raw`((?:\/[\w.@+-]+)*)`;
const QUIET = String.raw`(?:[12&]?>(?:\/dev\/null|&1))*`;
const ENTERED = String
  .raw`\$\((?:cd|realpath|readlink-f)(?:-P)?(?:--)?${DIRECTORY}${TAIL}\/?${QUIET}(?:(?:&&|;)pwd(?:-P)?)?\)`;
const BESIDE_ITSELF = new RegExp(`^(?:${ENTERED}|${DIRECTORY})${TAIL}$`);
/** The end of a path whose beginning only running the script shows. */
const KNOWN_END = /[\w"'})\`\]]((?:\/[\w.@+-]+)+)["']?$/;

/** Looks through a script. */
export function shellReferences(file: SourceFile): References {
  return new ScriptReader(file).read(file.text, 0);
}

/** Lines of one file that are looked through as commands. */
const MAX_LINES = 1000;

/**
 * Looks through lines of which nobody knows whether they are commands: what they name counts, and nothing else. With
 * `all` they are commands, each of which has to name all that it takes in.
 */
export function lineReferences(
  lines: readonly string[],
  file: SourceFile,
  { all = false } = {},
): References {
  const commands = [...new Set(lines.filter((line) => /\S/.test(line)))];
  const found = commands.slice(0, MAX_LINES).map((text) => shellReferences({ ...file, text }));
  const { complete, ...joined } = joinReferences(found);
  const { files } = joined;
  return {
    ...all ? joined : { files },
    complete: commands.length <= MAX_LINES && (complete || !all),
  };
}

/** How scripts find the root of the workspace. */
const TOP_LEVEL = /^"?\$\(git rev-parse --show-toplevel( 2> ?\/dev\/null)?\)"?$/;

/** What is put where, by words of which the last one is the target. */
interface Copy {
  readonly words: readonly ShellWord[];
  /** Whether each of these is one file, which becomes the target or lies in it by its name. */
  readonly exact: boolean;
}

/** Where a command stands. */
interface Place {
  /** Of how many scripts its script is a text. */
  readonly depth: number;
  /** What it may find on its standard input. */
  readonly inputs: readonly StdinSource[];
}

/** One script with those that it holds as text. */
class ScriptReader {
  readonly #file: SourceFile;
  readonly #files: Reference[] = [];
  readonly #known: Map<string, string>;
  #complete = true;
  readonly #copies: Copy[] = [];
  readonly #functions = new Set<string>();
  /** Whether it takes in others, whose functions it has too. */
  #sources = false;
  readonly #places: WrittenPlace[] = [];
  #writesAnywhere = false;
  #runs = false;
  /** Whether it may be in a directory that only running it shows. */
  #isAstray = false;
  #cwds: readonly string[];

  constructor(file: SourceFile) {
    this.#file = file;
    this.#cwds = file.cwds;
    this.#known = new Map([["HOME", file.pathFacts.home]]);
  }

  read(text: string, depth: number): References {
    const script = depth > MAX_NESTED ? undefined : parsed(text);
    if (script) {
      this.#learnVariables(script);
      this.#followDirectories(script);
      const { pathFacts } = this.#file;
      const read = (word: Word) => this.#read(word);
      if (hijacks(script, { read, pathFacts }) || evaluatesData(script, { read })) {
        this.#complete = false;
      }
      this.#visit(script, { depth, inputs: [undefined] });
      if (depth === 0) this.#followCopies();
    } else this.#complete = false;
    return {
      files: this.#files,
      complete: this.#complete,
      writes: { places: this.#places, anywhere: this.#writesAnywhere, runs: this.#runs },
    };
  }

  /** Variables that the script gives one value, and no other. */
  #learnVariables(script: ParsedScript): void {
    const { given, filled } = readVariables(script);
    for (const [name, places] of given) {
      const [word, ...others] = places.flat();
      if (!word || others.length > 0 || filled.has(name)) continue;
      const { kind, value } = this.#read(word);
      if (kind === "literal") this.#known.set(name, value);
    }
  }

  /** Wherever it may go: all names count from all of these. */
  #followDirectories(script: ParsedScript): void {
    const entered = new Set(this.#cwds);
    const visit = (node: SyntaxNode): void => {
      if (node.type === "Function") this.#functions.add(node.name.value);
      if (node.type === "Command") this.#sources ||= /^(\.|source)$/.test(node.name?.value ?? "");
      if (node.type === "Command" && /^(cd|pushd)$/.test(node.name?.value ?? "")) {
        const target = wordsOf(node).slice(1).map((word) => this.#read(word))
          .find(({ value }) => !value.startsWith("-"));
        if (target?.kind === "literal") {
          const context = { pathFacts: this.#file.pathFacts, cwds: this.#cwds };
          for (const path of filesInside(target.value, context)) entered.add(path);
        } else if (TOP_LEVEL.test(target?.text ?? "")) entered.add(this.#file.pathFacts.cwd);
        else if (target) this.#isAstray = true;
      }
      forEachChild(node, visit);
    };
    visit(script);
    if (entered.size > MAX_DIRECTORIES) this.#complete = false;
    this.#cwds = [...entered].slice(0, MAX_DIRECTORIES);
  }

  #visit(node: SyntaxNode, place: Place): void {
    if (node.type === "Command") this.#command(node, place);
    if (node.type !== "Pipeline") return forEachChild(node, (child) => this.#visit(child, place));
    node.commands.forEach((child, at) => {
      const inputs = at === 0 ? place.inputs : this.#pipedFrom(node.commands[at - 1]!);
      this.#visit(child, { ...place, inputs });
    });
  }

  /** What comes through a pipe: the files that `cat` names, or nobody knows what. */
  #pipedFrom(node: SyntaxNode): readonly StdinSource[] {
    const isCat = node.type === "Command" && node.name?.value === "cat" &&
      node.redirects.length === 0;
    const files = isCat ? wordsOf(node).slice(1).map((word) => this.#read(word)) : [];
    const isKnown = files.every(({ kind, value }) => kind === "literal" && !value.startsWith("-"));
    return files.length > 0 && isKnown
      ? files.map((target) => ({ kind: "file", target }))
      : [{ kind: "unknown" }];
  }

  #command(node: Command, { depth, inputs }: Place): void {
    const own = node.redirects.some(({ operator }) => operator.startsWith("<"))
      ? [this.#inputOf(node)]
      : inputs;
    const words = wordsOf(node).map((word) => this.#read(word));
    this.#noteCopies(node, words);
    const texts = this.#evaluatedIn(words);
    for (const input of own) texts.push(...this.#judge(words, input));
    for (const text of texts) this.read(text, depth + 1);
  }

  /** What the script itself puts in the place of a file that it runs decides instead of that. */
  #followCopies(): void {
    const { pathFacts } = this.#file;
    const inside = ({ value }: ShellWord) => filesInside(value, { pathFacts, cwds: this.#cwds });
    const executed = new Map(this.#files.map((one) => [one.path, one]));
    for (const { words, exact } of this.#copies) {
      const [target, ...sources] = [...words].reverse();
      if (!target) continue;
      const names = sources.map(({ value }) => basename(value));
      const written = inside(target).flatMap((path) => [
        path,
        ...names.map((name) => join(path, name)),
      ]);
      const run = written.flatMap((path) => executed.get(path) ?? []);
      const isKnown = [target, ...sources].every(({ kind }) => kind === "literal");
      if (target.kind !== "literal") this.#writesAnywhere = true;
      const isExact = exact && isKnown && sources.length > 0 &&
        sources.every((one) => inside(one).length > 0);
      // What is moved or linked may be a directory; one file becomes the target, or lies in it by its name.
      const below = !isExact ||
        !sources.flatMap(inside).every((path) => isFile(pathFacts.fingerprint(path)));
      const except = isExact ? run.map((one) => one.path) : [];
      this.#places.push(
        ...(below ? inside(target) : written).map((path) => ({ path, below, except })),
      );
      if (run.length === 0 && (target.kind === "literal" || executed.size === 0)) continue;
      if (!isKnown || sources.length === 0) this.#complete = false;
      for (const path of sources.flatMap(inside)) this.#files.push({ ...run[0], path });
    }
  }

  /** Follows what a command runs with what it finds on its standard input; returns what it runs as text. */
  #judge(words: readonly ShellWord[], input: StdinSource): string[] {
    const { pathFacts } = this.#file;
    const texts: string[] = [];
    let as: Language | undefined;
    const analysis = new CommandAnalysis({
      pathFacts,
      cwds: this.#cwds,
      depth: 0,
      posix: false,
      generated: new GeneratedFiles(),
      scripts: [],
      uncertain: new Set(),
      functions: new Set(),
      input,
      judgeWords: (words, inner) => {
        as = this.#note(words, inner.context.input) ?? as;
        judgeWords(words, inner);
        if (runsUnseenCode(words, inner) || isExtreme(words, inner)) this.#complete = false;
        if (!this.#mayBeFunction(words[0]?.value ?? "")) this.#noteWork(words, inner);
        this.#noteEntry(words);
      },
      judgeScript: ({ kind, value }) => {
        if (kind === "literal") texts.push(value);
        else this.#complete = false;
      },
    });
    analysis.context.judgeWords(words, analysis);
    this.#noteRepository(analysis);
    if (this.#isAstray && (as === "make" || analysis.scripts.length > 0)) this.#complete = false;
    const argv = words.map(({ value }) => value);
    const { programs, executes } = analysis;
    this.#files.push(
      ...executes.map((path) => ({ path, argv, ...(as && { as }) })),
      ...toolFiles({ programs, argv, executes, cwds: this.#cwds }, pathFacts),
    );
    return texts;
  }

  /** Notes what an interpreter takes for the code that its words name. */
  #noteEntry(words: readonly ShellWord[]): void {
    const argv = words.map(({ value }) => value);
    const { pathFacts } = this.#file;
    const { files, complete } = entryFiles(words, { pathFacts, cwds: this.#cwds });
    this.#files.push(...files.map((one) => ({ ...one, argv })));
    this.#complete &&= complete;
  }

  /** Notes what would make git, which the script starts, run the hooks of another repository. */
  #noteRepository({ git }: CommandAnalysis): void {
    if (git.length === 0) return;
    const { pathFacts } = this.#file;
    const marks = repositoryMarks({ git, cwds: this.#cwds }, pathFacts);
    if (marks === undefined || this.#isAstray) this.#complete = false;
    else this.#files.push(...marks.map((path) => ({ path })));
  }

  /** Whether a name is a function's, whose commands are looked at by themselves. */
  #mayBeFunction(name: string): boolean {
    return this.#functions.has(name) ||
      (this.#sources && !name.includes("/") && findProgram(name) === undefined);
  }

  /** Notes whether a command runs what lies in the workspace, or may write what others run. */
  #noteWork(words: readonly ShellWord[], analysis: CommandAnalysis): void {
    const work = workOf(words, analysis);
    this.#runs ||= work === "runs";
    this.#writesAnywhere ||= work === "writes";
  }

  #noteCopies({ redirects }: Command, words: readonly ShellWord[]): void {
    for (const one of redirects) {
      const written = one.type === "Redirect" && one.operator.startsWith(">") && one.target;
      if (written) this.#copies.push({ words: [this.#read(written)], exact: false });
    }
    const at = words.findIndex(({ value }) => COPIES.test(basename(value)) || value === "tee");
    if (at < 0) return;
    const [name, ...rest] = words.slice(at);
    const operands = rest.filter(({ value }) => !value.startsWith("-"));
    if (name?.value === "tee") {
      this.#copies.push(...operands.map((one) => ({ words: [one], exact: false })));
    } else this.#copies.push({ words: operands, exact: copiesExactly(words.slice(at)) });
  }

  /** The text that `eval` and `trap` run. */
  #evaluatedIn([name, ...rest]: readonly ShellWord[]): string[] {
    if (!/^(eval|trap)$/.test(name?.value ?? "")) return [];
    const code = name?.value === "eval" ? rest : rest.slice(0, 1);
    if (code.some(({ kind }) => kind === "dynamic")) this.#complete = false;
    return [code.map(({ value }) => value).join(" ")];
  }

  #inputOf({ name, redirects }: Command): StdinSource {
    const last = redirects.findLast((one) =>
      one.type === "HereDoc" || one.type === "HereString" ||
      (one.type === "Redirect" && one.operator === "<")
    );
    if (last?.type === "HereDoc") {
      const { parts, text } = last.body;
      // What an expansion makes of the text may be any code.
      const isPlain = last.delimiter?.quoted ||
        (parts ?? []).every(({ type }) => type === "Literal");
      this.#complete &&= isPlain || findProgram(name?.value ?? "cat")?.interpreter === undefined;
      return { kind: "text", text };
    }
    const target = last?.target && this.#read(last.target);
    if (!target) return undefined;
    if (last.type === "Redirect") return { kind: "file", target };
    return target.kind === "literal" ? { kind: "text", text: target.value } : { kind: "unknown" };
  }

  /** Notes whether a command says which code it runs; returns how that is read, if it is a shell's or make's. */
  #note([name, ...rest]: readonly ShellWord[], input: StdinSource): Language | undefined {
    if (!name) return undefined;
    if (name.kind !== "literal") {
      this.#guess(name);
      return undefined;
    }
    const command = basename(name.value);
    const program = findProgram(command);
    if (/^[bg]?make$/.test(command)) return "make";
    if (program?.interpreter === undefined) return undefined;
    const isShell = program.interpreter === "shell" || /^(source|\.|[a-z]*sh)$/.test(command);
    const args = readArguments(program, rest, { first: true, exact: isShell });
    // Behind a module or a text, words are only arguments.
    const hasCode = !isShell &&
      args.effects.some(({ effect, option }) =>
        effect === "script" || (option === "-m" && program.interpreter === "python")
      );
    const [script] = hasCode ? [] : args.operands;
    if (script && script.kind !== "literal") this.#guess(script);
    // What comes through a pipe is code that no file shows.
    const tells = rest.some(({ value }) => /^--(version|help)$/.test(value));
    if (isShell && !script && !tells && (!input || input.kind === "unknown")) {
      this.#complete = false;
    }
    return isShell ? "shell" : undefined;
  }

  /** Of what only running it shows the end may be known: a file of that name here or beside the script is meant. */
  #guess({ value }: ShellWord): void {
    this.#complete = false;
    const end = KNOWN_END.exec(value.slice(-MAX_NAME))?.[1];
    if (end === undefined) return;
    const { path, pathFacts } = this.#file;
    const beside = dirname(path);
    for (const directory of new Set([...this.#cwds, beside, dirname(beside)])) {
      const found = join(directory, end);
      if (!pathFacts.exists(found)) continue;
      this.#files.push(
        ...filesInside(found, { pathFacts, cwds: [] }).map((one) => ({ path: one })),
      );
    }
  }

  #read(word: Word): ShellWord {
    const beside = BESIDE_ITSELF.exec(word.text.replace(/["\s]/g, ""));
    if (beside) {
      const [, entered = "", end = ""] = beside;
      return literalWord(join(dirname(this.#file.path), entered, end));
    }
    const read = readWord(word, this.#known);
    // Make puts it there, whatever the quotes around it.
    const at = read.value.indexOf(UNKNOWN_TO_MAKE);
    if (at < 0 || read.kind === "dynamic") return read;
    return { ...read, kind: "dynamic", prefix: read.value.slice(0, at) };
  }
}

function parsed(text: string): ParsedScript | undefined {
  try {
    return parseScript(text);
  } catch {
    return undefined;
  }
}

function wordsOf({ name, suffix }: Command): Word[] {
  return [...name ? [name] : [], ...suffix.flatMap((one) => one.type === "Word" ? [one] : [])];
}
