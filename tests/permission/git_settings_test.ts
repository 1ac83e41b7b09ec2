/** The settings that a command's words name, for the sandbox to tell them from somebody else's. */
import assert from "node:assert/strict";
import { settingsIn } from "../../src/permission/git_settings.ts";

const ROWS: readonly (readonly [line: string, ...found: readonly string[]])[] = [
  ["git config user.name A", "user.name=A"],
  ["git -C sub --no-pager config --local core.editor vi", "core.editor=vi"],
  ["git config set core.editor vi", "core.editor=vi"],
  ["git config --type bool core.bare true", "core.bare=true"],
  ["git config --unset core.editor", "core.editor="],
  ["git config unset core.editor", "core.editor="],
  ["git config --unset-all core.editor x", "core.editor="],
  ["git config --add remote.o.fetch +refs/x:refs/y", "remote.o.fetch=+refs/x:refs/y"],
  ["git config user.name alias.x", "user.name=alias.x"],
  ["git config --list"],
  ["git remote rename a b", "remote.a.=rename a b", "remote.b.=rename a b"],
  ["git remote"],
  ["git checkout -b alias.x"],
  ["git branch --format config alias.x"],
  ["echo git config alias.x y"],
];

Deno.test("the words of git config and git remote name settings, and no others do", () => {
  for (const [line, ...found] of ROWS) {
    const argv = line.split(" ");
    const part = { argv, plain: true, opaque: false, programs: [argv[0]!] };
    const settings = settingsIn([part]).map(({ name, values }) => `${name}=${values.join(" ")}`);
    assert.deepEqual(settings, found, line);
    assert.deepEqual(settingsIn([{ ...part, plain: false }]), [], line);
  }
});
