/**
 * Programs whose arguments are a language of their own: one function each. A function returns true if it
 * has judged the whole command, false if the row still has to be applied.
 */
import { judgeAwkProgram, judgeSedScript, judgeSql } from "./code.ts";
import type { CommandAnalysis, SortedInvocation } from "./command_analysis.ts";
import {
  judgeArchive,
  judgeChmod,
  judgeChown,
  judgeMove,
  judgeRemove,
  NO_PROGRAM,
} from "./file_grammars.ts";
import { judgeFind } from "./find_grammar.ts";
import { judgeGit } from "./git_grammar.ts";
import { extreme, type Grammar, sensitive, tentative } from "./program.ts";
import { isHijacking } from "./variables.ts";
import { literalWord, type ShellWord } from "./words.ts";

const LOCAL_URL = /^(https?:\/\/)?(localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)(:\d+)?([/?#]|$)/i;
const CLOUD_CHANGES =
  /^(?:\w+:)?(delete|remove|rm|rb|mb|terminate|destroy|create|put|update|set|deploy|cp|mv|sync|push|publish|run|start|stop|reboot|restart|deallocate|redeploy|ssh|exec|attach|detach|modify|add|import|login|apply|invoke|send|purge|scale|promote|rollback|reset|drop|enable|disable|upload|tag|untag|auth|secrets?|config|configure|rsync|copy|psql|console|bash|shell|connect|resize|rotate|revoke|grant|clear|cancel|close|abort|kill|unset|link|unlink|transfer|fork|rename|move|patch|replace|restore|release|register|deregister|suspend|resume|drain|failover|maintenance|write)([-:].*)?$/;
/** What the commands of aws are called that only read; all others may change something. */
const AWS_READ_ONLY =
  /^((get|list|describe|batch-get|head|lookup|search|filter|scan|query|estimate|validate|preview|check|simulate|view|count|detect|test|verify|decode|generate-(policy|credential)|wait|help|tail|presign|ls)(-.*)?)$/;

const GRAMMARS: Readonly<Record<Grammar, (use: SortedInvocation) => boolean>> = {
  find: judgeFind,
  git: judgeGit,
  sed: judgeSed,
  awk: judgeAwk,
  kill: judgeKill,
  rm: judgeRemove,
  mv: judgeMove,
  chown: judgeChown,
  joined_text: judgeJoinedText,
  chmod: judgeChmod,
  curl: judgeTransfer,
  cloud: judgeCloud,
  make: judgeMake,
  archive: judgeArchive,
  assign: judgeAssignment,
  read: judgeReadBuiltin,
  cd: judgeCd,
  shell_options: judgeShellOptions,
  sql: judgeDatabase,
};

/** Judges by a program's grammar; false if its row has to be applied as well. */
export function judgeGrammar(grammar: Grammar, use: SortedInvocation): boolean {
  return GRAMMARS[grammar](use);
}

function judgeSed({ args, analysis }: SortedInvocation): boolean {
  const scripts = args.effects.filter(({ option }) => /^(-e|--expression)$/.test(option))
    .flatMap(({ value }) => value ?? []);
  const hasFile = args.effects.some(({ option }) => /^(-f|--file)$/.test(option));
  const files = [...args.operands];
  if (scripts.length === 0 && !hasFile) scripts.push(...files.splice(0, 1));
  if (hasFile) analysis.add(tentative(extreme("runs a sed script from a file")));
  analysis.addOptions(NO_PROGRAM, args);
  for (const script of scripts) {
    if (script.kind !== "literal") {
      analysis.add(tentative(extreme(`runs a sed script only known at run time: ${script.text}`)));
      continue;
    }
    const { finding, writes, reads } = judgeSedScript(script.value);
    analysis.add(finding);
    for (const source of reads) analysis.addWord("read", literalWord(source));
    for (const target of writes) analysis.addWord("write", literalWord(target));
  }
  const inPlace = args.effects.some(({ option }) => /^(-i|--in-place)$/.test(option));
  for (const file of files) {
    analysis.addOptionHazard(file);
    analysis.addWord(inPlace ? "write" : "read", file);
  }
  return true;
}

function judgeAwk({ args, analysis }: SortedInvocation): boolean {
  analysis.addOptions(NO_PROGRAM, args);
  const files = [...args.operands];
  if (args.effects.some(({ option }) => /^(-f|--file|-E|--exec)$/.test(option))) {
    analysis.add(tentative(extreme("runs an awk program from a file")));
  } else {
    const program = files.shift();
    if (program && program.kind !== "literal") {
      analysis.add(
        tentative(extreme(`runs an awk program only known at run time: ${program.text}`)),
      );
    } else if (program) {
      const { finding, commands } = judgeAwkProgram(program.value);
      analysis.add(finding);
      for (const command of commands) analysis.context.judgeScript(command);
    }
  }
  for (const file of files) analysis.addWord("read", file);
  return true;
}

function judgeKill({ rest, analysis }: SortedInvocation): boolean {
  const [first] = rest;
  if (/^-(l|L|-list|-table)$/.test(first?.value ?? "")) return true;
  analysis.add(sensitive("ends a process"));
  const named = /^-(s|n|-signal)$/.test(first?.value ?? "");
  const signal = /^-[A-Za-z\d]/.test(first?.prefix ?? "");
  const targets = rest.slice(named ? 2 : signal ? 1 : 0);
  if (rest.length === 1 && first?.value === "-1") analysis.add(extreme("ends every process"));
  for (const target of targets) {
    if (/^(-1|0|1|-0)$/.test(target.value)) analysis.add(extreme("ends every process"));
    else if (target.from === "substitution" || target.from === "input") {
      analysis.add(extreme(`ends processes only known at run time: ${target.text}`));
    } else if (/^-\d/.test(target.value)) analysis.add(extreme("ends a whole group of processes"));
  }
  return true;
}

/** Options in front, then words that a shell reads as one text. */
function judgeJoinedText({ name, rest, args, analysis }: SortedInvocation): boolean {
  analysis.addOptions(NO_PROGRAM, args);
  analysis.runsText = true;
  const begin = rest.findIndex((word) => word === args.operands[0]);
  const words = args.operands.length === 0 ? [] : rest.slice(begin);
  if (words.some(({ kind }) => kind !== "literal")) {
    analysis.opaque = true;
    analysis.add(extreme(`${name} runs text as code that is only known at run time`));
    return true;
  }
  const values = words.map(({ value }) => value);
  for (const text of name === "watch" ? [values.join(" ")] : values) {
    analysis.context.judgeScript(text);
  }
  const { finding } = analysis;
  if (finding.risk !== "safe") analysis.add({ ...finding, ...extreme(`${name} repeats it`) });
  return true;
}

function judgeTransfer({ name, args, analysis }: SortedInvocation): boolean {
  const urls = [
    ...args.operands,
    ...args.effects.flatMap(({ option, value }) => option === "--url" && value ? [value] : []),
  ];
  const local = urls.length > 0 &&
    urls.every((url) => url.kind === "literal" && LOCAL_URL.test(url.value));
  for (const { effect, option, value } of args.effects) {
    if (typeof effect !== "string") {
      const sends = /sends data/.test(effect.why) && local && !/^@|=@/.test(value?.value ?? "");
      analysis.add(sends ? sensitive(`network: sends data to this machine: ${option}`) : effect);
    } else if (value) {
      analysis.addWord(effect, value);
      if (/^(-X|--request)$/.test(option) && !/^(GET|HEAD|OPTIONS)$/i.test(value.value) && !local) {
        analysis.add(extreme(`network: sends data to another machine: ${value.text}`));
      }
      if (value.kind === "dynamic" && effect === "text" && isSecretive(value, analysis)) {
        analysis.add(extreme(`network: sends what is only known at run time: ${value.text}`));
      }
    }
  }
  analysis.add(sensitive(`${name} fetches over the network`));
  for (const url of urls) {
    if (url.kind === "dynamic" && isSecretive(url, analysis)) {
      analysis.add(extreme(`network: sends what is only known at run time: ${url.text}`));
    }
    const file = /^file:\/\/(.*)$/i.exec(url.value)?.[1];
    if (file !== undefined) analysis.addWord("read", literalWord(file));
    if (
      /^(dict|gopher|ldap|smtp|telnet|tftp|ftp|scp|sftp|rtsp|mqtt|imap|pop3)s?:/i.test(url.value)
    ) {
      analysis.add(extreme(`network: speaks another protocol: ${url.text}`));
    }
    if (/^(POST|PUT|PATCH|DELETE)$/i.test(url.value)) {
      analysis.add(extreme("network: sends data to another machine"));
    }
    if (/^[\w-]+(:?=|@)[^/]/.test(url.value) && /^(http|https|xh|httpie)$/.test(name)) {
      analysis.add(extreme(`network: sends data to another machine: ${url.text}`));
    }
  }
  return true;
}

/** Text that may hold what a file or a program said. */
function isSecretive(word: ShellWord, analysis: CommandAnalysis): boolean {
  if (word.from !== "variable") return true;
  const names = [...word.value.matchAll(/\$\{?([A-Za-z_]\w*)/g)].map((match) => match[1]!);
  return names.length === 0 ||
    names.some((name) =>
      analysis.context.unknown.has(name) || /key|token|secret|pass|cred/i.test(name)
    );
}

/** `make NAME=VALUE`: the value stands in recipes, which a shell reads. */
function judgeMake({ args, analysis }: SortedInvocation): boolean {
  for (const word of args.operands) {
    const [, name, value] = /^([\w.]+)[:?+]?=(.*)$/s.exec(word.value) ?? [];
    if (name === undefined || value === undefined) continue;
    if (/^(\.?SHELL(FLAGS)?|MAKE(FLAGS|FILES)?|GNUMAKEFLAGS)$/.test(name)) {
      analysis.add(extreme(`sets ${name}, which changes what make runs`));
    } else if (word.kind !== "dynamic" && !/^[\w./:+=,@% -]*$/.test(value)) {
      analysis.addWord("code", word);
    }
  }
  for (const { option, value } of args.effects) {
    if (/^(-f|--file|--makefile)$/.test(option) && /^(-|\/dev\/.*)$/.test(value?.value ?? "")) {
      analysis.add(extreme("runs rules from its standard input"));
    }
  }
  return false;
}

function judgeCloud({ program, name, args, analysis }: SortedInvocation): boolean {
  if (program.subcommands) return false;
  analysis.addOptions(program, args);
  analysis.add({ risk: program.risk, why: `${name} ${program.why}` });
  const verb = name === "aws" ? args.operands[1] : undefined;
  const reads = verb && AWS_READ_ONLY.test(verb.value) &&
    !/secret|password|token|parameter/.test(verb.value);
  const changes = verb && !reads ? verb : args.operands.slice(0, 4).find((
    { kind, value },
  ) => kind !== "literal" || CLOUD_CHANGES.test(value));
  if (changes) analysis.add(extreme(`changes what is in a cloud: ${name} ${changes.text}`));
  return true;
}

/** `export`, `declare`, `let`, `unset` and their like. */
function judgeAssignment({ name, rest, analysis }: SortedInvocation): boolean {
  if (onlyShows(name, rest)) return true;
  for (const word of rest) {
    const variable = /^([A-Za-z_]\w*)\+?=?/.exec(word.prefix)?.[1];
    if (/^-/.test(word.prefix)) {
      if (/^-[A-Za-z]*[nif]/.test(word.prefix) && /^(declare|typeset|local)$/.test(name)) {
        analysis.add(extreme(`changes how a variable is read: ${name} ${word.text}`));
      }
    } else if (!variable) {
      analysis.add(
        word.kind === "literal" && name !== "let"
          ? sensitive(`changes ${word.text}`)
          : extreme(`changes a variable only known at run time: ${word.text}`),
      );
    } else if (isHijacking(variable, { ...word, value: word.value.slice(variable.length + 1) })) {
      analysis.add(tentative(extreme(`sets ${variable}, which changes what programs do`)));
    } else if (
      /^[A-Za-z_]\w*\[/.test(word.value) ||
      (name === "let" && (word.kind !== "literal" || mentionsUnknown(word.value, analysis)))
    ) {
      analysis.add(extreme(`evaluates text as arithmetic: ${word.text}`));
    }
  }
  return true;
}

/** `declare -p NAME`, `declare -f`, `export NAME`. */
function onlyShows(name: string, rest: readonly ShellWord[]): boolean {
  const [first, ...words] = rest.map(({ value }) => value);
  if (!rest.every(({ kind }) => kind === "literal")) return false;
  const plain = words.every((word) => /^\w+$/.test(word));
  if (/^(declare|typeset)$/.test(name)) return /^-[pfF]$/.test(first ?? "") && plain;
  return name === "export" && plain && /^(-p|\w+)$/.test(first ?? "");
}

function mentionsUnknown(text: string, { context }: CommandAnalysis): boolean {
  return [...text.matchAll(/[A-Za-z_]\w*/g)].some(([name]) => context.unknown.has(name));
}

/** `read NAME`, `mapfile NAME`, `printf -v NAME`, `getopts OPTIONS NAME`, `test -v NAME`. */
function judgeReadBuiltin({ name, rest, args, analysis }: SortedInvocation): boolean {
  const valued = args.effects.flatMap(({ option, value }) =>
    /^-[avR]$/.test(option) && value ? [value] : []
  );
  const asks = name === "test" || name === "[";
  const names = asks || name === "printf"
    ? valued
    : name === "getopts"
    ? args.operands.slice(1, 2)
    : [...args.operands, ...valued];
  for (const word of names) {
    if (word.kind !== "literal" || !/^([A-Za-z_]\w*|\])$/.test(word.value)) {
      analysis.add(extreme(`uses a variable only known at run time: ${word.text}`));
    } else if (!asks && isHijacking(word.value)) {
      analysis.add(tentative(extreme(`sets ${word.value}, which changes what programs do`)));
    }
  }
  const loose = asks &&
    rest.find((word) => !word.text.startsWith('"') && analysis.mayBecomeOption(word));
  if (loose) {
    analysis.add(tentative(sensitive(`tests what is only known at run time: ${loose.text}`)));
  }
  // Only the first word of printf can be an option.
  if (name === "printf" && rest[0] && analysis.mayBecomeOption(rest[0])) {
    const why = `prints by a format only known at run time: ${rest[0].text}`;
    analysis.add(tentative(sensitive(why)));
  }
  if (args.effects.some(({ effect }) => effect === "code")) {
    analysis.add(tentative(extreme(`${name} runs text as code`)));
  }
  return true;
}

/** Settings of bash that change neither what words mean nor where a command leads. */
const HARMLESS_SETTINGS =
  /^(allexport|braceexpand|errexit|errtrace|functrace|hashall|monitor|noclobber|noexec|noglob|notify|nounset|onecmd|pipefail|verbose|xtrace|checkjobs|checkwinsize|cmdhist|dotglob|failglob|globasciiranges|globskipdots|globstar|histappend|huponexit|inherit_errexit|lastpipe|nocasematch|nullglob|progcomp|promptvars)$/;
/** Letters of `set` that stand for such settings, and `o`, which takes a name. */
const HARMLESS_LETTERS = /^[-+][abefhmntuvxBCETo]+$/;

/** `set -euo pipefail`, `shopt -s nullglob`: what other settings do, this program does not follow. */
function judgeShellOptions({ name, rest, analysis }: SortedInvocation): boolean {
  let takesName = name === "shopt";
  for (const word of rest) {
    const { value, kind } = word;
    const isOption = kind === "literal" && /^[-+]./.test(value);
    // What follows are the arguments of the script.
    if (name === "set" && (value === "--" || value === "-")) break;
    const isHarmless = isOption
      ? name === "shopt" || HARMLESS_LETTERS.test(value)
      : kind === "literal" && HARMLESS_SETTINGS.test(value);
    if (name === "set" && !isOption && !takesName && !analysis.mayBecomeOption(word)) break;
    if (!isHarmless) {
      analysis.add(extreme(`changes how bash reads what follows: ${name} ${word.text}`));
    }
    takesName = name === "shopt" || (isOption && value.endsWith("o"));
  }
  return true;
}

function judgeCd({ name, args, rest, analysis }: SortedInvocation): boolean {
  // Physical is how commands are run: `link/..` then leads where a path of a file tool leads.
  if (rest.some(({ kind, value }) => kind === "literal" && /^-[@Pe]*L/.test(value))) {
    analysis.add(extreme(`${name} -L may lead elsewhere than its path says`));
  }
  const [target] = args.operands;
  if (name === "popd" || !target || target.value === "-") {
    analysis.add(sensitive(`${name} leaves for another directory`));
  } else {
    analysis.addWord("read", target);
  }
  return true;
}

function judgeDatabase({ name, args, analysis }: SortedInvocation): boolean {
  analysis.add(sensitive(`${name} uses a database`));
  analysis.addOptions(NO_PROGRAM, args);
  const texts = [
    ...args.operands,
    ...args.effects.flatMap(({ effect, value }) => effect === "text" && value ? [value] : []),
  ];
  for (const text of texts) {
    if (text.kind === "dynamic") {
      analysis.add(extreme(`gives a database what is only known at run time: ${text.text}`));
    } else analysis.add(judgeSql(text.value));
  }
  // redis-cli and its like take the statement as words.
  analysis.add(judgeSql(args.operands.map(({ value }) => value).join(" ")));
  const { input } = analysis.context;
  if (input?.kind === "text") analysis.add(judgeSql(input.text));
  else if (input) analysis.add(extreme("gives a database statements from its standard input"));
  const [file] = args.operands;
  if (file && /^(sqlite3|duckdb|sqlcipher|litecli)$/.test(name) && file.value !== ":memory:") {
    analysis.addWord("write", file);
  }
  return true;
}
