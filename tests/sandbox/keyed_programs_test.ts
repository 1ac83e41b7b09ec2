/**
 * Forms of commands that have the user's keys: which are known to start no other program and to obey no other file.
 */
import assert from "node:assert/strict";
import { findUnknownForms, readWords } from "../../src/sandbox/obeyed_words.ts";

/** The programs that nobody named, and a script of theirs. */
type Row = readonly [program: string, script: string];

const find = ([program, script]: Row) =>
  findUnknownForms(readWords(["bash", "-c", script])!, [program]);

const KNOWN: readonly Row[] = [
  ["kubectl", "'kubectl' 'get' 'pods' '-n' 'web' '-o' 'wide'"],
  ["kubectl", "'kubectl' '-n' 'web' 'logs' '-f' 'pod' '--tail=10'"],
  ["kubectl", "'kubectl' 'apply' '-f' './k8s/'"],
  ["kubectl", "'timeout' '60' 'kubectl' 'exec' '-it' 'pod' '--' 'sh' '-c' 'x --server=y'"],
  ["kubectl", "for a in 'x' 'y'; do 'kubectl' 'rollout' 'status' \"deploy/${a}\"; done"],
  ["kubectl", "'kubectl' 'create' '-f' 'pod.yaml'"],
  ["kubectl", "'kubectl' 'create' 'namespace' 'web'"],
  ["helm", "'helm' 'upgrade' '--install' 'web' './chart' '-f' 'values.yaml' '--wait'"],
  ["docker", "'docker' 'run' '--rm' '-v' './x:/x' 'image' 'sh'"],
  ["docker", "'docker' 'build' '-t' 'app:1' '.'"],
  ["docker", "'docker' 'push' 'app:1'"],
  ["aws", "'aws' '--profile' 'x' 's3' 'ls'"],
  ["aws", "'aws' 'ec2' 'describe-instances' '--region=eu-west-1' '--output' 'json'"],
  ["gcloud", "'gcloud' 'compute' 'instances' 'list' '--project' 'x'"],
  ["az", "'az' 'vm' 'show' '-g' 'x' '-n' 'y'"],
  ["fly", "'fly' 'status' '-a' 'x'"],
  ["gh", "'gh' 'pr' 'create' '--title' 'x' '--body' '-F'"],
  ["gh", "'gh' 'api' \"repos/$( 'git' 'config' 'x' )\""],
  ["gh", "'gh' 'auth' 'status'"],
  ["psql", "'psql' '-h' 'db' '-U' 'me' 'shop' '-tAc' 'select 1'"],
  ["psql", "'psql' '-c' '\\dt public.*'"],
  ["psql", "'psql' '-l'"],
  ["ssh", "'ssh' 'host' 'uptime'"],
];

const UNKNOWN: readonly Row[] = [
  ["kubectl", "'kubectl' '--server' 'http://x' 'get' 'pods'"],
  ["kubectl", "'kubectl' '-s' 'http://x' 'get' 'pods'"],
  ["kubectl", "'kubectl' 'foo'"],
  ["kubectl", "'kubectl' 'edit' 'pod' 'x'"],
  ["kubectl", "'kubectl' 'create' 'foo'"],
  ["kubectl", "'kubectl' 'config' 'view' '--raw'"],
  ["kubectl", "'xargs' 'kubectl' 'get' < 'words'"],
  ["kubectl", "'find' '.' '-exec' 'kubectl' 'get' '{}' ';'"],
  ["kubectl", "'bash' '-c' \"${X}\""],
  ["helm", "'helm' 'template' 'x' './chart' '--post-renderer' './x'"],
  ["docker", "'docker' '-H' 'tcp://x' 'push' 'app'"],
  ["docker", "'docker' 'push' '-Htcp://x' 'app'"],
  ["docker", "'docker' 'build' '--ssh' 'default' '.'"],
  ["docker", "'docker' 'compose' 'up'"],
  ["podman", "'podman' 'ps'"],
  ["aws", "'aws' '--endpoint-url' 'http://x' 's3' 'ls'"],
  ["aws", "'aws' 'ssm' 'start-session' '--target' 'x'"],
  ["aws", "'aws' 'secretsmanager' 'get-secret-value'"],
  ["aws", "'aws' 'configure' 'list'"],
  ["gcloud", "'gcloud' 'compute' 'ssh' 'list'"],
  ["gcloud", "'gcloud' '--flags-file=./f' 'projects' 'list'"],
  ["az", "'az' 'account' 'get-access-token'"],
  ["fly", "'fly' 'ssh' 'console'"],
  ["netlify", "'netlify' 'dev'"],
  ["gh", "'gh' 'auth' 'token'"],
  ["gh", "'gh' 'config' 'get' 'oauth_token'"],
  ["gh", "'gh' 'auth' 'status' '--show-token'"],
  ["gh", "'gh' 'alias' 'set' 'x' '!./x'"],
  ["gh", "'gh' \"${X}\""],
  ["psql", "'psql' '-c' '\\! ./x'"],
  ["psql", "'psql' '-tAc' '\\copy t from program '\\''./x'\\'"],
  ["psql", "'psql' 'passfile=./x' '-l'"],
  ["psql", "'psql' '-d' 'host=db hostaddr=127.0.0.1' '-l'"],
  ["psql", "'psql' '-f' './x.sql'"],
  ["psql", "'psql' < './x.sql'"],
  ["mysql", "'mysql' '-e' 'select 1'"],
  ["terraform", "'terraform' 'plan'"],
  ["sftp", "'sftp' 'host' < 'commands'"],
  ["ssh-agent", "'ssh-agent' './x'"],
];

for (const row of KNOWN) {
  Deno.test(`a command keeps its keys though nobody named its program: ${row[1]}`, () => {
    assert.deepEqual(find(row), []);
  });
}

for (const row of UNKNOWN) {
  Deno.test(`a command gets keys only where its program is named: ${row[1]}`, () => {
    assert.match(find(row).join(), new RegExp(`--allow-run=${row[0]} names it`));
  });
}
