/**
 * Logins at MCP servers: the browser's way round, what is kept of it, and runs that use it, renew it or miss it.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { logIn } from "../../src/mcp/login.ts";
import { LoginFile } from "../../src/mcp/login_file.ts";
import { startLoginServer } from "../support/mcp_login_server.ts";
import { calling, lastResult, mcpStage, writeServers } from "../support/mcp_place.ts";
import { type Place, runAlly, runAllyProcess } from "../support/program.ts";

const FLAGS = ["--context-size", "200000", "--allow-net=mcp:h", "-p", "go"];
const WHO = calling("h__who");
const END = { text: "Done." };
const NEVER = new AbortController().signal;

/** The login as `ally mcp login h` keeps it. */
function fileOf({ home }: Place, url: string): LoginFile {
  const entry = { name: "h", slug: "h", file: join(home, "mcp.json") };
  return new LoginFile(entry, { url, directory: join(home, "mcp") });
}

const entryOf = (url: string) => ({ kind: "http", url, headers: {} }) as const;

/** What a browser does with a page, and what it is shown at the end. */
async function browse(page: string): Promise<string> {
  return await (await fetch(page)).text();
}

Deno.test("a login is used, renewed when it has run out, and asked for when it cannot be", async () => {
  await using server = await startLoginServer();
  const { url } = server;
  await using at = await mcpStage({ h: { url } }, [END, WHO, END, WHO, END, WHO, END]);
  const before = await runAlly(at.place, { args: FLAGS });
  assert.match(before.stderr, /MCP server h is off: it asks for a login \(ally mcp login h\)/);

  const file = fileOf(at.place, url);
  let shown: Promise<string> | undefined;
  await logIn(entryOf(url), { file, onPage: (page) => shown = browse(page), signal: NEVER });
  assert.match(await shown ?? "", /Logged in\. You can close this page/);
  const [name = ""] = [...Deno.readDirSync(join(at.place.home, "mcp"))]
    .map((one) => one.name).filter((one) => one.endsWith(".login.json"));
  const { mode } = await Deno.stat(join(at.place.home, "mcp", name));
  assert.equal((mode ?? 0) & 0o777, 0o600);

  const known = await runAlly(at.place, { args: FLAGS });
  assert.equal(known.code, 0, known.stderr);
  assert.match(lastResult(at), /you are known/);
  server.expire();
  await runAlly(at.place, { args: FLAGS });
  assert.match(lastResult(at), /you are known/);
  server.expire();
  server.revoke();
  await runAlly(at.place, { args: FLAGS });
  assert.match(lastResult(at), /its login has expired \(ally mcp login h\)/);
});

Deno.test("an answer that another page brings is no login, and one that is refused leaves nothing", async () => {
  await using server = await startLoginServer();
  await using at = await mcpStage({}, []);
  const file = fileOf(at.place, server.url);
  const forged = async (page: string) => {
    const back = new URL(new URL(page).searchParams.get("redirect_uri") ?? "");
    assert.equal((await fetch(`${back}?code=forged&state=guessed`)).status, 400);
    const state = new URL(page).searchParams.get("state");
    await browse(`${back}?error=access_denied&state=${state}`);
  };
  let browsing: Promise<void> | undefined;
  const login = logIn(entryOf(server.url), {
    file,
    onPage: (page) => browsing = forged(page),
    signal: NEVER,
  });
  await assert.rejects(login, /the login was refused: access_denied/);
  await browsing;
  assert.deepEqual(await file.read(), { url: server.url });
});

Deno.test("nobody is sent to a page whose address is not safe, nor asked where there is no terminal", async () => {
  await using server = await startLoginServer({ page: "http://example.com/authorize" });
  await using at = await mcpStage({ h: { url: server.url }, s: { command: "true" } }, []);
  const onPage = () => assert.fail("a page was opened");
  const login = logIn(entryOf(server.url), {
    file: fileOf(at.place, server.url),
    onPage,
    signal: NEVER,
  });
  await assert.rejects(login, /the address of its login page is not safe: http:\/\/example\.com/);
  const others = {
    "file:///etc/passwd": "file://",
    "https://accounts.example.com@evil.example.com/": "https://…@evil.example.com",
  };
  for (const [page, named] of Object.entries(others)) {
    await using other = await startLoginServer({ page });
    const file = fileOf(at.place, other.url);
    const how = { file, onPage, signal: NEVER };
    await assert.rejects(logIn(entryOf(other.url), how), {
      message: `the address of its login page is not safe: ${named}`,
    });
  }
  const headless = await runAlly(at.place, { args: ["mcp", "login", "h"] });
  assert.equal(headless.code, 2);
  assert.match(headless.stderr, /Cannot log in at h: nobody can be asked here/);
  const command = await runAlly(at.place, { args: ["mcp", "login", "s"] });
  assert.match(command.stderr, /s is a command, and only servers with a URL have a login/);
});

Deno.test("a login is forgotten when a person says so, and holds for no other address", async () => {
  await using server = await startLoginServer();
  await using at = await mcpStage({ h: { url: server.url } }, [END]);
  const file = fileOf(at.place, server.url);
  let shown: Promise<string> | undefined;
  await logIn(entryOf(server.url), { file, onPage: (page) => shown = browse(page), signal: NEVER });
  await shown;
  assert.equal((await fileOf(at.place, "http://127.0.0.1:1/mcp").read()).tokens, undefined);
  await writeServers(at.place.home, { h: { url: server.url } });
  const first = await runAlly(at.place, { args: ["mcp", "logout", "h"] });
  assert.match(first.stdout, /Forgot the login at h/);
  const second = await runAlly(at.place, { args: ["mcp", "logout", "h"] });
  assert.match(second.stdout, /There is no login at h/);
  assert.deepEqual(await file.read(), { url: server.url });
});

Deno.test("the login of a server of the internet asks nobody on this machine", async () => {
  await using inner = await startLoginServer();
  const { origin } = new URL(inner.url);
  const reached: string[] = [];
  // What a proxy is asked for, it fetches from the internet.
  await using internet = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request) => {
      reached.push(request.headers.get("host") ?? "");
      const headers = { "www-authenticate": `Bearer resource_metadata="${origin}/about"` };
      return new Response("", { status: 401, headers });
    },
  );
  const url = "http://mcp.example.com/mcp";
  await using at = await mcpStage({ h: { url } }, [END]);
  const tokens = { access_token: "old", refresh_token: "old", token_type: "Bearer" };
  await fileOf(at.place, url).update({ tokens, client: { client_id: "ally-1" } });
  const env = { http_proxy: `http://127.0.0.1:${internet.addr.port}`, no_proxy: "127.0.0.1" };
  const { stderr } = await runAllyProcess(at.place, { args: FLAGS, env });
  assert.match(stderr, /MCP server h is off/);
  assert.ok(reached.includes("mcp.example.com"));
  assert.deepEqual(inner.asked, []);
});

Deno.test("an answer of a login that is not valid is told in words, with who gave it", async () => {
  await using at = await mcpStage({}, []);
  const problems = {
    "/.well-known/oauth-authorization-server": [
      {},
      "there is no 'issuer'; there is no 'authorization_endpoint'; there is no 'token_endpoint'; 1 more problem",
    ],
    "/register": [
      { client_id: 5, redirect_uris: [] },
      "'client_id' must be a string, not a number",
    ],
    "/token": [{ token_type: "Bearer" }, "there is no 'access_token'"],
  } as const;
  for (const [path, [answer, told]] of Object.entries(problems)) {
    await using server = await startLoginServer({ answers: { [path]: answer } });
    const { origin } = new URL(server.url);
    const file = fileOf(at.place, server.url);
    const login = logIn(entryOf(server.url), { file, onPage: browse, signal: NEVER });
    await assert.rejects(login, {
      message: `the answer of ${origin}${path} is no valid OAuth: ${told}. ` +
        "Whoever runs the server has to correct that",
    });
  }
});
