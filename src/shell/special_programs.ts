/**
 * What programs do that no row can say: addresses that may carry secrets, and what is done with every file found.
 */
import type { CommandAnalysis, SortedInvocation } from "./command_analysis.ts";
import { judgeRead } from "./paths.ts";
import { extreme, held } from "./program.ts";
import { literalWord, type ShellWord } from "./words.ts";

/** Of curl's patterns in front of an address nobody knows what they stand for. */
const PROTOCOLS =
  /^(\w*[{[][^:/]*:\/|(dict|gopher|ldap|smtp|telnet|tftp|ftp|scp|sftp|rtsp|mqtt|imap|pop3)s?:)/i;
const SECRET_NAME = /key|token|secret|pass|cred/i;
const LOCAL_URL = /^(https?:\/\/)?(localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)(:\d+)?([/?#]|$)/i;

/** What is sent to another machine as an address or a header. */
export function judgeSent(use: SortedInvocation, texts: readonly ShellWord[]): void {
  const { args, analysis } = use;
  const saves = args.effects.some(({ effect, value }) =>
    effect === "saves" || (effect === "write" && /#\d/.test(value?.value ?? ""))
  );
  for (const word of texts) {
    // It may hold what a file or a program said.
    const names = [...word.value.matchAll(/\$\{?([A-Za-z_]\w*)/g)].map((match) => match[1]!);
    const isSecretive = names.length === 0 ||
      names.some((name) => analysis.context.uncertain.has(name) || SECRET_NAME.test(name));
    if (word.kind === "dynamic" && isSecretive) {
      analysis.add(extreme(`network: sends what is only known at run time: ${word.text}`));
    }
    if (/^file:/i.test(word.value)) analysis.addWord("read", word);
    if (saves && args.operands.includes(word)) judgeSaved(word, analysis);
    if (/^(\w+)?@\S/.test(word.value) && !args.operands.includes(word)) {
      analysis.add(extreme(`network: sends or shows what a file holds: ${word.text}`));
    }
    if (PROTOCOLS.test(word.value)) {
      analysis.add(extreme(`network: speaks another protocol: ${word.text}`));
    }
  }
  const method = args.effects.find(({ option }) => /^(-X|--request)$/.test(option))?.value;
  if (method && !/^(GET|HEAD|OPTIONS)$/i.test(method.value) && !staysHere(use)) {
    analysis.add(extreme(`network: sends data to another machine: ${method.text}`));
  }
}

/** What gets the last part of its address for a name, or what a pattern there stands for. */
function judgeSaved({ kind, value }: ShellWord, analysis: CommandAnalysis): void {
  if (kind !== "literal" || analysis.isHeld) return;
  const path = value.replace(/[?#][^]*/, "");
  if (/[{[]/.test(path)) analysis.add(held(`writes what only its address names: ${value}`));
  else analysis.addWord("write", literalWord(path.slice(path.lastIndexOf("/") + 1)));
}

/** Whether all addresses are those of this machine, and what is sent stands in the words. */
export function staysHere({ args: { operands, effects } }: SortedInvocation): boolean {
  return operands.length > 0 &&
    operands.every(({ kind, value }) => kind === "literal" && LOCAL_URL.test(value)) &&
    effects.every(({ value }) => value === undefined || !/^@|=@/.test(value.value));
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
    const acts = finding.risk === "sensitive" && isInside ? held : extreme;
    analysis.add({ ...finding, ...acts(`acts on every file found: ${finding.why}`) });
  }
}
