/**
 * Short programs in other languages, given as text: sed scripts, awk programs, code of Python and
 * JavaScript, SQL. What is found harmless is told from what writes, runs or cannot be read.
 */
import { extreme, type Finding, sensitive } from "./program.ts";

const RUNS = extreme("runs text as code");
/** Characters of a sed script or awk program beyond which it is not read. */
const MAX_PROGRAM = 4096;

/** What a sed script does to files; undefined if it only edits the stream. `writes` are its targets. */
export function judgeSed(script: string): { finding?: Finding; writes: string[] } {
  const writes: string[] = [];
  if (script.length > MAX_PROGRAM) return { finding: extreme("holds a long sed script"), writes };
  let rest = script;
  while ((rest = rest.replace(/^[\s;{}]+/, "")) !== "") {
    const address = sedAddress(rest);
    if (address === undefined) {
      return { finding: extreme("holds a sed script that cannot be read"), writes };
    }
    rest = rest.slice(address).replace(/^\s*!?\s*/, "");
    if (rest === "" || /^[{}]/.test(rest)) continue;
    const command = sedCommand(rest);
    if (!command) {
      return { finding: extreme("holds a sed script that runs or cannot be read"), writes };
    }
    if (command.writes !== undefined) writes.push(command.writes);
    rest = rest.slice(command.length);
  }
  return { writes };
}

/** Length of the address at the beginning; undefined if it has no end. */
function sedAddress(text: string): number | undefined {
  let at = 0;
  for (;;) {
    const simple = /^(\d+(~\d+)?|\$|[+~]\d+)\s*/.exec(text.slice(at));
    if (simple) at += simple[0].length;
    else if (/^[/\\]/.test(text.slice(at))) {
      const custom = text[at] === "\\" ? 1 : 0;
      const end = sedDelimited(text, at + custom + 1, text[at + custom]!);
      if (end === undefined) return undefined;
      at = end + /^[IM]*\s*/.exec(text.slice(end))![0].length;
    }
    if (text[at] !== ",") return at;
    at += 1 + /^\s*/.exec(text.slice(at + 1))![0].length;
  }
}

/** The place after the next delimiter that is not escaped. */
function sedDelimited(text: string, from: number, delimiter: string): number | undefined {
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === delimiter) return at + 1;
  }
  return undefined;
}

function sedCommand(text: string): { length: number; writes?: string } | undefined {
  const letter = text[0]!;
  if (/[=dDgGhHnNpPxzF]/.test(letter)) return { length: 1 };
  if (/[qQlL]/.test(letter)) return { length: /^.\s*\d*/.exec(text)![0].length };
  if (/[btT:]/.test(letter)) return { length: /^.[^;\n}]*/.exec(text)![0].length };
  if (/[aic]/.test(letter)) return { length: /^.(?:[^\n\\]|\\[^])*/.exec(text)![0].length };
  if (letter === "#") return { length: /^[^\n]*/.exec(text)![0].length };
  if (letter === "w" || letter === "W") {
    const line = /^.\s*([^\n]*)/.exec(text)!;
    return { length: line[0].length, writes: line[1]! };
  }
  if (letter === "s" || letter === "y") {
    const middle = text[1] === undefined ? undefined : sedDelimited(text, 2, text[1]);
    const end = middle === undefined ? undefined : sedDelimited(text, middle, text[1]!);
    if (end === undefined) return undefined;
    const flags = /^[gpiIM\d]*/.exec(text.slice(end))![0].length;
    const after = text.slice(end + flags);
    const target = /^w\s*([^\n]*)/.exec(after);
    if (target) return { length: end + flags + target[0].length, writes: target[1]! };
    return /^\s*(?:[;}\n#]|$)/.test(after) ? { length: end + flags } : undefined;
  }
  return undefined;
}

/** What an awk program does besides printing; undefined if nothing. */
export function judgeAwk(program: string): Finding | undefined {
  if (program.length > MAX_PROGRAM) return extreme("holds a long awk program");
  const bare = withoutAwkText(program);
  if (/\bsystem\b|@|(?<!\|)\|(?!\|)|\|&/.test(bare)) {
    return extreme("holds an awk program that runs commands");
  }
  if (/\bgetline\b|\bENVIRON\b/.test(bare)) {
    return sensitive("holds an awk program that reads other files");
  }
  const target = /\bprintf?\b[^;}\n]*?>>?\s*(S|\S+)/.exec(bare);
  if (!target) return undefined;
  const names = [...program.matchAll(/>>?\s*"([^"\\]*)"/g)].map((match) => match[1]!);
  const outputs = bare.match(/\bprintf?\b[^;}\n]*?>/g)?.length ?? 0;
  const known = names.length >= outputs &&
    names.every((name) => /^(\/dev\/std(out|err)|[\w.-]+)$/.test(name));
  return known
    ? sensitive("holds an awk program that writes a file")
    : extreme("holds an awk program that writes a file it does not name plainly");
}

/** Replaces strings by `S` and regular expressions by `R`; comments go. */
function withoutAwkText(program: string): string {
  let bare = "";
  for (let at = 0; at < program.length;) {
    const rest = program.slice(at);
    const text = /^"(?:[^"\\\n]|\\[^])*"/.exec(rest);
    const regex = /(^|[(,!~&|{};\n])\s*$/.test(bare)
      ? /^\/(?:[^/\\[\n]|\\.|\[\^?\]?[^\]\n]*\])+\//.exec(rest)
      : null;
    const comment = /^#[^\n]*/.exec(rest);
    const found = text ?? regex ?? comment;
    bare += text ? "S" : regex ? "R" : comment ? "" : program[at];
    at += found ? found[0].length : 1;
  }
  return bare;
}

/** Modules that compute and format, and reach nothing else. */
const PYTHON_MODULES =
  /^(json|math|re|datetime|time|collections|itertools|functools|string|textwrap|random|decimal|fractions|statistics|typing|dataclasses|enum|operator|heapq|bisect|pprint|uuid|hashlib|base64|copy|sys|calendar|difflib|unicodedata|binascii|struct|zlib|html|csv|platform)$/;
const PYTHON_WORDS =
  /\b(open|exec|eval|compile|__\w+|getattr|setattr|delattr|vars|globals|locals|breakpoint|input|modules|system|popen|spawn\w*|builtins|memoryview|meta_path|path_hooks|settrace|setprofile|stdin|remove|unlink|write_\w+|rmtree)\b/;
const SCRIPT_WORDS =
  /\b(require|import|eval|Function|constructor|process|Deno|Bun|globalThis|global|fetch|WebSocket|XMLHttpRequest|module|exports|Worker|WebAssembly|Reflect|Proxy|__\w+|setTimeout|setInterval|this)\b|\\u|\\x/;

/** Code of a language given as text: sensitive if it only computes, else extreme. */
export function judgeCode(code: string, language: "python" | "javascript" | undefined): Finding {
  const harmless = language === "python"
    ? isPlainPython(code)
    : language === "javascript"
    ? !SCRIPT_WORDS.test(code)
    : false;
  return harmless ? sensitive("runs a short program that only computes") : RUNS;
}

function isPlainPython(code: string): boolean {
  if (PYTHON_WORDS.test(code)) return false;
  const imports = [...code.matchAll(/\bimport\s+([^;\n]+)|\bfrom\s+([\w.]+)\s+import/g)];
  const count = code.match(/\bimport\b/g)?.length ?? 0;
  return imports.length === count &&
    imports.every((found) =>
      (found[2] ?? found[1] ?? "").split(",")
        .every((name) => PYTHON_MODULES.test(name.trim().split(/\s+as\s+/)[0]!.split(".")[0]!))
    );
}

const SQL_GRAVE =
  /\b(drop|delete|truncate|alter|grant|revoke|update|replace|flush\w*|shutdown|rename|del|unlink|config|debug|eval|script|slaveof|replicaof|load_extension|readfile|writefile|outfile|dumpfile|load_file|xp_\w+|lo_export|lo_import|pg_read_\w+|program)\b|\\[!oi]|^\s*\.(shell|system|sh|import|output|once|save|load|read|excel|restore|clone|backup|log)|\battach\b|\bcopy\b/im;

/** SQL, or the commands of a database's own shell. */
export function judgeSql(text: string): Finding | undefined {
  return SQL_GRAVE.test(text) ? extreme("changes or destroys data of a database") : undefined;
}
