/**
 * What a project's file would do, in plain words, for the person who is asked whether it may. The texts are not yet
 * safe to show on a terminal.
 */
import type { HookSettings } from "../core/hooks.ts";
import type { ProjectFile, ProjectFiles } from "../core/project.ts";
import { readFrontMatter } from "../lib/front_matter.ts";
import { parseJsonc } from "../lib/jsonc.ts";
import { isObject } from "../lib/schema.ts";
import { cutEnd, formatBytes, messageOf, plural, quoteWord, splitLines } from "../lib/text.ts";
import { commandName } from "./command_files.ts";
import { parseConfig } from "./config.ts";
import { projectRule } from "./settings_table.ts";

/** Lines of a text that are shown. */
const FIRST_LINES = 3;
const LINE_LENGTH = 200;

/** One line for each thing that a file would do. */
export async function effectsOf(file: ProjectFile, files: ProjectFiles): Promise<string[]> {
  if (file === files.config) return await settingEffects(file);
  if (file === files.mcp) return await serverEffects(file);
  if (files.agents.includes(file)) return await promptEffects("an agent", file);
  if (files.commands.includes(file)) {
    const name = commandName(file.path.replace(/^\.ally\/commands\//, ""));
    return await promptEffects(name === undefined ? "a command" : `the command /${name}`, file);
  }
  if (files.skills.includes(file)) {
    const name = file.path.split("/").at(-2) ?? "";
    return await promptEffects(`the skill ${name}, which the model may load`, file);
  }
  if (files.hooks?.includes(file)) return textEffects(file, "a program that a hook runs");
  return textEffects(file, "notes", "instructions to the model in every request");
}

async function settingEffects(file: ProjectFile): Promise<string[]> {
  try {
    const { config } = await parseConfig(file.path, file.text);
    const { hooks = {}, ...others } = config;
    const lines = Object.entries(others).map(([key, value]) => {
      const text = `${key} = ${shorten(JSON.stringify(value))}`;
      switch (projectRule(key)) {
        case "free":
          return `sets ${text}`;
        case "tighten":
          return `sets ${text}, as far as that is stricter than yours`;
        case "add":
          return `adds ${text}`;
        case "never":
          return `${text} has no effect: only your own configuration can set it`;
      }
    });
    lines.push(...hookEffects(hooks));
    return lines.length > 0 ? lines : ["settings: none"];
  } catch (error) {
    return [messageOf(error)];
  }
}

/** What it would run at which event; of a command nothing is cut: this is what is approved. */
function hookEffects(hooks: HookSettings): string[] {
  return Object.entries(hooks).flatMap(([event, list]) =>
    list.map(({ command, tools }) => {
      const line = typeof command === "string" ? command : command.map(quoteWord).join(" ");
      return `hook at ${event}${
        tools ? ` (${tools.join(", ")})` : ""
      }: runs ${line}, in the sandbox`;
    })
  );
}

/** The servers it would start or speak to; both spellings in use are read. */
async function serverEffects(file: ProjectFile): Promise<string[]> {
  const parsed = await parseJsonc(file.text);
  const value = "value" in parsed ? parsed.value : undefined;
  const servers = isObject(value) ? value.mcpServers ?? value.servers : undefined;
  if (!isObject(servers)) return ["names no MCP server that could be used"];
  const lines = Object.entries(servers).map(([name, server]) => {
    if (!isObject(server)) return `MCP server ${name}: not understood`;
    if (typeof server.url === "string") {
      const headers = isObject(server.headers) ? Object.entries(server.headers) : [];
      const sent = headers.map(([key, value]) => `${key}: ${value}`).join(", ");
      return `MCP server ${name}: speaks to ${server.url}${sent && ` (sends ${shorten(sent)})`}`;
    }
    const args = Array.isArray(server.args) ? server.args.map(String) : [];
    const env = isObject(server.env) ? Object.keys(server.env) : [];
    const given = env.length > 0 ? ` (sets ${env.join(", ")})` : "";
    const where = server.sandbox ? "in the sandbox" : "outside of the sandbox";
    const line = [String(server.command), ...args].join(" ");
    return `MCP server ${name}: starts ${line}${given}, ${where}`;
  });
  return lines.length > 0 ? lines : ["names no MCP server"];
}

/** What a text is, its size and its first lines. */
function textEffects(file: ProjectFile, what: string, does?: string): string[] {
  const lines = splitLines(file.text).filter((line) => line.trim() !== "");
  const size = formatBytes(new TextEncoder().encode(file.text).length);
  const more = lines.length - FIRST_LINES;
  return [
    `${what}, ${size}${does === undefined ? "" : `: ${does}`}`,
    ...lines.slice(0, FIRST_LINES).map((line) => `  ${shorten(line)}`),
    ...(more > 0 ? [`  (${plural(more, "more line")})`] : []),
  ];
}

/** What a prompt is for, with which model it runs, and what it need not ask for. */
async function promptEffects(what: string, { text }: ProjectFile): Promise<string[]> {
  try {
    const { fields, body } = await readFrontMatter(text);
    const { description, model, "allowed-tools": allowed } = fields;
    const first = splitLines(body).find((line) => line.trim() !== "");
    const tools = (Array.isArray(allowed) ? allowed : [allowed ?? ""]).map(String);
    return [
      `${what}: ${shorten(String(description ?? first ?? "(empty)"))}`,
      ...(model === undefined ? [] : [`  runs with the model ${shorten(String(model))}`]),
      // Nothing of it is cut: this is what is approved.
      ...(tools.join("") === "" ? [] : [`  WITHOUT ASKING, while it runs: ${tools.join(", ")}`]),
    ];
  } catch (error) {
    return [`${what}: cannot be used, ${messageOf(error)}`];
  }
}

function shorten(text: string): string {
  return cutEnd(text, LINE_LENGTH);
}
