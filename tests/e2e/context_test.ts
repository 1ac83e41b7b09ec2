/** The model's window, through the whole program; runs that fill it again and again are in `tests/slow`. */
import assert from "node:assert/strict";
import { makePlace, runAlly, stage } from "../support/program.ts";
import {
  assertAllFit,
  cat,
  eventsOf,
  files,
  noticesOf,
  SIZE,
  words,
} from "../support/window_runs.ts";
import { startWindowServer } from "../support/window_server.ts";

Deno.test("a prompt that is larger than the window is refused without a request", async () => {
  await using server = await startWindowServer({ answer: () => ({ text: "Hello." }) });
  await using place = await makePlace({ endpoint: server.url });
  const args = ["-p", "--output-format", "json", ...SIZE];
  const { code, stdout } = await runAlly(place, { args, input: words(1, 5000) });
  assert.equal(code, 5);
  const result = JSON.parse(stdout);
  assert.equal(result.reason, "context");
  assert.match(result.error, /The prompt has about \d+ tokens, and the window has room for \d+\./);
  assert.equal(server.seen.length, 0);
  const next = await runAlly(place, { args: ["-p", "-c", ...SIZE, "Hi"] });
  assert.equal(next.stdout.trim(), "Hello.");
});

Deno.test("a window in which no prompt has room is told as too small, not the prompt as too long", async () => {
  await using at = await stage([]);
  const args = ["-p", "--context-size", "1024", "Hi"];
  const { code, stderr } = await runAlly(at.place, { args });
  assert.equal(code, 5);
  assert.match(stderr, /The window of 1024 tokens is too small: instructions and tools alone take/);
  assert.doesNotMatch(stderr, /Put the text in a file/);
});

Deno.test("a result that had to be cut is whole in a file, which the model reads without a question", async () => {
  let path = "";
  await using server = await startWindowServer({
    answer: ({ messages }, index) => {
      const { content } = messages.at(-1)!;
      if (index === 0) return { calls: [cat(0)] };
      path ||= /All of it is in (\S+result-\w+\.txt)/.exec(content)?.[1] ?? "";
      if (index === 1) {
        const input = { file_paths: [path], offset: 300, limit: 5 };
        return { calls: [{ name: "read", arguments: input }] };
      }
      return { text: content.includes("of 299") ? "Found it." : `Not in: ${content}` };
    },
  });
  await using place = await makePlace({ endpoint: server.url, files: files(1, 500) });
  const { code, stdout, stderr } = await runAlly(place, {
    args: ["-p", "--allow-run=cat", ...SIZE, "Look."],
  });
  assert.equal(code, 0, stderr);
  assert.equal(stdout.trim(), "Found it.");
  assert.equal(await Deno.readTextFile(path), words(0, 500));
  assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
});

Deno.test("a window that fills while calls still wait is told before they run", async () => {
  await using server = await startWindowServer({
    answer: (_seen, index) =>
      index === 0 ? { calls: Array.from({ length: 30 }, (_, at) => cat(at)) } : { text: "Seen." },
  });
  await using place = await makePlace({ endpoint: server.url, files: files(30, 110) });
  const args = ["-p", "-A", "--output-format", "stream-json", "--context-size", "8192", "look"];
  const finished = await runAlly(place, { args });
  assert.equal(finished.code, 0, finished.stderr);
  const all = eventsOf(finished);
  const told = all.findIndex((event) =>
    event.type === "notice" && /^Context at 9\d% with \d+ calls? still to end\.$/.test(event.text)
  );
  assert.ok(told > 0, noticesOf(finished).join("\n"));
  assert.ok(all.slice(told).some(({ type }) => type === "tool_end"));
  assertAllFit(server.seen, 8192);
});
