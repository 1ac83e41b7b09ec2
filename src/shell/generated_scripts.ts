/**
 * Files that a script may write before it runs them: who is asked about it cannot see what they will hold.
 */
import type { Need } from "../core/sandbox.ts";
import type { SimpleCommand } from "./parsed_command.ts";
import { type PathContext, resolve } from "./paths.ts";

/** Programs that write the files that they name last. */
const WRITERS = /^(.*\/)?(cp|mv|ln|install|rsync|scp|tee|sponge|dd|curl|wget2?|aria2c|axel|git)$/;
const UNPACKERS = /^(.*\/)?(tar|bsdtar|unzip|7z|cpio)$/;

/** The files that a script has named so far where they may be written. */
export class GeneratedFiles {
  readonly #named = new Set<string>();
  #fetches = false;
  /** An archive from the network was unpacked: anything may be new. */
  #anything = false;

  /** Notes what a command may write, with what it needs. */
  record(
    { words, redirections }: SimpleCommand,
    context: PathContext & { needs: readonly Need[] },
  ): void {
    this.#anything ||= this.#fetches && words.some(({ value }) => UNPACKERS.test(value));
    this.#fetches ||= context.needs.includes("network");
    const writes = words.some(({ value }) => WRITERS.test(value));
    const targets = redirections.filter(({ operator }) => operator.includes(">"));
    for (const { kind, value } of [...writes ? words : [], ...targets.map((one) => one.target)]) {
      if (kind !== "literal" || /^\.{0,2}\/?$/.test(value)) continue;
      const text = value.replace(/^(-[A-Za-z]*o|--[\w-]+=|of=)(?=.)/, "");
      // What is fetched from an address, or cloned, is called like its end.
      const end = /([^/?#]+?)(\.git)?\/?([?#].*)?$/.exec(text)?.[1] ?? text;
      for (const path of [text, end]) {
        for (const { absolute } of resolve(path, context) ?? []) this.#named.add(absolute);
      }
    }
  }

  /** The first of these files that the script may have written by now. */
  findIn(files: readonly string[]): string | undefined {
    if (this.#anything && files.length > 0) return files[0];
    return files.find((file) =>
      [...this.#named].some((named) => file === named || file.startsWith(`${named}/`))
    );
  }
}
