/**
 * Makes shell scripts that run a program in a hidden way: a way to spell it, inside wrappers and syntax,
 * one in another. The same seed makes the same scripts.
 */
import { randomNumbers } from "./random.ts";

/** A script, and the program that it may start. */
export interface Generated {
  readonly script: string;
  readonly target: string;
}

type Pick = <T>(from: readonly T[]) => T;

/**
 * Programs that stand in for all others: each is a recorder on PATH. None is extreme by itself, so that a
 * script is run unless the way it hides one is.
 */
export const TARGETS = ["frobnicate", "make", "git", "npm", "curl", "touch"] as const;

const SPELLINGS: readonly ((name: string, pick: Pick) => string)[] = [
  (name) => name,
  (name) => `'${name}'`,
  (name) => `"${name}"`,
  (name) => `\\${name}`,
  (name) => `${name[0]}''${name.slice(1)}`,
  (name) => `${name[0]}""${name.slice(1)}`,
  (name) => `${name[0]}\\${name.slice(1)}`,
  (name) => `$'${name}'`,
  (name) => `$'\\x${name.charCodeAt(0).toString(16)}'${name.slice(1)}`,
  (name) => `$'\\${name.charCodeAt(0).toString(8)}${name.slice(1)}'`,
  (name) => `$"${name}"`,
  (name) => `${name[0]}$'${name.slice(1)}'`,
  (name) => `${name[0]}\\\n${name.slice(1)}`,
  (name) => `\${none:-${name}}`,
  (name) => `$(echo ${name})`,
  (name) => `\`echo ${name}\``,
  (name) => `${name[0]}$empty${name.slice(1)}`,
  (name) => `${name[0]}{${name.slice(1)},}`,
];

/** Each takes a command and gives a script that runs it, or may. */
const CONTEXTS: readonly ((inner: string) => string)[] = [
  (c) => c,
  (c) => `A=1 ${c}`,
  (c) => `! ${c}`,
  (c) => `time ${c}`,
  (c) => `time -p ${c}`,
  (c) => `>/dev/null ${c}`,
  (c) => `2>&1 ${c} </dev/null`,
  (c) => `true; ${c}`,
  (c) => `true && ${c}`,
  (c) => `false || ${c}`,
  (c) => `true | ${c}`,
  (c) => `${c} | true`,
  (c) => `true |& ${c}`,
  (c) => `${c} & wait`,
  (c) => `(${c})`,
  (c) => `{ ${c}; }`,
  (c) => `{ ${c}\n}`,
  (c) => `if ${c}; then :; fi`,
  (c) => `if true; then ${c}; fi`,
  (c) => `if false; then :; elif true; then ${c}; fi`,
  (c) => `if false; then :; else ${c}; fi`,
  (c) => `for i in 1; do ${c}; done`,
  (c) => `for ((i=0;i<1;i++)); do ${c}; done`,
  (c) => `while ${c}; false; do :; done`,
  (c) => `until ${c}; true; do :; done`,
  (c) => `case x in x) ${c};; esac`,
  (c) => `case x in (y) :;; (*) ${c} ;& z) :;; esac`,
  (c) => `case $(${c}) in *) :;; esac`,
  (c) => `f() { ${c}; }; f`,
  (c) => `function f { ${c}; }; f`,
  (c) => `f() (${c}); f`,
  (c) => `echo $(${c})`,
  (c) => `echo "$(${c})"`,
  (c) => `echo "a $(echo "$(${c})") b"`,
  (c) => `echo \${none:-$(${c})}`,
  (c) => `echo "\${none:=$(${c})}"`,
  (c) => `echo \${none:+x}\${HOME/$(${c})/}`,
  (c) => `echo $((1 + $(${c}; echo 1)))`,
  (c) => `(( $(${c}; echo 1) ))`,
  (c) => `x=$(${c})`,
  (c) => `a=(1 $(${c}))`,
  (c) => `a[$(${c}; echo 0)]=1`,
  (c) => `[[ -n $(${c}) ]]`,
  (c) => `[[ a = a && $(${c}) == x ]]`,
  (c) => `test -n "$(${c})"`,
  (c) => `cat <(${c})`,
  (c) => `echo x > >(${c})`,
  (c) => `echo x >/dev/null$(${c})`,
  (c) => `cat <<E\n$(${c})\nE`,
  (c) => `cat <<-E\n\t$(${c})\n\tE`,
  (c) => `cat <<<"$(${c})"`,
  (c) => `export X=$(${c})`,
  (c) => `local_x=1; echo \${local_x:$(${c}; echo 0)}`,
  (c) => `for i in $(${c}); do :; done`,
  (c) => `# a comment\n${c}`,
  (c) => `echo a # \n${c}`,
  (c) => `true\\\n&& ${c}`,
  (c) => `coproc { ${c}; }; wait`,
  // Single quotes that quote nothing.
  (c) => `echo $(( '$(${c})' ))`,
  (c) => `(( x = '$(${c})' ))`,
  (c) => `for ((i='$(${c})';i<1;i++)); do :; done`,
  (c) => `x=abc; echo \${x:'$(${c})'}`,
  (c) => `a['$(${c})']=1`,
  (c) => `a=(['$(${c})']=1)`,
  (c) => `cat <<E\n\${none:-'$(${c})'}\nE`,
  (c) => `echo "\${none:-$'$(${c})'}"`,
  // What bash takes for arithmetic, a test, a redirection and a text, a plain shell runs.
  (c) => `((${c}))`,
  (c) => `[[ a && ${c} ]]`,
  (c) => `echo &>/dev/null ${c}`,
  (c) => `: $'\\'; ${c}; : \\''`,
];

/** Programs that run the rest of their words. */
const WRAPPERS: readonly string[] = [
  "env",
  'env -i PATH="$PATH"',
  "env A=1 B=2",
  "env -u X",
  "env --",
  "nohup",
  "timeout 5",
  "timeout -k 1 -s KILL 5",
  "timeout --signal=KILL 5",
  "nice",
  "nice -n 3",
  "nice -3",
  "setsid -w",
  "stdbuf -oL",
  "stdbuf -o L -eL",
  "command",
  "command -p --",
  "exec",
  "exec -a x",
  "xargs </dev/null",
  "echo y | xargs -n 1",
  "echo y | xargs -I{}",
  "echo y | xargs -0 -P2 -n1",
  "find . -maxdepth 0 -exec",
  "env nice -n 2 timeout 5",
  "builtin command",
];

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Ways to run a whole script given as text. */
const TEXTS: readonly ((script: string) => string)[] = [
  (s) => `bash -c ${quoted(s)}`,
  (s) => `sh -c ${quoted(s)}`,
  (s) => `bash -ec ${quoted(s)}`,
  (s) => `bash --norc -c -- ${quoted(s)}`,
  (s) => `bash -o pipefail -c ${quoted(s)} x`,
  (s) => `eval ${quoted(s)}`,
  (s) => `bash <<'E'\n${s}\nE`,
  (s) => `bash <<< ${quoted(s)}`,
  (s) => `echo ${quoted(s)} | bash`,
  (s) => `env bash -c ${quoted(s)}`,
  (s) => `x=${quoted(s)}; eval "$x"`,
  (s) => `x=${quoted(s)}; bash -c "$x"`,
  (s) => `trap ${quoted(s)} EXIT`,
  (s) => `. /dev/stdin <<< ${quoted(s)}`,
  (s) => `source <(echo ${quoted(s)})`,
  (s) => `x='a[$(${s.replaceAll("'", "")})]'; echo $((x))`,
];

/** Makes scripts from a seed. */
export function* generateScripts(seed: number, count: number): Generator<Generated> {
  const random = randomNumbers(seed);
  const pick: Pick = (from) => from[Math.floor(random() * from.length)]!;
  for (let made = 0; made < count; made++) {
    const target = pick(TARGETS);
    let script = `${pick(SPELLINGS)(target, pick)} ${pick(["a", "-v a", "'a b'", "", "a.b c"])}`;
    if (random() < 0.5) script = wrapped(pick(WRAPPERS), script);
    const layers = Math.floor(random() * 4);
    for (let layer = 0; layer < layers; layer++) {
      script = random() < 0.2 ? pick(TEXTS)(script) : pick(CONTEXTS)(script);
    }
    yield { script, target };
  }
}

function wrapped(wrapper: string, command: string): string {
  if (wrapper.endsWith("-exec")) return `${wrapper} ${command} \\;`;
  if (wrapper === "xargs </dev/null") return `xargs ${command} </dev/null`;
  return `${wrapper} ${command}`;
}

/** Pieces of bash that are read differently by their neighbours. */
const ATOMS: readonly string[] = [
  ..."$ ` ' \" \\ ( ) { } [ ] < > | & ; ! # ~ = + * ? , : / - @ % ^ 0 1 a x".split(" "),
  " ",
  " ",
  "\n",
  "\\\n",
  ..."$( $(( )) ${ ${a $' $\" << <<- <<< <( >( >| && || ;; |& &> 2>&1 [[ ]] (( a= a=( a+=( a[ x=1 {a, {1..2}"
    .split(
      " ",
    ),
  ..."if then fi for in do done while case esac function time coproc let declare eval".split(" "),
  ..."echo true : read printf test E E\n \\x67 \\x{67}".split(" "),
];

/** Makes random texts of such pieces, each with a program somewhere in it. */
export function* generateRandomTexts(seed: number, count: number): Generator<Generated> {
  const random = randomNumbers(seed);
  const pick: Pick = (from) => from[Math.floor(random() * from.length)]!;
  for (let made = 0; made < count; made++) {
    const target = pick(TARGETS);
    const pieces = Array.from({ length: 1 + Math.floor(random() * 12) }, () => pick(ATOMS));
    const call = pick([` ${target} a `, `$(${target} a)`, `\`${target} a\``, `\n${target} a\n`]);
    pieces.splice(Math.floor(random() * (pieces.length + 1)), 0, call);
    yield {
      script: pick(["", "echo ", "let y=", "a=("]) + pieces.join(pick(["", "", " "])),
      target,
    };
  }
}
