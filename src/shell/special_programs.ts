/**
 * What programs do that no row can say: addresses that may carry secrets, statements of databases, processes that are
 * ended, and what is done with every file found.
 */
import type { CommandAnalysis, SortedInvocation } from "./command_analysis.ts";
import { judgeRead } from "./paths.ts";
import { extreme } from "./program.ts";
import { literalWord, type ShellWord } from "./words.ts";

const PROTOCOLS = /^(dict|gopher|ldap|smtp|telnet|tftp|ftp|scp|sftp|rtsp|mqtt|imap|pop3)s?:/i;
const LOCAL_URL = /^(https?:\/\/)?(localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)(:\d+)?([/?#]|$)/i;

/** What is sent to another machine as an address or a header. */
export function judgeSent(use: SortedInvocation, texts: readonly ShellWord[]): void {
  const { args, analysis } = use;
  for (const word of texts) {
    if (word.kind === "dynamic" && isSecretive(word, analysis)) {
      analysis.add(extreme(`network: sends what is only known at run time: ${word.text}`));
    }
    const file = /^file:\/\/(.*)$/i.exec(word.value)?.[1];
    if (file !== undefined) analysis.add(judgeRead(literalWord(file), analysis.context));
    if (PROTOCOLS.test(word.value)) {
      analysis.add(extreme(`network: speaks another protocol: ${word.text}`));
    }
  }
  const method = args.effects.find(({ option }) => /^(-X|--request)$/.test(option))?.value;
  if (method && !/^(GET|HEAD|OPTIONS)$/i.test(method.value) && !staysHere(use)) {
    analysis.add(extreme(`network: sends data to another machine: ${method.text}`));
  }
}

/** Whether all addresses are those of this machine, and what is sent stands in the words. */
export function staysHere({ args: { operands, effects } }: SortedInvocation): boolean {
  return operands.length > 0 &&
    operands.every(({ kind, value }) => kind === "literal" && LOCAL_URL.test(value)) &&
    effects.every(({ value }) => value === undefined || !/^@|=@/.test(value.value));
}

/** Text that may hold what a file or a program said. */
function isSecretive(word: ShellWord, { context }: CommandAnalysis): boolean {
  const names = [...word.value.matchAll(/\$\{?([A-Za-z_]\w*)/g)].map((match) => match[1]!);
  return names.length === 0 ||
    names.some((name) => context.uncertain.has(name) || /key|token|secret|pass|cred/i.test(name));
}

const DESTROYS =
  /\b(drop|delete|truncate|alter|grant|revoke|update|replace|merge|flush\w*|shutdown|rename|reset|purge|kill|del|unlink|config|debug|eval(sha)?|script|module|migrate|swapdb|slaveof|replicaof|failover|load_extension|readfile|writefile|edit|outfile|dumpfile|load_file|load\s+data|vacuum\s+into|xp_\w+|sp_\w+|lo_export|lo_import|pg_read_\w+|pg_terminate_\w+|program|source|system|pager|tee|call|execute|set\s+global|install)\b|\battach\b|\bcopy\b|\bdo\s+\$|\bcreate\s+(or\s+replace\s+)?(function|procedure|extension|trigger|user|role|event|server|language|aggregate|rule)\b/i;
/** Commands of a database's own shell that only look; it takes shortened names for the others. */
const LOOKS =
  /^(\.(tables|schema|fullschema|ind\w+es|databases|dbinfo|mode|headers?|width|separator|nullvalue|show|stats|timer|explain|eqp|echo|print|help|version|dump|quit|exit|bail|limit|lint)\b|\\(d\S*|l\+?|z|x|q|\?|h|timing|conninfo|encoding|pset|echo|du|c?rosstabview|errverbose|s[fv]\+?)(\s|$))/i;

/** Statements of SQL, and commands of a database's own shell. */
export function judgeStatements(texts: readonly ShellWord[], analysis: CommandAnalysis): void {
  const { input } = analysis.context;
  const given = [texts.map(({ value }) => value).join(" "), ...texts.map(({ value }) => value)];
  if (input?.kind === "text") given.push(input.text);
  else if (input) analysis.add(extreme("gives a database statements from its standard input"));
  for (const { kind, text } of texts) {
    if (kind !== "dynamic") continue;
    analysis.add(extreme(`gives a database what is only known at run time: ${text}`));
  }
  const destroys = given.some((text) => {
    const own = text.match(/^\s*\.[a-z].*|\\[^\s'"\\].*$/gmi) ?? [];
    return DESTROYS.test(text) || own.some((command) => !LOOKS.test(command.trim()));
  });
  if (destroys) analysis.add(extreme("changes or destroys data of a database"));
}

/** The processes that are ended, by more than a number that is written out. */
export function judgeKill({ rest, analysis }: SortedInvocation): void {
  const named = /^-(s|n|-signal)$/.test(rest[0]?.value ?? "");
  const signal = /^-[A-Za-z\d]/.test(rest[0]?.prefix ?? "");
  for (const { value, from, text } of rest.slice(named ? 2 : signal && rest.length > 1 ? 1 : 0)) {
    if (/^-?[01]$/.test(value)) analysis.add(extreme("ends every process"));
    else if (/^-\d/.test(value)) analysis.add(extreme("ends a whole group of processes"));
    else if (from === "substitution" || from === "input") {
      analysis.add(extreme(`ends processes only known at run time: ${text}`));
    }
  }
}

/** What stands for every file found, where all places to look in lie in the workspace. */
const FOUND: ShellWord = { text: "{}", kind: "pattern", value: "./*", prefix: "./" };

/** What `find` does with every file found. */
export function judgeActions({ args: { operands, effects }, analysis }: SortedInvocation): void {
  if (effects.some(({ option }) => option === "-delete")) analysis.programs.push("rm");
  const isInside = operands.every((word) => !judgeRead(word, analysis.context));
  for (const { command } of effects) {
    if (!command) continue;
    const named = command.map((word, at) => at > 0 && word.value.includes("{}") ? FOUND : word);
    const { finding } = analysis.runInner(named);
    if (finding.risk === "safe" && isInside) continue;
    analysis.add({ ...finding, ...extreme(`acts on every file found: ${finding.why}`) });
  }
}
