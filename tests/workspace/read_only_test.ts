import assert from "node:assert/strict";
import { isReadOnly } from "../../src/workspace/read_only.ts";

for (
  const command of [
    "ls -la src",
    "cat 'a file.txt' | grep -n \"x y\" | wc -l",
    "git status --short && git diff HEAD~1 -- src",
    "cd src; pwd",
    "rg -n --glob '*.ts' export . 2>/dev/null",
    "find . -name '*.ts' -type f 2>&1",
    "echo done",
    "sort -u names.txt",
  ]
) {
  Deno.test(`isReadOnly() knows that ${command} leaves all files as they are`, () => {
    assert.equal(isReadOnly(command), true);
  });
}

for (
  const command of [
    "",
    "rm a",
    "echo x > a",
    "cat a >> b",
    "ls & rm a",
    "ls\nrm a",
    "echo $(rm a)",
    'echo "$(rm a)"',
    "echo `rm a`",
    "git checkout .",
    "git diff --output=a",
    "git -c core.pager=x log",
    "find . -name x -delete",
    "find . -exec rm {} +",
    "sort -o a a",
    "rg --pre ./script x",
    "tree -o a",
    "FOO=1 ls",
    "tee a",
    "sed -i s/a/b/ a",
    "cat <(rm a)",
    "./ls",
  ]
) {
  Deno.test(`isReadOnly() does not take ${JSON.stringify(command)} for one that only looks`, () => {
    assert.equal(isReadOnly(command), false);
  });
}
