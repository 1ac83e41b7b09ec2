import assert from "node:assert/strict";
import { analyzeCommand } from "../../src/shell/analyze.ts";
import { textPathFacts } from "../support/path_facts.ts";

const rendered = (text: string, posix = false) =>
  analyzeCommand(text, { pathFacts: { ...textPathFacts(), posix }, sandboxed: true }).rendering;

Deno.test("the canonical text puts every literal word into single quotes", () => {
  const expected = {
    "ls -la src": "'ls' '-la' 'src'",
    "echo a\\ b 'c d' \"e\"f ''": "'echo' 'a b' 'c d' 'ef' ''",
    "echo it\\'s": "'echo' 'it'\\''s'",
    "ls; pwd && date || id": "'ls'; 'pwd' && 'date' || 'id'",
    "ls | wc -l > n.txt 2>&1": "'ls' | 'wc' '-l' > 'n.txt' 2>&1",
    "ls &\nwait": "'ls' & 'wait'",
    "cat *.ts a[0-9]?": "'cat' *'.ts' 'a'[0-9]?",
    "cat ~/a ~": "'cat' ~/'a' ~",
    'x=a; echo $x "$x" ${x%.*}': "x='a'; 'echo' ${x} \"${x}\" ${x%.*}",
    "echo $(date) `date`": "'echo' $( 'date' ) $( 'date' )",
    "(( i++ < 3 && (n += 2) ))": "(( (((i ++) < 3) && (n += 2)) ))",
    "for ((i=0;i<2;i++)); do ls; done": "for (( (i = 0); (i < 2); (i ++) )); do 'ls'; done",
    "echo $((1 + 2 * 3))": "'echo' $(( (1 + (2 * 3)) ))",
    "diff <(sort a) b": "'diff' <( 'sort' 'a' ) 'b'",
    "cat {a,b}.txt {1..3}": "'cat' {a,b}'.txt' {1..3}",
    "printf $'a\\tb'": "'printf' 'a\tb'",
    "cat <<'E'\na $x\nE": "'cat' <<< 'a $x'",
    'cat <<E\nit\'s $x\n"$(ls)"\nE': "'cat' <<< 'it'\\''s '\"${x}\"'\n\"'\"$( 'ls' )\"'\"'",
    "(cd src; ls)": "( 'cd' 'src'; 'ls' )",
    "{ ls; } > a": "{ 'ls'; } > 'a'",
    "! grep -q x a": "! 'grep' '-q' 'x' 'a'",
    "if [ -f a ]; then ls; else pwd; fi": "if '[' '-f' 'a' ']'; then 'ls'; else 'pwd'; fi",
    'for f in *.ts; do wc "$f"; done': "for f in *'.ts'; do 'wc' \"${f}\"; done",
    "while read -r l; do echo $l; done < a": "while 'read' '-r' 'l'; do 'echo' ${l}; done < 'a'",
    "case $x in a|b*) ls;; esac": "case ${x} in ('a'|'b'*) 'ls' ;; esac",
    "[[ -d src && $x == a* ]]": "[[ -d 'src' && ${x} == 'a'* ]]",
    "[[ $x =~ ^v[0-9]+.*$ ]]": "[[ ${x} =~ ^v[0-9]+.*$ ]]",
    "# nothing": "",
  };
  for (const [text, canonical] of Object.entries(expected)) {
    assert.deepEqual(rendered(text), { text: canonical }, text);
  }
});

Deno.test("there is no canonical text of what bash evaluates, or may read otherwise than the parser", () => {
  for (
    const text of [
      "let y=($(CMD))",
      "let y+=(`CMD`)",
      "a=($(CMD))x",
      "a=()`CMD`",
      "$'\\x{72}m' -rf",
      'cat {a,"/etc"}/passwd',
      "cat {a,\\/etc/passwd}",
      "cat {a,b}{c,d}",
      "cat {Z..a}'x'",
      "cat ~root/a",
      "dd of=~/a",
      "a=(1 2)",
      "a[0]=1",
      "echo ${a[0]}",
      "echo ${!x}",
      "echo ${x@P}",
      "echo ${x:=a}",
      "(( $(cat a) ))",
      "(( a[0]++ ))",
      "(( PATH = 1 ))",
      "i=$(cat a); (( i++ ))",
      "for ((i=0;i<$(cat a);i++)); do ls; done",
      "[[ a -eq 1 ]]",
      "[[ -v x ]]",
      "[ -v x ]",
      "x=$(cat a); [ $x ]",
      'x=$(cat a); printf "$x"',
      '[ {-v,} "$x" ]',
      "[ '-'[v] \"$x\" ]",
      'printf -[v] "$x"',
      "x=$(cat a); echo $((x))",
      "x=y; y=$(cat a); echo $((x))",
      "echo $(( $(cat a) ))",
      "printf -v x a",
      "read 'a[0]'",
      "declare -i x=1",
      "declare -n x=y",
      "RANDOM=a",
      'echo $"a"',
      "eval ls",
      "trap ls EXIT",
      "command printf -v x y",
      "builtin let x",
      "$x a",
      "ls > *.txt",
      "exec {fd}> a",
      "echo $_",
      'echo "${_#x}"',
      'echo "$BASH_REMATCH"',
      "printf 'a%n' PATH",
      "printf -- 'a%-3ln' PATH",
      'printf "$x" PATH',
      "jobs -l",
      "jobs {-x,ls}",
      'history "$x"',
      "ulimit $x",
      'shopt "$x"',
      "dirs *",
      "getopts a PATH",
      "readarray PATH",
      "mapfile -tPATH < a",
      "read -aIFS < a",
      "unset HOME",
      "export 'GIT_EDITOR=x'",
      "test \"${x:--v}\" 'a[0]'",
      '[ "$x" "$y" ]',
      '[ ! "$x" "$y" ]',
      '[ "(" "$x" ")" ]',
      '[ "$x" = a -o "$y" b ]',
      "[ -e * ]",
      "[ -f a -a {-v,x} ]",
      "cat <<E\n\\$x $y\nE",
      "cat <<-E\n\t$x\nE",
      "cat <<E\n$(cat <<E\n$(f a)\nE)\nE",
      "shopt -s extglob; ls !(a)",
      "ls )",
      "A=1 f() { ls; }; f",
      "2>&1 f() { ls; }; f",
      ">o \\\n f() { ls; }; f",
      "echo $(A=1 f() { ls; }; f)",
      "x=$(>a ! `echo make` b)",
      "x=$(<a time -p ls)",
      "x=$(>a if ls; then :; fi)",
      "x=$(>a { ls; })",
    ]
  ) {
    assert.ok("problem" in rendered(text), `${text}: ${JSON.stringify(rendered(text))}`);
  }
});

Deno.test("arithmetic has a canonical text of no variable but those that the script gives numbers", async () => {
  const { stdout } = await new Deno.Command("bash", {
    args: ["--noprofile", "--norc", "-c", "cd .; [[ a =~ a ]]; compgen -v; echo _"],
  }).output();
  const names = new Set(new TextDecoder().decode(stdout).trim().split("\n"));
  assert.ok(names.has("BASH_REMATCH") && names.has("OLDPWD") && names.has("_"));
  const evaluated = [...names].filter((name) =>
    [`(( ${name} ))`, `echo $(( $${name} + 1 ))`, `for ((; ${name} < 3;)); do ls; done`]
      .some((text) => "text" in rendered(text))
  );
  const numbers = "EPOCHSECONDS EUID LINENO PPID RANDOM SECONDS SRANDOM UID".split(" ");
  assert.deepEqual(evaluated.filter((name) => !numbers.includes(name)), []);
  for (
    const text of [
      "x=1; x=${_}; echo $((x))",
      "x=1; read -rax < a; (( x ))",
      "x=1; mapfile -tx < a; (( x ))",
      "bash -c '(( x ))'",
      "x=1; bash -c '(( x ))'",
    ]
  ) assert.ok("problem" in rendered(text), text);
  const counted = [
    "n=5; echo $((n * 2)) $(($n + 1)) $((${n} + 1)) $(( $# ))",
    "(( n = 3 )); (( n += n ))",
    "i=0; while (( i < 3 )); do i=$((i + 1)); done",
    "start=$((SECONDS)); echo $((SECONDS - start)) $((RANDOM % 6))",
  ];
  for (const text of counted) assert.ok("text" in rendered(text), text);
});

Deno.test("a test with values has a canonical text where none of them can be an operator", () => {
  for (
    const text of [
      '[ "$x" ]',
      '[ ! -f "$x" ]',
      '[ "$x" = "$y" ]',
      'test "$(cat a)" != b',
      "x=a; [ $x -lt 3 ]",
      "[ -f a -a -f b ]",
      'printf "a$x"; printf "%s\\n" "$x"; printf "100%% new" a',
      'set -- "$@"; kill "$!"; cd "$x" && exit "$y"',
      "while read -r my_path; do export my_path; done < a",
    ]
  ) assert.ok("text" in rendered(text), text);
});

Deno.test("there is no canonical text for a plain shell of what only bash knows", () => {
  for (
    const text of [
      "cat <<< a",
      "ls |& cat",
      "ls &> a",
      "[[ a ]]",
      "(( 1 < 2 ))",
      "echo $(( i++ ))",
      "echo {a,b}",
      "x+=a",
      "function f { ls; }",
    ]
  ) {
    assert.ok("problem" in rendered(text, true), text);
  }
  assert.deepEqual(rendered("ls | cat", true), { text: "'ls' | 'cat'" });
});

Deno.test("a script inside a script runs as it was rendered, or neither is", () => {
  assert.deepEqual(rendered("bash -c 'ls -l'"), {
    text: "'bash' '-c' ''\\''ls'\\'' '\\''-l'\\'''",
  });
  assert.deepEqual(rendered("env bash -c env bash"), {
    text: "'env' 'bash' '-c' ''\\''env'\\''' 'bash'",
  });
  for (
    const text of [
      "bash -c 'a=(1)'",
      "bash <<'E'\nls *\nE",
      'x=ls; bash -c "$x *"',
      "eval ls",
    ]
  ) assert.ok("problem" in rendered(text), text);
});

Deno.test("a script inside a script runs as written if there is but one way to read it", () => {
  assert.deepEqual(rendered("bash <<'E'\nls\npwd\nE"), { text: "'bash' <<< 'ls\npwd'" });
});

Deno.test("fewer than 3 % of the safe commands of the table have no canonical text", async () => {
  const table = await Deno.readTextFile(new URL("./class_table.txt", import.meta.url));
  const commands = [...table.matchAll(/^\[\w+ \/ safe\]\n([^]*?)\n(?=\[\w+ \/ |$)/gm)]
    .flatMap(([, section = ""]) => section.split("\n"));
  assert.ok(commands.length > 800);
  const without = commands.filter((text) => "problem" in rendered(text));
  assert.ok(without.length < commands.length / 33, without.join("\n"));
});
