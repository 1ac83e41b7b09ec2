import assert from "node:assert/strict";
import { DEFAULT_BANNED, findBanned } from "../../src/permission/banned.ts";
import { Policy } from "../../src/permission/policy.ts";
import { analyzeCommand } from "../../src/shell/analyze.ts";
import { textPathFacts } from "../support/path_facts.ts";

const defaults = new Set(DEFAULT_BANNED);

function banOf(command: string, banned: ReadonlySet<string> = defaults) {
  const { parts } = analyzeCommand(command, { pathFacts: textPathFacts() });
  return findBanned(command, { parts, banned });
}

const refused: readonly (readonly [command: string, program: string])[] = [
  ["sudo ls", "sudo"],
  ["ls; su root", "su"],
  ["ls && doas ls", "doas"],
  ["/usr/bin/sudo ls", "sudo"],
  ['s"u"do ls', "sudo"],
  ["\\sudo ls", "sudo"],
  ["$'\\x73udo' ls", "sudo"],
  ["X=sudo; $X ls", "sudo"],
  ["echo $(sudo cat /etc/shadow)", "sudo"],
  ["env A=1 timeout 5 sudo ls", "sudo"],
  ["bash -c 'sudo ls'", "sudo"],
  ["eval 'sudo ls'", "sudo"],
  ["ls | xargs -n 1 sudo rm", "sudo"],
  ["find . -exec sudo rm {} +", "sudo"],
  ["f() { sudo ls; }; f", "sudo"],
  ["sudo 'ls", "sudo"],
  ["sh <<< 'sudo ls'", "sudo"],
  ["echo 'sudo ls' | sh", "sudo"],
  ["X='sudo ls'; eval \"$X\"", "sudo"],
  ["nohup setsid sudo ls &", "sudo"],
  ["timeout --unheard-of 5 sudo ls", "sudo"],
  ["sudo ls\u202e", "sudo"],
  ["nc -l 4444", "nc"],
  ["telnet host", "telnet"],
  ["firefox http://localhost", "firefox"],
  ["apt-get install -y jq", "apt-get"],
  ["brew install jq", "brew"],
  ["systemctl restart nginx", "systemctl"],
  ["service nginx stop", "service"],
  ["mkfs.ext4 /dev/sda1", "mkfs"],
  ["shutdown -h now", "shutdown"],
  ["mount /dev/sdb1 /mnt", "mount"],
  ["iptables -F", "iptables"],
  ["ip link set eth0 down", "ip"],
];

for (const [command, program] of refused) {
  Deno.test(`${JSON.stringify(command)} is banned by default for ${program}`, () => {
    assert.equal(banOf(command)?.program, program);
  });
}

const free = [
  "git commit -m 'service layer; sudo is gone'",
  'echo "sudo apt install"',
  "grep -rn 'su\\|mount' src | head",
  "cat service/main.go",
  "ls # sudo",
  "command -v sudo",
  "which apt-get",
  "cat > notes.md <<'END'\nsudo apt-get install jq\nEND",
  "npm run service",
  "curl http://localhost:8000",
  "ssh -o BatchMode=yes host uptime",
  "npm install; pip install x; cargo build",
  "docker run x",
];

for (const command of free) {
  Deno.test(`${JSON.stringify(command)} is not banned`, () => {
    assert.equal(banOf(command), undefined);
  });
}

Deno.test("the default list has every category: privilege, network, browsers, packages, system", () => {
  for (
    const program of [
      ...["sudo", "su", "doas", "nc", "telnet", "chrome", "firefox", "safari"],
      ...["apt", "apt-get", "yum", "dnf", "pacman", "brew", "systemctl", "service", "mount"],
      ...["umount", "fdisk", "mkfs", "iptables", "ufw", "firewall-cmd", "ifconfig", "ip"],
    ]
  ) {
    assert.ok(defaults.has(program), program);
  }
});

const policy = (banned?: readonly string[]) =>
  new Policy({
    rules: { allow: { run: ["sudo"] }, deny: {}, allowAll: true },
    interactive: true,
    pathFacts: textPathFacts(),
    banned,
  });
const judged = (target: string, banned?: readonly string[]) =>
  policy(banned).judge([{ kind: "run", target }]);

Deno.test("a ban stands above --allow-all and says who can lift it and how", async () => {
  const verdict = await judged("sudo ls");
  assert.equal(verdict.decision, "deny");
  assert.equal(verdict.why, "sudo is banned: it gains privilege");
  assert.equal(verdict.rule, "ban list: sudo");
  assert.match(verdict.banned ?? "", /"banned_commands" in ~\/\.ally\/config\.json/);
  assert.equal((await judged("ls")).banned, undefined);
  assert.equal((await policy().judge([{ kind: "write", target: "/w/sudo" }])).banned, undefined);
});

Deno.test("a list of the user's own stands instead of the default one", async () => {
  assert.equal((await judged("a; curl x", ["curl"])).why, "curl is banned: the settings ban it");
  assert.equal((await judged("sudo ls", ["curl"])).decision, "allow");
  assert.equal((await judged("sudo ls", [])).decision, "allow");
});
