/**
 * Which program a project uses for a file: the one whose configuration lies nearest above it, else one
 * that needs none; looked for among the project's own programs, then in PATH. Starts nothing, and knows the
 * machine only through the ports of a tool.
 */
import { basename, dirname, join, relative } from "node:path";
import type { Files, ResolvedPath } from "../core/files.ts";
import type { Shell } from "../core/shell.ts";
import { quoteWord } from "../lib/text.ts";

/** One row of a table of programs; of rows that fit alike the first is taken. */
export interface ProjectProgram {
  /** As the caller names it, such as "go vet"; its first word is the program. */
  readonly name: string;
  /** Ends of names such as ".ts", or whole names such as "Dockerfile". */
  readonly files: readonly string[];
  /** Files by which a project chooses it: a name, or a name and what the file must hold. */
  readonly configs: readonly (string | readonly [name: string, text: string])[];
  /** Whether it is of use where no project chose it. */
  readonly byDefault?: boolean;
  /** Whether it runs where its configuration lies. @default in the working directory */
  readonly besideConfig?: boolean;
}

/** A program that is there. */
export interface FoundProgram<R extends ProjectProgram> {
  /** Its row of the table. */
  readonly row: R;
  /** How a command line in `directory` names it. */
  readonly program: string;
  /** Where to run it, absolute. */
  readonly directory: string;
}

/** The program for a file, or why there is none. */
export type ProgramChoice<R extends ProjectProgram> =
  | { readonly kind: "found"; readonly found: FoundProgram<R> }
  /** A project chose it by this file, but it is not installed. */
  | { readonly kind: "missing"; readonly name: string; readonly config: string }
  /** No project chose one; these would serve. */
  | { readonly kind: "none"; readonly names: readonly string[] };

/** What a search for programs looks at. */
interface ProgramPorts {
  readonly files: Pick<Files, "cwd" | "resolve" | "info" | "head">;
  /** Where programs are found that are not the project's own. */
  readonly shell: Pick<Shell, "which">;
}

/** Where projects keep programs of their own. */
const PROJECT_BINARIES = ["node_modules/.bin", ".venv/bin", "venv/bin", "vendor/bin"];
/** Bytes of a configuration file that are searched for a text. */
const MAX_CONFIG = 200_000;

/** Finds programs for the files of one call; what it saw of the disk it remembers. */
export class ProgramFinder<R extends ProjectProgram> {
  readonly #table: readonly R[];
  readonly #files: ProgramPorts["files"];
  readonly #shell: ProgramPorts["shell"];
  readonly #lookups = new Map<string, Promise<ResolvedPath | undefined>>();

  constructor(table: readonly R[], { files, shell }: ProgramPorts) {
    this.#table = table;
    this.#files = files;
    this.#shell = shell;
  }

  /** Chooses for a file, or looks for the program of that name whatever the project's choice. */
  async find(file: ResolvedPath, name?: string): Promise<ProgramChoice<R>> {
    const rows = this.#table.filter((row) =>
      name === undefined ? handlesFile(row, file.absolute) : row.name === name
    );
    const directories = await this.#above(file);
    let missing: ProgramChoice<R> | undefined;
    for (const directory of directories) {
      for (const row of rows) {
        const config = await this.#config(row, directory);
        if (config === undefined) continue;
        const home = row.besideConfig ? directory : this.#files.cwd;
        const program = await this.#program(row, { home, directories });
        if (program) return { kind: "found", found: { row, program, directory: home } };
        missing ??= { kind: "missing", name: row.name, config };
      }
    }
    // Another program's taste is worse than none.
    if (missing) return missing;
    for (const row of rows.filter((one) => one.byDefault || name !== undefined)) {
      const home = this.#files.cwd;
      const program = await this.#program(row, { home, directories });
      if (program) return { kind: "found", found: { row, program, directory: home } };
    }
    return { kind: "none", names: rows.map((row) => row.name) };
  }

  /** The directories above a file, nearest first, up to the root of the workspace. */
  async #above(file: ResolvedPath): Promise<string[]> {
    const found: string[] = [];
    for (let at = dirname(file.absolute); !found.includes(at); at = dirname(at)) {
      if (found.length > 0 && !(await this.#files.resolve(at)).inside) break;
      found.push(at);
    }
    return found;
  }

  async #config(row: R, directory: string): Promise<string | undefined> {
    for (const config of row.configs) {
      const [name, text] = typeof config === "string" ? [config] : config;
      const file = await this.#findFile(join(directory, name));
      if (file === undefined) continue;
      if (text === undefined || await this.#containsText(file, text)) return name;
    }
    return undefined;
  }

  async #containsText(file: ResolvedPath, text: string): Promise<boolean> {
    const bytes = await this.#files.head(file, MAX_CONFIG).catch(() => undefined);
    return bytes !== undefined && new TextDecoder().decode(bytes).includes(text);
  }

  async #program(
    row: R,
    { home, directories }: { home: string; directories: readonly string[] },
  ): Promise<string | undefined> {
    const name = row.name.split(" ")[0] ?? row.name;
    for (const directory of directories) {
      for (const place of PROJECT_BINARIES) {
        const path = join(directory, place, name);
        if (await this.#findFile(path)) return relative(home, path);
      }
    }
    return await this.#shell.which(name) === undefined ? undefined : name;
  }

  /** The file of that path, if there is one. */
  #findFile(path: string): Promise<ResolvedPath | undefined> {
    const look = async () => {
      const file = await this.#files.resolve(path);
      return (await this.#files.info(file))?.kind === "file" ? file : undefined;
    };
    const seen = this.#lookups.get(path) ?? look().catch(() => undefined);
    this.#lookups.set(path, seen);
    return seen;
  }
}

/** Whether a program is made for a file of that name. */
export function handlesFile(row: ProjectProgram, path: string): boolean {
  const name = basename(path);
  return row.files.some((end) => end.startsWith(".") ? name.endsWith(end) : name === end);
}

/** The command line that runs a program in its directory, seen from the working directory. */
export function commandLine(
  { program, directory }: FoundProgram<ProjectProgram>,
  options: { args: readonly string[]; cwd: string },
): string {
  const line = [program, ...options.args].map(quoteWord).join(" ");
  if (directory === options.cwd) return line;
  return `cd ${quoteWord(relative(options.cwd, directory))} && ${line}`;
}

/** A file as an argument of a command that runs in a directory; never mistaken for an option. */
export function fileArgument(path: string, directory: string): string {
  const word = relative(directory, path);
  return word.startsWith("-") ? `./${word}` : word;
}
