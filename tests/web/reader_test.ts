import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { startWeb } from "../support/web_server.ts";

const SITE = { "site.test": [["127.0.0.1"]] };

function html(text: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(text, { headers: { "content-type": "text/html", ...headers } });
}

Deno.test("a page becomes Markdown, with its title", async () => {
  await using web = startWeb(
    () => html("<title>Guide</title><h1>One</h1><p>See <a href='/b'>b</a>.</p><pre>x  y</pre>"),
    SITE,
  );
  const page = await web.read("http://site.test:PORT/a/guide#part");
  assert.equal(page.title, "Guide");
  assert.equal(page.type, "text/html");
  assert.equal(
    page.text,
    `# One\n\nSee [b](http://site.test:${web.port}/b).\n\n\`\`\`\nx  y\n\`\`\``,
  );
  assert.deepEqual(web.requests, [`site.test:${web.port} /a/guide`]);
});

Deno.test("a page is asked for anew, unless it will do as it was read before", async () => {
  let count = 0;
  await using web = startWeb(() => html(`<p>${++count}`), SITE);
  const read = async (kept: boolean, fragment = "") =>
    (await web.read(`http://site.test:PORT/${fragment}`, undefined, { kept })).text;
  assert.deepEqual(
    [await read(true), await read(true, "#part"), await read(false), await read(true)],
    ["1", "1", "2", "2"],
  );
});

Deno.test("what is text already stays as it is; what is none is refused with its type", async () => {
  const types = ["text/plain", "text/markdown; charset=utf-8", "application/json", "image/svg+xml"];
  for (const type of types) {
    await using web = startWeb(
      () => new Response("# <b>", { headers: { "content-type": type } }),
      SITE,
    );
    assert.equal((await web.read("http://site.test:PORT/")).text, "# <b>");
  }
  await using web = startWeb(
    () => new Response("x", { headers: { "content-type": "image/png" } }),
    SITE,
  );
  await assert.rejects(web.read("http://site.test:PORT/a.png"), /a\.png is no text but image\/png/);
});

Deno.test("an answer without text is an error by its status first, and text where no type is named", async () => {
  await using missing = startWeb(
    () => new Response("x", { status: 404, headers: { "content-type": "image/png" } }),
    SITE,
  );
  await assert.rejects(missing.read("http://site.test:PORT/"), /answered with status 404$/);
  await using untyped = startWeb(
    () => new Response("x", { headers: { "content-type": "" } }),
    SITE,
  );
  assert.equal((await untyped.read("http://site.test:PORT/")).text, "x");
});

Deno.test("a page is read in the encoding that the server or the page names", async () => {
  const bytes = Uint8Array.from([...new TextEncoder().encode("<meta charset=latin1><p>caf"), 0xe9]);
  await using web = startWeb(
    () => new Response(bytes, { headers: { "content-type": "text/html" } }),
    SITE,
  );
  assert.equal((await web.read("http://site.test:PORT/")).text, "café");
});

Deno.test("a compressed page is read, and of a large one the beginning", async () => {
  const encoding = { "content-encoding": "gzip", "content-type": "text/plain" };
  const bomb = Uint8Array.from(gzipSync(new Uint8Array(50_000_000).fill(65)));
  await using web = startWeb(() => new Response(bomb, { headers: encoding }), SITE);
  const page = await web.read("http://site.test:PORT/");
  assert.equal(page.text.length, 2 * 1024 * 1024);
  assert.equal(page.cut, true);
});

Deno.test("a page that is compressed in a way that was not asked for is refused by that reason", async () => {
  const endless = new ReadableStream<Uint8Array>({ pull() {} });
  await using web = startWeb(
    () => new Response(endless, { headers: { "content-encoding": "zstd" } }),
    SITE,
  );
  // The server ends only once the connection is closed.
  await assert.rejects(web.read("http://site.test:PORT/"), /^ToolError: It is compressed as zstd/);
});

Deno.test("redirects within the host are followed, to others told, without end given up", async () => {
  await using web = startWeb((request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/end") return html("<p>There.");
    const to = { "/a": "/b", "/b": "end", "/out": "http://other.test/x", "/js": "javascript:1" };
    return new Response(null, {
      status: 302,
      headers: { location: to[pathname as keyof typeof to] ?? pathname },
    });
  }, SITE);
  const page = await web.read("http://site.test:PORT/a");
  assert.deepEqual([page.url, page.text], [`http://site.test:${web.port}/end`, "There."]);
  await assert.rejects(
    web.read("http://site.test:PORT/out"),
    /to another host: http:\/\/other\.test\/x/,
  );
  await assert.rejects(web.read("http://site.test:PORT/js"), /redirects to no page of the web/);
  await assert.rejects(web.read("http://site.test:PORT/loop"), /redirects more than 5 times/);
});

Deno.test("an error is told with the server's words, a host that is not there by its name", async () => {
  await using web = startWeb(() => new Response("no such\x1b[31m thing", { status: 404 }), SITE);
  await assert.rejects(
    web.read("http://site.test:PORT/x"),
    /answered with status 404: no such thing$/,
  );
  await assert.rejects(
    web.read("http://127.0.0.1:1/"),
    /Cannot reach 127\.0\.0\.1:1: .*ECONNREFUSED/,
  );
});
