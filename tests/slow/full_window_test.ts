/** Runs that fill the window again and again, through the whole program. */
import assert from "node:assert/strict";
import { resultText } from "../../src/core/message.ts";
import { makePlace, runAlly } from "../support/program.ts";
import {
  assertAllFit,
  cat,
  eventsOf,
  files,
  noticesOf,
  PROMPT,
  read,
  SIZE,
  userTexts,
} from "../support/window_runs.ts";
import { startWindowServer } from "../support/window_server.ts";

Deno.test("a run fills the window through all levels, is deduplicated and compacted, and goes on", async () => {
  await using server = await startWindowServer({
    answer: (_seen, index) => {
      if (index < 14) return { calls: [read(index % 4)] };
      // Several at once, so that the window fills in one step from below one level to another.
      if (index < 40) return { calls: [0, 1, 2].map((at) => cat((index * 3 + at) % 90)) };
      return { text: "All read." };
    },
  });
  await using place = await makePlace({ endpoint: server.url, files: files(90, 100) });
  const args = ["-p", "-A", "--output-format", "stream-json", ...SIZE, PROMPT];
  const finished = await runAlly(place, { args });
  assert.equal(finished.code, 0, finished.stderr);
  assertAllFit(server.seen);

  const events = eventsOf(finished);
  const levels = events.flatMap((event) => event.type === "context" ? [event.level] : []);
  assert.deepEqual(new Set(levels), new Set(["normal", "moderate", "aggressive", "critical"]));
  const told = events.flatMap((event) =>
    event.type === "message" && event.message.role === "tool" ? [resultText(event.message)] : []
  );
  for (const status of [/^\[Notice: 7\d% of/m, /^\[WARNING: (8|9)\d%/m, /^\[CRITICAL: 9\d%/m]) {
    assert.ok(told.some((content) => status.test(content)), String(status));
  }
  assert.ok(told.some((content) => /\[Result truncated due to high context usage\]/.test(content)));

  const notices = noticesOf(finished).join("\n");
  assert.match(notices, /Gave up \d+ results whose files were read or changed again/);
  assert.match(notices, /Compacting \d+ messages\.\.\./);
  assert.match(notices, /Compacted \d+ messages: [\d,]+ -> [\d,]+ tokens/);
  const last = server.seen.at(-1)!.messages;
  assert.ok(userTexts(last).includes("SUMMARY_MARK"));
  assert.ok(userTexts(last).includes(`> ${PROMPT}`));

  // What was sent stays as it was, except where room was made.
  const broken = server.seen.filter(({ messages }, index) => {
    const before = server.seen[index - 1]?.messages ?? [];
    return JSON.stringify(messages.slice(0, before.length)) !== JSON.stringify(before);
  });
  const changes = notices.match(/Gave up|Compacting|Compacted/g)?.length ?? 0;
  assert.ok(broken.length <= changes, `${broken.length} of ${changes}`);
});

Deno.test("a compacted session is resumed as it was left, and goes on", async () => {
  await using server = await startWindowServer({
    answer: (_seen, index) => index % 30 === 29 ? { text: "So far." } : { calls: [read(index)] },
  });
  await using place = await makePlace({ endpoint: server.url, files: files(60, 80) });
  const first = await runAlly(place, { args: ["-p", ...SIZE, PROMPT] });
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stderr, /Compacted \d+ messages/);
  const left = server.seen.at(-1)!.messages;
  const second = await runAlly(place, { args: ["-p", "-c", ...SIZE, "Go on."] });
  assert.equal(second.code, 0, second.stderr);
  const resumed = server.seen.find(({ messages }) => userTexts(messages).includes("Go on."))!;
  assert.deepEqual(resumed.messages.slice(0, left.length), left);
  assertAllFit(server.seen);
});

Deno.test("a run whose server reports no usage never exceeds the window either", async () => {
  const numbers = Object.fromEntries(
    Array.from({ length: 20 }, (_, file) => [
      `f${file}.txt`,
      Array.from({ length: 60 }, (_, line) => (file + 7) * (line + 3) * 7919 ** 3).join("\n"),
    ]),
  );
  await using server = await startWindowServer({
    reportsUsage: false,
    answer: (_seen, index) => index < 40 ? { calls: [read(index % 20)] } : { text: "Done." },
  });
  await using place = await makePlace({ endpoint: server.url, files: numbers });
  const finished = await runAlly(place, { args: ["-p", "--context-size", "8192", PROMPT] });
  assert.equal(finished.code, 0, finished.stderr);
  assertAllFit(server.seen, 8192);
  assert.ok(Math.max(...server.seen.map(({ tokens }) => tokens)) > 5000);
});

Deno.test("a run goes on where no summary can be had: what was done is listed", async () => {
  await using server = await startWindowServer({
    summary: () => ({ status: 400, text: "no" }),
    answer: (_seen, index) => index < 25 ? { calls: [read(index)] } : { text: "Done." },
  });
  await using place = await makePlace({ endpoint: server.url, files: files(30, 100) });
  const finished = await runAlly(place, { args: ["-p", ...SIZE, PROMPT] });
  assert.equal(finished.code, 0, finished.stderr);
  assert.match(finished.stderr, /No summary could be written/);
  assertAllFit(server.seen.filter(({ asksForSummary }) => !asksForSummary));
  const last = userTexts(server.seen.at(-1)!.messages);
  assert.match(last, /^- read \{"file_paths":\["f\d+\.txt"\]\}: done$/m);
  assert.match(last, /^- f\d+\.txt: read, [0-9a-f]{12}$/m);
  assert.ok(last.includes(`> ${PROMPT}`));
});
