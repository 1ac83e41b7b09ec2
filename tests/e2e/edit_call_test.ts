/**
 * Edit, at a terminal: the editor has the keyboard while it runs, what comes of it is
 * judged and shown again before it runs, and the model learns what was run. An editor that takes the screen
 * needs tmux.
 */
import assert from "node:assert/strict";
import { writeProgram } from "../../scripts/program_file.ts";
import type { TerminalSession } from "../support/terminal_session.ts";
import { hasTmux } from "../support/tmux.ts";
import { join } from "node:path";
import { startInTerminal, startInTmux } from "../support/ally_terminal.ts";
import { type Place, stage } from "../support/program.ts";

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: !hasTmux(), fn });
}

const RUN = { calls: [{ name: "bash", arguments: { command: "make all" } }] };
const WRITE = {
  calls: [{ name: "write", arguments: { file_path: "a.txt", content: "one\ntwo\n" } }],
};

/** An editor that is a shell script; `$1` is the file. */
async function scriptedEditor(place: Place, body: string): Promise<Record<string, string>> {
  const path = join(place.home, "..", "editor");
  await writeProgram(path, `#!/bin/sh\n${body}\n`);
  return { VISUAL: path };
}

async function ask(session: TerminalSession): Promise<void> {
  await session.shows(/›$/);
  await session.keys("-l", "go");
  await session.keys("Enter");
  await session.shows(/❯ Deny/);
}

async function results(place: Place): Promise<string[]> {
  const lines = await place.session();
  return lines.map((line) => line as { role?: string; content?: string })
    .filter((line) => line.role === "tool" || JSON.stringify(line).includes('"tool"'))
    .map((line) => JSON.stringify(line));
}

Deno.test("an edited command is shown and asked about again, and the model learns what ran", async () => {
  await using at = await stage([RUN, { text: "So it is." }]);
  const env = await scriptedEditor(at.place, "echo 'touch edited; echo ran-it' > \"$1\"");
  await using session = startInTerminal(at.place, { env });
  await ask(session);
  await session.keys("e");
  await session.shows(/\$ touch edited; echo ran-it[^]*❯ Deny/);
  await session.keys("a");
  await session.shows(/So it is\./);
  assert.equal(await at.place.read("edited"), "");
  const said = at.server.requests[1]!.text;
  assert.match(said, /ran-it/);
  assert.match(said, /The user edited the command before it ran\. What ran: touch edited/);
  assert.ok((await results(at.place)).some((line) => line.includes("The user edited")));
});

Deno.test("a command edited into something graver is asked about as what it is now", async () => {
  await using at = await stage([RUN, { text: "Fine." }]);
  const env = await scriptedEditor(at.place, "echo 'rm -rf keep' > \"$1\"");
  await at.place.write("keep", "kept");
  await using session = startInTerminal(at.place, { env });
  await ask(session);
  await session.keys("e");
  const screen = await session.shows(/Extremely sensitive[^]*❯ Deny/);
  assert.equal(screen.split("Extremely sensitive")[1]!.includes("Always"), false);
  await session.keys("Enter");
  await session.shows(/Stopped: a call was denied/);
  assert.equal(await at.place.read("keep"), "kept");
});

Deno.test("edited content is what is written, and can be undone", async () => {
  await using at = await stage([WRITE, { text: "Written." }]);
  const env = await scriptedEditor(at.place, 'echo three >> "$1"');
  await using session = startInTerminal(at.place, { env });
  await ask(session);
  await session.keys("e");
  await session.shows(/3 \+ three[^]*❯ Deny/);
  await session.keys("a");
  await session.shows(/Written\.[^]*›$/);
  assert.equal(await at.place.read("a.txt"), "one\ntwo\nthree\n");
  assert.match(at.server.requests[1]!.text, /The user edited the content[^]*\+three/);
  await session.keys("-l", "/undo");
  await session.keys("Enter");
  await session.shows(/deletes a\.txt[^]*❯ No/);
});

Deno.test("an editor that fails or changes nothing leads back to the question", async () => {
  for (
    const [body, words] of [["exit 3", /ended\s+with\s+code\s+3/], [
      "true",
      /Nothing was edited/,
    ]] as const
  ) {
    await using at = await stage([RUN, { text: "Fine." }]);
    await using session = startInTerminal(at.place, {
      env: await scriptedEditor(at.place, body),
    });
    await ask(session);
    await session.keys("e");
    await session.shows(words);
    await session.shows(new RegExp(`${words.source}[^]*❯ Deny`));
    await session.keys("Enter");
    await session.shows(/Stopped: a call was denied/);
  }
});

Deno.test("arguments that a person breaks are refused by the schema, and asked about as they were", async () => {
  await using at = await stage([
    { calls: [{ name: "format", arguments: { file_paths: ["a.ts"] } }] },
    { text: "Fine." },
  ]);
  await at.place.write("a.ts", "let  a = 1\n");
  await at.place.write("deno.json", "{}\n");
  const env = await scriptedEditor(at.place, 'echo "no JSON" > "$1"');
  await using session = startInTerminal(at.place, { env });
  await ask(session);
  await session.keys("e");
  await session.shows(
    /The edited call cannot run: The arguments are not valid[^]*\$ deno fmt[^]*❯ Deny/,
  );
  await session.keys("Enter");
  await session.shows(/Stopped: a call was denied/);
  assert.equal(await at.place.read("a.ts"), "let  a = 1\n");
});

test("a full-screen editor has every key, Ctrl+C too, and ally the terminal after it", async () => {
  await using at = await stage([RUN, { text: "So it is." }]);
  await using session = await startInTmux(at.place, { env: { EDITOR: "vi" } });
  await ask(session);
  await session.keys("e");
  await session.shows(/make all[^]*command\.sh/);
  await session.keys("C-c");
  await session.shows(/Type +:qa/);
  await session.keys("-l", "ccecho from-vi");
  await session.shows(/echo from-vi/);
  await session.keys("Escape");
  await session.keys("-l", ":wq");
  await session.keys("Enter");
  await session.shows(/\$ echo from-vi[^]*So it is\./);
});

Deno.test("without an editor the command is edited at the prompt", async () => {
  await using at = await stage([RUN, { text: "So it is." }]);
  await using session = startInTerminal(at.place, { env: { EDITOR: "", VISUAL: "" } });
  await ask(session);
  await session.keys("e");
  await session.shows(/Enter takes it[^]*› make all$/);
  await session.keys("C-u");
  await session.keys("-l", "touch by-hand");
  await session.keys("Enter");
  await session.shows(/\$ touch by-hand[^]*❯ Deny/);
  await session.keys("a");
  await session.shows(/So it is\./);
  assert.equal(await at.place.read("by-hand"), "");
});

test("of several editors in a row each gets its first key, and the prompt the keys after them", async () => {
  await using at = await stage([]);
  // It takes one key, as it comes, and adds it to the message.
  const body = `old=$(stty -g); stty -icanon -echo min 1; count=$(wc -c <"$1")
echo "editor with $count"; key=$(dd bs=1 count=1 2>/dev/null)
stty "$old"; printf '%s' "$key" >>"$1"`;
  const env = await scriptedEditor(at.place, body);
  await using session = await startInTmux(at.place, { env });
  await session.shows(/›$/);
  let message = "";
  for (const key of ["a", "b", "c"]) {
    await session.keys("C-g");
    await session.shows(new RegExp(`editor with +${message.length}`));
    await session.keys(key);
    message += key;
    await session.shows(new RegExp(`› ${message}$`));
  }
  await session.keys("-l", "d");
  await session.shows(/› abcd$/);
});
