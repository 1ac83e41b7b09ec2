/**
 * Scripts of sed and awk that are known to transform text and to do no more: they name no file, and run nothing. What is
 * not known to be such a script may be anything, as these languages have more spellings than can be told.
 */

/** Longer scripts are not looked through. */
const MAX_SCRIPT = 2000;

/** Options of sed that say how it transforms; the backup of a file stays beside it. */
const SED_OPTION =
  /^(?:-[nErsuz]*(?:i[\w.~-]*)?|--(?:quiet|silent|regexp-extended|in-place(?:=[\w.~-]*)?|null-data|separate|unbuffered|debug|posix|sandbox))$/;
/** Options of sed with a script in the next word, or in the same one. */
const SED_SCRIPT = /^(?:-[nErsuz]*e|--expression(?:=([^]*))?)$/;

/** A bracket of a pattern, which may hold a delimiter: to a program that ends there it is none that it understands. */
const BRACKET = String.raw`\[\^?\]?(?:\[[:.=][a-z-]+[:.=]\]|\\[^\]\n]|[^\]\[\\\n])*\]`;
/** A pattern between delimiters, and what takes the place of what it finds. */
const pattern = (delimiter: string) =>
  String.raw`(?:\\[^]|${BRACKET}|[^\\\n\[${delimiter}])*${delimiter}`;
const text = (delimiter: string) => String.raw`(?:\\[^]|[^\\\n${delimiter}])*${delimiter}`;
const ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|/${pattern("/")}[IM]*)`;
const SUBSTITUTIONS = ["/", "\\|", "#", ",", "@", ":", "!", ";", "%", "~"].map((delimiter) =>
  String.raw`s${delimiter}${pattern(delimiter)}${text(delimiter)}[gpiIM\d]*|` +
  `y${delimiter}${text(delimiter)}${text(delimiter)}`
);
const COMMAND = [
  ...SUBSTITUTIONS,
  String.raw`[pdDPhHgGxnN=zF]|[qQl][ \t]*\d*`,
  String.raw`[btT][ \t]*\w*|:[ \t]*\w+`,
].join("|");
/** One command with what ends it, text that is put in up to the end of its line, or a bracket. */
const STEP = new RegExp(
  String
    .raw`[\s;]*(?![\s;])(?:#[^\n]*|\}|(?:${ADDRESS}(?:,[ \t]*(?:${ADDRESS}|[+~]\d+))?)?(?:[ \t]*!)?[ \t]*(?![ \t])(?:\{|[aic](?:\\\n|[ \t]*\\?)[^\\\n]*(?:\n|$)|(?:${COMMAND})[ \t]*(?:[;\n]|(?=[}#])|$)))[\s;]*`,
  "y",
);

/** Whether the words behind `sed` are known to transform the files that they name, and no more. */
export function isKnownSed(words: readonly string[]): boolean {
  const scripts: string[] = [];
  const operands: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const given = SED_SCRIPT.exec(word);
    if (word === "--") {
      operands.push(...words.slice(at + 1));
      break;
    }
    if (given) scripts.push(given[1] ?? words[++at] ?? "");
    else if (!word.startsWith("-") || word === "-") operands.push(word);
    else if (!SED_OPTION.test(word)) return false;
  }
  const script = scripts.length > 0 ? scripts.join("\n") : operands[0] ?? "";
  if (script.length > MAX_SCRIPT) return false;
  STEP.lastIndex = 0;
  while (STEP.lastIndex < script.length) {
    const from = STEP.lastIndex;
    if (!STEP.test(script) || STEP.lastIndex === from) return false;
  }
  return true;
}

/** What awk writes with, runs with, or reads with beside the files that it is told; a number may stand right before it. */
const AWK_REACHES =
  /\b(?:\d[\w.]*)?(?:system|getline|ARG[VC]|ENVIRON|SYMTAB|FUNCTAB|PROCINFO)\b|[@`]|\\\r?\n/;
/** What sends its output elsewhere. */
const AWK_SENDS = /\bprintf?\b[^]*(?:>(?!=)|(?<!\|)\|(?!\|))/;

/** Whether the words behind `awk` are known to transform the files that they name, and no more. */
export function isKnownAwk(words: readonly string[]): boolean {
  const options = /^(?:-F[^]*|-v[^]*|--)$/;
  let at = 0;
  for (; at < words.length && words[at]!.startsWith("-"); at++) {
    const word = words[at]!;
    if (!options.test(word)) return false;
    if (word === "-F" || word === "-v") at++;
    if (word === "--" && ++at) break;
  }
  const [script = ""] = words.slice(at);
  if (script.length > MAX_SCRIPT) return false;
  // What stands in quotes is text, where nothing else could begin or end them.
  const code = /[/#]/.test(script) ? script : script.replace(/"(?:[^"\\]|\\[^])*"/g, '""');
  return !AWK_REACHES.test(code) && !AWK_SENDS.test(code);
}
