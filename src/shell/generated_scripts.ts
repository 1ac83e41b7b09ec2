/**
 * Files that a script writes itself before it runs them: a person who is asked about the script cannot see what
 * they will hold.
 */
import { basename } from "node:path";
import type { SimpleCommand } from "./parsed_command.ts";
import { type PathContext, resolve } from "./paths.ts";
import { literalWord, type ShellWord } from "./words.ts";

/** Programs that write the last file they name. */
const COPIES = /^(cp|mv|ln|install|rsync|scp)$/;
/** Programs that write to the file they name, or to one called like the end of an address. */
const FETCHES = /^(curl|wget|wget2|aria2c|axel)$/;
/** Programs that write files they name. */
const WRITES = /^(tee|sponge|dd)$/;
const UNPACKS = /^(tar|bsdtar|unzip|7z|cpio)$/;

/** The files that a script has written so far. */
export class GeneratedFiles {
  readonly #written = new Set<string>();
  #fetches = false;
  /** An archive from the network was unpacked: anything may be new. */
  #anything = false;

  /** The same files, to which others can be added. */
  copy(): GeneratedFiles {
    const copy = new GeneratedFiles();
    for (const file of this.#written) copy.#written.add(file);
    copy.#fetches = this.#fetches;
    copy.#anything = this.#anything;
    return copy;
  }

  /** Notes what a command writes. */
  record(command: SimpleCommand, context: PathContext): void {
    for (const { operator, target } of command.redirections) {
      if (operator.includes(">")) this.#add(target, context);
    }
    const at = command.words.findIndex(({ value }) => isWriter(basename(value)));
    const name = basename(command.words[at]?.value ?? "");
    const rest = command.words.slice(at + 1).filter(({ kind }) => kind === "literal");
    if (at < 0) return;
    if (COPIES.test(name)) {
      const target = rest.at(-1);
      if (target) this.#add(target, context);
    } else if (UNPACKS.test(name)) {
      this.#anything ||= this.#fetches;
    } else if (name !== "git" || rest.some(({ value }) => value === "clone")) {
      this.#fetches ||= FETCHES.test(name);
      for (const { value } of rest) {
        const text = value.replace(/^(-[A-Za-z]*o|--[\w-]+=|of=)(?=.)/, "");
        const end = /^[^?#]*?([^/?#]+?)(\.git)?\/?([?#].*)?$/.exec(text)?.[1];
        this.#add(literalWord(text), context);
        if (end !== undefined && text.includes("/")) this.#add(literalWord(end), context);
      }
    }
  }

  /** The first of these files that the script has written by now. */
  findIn(files: readonly string[]): string | undefined {
    if (this.#anything && files.length > 0) return files[0];
    return files.find((file) =>
      [...this.#written].some((written) => file === written || file.startsWith(`${written}/`))
    );
  }

  #add(word: ShellWord, context: PathContext): void {
    if (word.kind !== "literal" || /^\.{0,2}\/?$/.test(word.value)) return;
    for (const { absolute, inside } of resolve(word.value, context) ?? []) {
      if (inside) this.#written.add(absolute);
    }
  }
}

function isWriter(name: string): boolean {
  return COPIES.test(name) || FETCHES.test(name) || WRITES.test(name) || UNPACKS.test(name) ||
    name === "git";
}
