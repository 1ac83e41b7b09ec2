/**
 * `@path` in the words of the command line and of a session, against the real program.
 */
import assert from "node:assert/strict";
import { STARTED, startInTerminal } from "../support/ally_terminal.ts";
import { runAlly, type Stage, stage } from "../support/program.ts";
import { unbroken } from "../support/terminal_session.ts";

const FILES = {
  "main.ts": "const one = 1;\nconst two = 2;\nconst three = 3;\n",
  "my notes.txt": "remember the milk\n",
  "other.ts": "export {};\n",
};

function words(at: Stage, request = 0): string {
  const messages = at.server.requests[request]!.body.messages as {
    role: string;
    content: string;
  }[];
  return messages.findLast(({ role }) => role === "user")!.content;
}

Deno.test("of a binary file the model gets the name alone, and the person reads so", async () => {
  await using at = await stage([{ text: "I see." }], { "a.bin": "a\0b\n" });
  const { stderr } = await runAlly(at.place, { args: ["-p", "what is @a.bin"] });
  assert.match(stderr, /attached a\.bin \(binary: the model gets its name alone\)/);
  assert.match(words(at), /\[Binary file - content not displayed\]$/);
});

Deno.test("a file named with @ is sent as read shows it, and may then be edited without another read", async () => {
  const edit = {
    file_path: "main.ts",
    old_string: "const two = 2;",
    new_string: "const two = 22;",
  };
  await using at = await stage([
    { calls: [{ name: "edit", arguments: edit }] },
    { text: "Changed." },
  ], FILES);
  const args = ["-p", "--allow-write", "make two larger in @main.ts, please; ask me@example.com"];
  const { code, stdout, stderr } = await runAlly(at.place, { args });
  assert.equal(code, 0, stderr);
  assert.equal(stdout.trim(), "Changed.");
  assert.match(words(at), /\[Attached: main\.ts\]\n=== main\.ts ===\n *1\tconst one = 1;/);
  assert.doesNotMatch(words(at), /Attached: .*example/);
  assert.match(stderr, /attached main\.ts \(3 lines\)/);
  assert.match(await at.place.read("main.ts"), /two = 22/);
});

Deno.test("names with blanks, lines, directories and patterns are attached; what is not there is text", async () => {
  await using at = await stage([{ text: "Seen." }], FILES);
  const prompt = '@"my notes.txt" @main.ts:2 @. @*.ts @nothing/here.ts @param';
  const { code, stderr } = await runAlly(at.place, { args: ["-p", prompt] });
  assert.equal(code, 0, stderr);
  const said = words(at);
  assert.match(said, /remember the milk/);
  assert.match(said, /\[Attached: main\.ts\]\n=== main\.ts ===\n *2\tconst two = 2;\n(?! *3\t)/);
  assert.match(said, /\[Attached: \.\][^]*other\.ts/);
  assert.match(said, /\[Attached: \*\.ts\][^]*export \{\};/);
  assert.match(stderr, /@nothing\/here\.ts names no file, so it is sent as text/);
  assert.doesNotMatch(stderr, /param/);
});

Deno.test("a question that ends with a name that is not there says so of the name", async () => {
  await using at = await stage([{ text: "Yes." }]);
  await using session = startInTerminal(at.place);
  await session.shows(STARTED);
  await session.keys("what is @nothere.ts?", "Enter");
  // One blank line above the notice, and one below it.
  await session.shows(
    /is @nothere\.ts\?\n\n· @nothere\.ts names no file, so it is sent as text\n\nYes\./,
  );
});

Deno.test("without a rule nothing outside of the workspace is attached, and nothing that is piped in attaches", async () => {
  await using at = await stage([{ text: "Seen." }], FILES);
  await at.place.write("../secret.txt", "the outside\n");
  const { stderr } = await runAlly(at.place, {
    args: ["-p", "look at @../secret.txt"],
    input: "and at @main.ts",
  });
  assert.match(stderr, /secret\.txt is not attached: Permission denied/);
  assert.match(words(at), /could not be attached/);
  assert.doesNotMatch(words(at), /the outside|const one/);
});

Deno.test("#words asks before it begins notes, shows what it adds, and tells the model", async () => {
  await using at = await stage([{ text: "Understood." }]);
  await using session = startInTerminal(at.place);
  await session.shows(/›$/);
  await session.keys("-l", "# use tabs");
  await session.keys("Enter");
  await session.shows(/There are no notes yet\. Begin[^]*❯ No/);
  await session.keys("y");
  await session.shows(/\+? *- use tabs[^]*Noted in ALLY\.md[^]*›$/);
  assert.equal(await at.place.read("ALLY.md"), "# Notes\n\n- use tabs\n");
  await session.keys("-l", "#and no semicolons");
  await session.keys("Enter");
  await session.shows(/\+- and no semicolons|\+ *- and no semicolons[^]*›$/);
  await session.shows(/›$/);
  assert.equal(await at.place.read("ALLY.md"), "# Notes\n\n- use tabs\n- and no semicolons\n");
  await session.keys("-l", "#12 is broken");
  await session.keys("Enter");
  await session.shows(/Understood\.[^]*›$/);
  assert.match(words(at), /#12 is broken[^]*The user has noted: use tabs/);
});

Deno.test("a focus is set, shown in the prompt, kept with the session and lifted", async () => {
  const call = (name: string) => ({
    calls: [{ name: "read", arguments: { file_paths: [name] } }],
  });
  await using at = await stage(
    [call("../main.ts"), { text: "Refused." }, call("main.ts"), { text: "Read." }],
    FILES,
  );
  await Deno.mkdir(`${at.place.dir}/sub`);
  const say = async (session: { keys(...keys: string[]): Promise<unknown> }, text: string) => {
    await session.keys("-l", text);
    await session.keys("Enter");
  };
  {
    await using session = startInTerminal(at.place, { columns: 60 });
    await session.shows(/›$/);
    await say(session, "/focus sub");
    await session.shows(/works in sub only[^]*sub ›$/);
    await say(session, "read above");
    await session.shows(/lies\s+outside\s+of\s+sub[^]*Refused\./);
    await session.shows(/sub ›$/);
    await say(session, "!pwd");
    await session.shows(unbroken("/work/sub"));
    await session.shows(/sub ›$/);
    await say(session, "/exit");
    await session.shows(/left 0/);
  }
  await using session = startInTerminal(at.place, { args: ["--continue"] });
  await session.shows(/sub ›$/);
  await say(session, "/defocus");
  await session.shows(/whole workspace again[^]*\n› *$/);
  await say(session, "read it");
  await session.shows(/Read\.[^]*›$/);
  assert.match(words(at, 2), /lifted the limit/);
});

Deno.test("a file outside of the workspace is asked about, and attached if it is allowed", async () => {
  for (
    const [key, wanted] of [["a", /\[Attached: .*secret\.txt\][^]*the outside/], [
      "d",
      /could not be attached: The user denied/,
    ]] as const
  ) {
    await using at = await stage([{ text: "Seen." }], FILES);
    await at.place.write("../secret.txt", "the outside\n");
    await using session = startInTerminal(at.place);
    await session.shows(/›$/);
    await session.keys("-l", "look at @../secret.txt");
    await session.keys("Enter");
    await session.shows(/Allow read\?[^]*❯ Deny/);
    await session.keys("-l", key);
    await session.shows(/Seen\.[^]*›$/);
    assert.match(words(at), wanted);
  }
});
