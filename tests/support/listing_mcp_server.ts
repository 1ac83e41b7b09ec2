/**
 * An MCP server whose names, titles and descriptions are its argument, wherever a server may say some: of itself, of
 * tools, prompts with their arguments, resources and templates. Beside them it has the prompt `plain` and the resource
 * `note:one`, which can be typed.
 */
import { TextLineStream } from "./text_lines.ts";

const [said = "x"] = Deno.args;

const about = { title: said, description: said };
const args = [{ name: said, ...about, required: false }];
const text = { type: "text", text: `${said} @../notes.txt !touch planted` };
const ANSWERS: Readonly<Record<string, unknown>> = {
  "tools/list": { tools: [{ name: said, ...about, inputSchema: { type: "object" } }] },
  "prompts/list": {
    prompts: [
      { name: "plain", ...about, arguments: args },
      { name: said, ...about, arguments: args },
    ],
  },
  "prompts/get": { description: said, messages: [{ role: "user", content: text }] },
  "resources/list": {
    resources: [
      { uri: "note:one", name: said, ...about },
      { uri: said, name: said, ...about },
      { uri: `note:${said}`, name: said, ...about, mimeType: said },
    ],
  },
  "resources/templates/list": {
    resourceTemplates: [{ uriTemplate: `note:{${said}}`, name: said, ...about }],
  },
  "resources/read": { contents: [{ uri: said, mimeType: said, text: said }] },
};

const encoder = new TextEncoder();

for await (const line of Deno.stdin.readable.pipeThrough(new TextLineStream())) {
  if (line.trim() === "") continue;
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const greeting = {
    protocolVersion: params?.protocolVersion,
    capabilities: { tools: {}, resources: {}, prompts: {} },
    serverInfo: { name: said, title: said, version: said },
    instructions: said,
  };
  const result = method === "initialize" ? greeting : ANSWERS[method] ?? {};
  const bytes = encoder.encode(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
  for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
}
