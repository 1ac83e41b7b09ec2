import assert from "node:assert/strict";
import { keyboardAdvice, wantsTerminal } from "../../src/shell/keyboard_use.ts";
import { listInvocations } from "../../src/shell/analyze.ts";

const waiting: readonly (readonly [command: string, advice: RegExp])[] = [
  ["vim a.txt", /edit or write tool/],
  ["cd x && nano a", /edit or write tool/],
  ["less a.txt", /cat, head or sed/],
  ["top", /top -b -n 1/],
  ["watch ls", /once/],
  ["tail -f log", /run_in_background/],
  ["journalctl -u x -f", /run_in_background/],
  ["docker logs -f x", /run_in_background/],
  ["ssh host", /BatchMode/],
  ["sftp host", /BatchMode/],
  ["psql -U me db", /statement/],
  ["mysql -u root", /statement/],
  ["sqlite3 a.db", /statement/],
  ["redis-cli", /statement/],
  ["python3", /Name a script/],
  ["node -i", /Name a script/],
  ["python -c 'name = input()'", /keyboard/],
  ["ruby -e 'x = gets'", /keyboard/],
  ["gdb ./a.out", /batch mode/],
  ["python3 -m pdb a.py", /debugging by hand/],
  ["read answer", /Feed it/],
  ["sudo ls", /sudo -n/],
  ["passwd", /asks nothing/],
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
  ["docker run -it x sh", /-i and -t/],
  ["kubectl exec -ti pod -- sh", /-i and -t/],
  ["crontab -e", /Write a file/],
  ["ssh-keygen -t ed25519", /-N ''/],
  ["terraform apply", /-auto-approve/],
  ["rm -i a", /Leave out -i/],
  ["fzf", /needs a terminal/],
];

for (const [command, advice] of waiting) {
  Deno.test(`${JSON.stringify(command)} would wait for a person, and gets advice`, () => {
    assert.match(keyboardAdvice(listInvocations(command) ?? []) ?? "", advice);
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

for (const command of plain) {
  Deno.test(`${JSON.stringify(command)} waits for nobody`, () => {
    assert.equal(keyboardAdvice(listInvocations(command) ?? []), undefined);
  });
}

Deno.test("a person's command gets the terminal if it waits for a keyboard or pages what it prints", () => {
  const wants = (command: string) => wantsTerminal(listInvocations(command) ?? []);
  for (const [command] of waiting) assert.ok(wants(command), command);
  for (const command of ["man ls", "cd sub && man ls", "tmux attach"]) {
    assert.ok(wants(command), command);
  }
  for (const command of [...plain, "git log", "echo man"]) assert.ok(!wants(command), command);
});
