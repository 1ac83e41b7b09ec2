/**
 * Words of commands that have the user's keys: which of them name variables and options by which a program obeys what
 * commands may have written.
 */
import assert from "node:assert/strict";
import { findObeyedWords } from "../../src/sandbox/obeyed_words.ts";

const PLACES = {
  isWritable: (path: string) => path.startsWith("/work"),
  cwds: ["/work"],
  env: { PATH: "/bin", EXPORTED: "1" },
  home: "/home/u",
};

const find = (script: string) => findObeyedWords(["bash", "--norc", "-c", script], PLACES);

for (
  const script of [
    "'git' 'fetch'",
    "LANG='C' GIT_TERMINAL_PROMPT='0' 'git' 'fetch'",
    "'env' 'CI=1' 'git' 'push'",
    "'export' 'CI=''1'; 'git' 'push'",
    "B=$( 'git' 'branch' '--show-current' ); 'git' 'push' '-u' 'origin' ${B}",
    "B='a b' && 'git' 'push' 'origin' \"${B}\"",
    "for b in 'a' 'b'; do 'git' 'push' 'origin' ${b}; done",
    "'gh' 'pr' 'create' '--title' 'DEBUG=1 is new' '--body' 'Set X=1 and Y=2; done'",
    "'gh' 'pr' 'create' '--title' 'Fix export of users in env' '--body' 'sh -c x; A=1 b'",
    "'gh' 'pr' 'create' '--body-file' './body.md'",
    "'gh' 'pr' 'create' '--body' \"$( 'cat' << 'EOF'\nIt's (a) `b`; X=1 y\nEOF\n)\"",
    "'gh' 'pr' 'create' '--body-file' '-' << 'EOF'\nIt's X=1 y\nEOF\n",
    "'ssh' '-i' '~/.ssh/k' '-p' '22' 'host'",
    "'ssh' '-4vT' '-oBatchMode=yes' 'user@host' 'grep -F x ./config'",
    "'ssh' 'host' 'X=1 make -S'",
    "'ssh' '-F' '/dev/null' '-i' '~/.ssh/k' 'host'",
    "'ssh' '-F' '~/.ssh/work' 'host'",
    "for h in 'a' 'b'; do 'ssh' ${h} 'uptime' 2>&1; done",
    "H='user@host' && 'scp' './x' \"${H}:/tmp\"",
    "'ssh' 'host' > 'log' 2>&1",
    "'git' 'push' 'local' 'main'",
    "git fetch # it's X=1 y",
    "'printf' '%s' 'EXPORTED'; 'git' 'fetch'",
    "for p in 'a' 'b'; do 'kubectl' 'logs' ${p}; done",
    "'kubectl' 'logs' 'pod/'\"${X}\"",
    "'kubectl' 'get' 'pods' '-o' 'jsonpath={.items[*]}'",
    "'docker' 'build' '-t' 'app:'\"$( 'git' 'rev-parse' 'HEAD' )\" '.'",
    "'scp' './'*'.txt' 'host:'",
    "'gh' 'pr' 'view' ${X}",
    "echo $'a'; git push",
    "'ssh' '-o' 'StrictHostKeyChecking=no' '-o' 'ConnectTimeout 5' 'host' 'id'",
    "'scp' '-r' '-P' '22' './file' 'host:'",
    "'aws' '--profile' 'prod' 's3' 'ls'",
    "'kubectl' '--kubeconfig' '/home/u/.kube/other' 'get' 'pods'",
    "'kubectl' '--kubeconfig' '~/.kube/other' 'get' 'pods'",
  ]
) {
  Deno.test(`nothing is obeyed beside keys in ${script}`, () => assert.deepEqual(find(script), []));
}

for (
  const [script, what] of [
    ["SSLKEYLOGFILE='./k' 'git' 'fetch'", "the variable SSLKEYLOGFILE"],
    ["LANG='C' NETRC=./n 'git' 'fetch'", "the variable NETRC"],
    ["'env' '-' 'X=a b' 'git' 'fetch'", "the variable X"],
    ["'timeout' '5' 'env' 'X=1' 'git' 'fetch'", "the variable X"],
    ["'export' 'X=''1' && 'git' 'fetch'", "the variable X"],
    ["X='1'; 'git' 'fetch'; 'export' 'X'; 'git' 'fetch'", "the variable X"],
    ["'read' '-r' 'X' <<< '1'; 'export' 'X'; 'git' 'fetch'", "the variable X"],
    ["'declare' '-x' 'X=''1'; 'git' 'fetch'", "the variable X"],
    ["'set' '-a'; X='1'; 'git' 'fetch'", "the variable X"],
    ["EXPORTED='2'; 'git' 'fetch'", "the variable EXPORTED"],
    ["f() { X='1' 'git' 'fetch'; }; 'f'", "the variable X"],
    ["'bash' '-c' 'X='\\''1'\\'' '\\''git'\\'' '\\''fetch'\\'''", "the variable X"],
    ["function f { X[0]=1 git fetch; }", "the variable X"],
    ["if ! X=1 git fetch; then :; fi", "the variable X"],
    ["env $'X=1' git fetch", "the variable X"],
    ["coproc X=1 git fetch", "the variable X"],
    ["X=a\\;b git fetch", "the variable X"],
    ['X="$(echo "a;b")" git fetch', "the variable X"],
    ["X=$(a)b git fetch", "the variable X"],
    ["'cat' << EOF\n$(X=1 git fetch)\nEOF", "the variable X"],
    ["A=$(X='1' 'git' 'fetch')", "the variable X"],
    ["'echo' \"$( X='1' 'git' 'fetch' )\"", "the variable X"],
    ["'echo' \"", "words that cannot be told apart"],
    ["'ssh' '-F' './config' 'host'", "ssh -F ./config"],
    ["'ssh' '-F./config' 'host'", "ssh -F./config"],
    ["'ssh' '-F' '/work/config' 'host'", "ssh -F /work/config"],
    ["'ssh' '-F' '~/../../work/config' 'host'", "ssh -F ~/../../work/config"],
    ["'ssh' '-vF' './config' 'host'", "ssh -vF"],
    ["'ssh' 'host' '-F' './config'", "ssh -F ./config"],
    ["'ssh' '-o' 'ProxyCommand=./x %h' 'host'", "ssh -o ProxyCommand=./x %h"],
    ["'ssh' '-oKnownHostsCommand=./x' 'host'", "ssh -oKnownHostsCommand=./x"],
    ["'ssh' '-o' 'PKCS11Provider ./x' 'host'", "ssh -o PKCS11Provider ./x"],
    ["'ssh' '-I' './lib.so' 'host'", "ssh -I"],
    ["'ssh' ${X} 'host'", "ssh ${X}"],
    ["X='-F' && 'ssh' ${X} './config' 'host'", "ssh ${X}"],
    ["X='host -F ./config' && 'ssh' ${X}", "ssh ${X}"],
    ["'ssh' < 'in' 'host' '-F' './config'", "ssh -F ./config"],
    ["'ssh' 2>&1 '-F' './config' 'host'", "ssh -F ./config"],
    ["'ssh' &> 'log' '-F' './config' 'host'", "ssh -F ./config"],
    ["'ssh' <(id) '-F' './config' 'host'", "ssh -F ./config"],
    ["'timeout' '5' '/usr/bin/ssh' '-E' './log' 'host'", "ssh -E"],
    ["'sh' '-c' 'ssh -F ./config host'", "ssh -F ./config"],
    ["'scp' '-S' './x' 'a' 'host:'", "scp -S ./x"],
    ["'scp' 'a' 'host:' '-S' './x'", "scp -S ./x"],
    ["'scp' '-D' './x' 'a' 'host:'", "scp -D ./x"],
    ["'sftp' '-D' './x' 'host'", "sftp -D"],
    ["'sftp' '-b' './batch' 'host'", "sftp -b"],
    ["'kubectl' '--kubeconfig' './x' 'get' 'pods'", "--kubeconfig ./x"],
    ["'kubectl' '--kubeconfig=x' 'get' 'pods'", "--kubeconfig x"],
    ["'docker' '--config' './x' 'ps'", "--config ./x"],
    ["'gpg' '--homedir' './x' '-d' 'y'", "--homedir ./x"],
    ["'mysql' '--defaults-extra-file=./x'", "--defaults-extra-file ./x"],
    ["'rclone' '--config' \"${X}\" 'ls' 'r:'", "--config ${X}"],
    ["'read' 'EXPORTED' < 'f'; 'git' 'fetch'", "the variable EXPORTED"],
    ["'getopts' 'a' 'EXPORTED'; 'git' 'fetch'", "the variable EXPORTED"],
    ["'unset' 'EXPORTED'; 'git' 'fetch'", "the variable EXPORTED"],
    ["'printf' '-v' 'EXPORTED' 'x'; 'git' 'fetch'", "the variable EXPORTED"],
    ["for EXPORTED in 'a'; do 'git' 'fetch'; done", "the variable EXPORTED"],
    ["time -p X='1' 'git' 'fetch'", "the variable X"],
    ["a='X=1'; 'env' ${a} 'git' 'fetch'", "the variable ${a}"],
    ["'export' \"${a}\"; 'git' 'fetch'", "the variable ${a}"],
    ["'ssh' {-F,./config} 'host'", "ssh {-F,./config}"],
    ["'scp' *'.txt' 'host:'", "scp *.txt"],
    ["'docker' {--config,./x} 'ps'", "docker {--config,./x}"],
    ["a='--config ./x'; 'docker' ${a} 'ps'", "docker ${a}"],
    ["'kubectl' 'logs' 'pod/'${X}", "kubectl pod/${X}"],
    ["'gpg' '--homed' './x' '-d' 'y'", "--homed ./x"],
    ["'s3cmd' '-c./x' 'ls'", "-c./x"],
  ] as const
) {
  Deno.test(`beside keys ${script} obeys ${what}`, () =>
    assert.deepEqual(find(script).map((one) => one.slice(0, what.length)), [what]));
}
