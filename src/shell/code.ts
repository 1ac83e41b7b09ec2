/**
 * Short programs in other languages, given as text: sed scripts, awk programs, code of Python and
 * JavaScript, SQL. What is found harmless is told from what writes, runs or cannot be read.
 */
import { extreme, type Finding, sensitive, tentative } from "./program.ts";

const RUNS = tentative(extreme("runs text as code"));
const UNREADABLE = tentative(extreme("holds a sed script that runs or cannot be read"));
/** Characters of a sed script or awk program beyond which it is not read. */
const MAX_PROGRAM = 4096;

/** What a sed script does to files; no finding if it can be read. `writes` and `reads` are its files. */
export function judgeSedScript(
  script: string,
): { finding?: Finding; writes: string[]; reads: string[] } {
  const writes: string[] = [];
  const reads: string[] = [];
  const files = { writes, reads };
  if (script.length > MAX_PROGRAM) {
    return { finding: tentative(extreme("holds a long sed script")), ...files };
  }
  let rest = script;
  while ((rest = rest.replace(/^[\s;{}]+/, "")) !== "") {
    const address = sedAddress(rest);
    if (address === undefined) {
      return { finding: UNREADABLE, ...files };
    }
    rest = rest.slice(address).replace(/^\s*!?\s*/, "");
    if (rest === "" || /^[{}]/.test(rest)) continue;
    const command = sedCommand(rest);
    if (!command) {
      return { finding: UNREADABLE, ...files };
    }
    if (command.writes !== undefined) writes.push(command.writes);
    if (command.reads !== undefined) reads.push(command.reads);
    rest = rest.slice(command.length);
  }
  return files;
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

function sedCommand(text: string): { length: number; writes?: string; reads?: string } | undefined {
  const letter = text[0]!;
  if (/[=dDgGhHnNpPxzF]/.test(letter)) return { length: 1 };
  if (/[qQlL]/.test(letter)) return { length: /^.\s*\d*/.exec(text)![0].length };
  if (/[btT:]/.test(letter)) return { length: /^.[^;\n}]*/.exec(text)![0].length };
  if (/[aic]/.test(letter)) return { length: /^.(?:[^\n\\]|\\[^])*/.exec(text)![0].length };
  if (letter === "#") return { length: /^[^\n]*/.exec(text)![0].length };
  if (/[wWrR]/.test(letter)) {
    const line = /^.\s*([^\n]*)/.exec(text)!;
    return { length: line[0].length, [/w/i.test(letter) ? "writes" : "reads"]: line[1]! };
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

/** What an awk program does besides printing, and the command lines that it prints to. */
export function judgeAwkProgram(
  program: string,
): { finding?: Finding; commands: readonly string[] } {
  if (program.length > MAX_PROGRAM) {
    return { finding: tentative(extreme("holds a long awk program")), commands: [] };
  }
  const bare = stripAwkText(program);
  const piped = pipedCommands(program, bare);
  if (/\bsystem\b|@|\|&/.test(bare) || !piped) {
    return { finding: tentative(extreme("holds an awk program that runs commands")), commands: [] };
  }
  const finding = awkFiles(program, bare);
  return { ...(finding && { finding }), commands: piped };
}

/** The texts that `print | "..."` runs; undefined if one is not written out. */
function pipedCommands(program: string, bare: string): readonly string[] | undefined {
  const pipes = bare.match(/(?<!\|)\|(?!\|)/g)?.length ?? 0;
  if (pipes === 0) return [];
  const named = bare.match(/(?<!\|)\|\s*S\s*(?=[;}\n]|$)/g)?.length ?? 0;
  const texts = [...program.matchAll(/(?<!\|)\|\s*"([^"\\\n]*)"/g)].map((match) => match[1]!);
  return named === pipes && texts.length === pipes ? texts : undefined;
}

function awkFiles(program: string, bare: string): Finding | undefined {
  if (/\b(getline|ENVIRON|ARGV)\b/.test(bare)) {
    return tentative(sensitive("holds an awk program that reads other files"));
  }
  const outside = stripParentheses(bare);
  const target = /\bprintf?\b[^;}\n]*?>>?\s*(S|\S+)/.exec(outside);
  if (!target) return undefined;
  const names = [...program.matchAll(/>>?\s*"([^"\\]*)"/g)].map((match) => match[1]!);
  const outputs = outside.match(/\bprintf?\b[^;}\n]*?>/g)?.length ?? 0;
  const known = names.length >= outputs &&
    names.every((name) => /^(\/dev\/std(out|err)|[\w.-]+)$/.test(name));
  return known
    ? sensitive("holds an awk program that writes a file")
    : extreme("holds an awk program that writes a file it does not name plainly");
}

/** What stands in parentheses is compared, never written to. */
function stripParentheses(bare: string): string {
  for (let before = "", text = bare;; text = text.replace(/\([^()]*\)/g, " ")) {
    if (text === before) return text;
    before = text;
  }
}

/** Replaces strings by `S` and regular expressions by `R`; comments go. */
function stripAwkText(program: string): string {
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
  /^(json|math|re|datetime|time|collections|itertools|functools|string|textwrap|random|decimal|fractions|statistics|enum|heapq|bisect|pprint|hashlib|base64|copy|sys|calendar|difflib|unicodedata|binascii|struct|zlib|html|csv|platform)$/;
/** What leads further: builtins that run text, attributes by name, and modules that those above import. */
const PYTHON_WORDS =
  /\b(open|exec|eval|compile|getattr|setattr|delattr|vars|globals|locals|breakpoint|input|modules|system|popen|builtins|memoryview|meta_path|path_hooks|settrace|setprofile|stdin|remove|unlink|rename|write_\w+|rmtree|exec[lv]\w*|\w*spawn\w*|fork\w*|kill|os|io|nt|posix|subprocess|inspect|importlib|codecs|types|socket|ctypes|linecache|tokenize|warnings|threading|tempfile|shutil|pathlib|pickle|marshal|Formatter|get_field|get_type_hints|ForwardRef)\b|\b_\w|__|\\[xuN0-7]/;
/** The same of JavaScript, with Node's modules, which are global in code that is given as text. */
const SCRIPT_WORDS =
  /\b(require|import|eval|Function|constructor|process|Deno|Bun|globalThis|global|fetch|WebSocket|EventSource|XMLHttpRequest|BroadcastChannel|module|exports|Worker|WebAssembly|Reflect|Proxy|__\w+|set(Timeout|Interval|Immediate)|this|window|self|getOwn\w+|getPrototypeOf|defineProperty|prototype|caller|callee|localStorage|sessionStorage|fs|child_process|cluster|dgram|dns|http2?|https|inspector|net|os|path|readline|repl|tls|trace_events|v8|vm|wasi|worker_threads|zlib|sqlite|sea|stream|test|perf_hooks|async_hooks|domain|events|timers|util|punycode|diagnostics_channel)\b|\\[ux]/;
/** A property by a name that only running it shows: `x[y]`, `{[y]: z}`, but not `x[0]` or `[1, 2]`. */
const COMPUTED = /[\w$)\]}"'`/]\s*\[(?!\s*\d+\s*\])|\]\s*[:(]/;

/** Code of a language given as text: sensitive if it only computes, else extreme. */
export function judgeCode(code: string, language: "python" | "javascript" | undefined): Finding {
  const harmless = language === "python"
    ? isPlainPython(code)
    : language === "javascript"
    ? !SCRIPT_WORDS.test(code) && !COMPUTED.test(code)
    : false;
  return harmless ? tentative(sensitive("runs a short program that only computes")) : RUNS;
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

const SQL_EXTREME =
  /\b(drop|delete|truncate|alter|grant|revoke|update|replace|merge|flush\w*|shutdown|rename|reset|purge|kill|del|unlink|config|debug|eval(sha)?|script|module|migrate|swapdb|slaveof|replicaof|failover|load_extension|readfile|writefile|edit|outfile|dumpfile|load_file|load\s+data|vacuum\s+into|xp_\w+|sp_\w+|lo_export|lo_import|pg_read_\w+|pg_terminate_\w+|program|source|system|pager|tee|call|execute|set\s+global|install)\b|\battach\b|\bcopy\b|\bdo\s+\$|\bcreate\s+(or\s+replace\s+)?(function|procedure|extension|trigger|user|role|event|server|language|aggregate|rule)\b/i;
/** Commands of a database's own shell that only look; it takes shortened names for the others. */
const SHELL_READ_ONLY = {
  dot:
    /^\.(tables|schema|fullschema|indexes|indices|databases|dbinfo|mode|headers?|width|separator|nullvalue|show|stats|timer|explain|eqp|echo|print|help|version|dump|quit|exit|bail|limit|lint)\b/i,
  backslash:
    /^\\(d\S*|l\+?|z|x|q|\?|h|timing|conninfo|encoding|pset|echo|du|c?rosstabview|errverbose|s[fv]\+?)(\s|$)/,
};

/** SQL, or the commands of a database's own shell. */
export function judgeSql(text: string): Finding | undefined {
  const own = text.split("\n").flatMap((line) =>
    /^\s*\.[a-z]/i.test(line)
      ? [SHELL_READ_ONLY.dot.test(line.trim())]
      : [...line.matchAll(/\\[^\s'"\\].*$/g)].map(([command]) =>
        SHELL_READ_ONLY.backslash.test(command)
      )
  );
  return SQL_EXTREME.test(text) || own.includes(false)
    ? extreme("changes or destroys data of a database")
    : undefined;
}
