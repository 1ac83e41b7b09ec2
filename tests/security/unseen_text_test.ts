/**
 * What cannot be seen in a command makes it extremely sensitive, whichever of Unicode's many characters for it is used:
 * a question must show what runs.
 */
import assert from "node:assert/strict";
import { makePlace, runAlly } from "../support/program.ts";

const FAR = 60;

/** Commands that look like others. */
const COMMANDS: Readonly<Record<string, string>> = {
  "a variation selector": "git push origin main\ufe00",
  "code in variation selectors": "python3 -c \"exec(decode('\u{e0172}\u{e013d}\u{e0120}'))\"",
  "selectors behind an emoji": "echo '\u{1f600}\u{e0172}\u{e013d}'",
  "an invisible mark of music": "rm bui\u{1d173}ld",
  "a blank braille pattern": "rm build\u2800",
  "a zero-width space": "rm bui\u200bld",
  "a right-to-left override": "rm \u202edliub",
  "ideographic blanks before more": `ls${"\u3000".repeat(FAR)}; rm build`,
  "no-break blanks before more": `ls ${"\u00a0".repeat(FAR)}; rm build`,
};

Deno.test("no command hides what a person cannot see", async () => {
  await using place = await makePlace();
  for (const [what, command] of Object.entries(COMMANDS)) {
    const { stdout } = await runAlly(place, { args: ["permissions", "explain", command] });
    assert.match(stdout, /^Class +extreme/m, `${what}: ${stdout}`);
    assert.doesNotMatch(stdout, /[\ufe00\u2800\u200b\u202e]|[\u{1d173}\u{e0100}-\u{e01ef}]/u, what);
  }
});
