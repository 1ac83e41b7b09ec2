import assert from "node:assert/strict";
import { keyboardAdvice, wantsTerminal } from "../../src/shell/keyboard_use.ts";

const advised: readonly (readonly [command: string, advice: RegExp])[] = [
  ["vim a.txt", /edit or write tool/],
  ["cd x && nano a", /edit or write tool/],
  ["top", /top -b -n 1/],
  ["watch ls", /once/],
  ["tail -f log", /run_in_background/],
  ["journalctl -u x -f", /run_in_background/],
  ["docker logs -f x", /run_in_background/],
  ["npm login", /credentials/],
  ["gh auth login", /credentials/],
  ["git commit", /-m/],
  ["git add . && git commit --amend", /-m/],
  ["git rebase -i HEAD~2", /-i and -p/],
  ["git add -p", /-i and -p/],
  ["npm init", /--yes/],
  ["npm create vite", /--yes/],
  ["npx create-next-app x", /--yes/],
  ["apt-get install jq", /-y/],
  ["pip uninstall x", /-y/],
];

/** Without a terminal they end, and say why. */
const ending = [
  "less a.txt",
  "ssh host",
  "sftp host",
  "psql -U me db",
  "mysql -u root",
  "sqlite3 a.db",
  "redis-cli",
  "python3",
  "node -i",
  "python -c 'name = input()'",
  "ruby -e 'x = gets'",
  "gdb ./a.out",
  "python3 -m pdb a.py",
  "read answer",
  "sudo ls",
  "passwd",
  "docker run -it x sh",
  "kubectl exec -ti pod -- sh",
  "crontab -e",
  "ssh-keygen -t ed25519",
  "terraform apply",
  "rm -i a",
  "fzf",
];

for (const [command, advice] of advised) {
  Deno.test(`${JSON.stringify(command)} would wait for a person, and gets advice`, () => {
    assert.match(keyboardAdvice(command) ?? "", advice);
  });
}

const plain = [
  "ls",
  "grep -n 'vim|less' a.txt",
  "echo 'done; read the log'",
  "git commit -m 'vim; less'",
  "git commit -am x",
  "git commit --amend --no-edit",
  "python3 a.py",
  "python3 -c 'print(1)'",
  "node -e 'console.log(1)'",
  "echo x | python3",
  "psql -c 'select 1'",
  "psql < a.sql",
  "sqlite3 a.db 'select 1'",
  "sqlite3 a.db < a.sql",
  "redis-cli get x",
  "cat a | while read line; do echo $line; done",
  "read x < a",
  "read x <<< a",
  "ssh -o BatchMode=yes host uptime",
  "sudo -n ls",
  "npm init -y",
  "npm test",
  "apt-get install -y jq",
  "docker run --rm x",
  "docker build -t x .",
  "tail -n 5 a",
  "rm -f a",
  "top -b -n 1",
  "vim -es a",
  "emacs --batch a",
];

for (const command of ending) {
  Deno.test(`${JSON.stringify(command)} ends by itself where nobody is there, and needs no advice`, () => {
    assert.equal(keyboardAdvice(command), undefined);
  });
}

for (const command of plain) {
  Deno.test(`${JSON.stringify(command)} waits for nobody`, () => {
    assert.equal(keyboardAdvice(command), undefined);
  });
}

Deno.test("a person's command gets the terminal if it waits for a keyboard or pages what it prints", () => {
  const others = ["man ls", "cd sub && man ls", "tmux attach"];
  for (const command of [...advised.map(([command]) => command), ...ending, ...others]) {
    assert.ok(wantsTerminal(command), command);
  }
  for (const command of [...plain, "git log", "echo man"]) {
    assert.ok(!wantsTerminal(command), command);
  }
});
