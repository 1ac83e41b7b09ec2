/**
 * A server's answer as text for the model: text as it is, structured values as JSON, and a note in place of anything
 * else. Control sequences are removed.
 */
import { isObject } from "../lib/schema.ts";
import { formatBytes, plural, stripControls } from "../lib/text.ts";

/** Characters of base64 that three bytes take. */
const BASE64 = 4;

/** The text of a tool's result, or of a resource, and whether the tool says it failed. */
interface ResultText {
  readonly text: string;
  readonly failed: boolean;
}

/** A tool's result. */
export function resultText(result: Readonly<Record<string, unknown>>): ResultText {
  const content = Array.isArray(result.content) ? result.content.map(contentText) : [];
  const parts = content.filter((part) => part !== "");
  // Servers repeat a structured value as text, for older clients.
  if (parts.length === 0 && result.structuredContent !== undefined) {
    parts.push(JSON.stringify(result.structuredContent, null, 2));
  }
  const text = stripControls(parts.join("\n\n"));
  return { text: text === "" ? "(no content)" : text, failed: result.isError === true };
}

/** Whether a tool's result has images. */
export function hasImages({ content }: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(content) && content.some((part) => isObject(part) && part.type === "image");
}

/** The text of a resource. */
export function resourceText(result: Readonly<Record<string, unknown>>): string {
  const contents = Array.isArray(result.contents) ? result.contents : [];
  return stripControls(contents.map(embeddedResourceText).join("\n\n"));
}

/** The messages of a prompt, as one text for the user to send. */
export function promptText(result: Readonly<Record<string, unknown>>): string {
  const messages = Array.isArray(result.messages) ? result.messages : [];
  const texts = messages.flatMap((message) => {
    if (!isObject(message)) return [];
    const text = contentText(message.content);
    return [message.role === "assistant" ? `[As you said before:]\n${text}` : text];
  });
  return stripControls(texts.join("\n\n"));
}

function contentText(part: unknown): string {
  if (!isObject(part)) return "";
  switch (part.type) {
    case "text":
      return typeof part.text === "string" ? part.text : "";
    case "image":
    case "audio":
      return `[${part.type}, ${mimeOf(part)}, ${sizeOf(part.data)}: not shown]`;
    case "resource":
      return embeddedResourceText(part.resource);
    case "resource_link":
      return `[resource ${String(part.uri)}${linkLabel(part)}]`;
    default:
      return `[${String(part.type)}: not shown]`;
  }
}

function embeddedResourceText(resource: unknown): string {
  if (!isObject(resource)) return "";
  const head = `[resource ${String(resource.uri)}, ${mimeOf(resource)}`;
  if (typeof resource.text === "string") return `${head}]\n${resource.text}`;
  return `${head}, ${sizeOf(resource.blob)}: not shown]`;
}

function mimeOf({ mimeType }: Record<string, unknown>): string {
  return typeof mimeType === "string" ? mimeType : "unknown type";
}

function linkLabel({ name, description }: Record<string, unknown>): string {
  const words = [name, description].filter((one) => typeof one === "string" && one !== "");
  return words.length === 0 ? "" : `: ${words.join(", ")}`;
}

function sizeOf(data: unknown): string {
  if (typeof data !== "string") return plural(0, "byte");
  return formatBytes(Math.floor((data.length * (BASE64 - 1)) / BASE64));
}
