/**
 * `/context` and `/compact` as a person meets them.
 */
import assert from "node:assert/strict";
import { startInTerminal } from "../support/ally_terminal.ts";
import { makePlace } from "../support/program.ts";
import type { TerminalSession } from "../support/terminal_session.ts";
import { startWindowServer, SUMMARY } from "../support/window_server.ts";

const FILES = Object.fromEntries(
  Array.from({ length: 6 }, (_, file) => [`f${file}.txt`, `line of file ${file}\n`.repeat(40)]),
);

/** A program with a conversation of several calls behind it. */
async function withTalk(
  options: { columns: number; env?: Record<string, string>; hangs?: boolean },
  run: (
    session: TerminalSession,
    send: (text: string) => Promise<void>,
    server: Awaited<ReturnType<typeof startWindowServer>>,
  ) => Promise<void>,
): Promise<void> {
  await using server = await startWindowServer({
    answer: (_seen, index) =>
      index < 6
        ? { calls: [{ name: "read", arguments: { file_paths: [`f${index}.txt`] } }] }
        : { text: index === 6 ? "All six are read." : "Good." },
    summary: () => (options.hangs ? { stall: true } : { text: SUMMARY }),
  });
  await using place = await makePlace({ endpoint: server.url, files: FILES });
  await using session = startInTerminal(place, options);
  const send = async (text: string) => {
    await session.keys(text);
    await session.keys("Enter");
  };
  await session.shows(/^›/m);
  await send("Read all six files");
  await session.shows("All six are read.");
  await run(session, send, server);
}

Deno.test("/context shows the parts of the window, /compact makes room and can be taken back", () =>
  withTalk({ columns: 80 }, async (session, send, server) => {
    await send("/context");
    const table = await session.shows(/average: read \d+/);
    for (const part of ["system prompt", "tool definitions", "your messages", "free"]) {
      assert.ok(table.includes(part), table);
    }
    assert.match(table, /read +│? *6 /);
    await send("/compact the names of files");
    await session.shows(
      /Compacting \d+ messages\.\.\.[^]*Compacted \d+ messages: [\d,]+ -> [\d,]+ tokens/,
    );
    assert.match(server.seen.at(-1)!.messages.at(-1)!.content, /above all: the names of files/);
    await send("And now?");
    await session.shows("Good.");
    assert.match(server.seen.at(-1)!.messages[1]!.content, /SUMMARY_MARK/);
    await send("/compact undo");
    await session.shows(/The \d+ messages are back/);
    await send("And again?");
    await session.shows(/Good\.[^]*Good\./);
    assert.equal(server.seen.at(-1)!.messages[1]!.content, "Read all six files");
    assert.ok(server.seen.every(({ faults }) => faults.length === 0));
    await send("/compact undo");
    await session.shows("was not compacted");
  }));

Deno.test("Ctrl+C while a compaction is written leaves the conversation as it was", () =>
  withTalk(
    { columns: 40, env: { NO_COLOR: "1" }, hangs: true },
    async (session, send, server) => {
      await send("/compact");
      await session.shows(/Compacting[^]*\/compact… \d+s · Ctrl\+C to stop$/);
      await session.keys("Go on");
      await session.shows(/Ctrl\+C to stop\n› Go on$/);
      await session.keys("C-c");
      await session.shows(/Not compacted: interrupted[^]*› Go on$/);
      await session.keys("Enter");
      await session.shows("Good.");
      assert.equal(server.seen.at(-1)!.messages[1]!.content, "Read all six files");
    },
  ));
