/**
 * What a client shows of a call: its kind, the places in files that it is about, its differences, the output.
 */
import type { ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import { resolve } from "node:path";
import type { Change } from "../../core/files.ts";
import {
  type CommandPart,
  type PermissionRequest,
  type Preview,
  tellsUnusual,
} from "../../core/permission.ts";
import type { AgentIdentity, ToolDefinition } from "../../core/tool.ts";
import { isObject } from "../../lib/schema.ts";
import { valuesOfFormat } from "../../tools/arguments.ts";
import { escapeControls, escapeLine } from "../../ui/safe_text.ts";

/** Identifies a call among those of all agents of a session, which may use the same ids. */
export function toolCallIdOf(agent: AgentIdentity, callId: string): string {
  return agent.depth === 0 ? callId : `${agent.id}/${callId}`;
}

/** What a call is called: the tool and what it is to do, after the agent that makes it. */
export function titleOf(
  { agent, name, description }: { agent: AgentIdentity; name: string; description: string },
): string {
  const by = agent.depth === 0 ? "" : `${agent.name}: `;
  return escapeLine(`${by}${name} ${description}`);
}

/** The kind of a tool's calls, by what they can do. */
export function kindOf(definition: ToolDefinition | undefined): ToolKind {
  if (definition === undefined || definition.remote) return "other";
  const { effects, parameters: { properties } } = definition;
  if (effects.includes("exec")) return effects.includes("write") ? "edit" : "execute";
  if (effects.includes("read")) return Object.hasOwn(properties, "pattern") ? "search" : "read";
  if (effects.includes("write")) return "edit";
  if (effects.includes("net")) return "fetch";
  return effects.includes("session") || effects.includes("delegate") ? "think" : "other";
}

/** The files that a call's arguments name, with the line at which it begins to read. */
export function locationsOf(
  definition: ToolDefinition | undefined,
  { input, cwd }: { input: unknown; cwd: string },
): ToolCallLocation[] {
  if (definition === undefined || !isObject(input)) return [];
  const { offset } = input;
  const line = typeof offset === "number" && Number.isInteger(offset) && offset > 0 ? offset : 0;
  return valuesOfFormat(definition, { format: "path", input })
    .map((path) => ({ path: resolve(cwd, path), ...line > 0 && { line } }));
}

/** What a call is about to do, as far as a client can show it; what cannot be seen in it is escaped. */
export function previewContent(
  previews: readonly Preview[],
  { changes = [], cwd }: { changes?: readonly Change[] | undefined; cwd: string },
): ToolCallContent[] {
  const whole = changes.map((change) => ({
    type: "diff" as const,
    path: change.path.absolute,
    oldText: change.before,
    newText: change.after ?? "",
  }));
  const known = new Set(changes.map(({ path }) => path.display));
  const others = previews.filter((one) => !("path" in one && known.has(one.path)));
  return [...whole, ...others.flatMap((preview) => partialContent(preview, cwd))].map(escaped);
}

/** Content whose text, or texts, hide nothing. */
function escaped(content: ToolCallContent): ToolCallContent {
  if (content.type === "diff") {
    const { oldText, newText } = content;
    return {
      ...content,
      ...typeof oldText === "string" && { oldText: escapeControls(oldText) },
      newText: escapeControls(newText),
    };
  }
  if (content.type !== "content" || content.content.type !== "text") return content;
  return textContent(escapeControls(content.content.text));
}

/** The lines at which files change. */
export function previewLocations(previews: readonly Preview[], cwd: string): ToolCallLocation[] {
  return previews.flatMap((preview) => {
    if (!("path" in preview)) return [];
    const line = preview.kind === "diff" ? firstChangedLine(preview.diff) : undefined;
    return [{ path: resolve(cwd, preview.path), ...line !== undefined && { line } }];
  });
}

function partialContent(preview: Preview, cwd: string): ToolCallContent[] {
  switch (preview.kind) {
    case "diff":
      return hunksOf(preview.diff).map((hunk) => ({
        type: "diff",
        path: resolve(cwd, preview.path),
        ...hunk,
      }));
    case "new_file": {
      const path = resolve(cwd, preview.path);
      return [{ type: "diff", path, oldText: null, newText: preview.content }];
    }
    case "deleted_file":
      return [textContent(`Deletes ${escapeLine(preview.path)} (${preview.lines} lines).`)];
    case "other_change":
      return [textContent(escapeLine(`${preview.path}: ${preview.what}`))];
    case "command": {
      const where = preview.cwd === cwd ? "" : `In ${escapeLine(preview.cwd)}:\n`;
      return [textContent(`${where}${fenced(preview.command, "sh")}`)];
    }
    case "sent":
      return [textContent(fenced(preview.text, "json"))];
  }
}

/** What a person is told of a call before they decide. */
export function questionText(request: PermissionRequest): string {
  const { risk, parts = [], unusual = [], agent, tool, description } = request;
  const why = escapeLine(request.why);
  return [
    ...agent.depth > 0 ? [escapeLine(`${agent.name} asks: ${tool} ${description}`)] : [],
    risk === "extreme" ? `**Extremely sensitive:** ${why}` : why,
    ...parts.map(partLine),
    ...unusual.filter((what) => !tellsUnusual(request.why, what))
      .map((what) => `**Unusual:** ${escapeLine(what)}`),
  ].join("\n\n");
}

function partLine({ command, risk, gets }: CommandPart): string {
  return `- ${risk}: ${escapeLine(command)}${gets === undefined ? "" : `, ${gets}`}`;
}

/** A text as content. */
export function textContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

/** A text as a block of code that nothing in it can end. */
export function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}

/** The old and the new text of each hunk of a unified difference. */
function hunksOf(diff: string): { oldText: string; newText: string }[] {
  const hunks: { oldText: string; newText: string }[] = [];
  for (const [index, hunk] of diff.split(/^@@.*@@.*\n?/m).entries()) {
    if (index === 0) continue;
    const lines = hunk.split("\n").filter((line) => /^[ +-]/.test(line));
    const side = (mark: string) =>
      lines.filter((line) => line[0] === " " || line[0] === mark).map((line) =>
        `${line.slice(1)}\n`
      )
        .join("");
    hunks.push({ oldText: side("-"), newText: side("+") });
  }
  return hunks;
}

/** The first line of the new text that is not as it was, 1-based. */
function firstChangedLine(diff: string): number | undefined {
  const [, start, hunk = ""] = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@[^\n]*\n([^]*)/m.exec(diff) ??
    [];
  if (start === undefined) return undefined;
  const before = hunk.split("\n").findIndex((line) => /^[+-]/.test(line));
  return Math.max(1, Number(start) + Math.max(0, before));
}
