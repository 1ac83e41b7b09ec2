/**
 * An MCP server over HTTP that wants to know who asks, with the server at which people log in for it, both on
 * loopback: it registers clients, gives codes to whoever opens its page, and tokens that can be made to run out.
 */
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { answers, createTestServer, listening, textOf } from "./mcp_answers.ts";

export interface LoginServer extends AsyncDisposable {
  readonly url: string;
  /** What was asked of it, by path. */
  readonly asked: readonly string[];
  /** Access tokens given until now are good no more. */
  expire(): void;
  /** Nor are those with which one gets others. */
  revoke(): void;
}

/** Starts it; `page` is where people would be sent to log in, if not to its own, and `answers` what some paths say. */
export async function startLoginServer(
  options: { page?: string; answers?: Readonly<Record<string, unknown>> } = {},
): Promise<LoginServer> {
  const asked: string[] = [];
  const good = { access: "", refresh: "", challenge: "", count: 0 };
  const server = createTestServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", origin);
    asked.push(`${request.method} ${pathname}`);
    const json = (value: unknown, status = 200) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(value));
    };
    if (options.answers && pathname in options.answers) return json(options.answers[pathname]);
    switch (pathname) {
      case "/about":
        return json({ resource: `${origin}/mcp`, authorization_servers: [origin] });
      case "/.well-known/oauth-authorization-server":
        return json({
          issuer: origin,
          authorization_endpoint: options.page ?? `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
        });
      case "/register":
        return json({ ...JSON.parse(await textOf(request)), client_id: "ally-1" }, 201);
      case "/authorize": {
        good.challenge = searchParams.get("code_challenge") ?? "";
        const back = new URL(searchParams.get("redirect_uri") ?? "");
        back.searchParams.set("code", "code-1");
        back.searchParams.set("state", searchParams.get("state") ?? "");
        return void response.writeHead(302, { location: back.href }).end();
      }
      case "/token":
        return tokens(new URLSearchParams(await textOf(request)), json);
      case "/mcp":
        return await serve(request, response, json);
      default:
        return json({}, 404);
    }
  });

  function tokens(form: URLSearchParams, json: (value: unknown, status?: number) => void): void {
    const verifier = createHash("sha256").update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const allowed = form.get("grant_type") === "refresh_token"
      ? good.refresh !== "" && form.get("refresh_token") === good.refresh
      : form.get("code") === "code-1" && verifier === good.challenge;
    if (!allowed) return json({ error: "invalid_grant" }, 400);
    good.count++;
    good.access = `access-${good.count}`;
    good.refresh = `refresh-${good.count}`;
    json({ access_token: good.access, refresh_token: good.refresh, token_type: "Bearer" });
  }

  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    json: (value: unknown) => void,
  ): Promise<void> {
    const text = await textOf(request);
    if (good.access === "" || request.headers.authorization !== `Bearer ${good.access}`) {
      const about = `Bearer resource_metadata="${origin}/about"`;
      return void response.writeHead(401, { "www-authenticate": about }).end();
    }
    if (request.method !== "POST") return void response.writeHead(405).end();
    const message = JSON.parse(text);
    if (message.id === undefined) return void response.writeHead(202).end();
    json({ jsonrpc: "2.0", id: message.id, result: answer(message) });
  }

  const { origin, ...rest } = await listening(server);
  return {
    ...rest,
    url: `${origin}/mcp`,
    asked,
    expire: () => void (good.access = ""),
    revoke: () => void (good.refresh = ""),
  };
}

const answer = answers("private", { tool: { name: "who" }, says: "you are known" });
