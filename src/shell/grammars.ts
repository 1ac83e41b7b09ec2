/**
 * Programs whose arguments are a language of their own: one function each. A function returns true if it
 * has judged the whole command, false if the row still has to be applied. Called by `judge.ts`.
 */
import type { Case } from "./analysis.ts";
import { judgeAwk, judgeSed, judgeSql } from "./code.ts";
import { judgeArchive, mode, move, NO_PROGRAM, owner, remove, type Use } from "./file_grammars.ts";
import { judgeFind } from "./find.ts";
import { judgeGit } from "./git.ts";
import { extreme, type Grammar, type Program, sensitive } from "./program.ts";
import { hijacks } from "./variables.ts";
import { literalWord, type ShellWord } from "./words.ts";

const LOCAL_URL = /^(https?:\/\/)?(localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)(:\d+)?([/?#]|$)/i;
const CLOUD_CHANGES =
  /^(?:\w+:)?(delete|remove|rm|rb|mb|terminate|destroy|create|put|update|set|deploy|cp|mv|sync|push|publish|run|start|stop|reboot|restart|deallocate|redeploy|ssh|exec|attach|detach|modify|add|import|login|apply|invoke|send|purge|scale|promote|rollback|reset|drop|enable|disable|upload|tag|untag|auth|secrets?|config|configure|rsync|copy|psql|console|bash|shell|connect|resize|rotate|revoke|grant|clear|cancel|close|abort|kill|unset|link|unlink|transfer|fork|rename|move|patch|replace|restore|release|register|deregister|suspend|resume|drain|failover|maintenance|write)([-:].*)?$/;
/** What the commands of aws are called that only look; all others may change something. */
const AWS_LOOKS =
  /^((get|list|describe|batch-get|head|lookup|search|filter|scan|query|estimate|validate|preview|check|simulate|view|count|detect|test|verify|decode|generate-(policy|credential)|wait|help|tail|presign|ls)(-.*)?)$/;

const GRAMMARS: Readonly<Record<Grammar, (program: Program, use: Use) => boolean>> = {
  find: judgeFind,
  git: judgeGit,
  sed: (_, use) => sed(use),
  awk: (_, use) => awk(use),
  kill: (_, use) => kill(use),
  rm: (_, use) => remove(use),
  mv: (_, use) => move(use),
  chown: (_, use) => owner(use),
  joined: (_, use) => joined(use),
  chmod: (_, use) => mode(use),
  curl: (_, use) => transfer(use),
  cloud,
  make: judgeMake,
  archive: judgeArchive,
  assign: (_, use) => assign(use),
  read: (_, use) => fill(use),
  cd: (_, use) => changeDirectory(use),
  sql: (_, use) => database(use),
};

/** Judges by a program's grammar; false if its row has to be applied as well. */
export function judgeGrammar(program: Program, use: Use): boolean {
  return GRAMMARS[program.grammar!](program, use);
}

function sed({ read, found }: Use): boolean {
  const scripts = read.effects.filter(({ option }) => /^(-e|--expression)$/.test(option))
    .flatMap(({ value }) => value ?? []);
  const hasFile = read.effects.some(({ option }) => /^(-f|--file)$/.test(option));
  const files = [...read.operands];
  if (scripts.length === 0 && !hasFile) scripts.push(...files.splice(0, 1));
  if (hasFile) found.add(extreme("runs a sed script from a file"));
  found.useOptions(NO_PROGRAM, read);
  for (const script of scripts) {
    if (script.kind !== "literal") {
      found.add(extreme(`runs a sed script that is known only when it runs: ${script.text}`));
      continue;
    }
    const { finding, writes, reads } = judgeSed(script.value);
    found.add(finding);
    for (const source of reads) found.use("read", literalWord(source));
    for (const target of writes) found.use("write", literalWord(target));
  }
  const inPlace = read.effects.some(({ option }) => /^(-i|--in-place)$/.test(option));
  for (const file of files) {
    if (found.mayBecomeOption(file)) {
      found.add(
        file.kind === "pattern"
          ? sensitive(`names files that may be taken for options: ${file.text}`)
          : extreme(`may get options that are known only when it runs: ${file.text}`),
      );
    }
    found.use(inPlace ? "write" : "read", file);
  }
  return true;
}

function awk({ read, found }: Use): boolean {
  found.useOptions(NO_PROGRAM, read);
  const files = [...read.operands];
  if (read.effects.some(({ option }) => /^(-f|--file|-E|--exec)$/.test(option))) {
    found.add(extreme("runs an awk program from a file"));
  } else {
    const program = files.shift();
    if (program && program.kind !== "literal") {
      found.add(extreme(`runs an awk program that is known only when it runs: ${program.text}`));
    } else if (program) {
      const { finding, commands } = judgeAwk(program.value);
      found.add(finding);
      for (const command of commands) found.around.script(command);
    }
  }
  for (const file of files) found.use("read", file);
  return true;
}

function kill({ rest, found }: Use): boolean {
  const [first] = rest;
  if (/^-(l|L|-list|-table)$/.test(first?.value ?? "")) return true;
  found.add(sensitive("ends a process"));
  const named = /^-(s|n|-signal)$/.test(first?.value ?? "");
  const signal = /^-[A-Za-z\d]/.test(first?.prefix ?? "");
  const targets = rest.slice(named ? 2 : signal ? 1 : 0);
  if (rest.length === 1 && first?.value === "-1") found.add(extreme("ends every process"));
  for (const target of targets) {
    if (/^(-1|0|1|-0)$/.test(target.value)) found.add(extreme("ends every process"));
    else if (target.from === "substitution" || target.from === "input") {
      found.add(extreme(`ends processes that are known only when it runs: ${target.text}`));
    } else if (/^-\d/.test(target.value)) found.add(extreme("ends a whole group of processes"));
  }
  return true;
}

/** Options in front, then words that a shell reads as one text. */
function joined({ name, rest, read, found }: Use): boolean {
  found.useOptions(NO_PROGRAM, read);
  found.runsText = true;
  const begin = rest.findIndex((word) => word === read.operands[0]);
  const words = read.operands.length === 0 ? [] : rest.slice(begin);
  if (words.some(({ kind }) => kind !== "literal")) {
    found.opaque = true;
    found.add(extreme(`${name} runs text as code that is known only when it runs`));
    return true;
  }
  const values = words.map(({ value }) => value);
  for (const text of name === "watch" ? [values.join(" ")] : values) found.around.script(text);
  if (found.finding.class !== "safe") found.add(extreme(`${name} does it again and again`));
  return true;
}

function transfer({ name, read, found }: Use): boolean {
  const urls = [
    ...read.operands,
    ...read.effects.flatMap(({ option, value }) => option === "--url" && value ? [value] : []),
  ];
  const local = urls.length > 0 &&
    urls.every((url) => url.kind === "literal" && LOCAL_URL.test(url.value));
  for (const { effect, option, value } of read.effects) {
    if (typeof effect !== "string") {
      const sends = /sends data/.test(effect.why) && local && !/^@|=@/.test(value?.value ?? "");
      found.add(sends ? sensitive(`network: sends data to this machine: ${option}`) : effect);
    } else if (value) {
      found.use(effect, value);
      if (/^(-X|--request)$/.test(option) && !/^(GET|HEAD|OPTIONS)$/i.test(value.value) && !local) {
        found.add(extreme(`network: sends data to another machine: ${value.text}`));
      }
      if (value.kind === "dynamic" && effect === "text" && isSecretive(value, found)) {
        found.add(extreme(`network: sends what is known only when it runs: ${value.text}`));
      }
    }
  }
  found.add(sensitive(`${name} fetches over the network`));
  for (const url of urls) {
    if (url.kind === "dynamic" && isSecretive(url, found)) {
      found.add(extreme(`network: sends what is known only when it runs: ${url.text}`));
    }
    const file = /^file:\/\/(.*)$/i.exec(url.value)?.[1];
    if (file !== undefined) found.use("read", literalWord(file));
    if (
      /^(dict|gopher|ldap|smtp|telnet|tftp|ftp|scp|sftp|rtsp|mqtt|imap|pop3)s?:/i.test(url.value)
    ) {
      found.add(extreme(`network: speaks another protocol: ${url.text}`));
    }
    if (/^(POST|PUT|PATCH|DELETE)$/i.test(url.value)) {
      found.add(extreme("network: sends data to another machine"));
    }
    if (/^[\w-]+(:?=|@)[^/]/.test(url.value) && /^(http|https|xh|httpie)$/.test(name)) {
      found.add(extreme(`network: sends data to another machine: ${url.text}`));
    }
  }
  return true;
}

/** Text that may hold what a file or a program said. */
function isSecretive(word: ShellWord, found: Case): boolean {
  if (word.from !== "variable") return true;
  const names = [...word.value.matchAll(/\$\{?([A-Za-z_]\w*)/g)].map((match) => match[1]!);
  return names.length === 0 ||
    names.some((name) =>
      found.around.unknown.has(name) || /key|token|secret|pass|cred/i.test(name)
    );
}

/** `make NAME=VALUE`: the value stands in recipes, which a shell reads. */
function judgeMake(_program: Program, { read, found }: Use): boolean {
  for (const word of read.operands) {
    const [, name, value] = /^([\w.]+)[:?+]?=(.*)$/s.exec(word.value) ?? [];
    if (name === undefined || value === undefined) continue;
    if (/^(\.?SHELL(FLAGS)?|MAKE(FLAGS|FILES)?|GNUMAKEFLAGS)$/.test(name)) {
      found.add(extreme(`sets ${name}, which changes what make runs`));
    } else if (word.kind !== "dynamic" && !/^[\w./:+=,@% -]*$/.test(value)) {
      found.use("code", word);
    }
  }
  for (const { option, value } of read.effects) {
    if (/^(-f|--file|--makefile)$/.test(option) && /^(-|\/dev\/.*)$/.test(value?.value ?? "")) {
      found.add(extreme("runs rules from its standard input"));
    }
  }
  return false;
}

function cloud(program: Program, { name, read, found }: Use): boolean {
  if (program.subcommands) return false;
  found.useOptions(program, read);
  found.add({ class: program.class, why: `${name} ${program.why}` });
  const verb = name === "aws" ? read.operands[1] : undefined;
  const looks = verb && AWS_LOOKS.test(verb.value) &&
    !/secret|password|token|parameter/.test(verb.value);
  const changes = verb && !looks ? verb : read.operands.slice(0, 4).find((
    { kind, value },
  ) => kind !== "literal" || CLOUD_CHANGES.test(value));
  if (changes) found.add(extreme(`changes what is in a cloud: ${name} ${changes.text}`));
  return true;
}

/** `export`, `declare`, `let`, `unset` and their like. */
function assign({ name, rest, found }: Use): boolean {
  if (onlyShows(name, rest)) return true;
  for (const word of rest) {
    const variable = /^([A-Za-z_]\w*)\+?=?/.exec(word.prefix)?.[1];
    if (/^-/.test(word.prefix)) {
      if (/^-[A-Za-z]*[nif]/.test(word.prefix) && /^(declare|typeset|local)$/.test(name)) {
        found.add(extreme(`changes how a variable is read: ${name} ${word.text}`));
      }
    } else if (!variable) {
      found.add(
        word.kind === "literal" && name !== "let"
          ? sensitive(`changes ${word.text}`)
          : extreme(`changes a variable that is known only when it runs: ${word.text}`),
      );
    } else if (hijacks(variable, { ...word, value: word.value.slice(variable.length + 1) })) {
      found.add(extreme(`sets ${variable}, which changes what programs do`));
    } else if (
      /^[A-Za-z_]\w*\[/.test(word.value) ||
      (name === "let" && (word.kind !== "literal" || mentionsUnknown(word.value, found)))
    ) {
      found.add(extreme(`evaluates text as arithmetic: ${word.text}`));
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

function mentionsUnknown(text: string, { around }: Case): boolean {
  return [...text.matchAll(/[A-Za-z_]\w*/g)].some(([name]) => around.unknown.has(name));
}

/** `read NAME`, `mapfile NAME`, `printf -v NAME`, `getopts OPTIONS NAME`, `test -v NAME`. */
function fill({ name, rest, read, found }: Use): boolean {
  const valued = read.effects.flatMap(({ option, value }) =>
    /^-[avR]$/.test(option) && value ? [value] : []
  );
  const asks = name === "test" || name === "[";
  const names = asks || name === "printf"
    ? valued
    : name === "getopts"
    ? read.operands.slice(1, 2)
    : [...read.operands, ...valued];
  for (const word of names) {
    if (word.kind !== "literal" || !/^([A-Za-z_]\w*|\])$/.test(word.value)) {
      found.add(extreme(`uses a variable that is known only when it runs: ${word.text}`));
    } else if (!asks && hijacks(word.value)) {
      found.add(extreme(`sets ${word.value}, which changes what programs do`));
    }
  }
  const loose = asks &&
    rest.find((word) => !word.text.startsWith('"') && found.mayBecomeOption(word));
  if (loose) found.add(sensitive(`tests what is known only when it runs: ${loose.text}`));
  // Only the first word of printf can be an option.
  if (name === "printf" && rest[0] && found.mayBecomeOption(rest[0])) {
    found.add(sensitive(`prints by a format that is known only when it runs: ${rest[0].text}`));
  }
  if (read.effects.some(({ effect }) => effect === "code")) {
    found.add(extreme(`${name} runs text as code`));
  }
  return true;
}

function changeDirectory({ name, read, found }: Use): boolean {
  const [target] = read.operands;
  if (name === "popd" || !target || target.value === "-") {
    found.add(sensitive(`${name} leaves for another directory`));
  } else {
    found.use("read", target);
  }
  return true;
}

function database({ name, read, found }: Use): boolean {
  found.add(sensitive(`${name} uses a database`));
  found.useOptions(NO_PROGRAM, read);
  const texts = [
    ...read.operands,
    ...read.effects.flatMap(({ effect, value }) => effect === "text" && value ? [value] : []),
  ];
  for (const text of texts) {
    if (text.kind === "dynamic") {
      found.add(extreme(`gives a database what is known only when it runs: ${text.text}`));
    } else found.add(judgeSql(text.value));
  }
  // redis-cli and its like take the statement as words.
  found.add(judgeSql(read.operands.map(({ value }) => value).join(" ")));
  const { input } = found.around;
  if (input?.kind === "text") found.add(judgeSql(input.text));
  else if (input) found.add(extreme("gives a database statements from its standard input"));
  const [file] = read.operands;
  if (file && /^(sqlite3|duckdb|sqlcipher|litecli)$/.test(name) && file.value !== ":memory:") {
    found.use("write", file);
  }
  return true;
}
