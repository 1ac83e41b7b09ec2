import assert from "node:assert/strict";
import { bundledMain } from "../support/bundle.ts";
import { denoDir } from "../support/deno_dir.ts";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import * as whole from "openai";
import { makePdf } from "../support/images.ts";
import { allyCommand, makePlace, runAllyProcess, stage } from "../support/program.ts";
import { dirname, walkFiles } from "../support/source_tree.ts";

Deno.test({
  name: "--debug shows where an error came from, in lines of the sources",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using place = await makePlace();
    const full = { program: ["sh", "-c", 'exec "$@" >/dev/full', "sh", ...allyCommand()] };
    const plain = await runAllyProcess(place, { ...full, args: ["--version"] });
    assert.equal(plain.code, 1);
    assert.doesNotMatch(plain.stderr, /\bat /);
    const { stderr } = await runAllyProcess(place, { ...full, args: ["--debug", "--version"] });
    assert.match(stderr, /\/src\/cli\/run\.ts:\d+:\d+/);
    assert.doesNotMatch(stderr, /chunk-|main\.js/);
  },
});

Deno.test("the programs beside the bundle do their work: pages become text, PDFs are read", async () => {
  const headers = { "content-type": "text/html" };
  await using site = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response("<title>Guide</title><p>One <b>two</b>.</p>", { headers }),
  );
  const host = `127.0.0.1:${site.addr.port}`;
  await using at = await stage([
    { calls: [{ name: "fetch", arguments: { url: `http://${host}/` } }] },
    { calls: [{ name: "read", arguments: { file_paths: ["a.pdf"] } }] },
    { text: "Read." },
  ]);
  await Deno.writeFile(join(at.place.dir, "a.pdf"), makePdf({ pages: ["first words"] }));
  const args = ["-p", `--allow-net=${host}`, "go"];
  const { code, stderr } = await runAllyProcess(at.place, { args });
  assert.equal(code, 0, stderr);
  const messages = at.server.requests[2]!.body.messages as { role: string; content: string }[];
  const [page, file] = messages.filter(({ role }) => role === "tool").map((one) => one.content);
  assert.match(page!, /"Guide"[^]*\nOne \*\*two\*\*\.\n/);
  assert.match(file!, /--- Page 1 ---\nfirst words/);
});

/** Where a part of openai is left out, what ally asks of the rest must be as it was. */
Deno.test("the bundled openai asks for a completion, fails as the whole one does, and has no other part", async () => {
  const folder = dirname(bundledMain());
  const chunk = walkFiles(folder, ["."]).find((path) =>
    path.endsWith(".js") && Deno.readTextFileSync(path).includes("makeStatusError")
  );
  assert.ok(chunk);
  assert.doesNotMatch(
    Deno.readTextFileSync(chunk),
    /audio\/transcriptions|fine_tuning|EventStream/,
  );
  // Node's process takes longer to make than a start has time for.
  assert.doesNotMatch(Deno.readTextFileSync(chunk), /process\.env\?/);
  const bundled: typeof import("openai") = await import(pathToFileURL(chunk).href);
  const body = { model: "m", messages: [], stream: true as const };
  for (const { OpenAI, APIConnectionError, APIConnectionTimeoutError } of [bundled, whole]) {
    const ask = async (fetch: typeof globalThis.fetch, timeout = 60_000) => {
      const options = { apiKey: "none", baseURL: "http://localhost/v1", maxRetries: 0, timeout };
      const { chat } = new OpenAI({ ...options, fetch });
      return await chat.completions.create(body).asResponse();
    };
    const asked: unknown[] = [];
    const answer = await ask(async (input, init) => {
      const { url, method, headers } = new Request(input, init);
      asked.push([url, method, headers.get("content-type"), await new Response(init?.body).json()]);
      return new Response("data: [DONE]\n\n");
    });
    assert.equal(await answer.text(), "data: [DONE]\n\n");
    const url = "http://localhost/v1/chat/completions";
    assert.deepEqual(asked, [[url, "POST", "application/json", body]]);
    const refuse = () =>
      Promise.resolve(Response.json({ error: { message: "no" } }, { status: 404 }));
    await assert.rejects(
      ask(refuse),
      (error) => error instanceof OpenAI.APIError && error.status === 404,
    );
    const lose = () => Promise.reject(new TypeError("connection refused"));
    await assert.rejects(ask(lose), APIConnectionError);
    const hang: typeof fetch = (_, init) =>
      new Promise((_, reject) =>
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason))
      );
    await assert.rejects(ask(hang, 1), APIConnectionTimeoutError);
  }
});

/** The bundler gives such a package to a dynamic import as its default alone, where Deno names its exports too. */
Deno.test("a package in CommonJS is imported by its default", () => {
  const folder = dirname(bundledMain());
  const chunks = walkFiles(folder, ["."]).filter((path) => path.endsWith(".js"))
    .map((path) => ({ name: basename(path), text: Deno.readTextFileSync(path) }));
  const packages = chunks.filter(({ text }) =>
    /\bvar ([\w$]+)=[\w$]+\(\);export\{\1 as default\};/.test(text)
  );
  assert.ok(packages.length > 0);
  for (const { name } of packages) {
    const specifier = `(${JSON.stringify(`./${name}`)})`;
    const imports = chunks.flatMap(({ text }) => {
      const at = text.indexOf(specifier);
      return at < 0 ? [] : [text.slice(at - 45, at + specifier.length + 10)];
    });
    assert.ok(imports.length > 0, name);
    for (const code of imports) assert.match(code, /\bdefault\b/);
  }
});

Deno.test("the bundle says nothing of the machine that made it", () => {
  const folder = dirname(bundledMain());
  const cache = denoDir();
  const named = walkFiles(folder, ["."]).filter((path) =>
    /\.(?:js|map)$/.test(path) && Deno.readTextFileSync(path).includes(cache)
  );
  assert.deepEqual(named, []);
});
