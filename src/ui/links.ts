/**
 * Links on the screen. A link leads where its text says and nowhere else: an address is made of the shown text alone,
 * and a link that was not made here does not reach the terminal, whatever text it came with.
 */
import { isAbsolute, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { onlyStyles } from "./safe_text.ts";
import { LINK_START, linkTo, type TerminalKind } from "./sequences.ts";

/** What links are made with. */
export interface LinkOptions {
  /** A secret of this run, which tells its links from others; it never reaches the terminal. */
  readonly key: string;
  /** What paths are relative to; absent where the terminal is on another machine than the files. */
  readonly cwd?: string;
  readonly fileLines?: TerminalKind["fileLines"];
}

/** Longer addresses are none: terminals cut or refuse them. */
const MAX_ADDRESS = 2000;
const ADDRESS = /^(?:https?|file|vscode|mailto):[!-~]+$/;
// deno-lint-ignore no-control-regex
const LINK = /\x1b\]8;([^;\x07\x1b]*);([^\x07\x1b]*)(?:\x07|\x1b\\)/g;
/** An address, and a file with a line as compilers and tests name it. */
const REFERENCE =
  /(?<url>https?:\/\/[\w.-]+(?::\d+)?(?:\/[\w./~%+@:,;=&?#!$*-]*[\w/~%=&#-])?)|(?<![\w@+/.…-])(?<file>(?:\.{0,2}\/)?(?:[\w.@+-]+\/)*[\w@+-][\w.@+-]*\.\w{1,10}:\d+(?::\d+)?)(?![\w/…-])/g;

/** Text that leads to an address, as lines are made of it; the text alone if the address cannot be one. */
export function markLink(text: string, address: string, { key }: Pick<LinkOptions, "key">): string {
  if (text === "" || address.length > MAX_ADDRESS || !ADDRESS.test(address)) return text;
  return `${LINK_START}${key};${address}\x07${text}${LINK_START};\x07`;
}

/** The address of a file as it is shown: a path, which may name a line and a column after colons. */
export function fileAddress(shown: string, options: LinkOptions): string | undefined {
  const { cwd, fileLines } = options;
  const [, path = "", line] = /^(.*?)(?::(\d+)(?::\d+)?)?$/s.exec(shown) ?? [];
  if (cwd === undefined || path === "" || path.startsWith("~")) return undefined;
  const { href } = pathToFileURL(isAbsolute(path) ? path : resolve(cwd, path));
  if (line === undefined || fileLines === undefined) return href;
  return fileLines === "fragment"
    ? `${href}#${line}`
    : `${href.replace(/^file:/, "vscode:")}:${line}`;
}

/** Plain text whose addresses, and files with a line, are links. */
export function markReferences(text: string, options: LinkOptions): string {
  return text.replace(REFERENCE, (found: string, ...rest: unknown[]) => {
    const { url } = rest.at(-1) as { url?: string };
    const address = url ?? fileAddress(found, options);
    return address === undefined ? found : markLink(found, address, options);
  });
}

/**
 * What a terminal gets of a text: its styles, the links that were made with this key as the terminal takes them, and
 * no other control sequence. A link that the text leaves open is ended.
 */
export function cleanOutput(text: string, key: string | undefined): string {
  if (!text.includes(LINK_START)) return onlyStyles(text);
  let result = "";
  let isOpen = false;
  let from = 0;
  const end = () => {
    if (isOpen) result += linkTo("");
    isOpen = false;
  };
  for (const found of text.matchAll(LINK)) {
    const [whole, parameters, address = ""] = found;
    result += onlyStyles(text.slice(from, found.index));
    from = found.index + whole.length;
    const isOwn = key !== undefined && parameters === key && ADDRESS.test(address);
    if (isOwn || address === "") end();
    if (!isOwn) continue;
    result += linkTo(address);
    isOpen = true;
  }
  result += onlyStyles(text.slice(from));
  end();
  return result;
}
