/**
 * Images and PDFs, from the words of a person and from the tools of the model to the request of the server.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { startFakeLlama } from "../support/fake_llama.ts";
import { makePdf, makePng, TINY_GIF, TINY_JPEG, TINY_WEBP } from "../support/images.ts";
import { calling, lastResult, mcpStage } from "../support/mcp_place.ts";
import { makePlace, type Place, runAlly, stage } from "../support/program.ts";
import type { RecordedRequest } from "../../src/modes/demo/scripted_server.ts";

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly image_url?: { readonly url: string };
}

const SHOT = makePng({ width: 40, height: 30 });

const put = (place: Place, name: string, bytes: Uint8Array) =>
  Deno.writeFile(join(place.dir, name), bytes);

/** The parts of the last message of the user's. */
function lastParts({ body }: RecordedRequest): Part[] {
  const messages = body.messages as { role: string; content: string | Part[] }[];
  const { content = "" } = messages.findLast(({ role }) => role === "user") ?? {};
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** The data URLs among them. */
function urlsIn(request: RecordedRequest): string[] {
  return lastParts(request).flatMap(({ image_url: image }) => image?.url ?? []);
}

const wordsIn = (request: RecordedRequest) => lastParts(request)[0]?.text ?? "";

Deno.test("images named with @ go with the words as they are, and are kept once with the session", async () => {
  await using at = await stage([{ text: "Seen." }, { text: "Again." }]);
  const files = { "a.png": SHOT, "b.gif": TINY_GIF, "c.webp": TINY_WEBP, "d.jpg": TINY_JPEG };
  for (const [name, bytes] of Object.entries(files)) await put(at.place, name, bytes);
  const names = Object.keys(files).map((name) => `@${name}`).join(" ");
  const first = await runAlly(at.place, { args: ["-p", `what are ${names}?`] });
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stderr, /attached a\.png \(PNG image, 40x30, 516 B\)/);
  const urls = urlsIn(at.server.requests[0]!);
  assert.deepEqual(urls.map((url) => url.split(";")[0]), [
    "data:image/png",
    "data:image/gif",
    "data:image/webp",
    "data:image/jpeg",
  ]);
  assert.equal(urls[0], `data:image/png;base64,${SHOT.toBase64()}`);
  const saved = JSON.stringify(await at.place.session());
  assert.ok(!saved.includes("base64") && saved.includes('"name":"a.png"'), saved);
  const second = await runAlly(at.place, { args: ["-p", "--continue", "and now?"] });
  assert.equal(second.code, 0, second.stderr);
  const [before, after] = at.server.requests.map(({ body }) => body.messages as unknown[]);
  assert.deepEqual(after!.slice(0, before!.length), before);
});

Deno.test("the model sees an image that it reads, behind all results of the reply", async () => {
  const read = (name: string) => ({ name: "read", arguments: { file_paths: [name] } });
  await using at = await stage([{ calls: [read("a.png"), read("b.txt")] }, { text: "Seen." }], {
    "b.txt": "words\n",
  });
  await put(at.place, "a.png", SHOT);
  const { code, stderr } = await runAlly(at.place, { args: ["-p", "look"] });
  assert.equal(code, 0, stderr);
  const messages = at.server.requests[1]!.body.messages as { role: string; content: string }[];
  assert.deepEqual(messages.slice(2).map(({ role }) => role), [
    "assistant",
    "tool",
    "tool",
    "user",
  ]);
  assert.match(messages[3]!.content, /=== a\.png ===\n\[PNG image, 40x30/);
  assert.equal(wordsIn(at.server.requests[1]!), "[Images of the results above: a.png]");
  assert.equal(urlsIn(at.server.requests[1]!).length, 1);
});

Deno.test("a large image is made smaller before it is sent", async () => {
  await using at = await stage([{ text: "Seen." }]);
  await put(at.place, "wide.png", makePng({ width: 2000, height: 100 }));
  const { stderr } = await runAlly(at.place, { args: ["-p", "what is @wide.png?"] });
  assert.match(stderr, /attached wide\.png \((PNG|JPEG) image, 1568x78, /);
});

Deno.test("a model that takes no images is not sent any, which is said at once", async () => {
  await using llama = await startFakeLlama({
    replies: [{ text: "I cannot see it." }],
    props: { modalities: { vision: false } },
  });
  await using place = await makePlace({ endpoint: llama.url });
  await put(place, "a.png", SHOT);
  const { code, stderr } = await runAlly(place, { args: ["-p", "what is @a.png?"] });
  assert.equal(code, 0, stderr);
  assert.match(stderr, /a\.png is not attached: .*takes no images/);
  assert.equal(urlsIn(llama.chats[0]!).length, 0);
  assert.match(wordsIn(llama.chats[0]!), /a\.png could not be attached: .*takes no images/);
});

Deno.test("what a server refuses is remembered: later runs send no image", async () => {
  const refusal = { status: 500, text: "image input is not supported - hint: mmproj" };
  await using at = await stage([refusal, { text: "Blind." }, { text: "Still." }]);
  await put(at.place, "a.png", SHOT);
  const args = ["-p", "what is @a.png?"];
  const first = await runAlly(at.place, { args });
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stderr, /scripted takes no images; words stand in their place/);
  const second = await runAlly(at.place, { args });
  assert.match(second.stderr, /a\.png is not attached: scripted takes no images/);
  assert.deepEqual(at.server.requests.map((one) => urlsIn(one).length), [1, 0, 0]);
  assert.match(wordsIn(at.server.requests[1]!), /\[Image a\.png, 40x30: not shown\]$/);
});

Deno.test("the text of a PDF is read by pages, with offset and limit", async () => {
  const pages = ["first words", "second words", "third words"];
  const second = { file_paths: ["a.pdf"], offset: 2, limit: 1 };
  await using at = await stage([
    { calls: [{ name: "read", arguments: second }] },
    { text: "Read." },
  ]);
  await put(at.place, "a.pdf", makePdf({ pages }));
  const { code, stderr } = await runAlly(at.place, { args: ["-p", "sum up @a.pdf"] });
  assert.equal(code, 0, stderr);
  const words = wordsIn(at.server.requests[0]!);
  assert.match(words, /\[PDF, text of 3 pages\]\n\n--- Page 1 ---\nfirst words\n\n--- Page 2/);
  const messages = at.server.requests[1]!.body.messages as { content: string }[];
  const { content } = messages.at(-1)!;
  assert.match(content, /\[PDF, Page 2 of 3\. Next: offset 3, which counts pages\]/);
  assert.ok(content.includes("second words") && !content.includes("first words"), content);
});

Deno.test("--image sends images with the first words; what cannot be used ends the run", async () => {
  await using at = await stage([{ text: "Seen." }]);
  await put(at.place, "a.png", SHOT);
  await put(at.place, "b.gif", TINY_GIF);
  const args = ["-p", "--image", "a.png", "--image", "b.gif", "compare them"];
  const { code, stderr } = await runAlly(at.place, { args });
  assert.equal(code, 0, stderr);
  assert.match(stderr, /attached a\.png \(PNG image[^]*attached b\.gif \(GIF image/);
  assert.equal(urlsIn(at.server.requests[0]!).length, 2);
  const missing = await runAlly(at.place, { args: ["-p", "--image", "no.png", "what?"] });
  assert.equal(missing.code, 2, missing.stderr);
  assert.match(missing.stderr, /Cannot read the image .*no\.png/);
  assert.equal(at.server.requests.length, 1);
});

Deno.test("a copy of a session has its images, and a session that is deleted leaves none", async () => {
  await using at = await stage([{ text: "Seen." }, { text: "Again." }]);
  await put(at.place, "a.png", SHOT);
  await runAlly(at.place, { args: ["-p", "what is @a.png?"] });
  const listed = await runAlly(at.place, { args: ["sessions", "list", "--json"] });
  const first = { id: /\d{8}T\d{6}-\w+/.exec(listed.stdout)?.[0] ?? "" };
  await runAlly(at.place, { args: ["-p", "--fork", first.id, "and now?"] });
  const removed = await runAlly(at.place, { args: ["sessions", "delete", "--yes", first.id] });
  assert.equal(removed.code, 0, removed.stderr);
  assert.deepEqual(at.server.requests.map(({ body }) => JSON.stringify(body).includes("base64")), [
    true,
    true,
  ]);
  const kept: string[] = [];
  for await (const { name } of Deno.readDir(join(at.place.home, "projects"))) {
    for await (const file of Deno.readDir(join(at.place.home, "projects", name, "sessions"))) {
      if (file.name.endsWith(".images")) kept.push(file.name);
    }
  }
  assert.equal(kept.length, 1);
  assert.ok(!kept[0]!.startsWith(first.id));
});

Deno.test("an exported page holds the images small, and Markdown names them", async () => {
  const read = { name: "read", arguments: { file_paths: ["b.gif"] } };
  await using at = await stage([{ calls: [read] }, { text: "Seen." }]);
  await put(at.place, "a.png", SHOT);
  await put(at.place, "b.gif", TINY_GIF);
  await runAlly(at.place, { args: ["-p", "what is @a.png?"] });
  const exported = async (format: string) =>
    (await runAlly(at.place, { args: ["sessions", "export", "last", "--format", format] })).stdout;
  const html = await exported("html");
  assert.deepEqual([...html.matchAll(/src="([^"]*)"/g)].map(([, url]) => url), [
    `data:image/png;base64,${SHOT.toBase64()}`,
    `data:image/gif;base64,${TINY_GIF.toBase64()}`,
  ]);
  assert.match(html, /default-src 'none'; style-src 'unsafe-inline'; img-src data:"/);
  assert.match(html, /<figcaption>a\.png: PNG image, 40x30, 516 B<\/figcaption>/);
  const markdown = await exported("md");
  assert.match(markdown, /^Images: `a\.png` \(PNG image, 40x30, 516 B\)$/m);
  assert.match(markdown, /^Images: `b\.gif` \(GIF image, 1x1, 42 B\)$/m);
  assert.ok(!markdown.includes("base64"), markdown);
});

Deno.test("the images of a server's answer are seen with its result", async () => {
  const content = [
    { type: "text", text: "before" },
    { type: "image", mimeType: "text/html", data: SHOT.toBase64() },
    { type: "image", mimeType: "image/png", data: "no base64!" },
  ];
  const script = `
    const say = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
    const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream());
    let rest = "";
    for await (const piece of lines) {
      const all = (rest + piece).split("\\n");
      rest = all.pop();
      for (const { id, method, params } of all.filter(Boolean).map((one) => JSON.parse(one))) {
        if (method === "initialize") {
          const { protocolVersion } = params;
          const serverInfo = { name: "s", version: "1" };
          say(id, { protocolVersion, capabilities: { tools: {} }, serverInfo });
        } else if (method === "tools/list") {
          say(id, { tools: [{ name: "shoot", inputSchema: { type: "object" } }] });
        } else if (method === "tools/call") say(id, { content: ${JSON.stringify(content)} });
      }
    }`;
  const server = { command: Deno.execPath(), args: ["eval", script] };
  await using at = await mcpStage({ s: server }, [calling("s__shoot"), { text: "Seen." }]);
  const { code, stderr } = await runAlly(at.place, { args: ["--allow-net=mcp:s", "-p", "go"] });
  assert.equal(code, 0, stderr);
  const result = lastResult(at);
  assert.match(result, /before\s+\[shoot 1: PNG image, 40x30, 516 B\]/);
  assert.match(
    result,
    /\[An image is not shown: The image shoot 2 cannot be used: it is no base64\.\]/,
  );
  assert.deepEqual(urlsIn(at.server.requests[1]!), [`data:image/png;base64,${SHOT.toBase64()}`]);
});

Deno.test("when the window fills, the earlier images are given up, and the last one stays", async () => {
  await using at = await stage([{ text: "One." }, { text: "Two." }, { text: "Three." }]);
  const large = makePng({ width: 1500, height: 1500 });
  for (const name of ["1.png", "2.png", "3.png"]) await put(at.place, name, large);
  const said: string[] = [];
  for (const words of ["@1.png", "@2.png", "@3.png"]) {
    const args = ["-p", "--continue", "--context-size", "10000", words];
    const { code, stderr } = await runAlly(at.place, { args });
    assert.equal(code, 0, stderr);
    said.push(stderr);
  }
  assert.match(said.join(""), /Gave up \d images?: [\d,]+ tokens freed\./);
  const request = at.server.requests[2]!;
  assert.match(
    JSON.stringify(request.body),
    /\[Image 1\.png, 1500x1500: no longer shown, for want/,
  );
  assert.equal(urlsIn(request).length, 1);
});
