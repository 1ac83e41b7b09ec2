/**
 * A prompt of a client as ally takes one: the words, in which files are named as a person names them with `@`, and the
 * texts that came along.
 */
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { escapeMention } from "../../app/mentions.ts";
import type { ImageInput } from "../../core/image.ts";

/** A prompt. */
export interface PromptContent {
  readonly words: string;
  /** Whether they begin with what the person typed, so that they may be a command. */
  readonly isTyped: boolean;
  /** What came along as text, in the order in which the words name it. */
  readonly piped: string;
  readonly images: readonly ImageInput[];
}

/** Reads the blocks of a prompt. @throws {Error} one is of a kind that was not offered, or there is nothing in them */
export function readPrompt(blocks: readonly ContentBlock[], cwd: string): PromptContent {
  const words: string[] = [];
  const piped: string[] = [];
  const images: ImageInput[] = [];
  for (const [index, block] of blocks.entries()) {
    switch (block.type) {
      case "text":
        words.push(blocks[index - 1]?.type === "text" ? `\n${block.text}` : block.text);
        break;
      case "resource_link":
        words.push(nameLink(block, cwd));
        break;
      case "image": {
        const name = block.uri ? nameOf(block.uri, cwd) : `image ${images.length + 1}`;
        images.push({ bytes: readBase64(block.data, name), name });
        break;
      }
      case "resource": {
        const { resource } = block;
        const name = nameOf(resource.uri, cwd);
        words.push(` \`${namesNothing(name)}\` `);
        piped.push(
          "text" in resource
            ? `[Attached: ${name}]\n${resource.text}`
            : `[${name} is binary and not attached]`,
        );
        break;
      }
      default:
        throw new Error(`This agent takes no ${block.type} in a prompt.`);
    }
  }
  if (words.join("").trim() === "" && images.length === 0) throw new Error("The prompt is empty.");
  const isTyped = blocks.find(({ type }) => type !== "image")?.type === "text";
  return { words: words.join("").trim(), isTyped, piped: piped.join("\n\n"), images };
}

function readBase64(data: string, name: string): ImageInput["bytes"] {
  try {
    return Uint8Array.fromBase64(data);
  } catch (cause) {
    throw new Error(`The data of ${name} is not base64.`, { cause });
  }
}

/** A file is attached as if its path had been typed; anything else is only named. */
function nameLink({ uri, name }: { uri: string; name: string }, cwd: string): string {
  const path = pathOf(uri);
  if (path === undefined || path.includes("\n")) {
    return namesNothing(name === "" || uri.includes(name) ? uri : `${name} (${uri})`);
  }
  const lines = /^#L(\d+)(?:[-:]L?(\d+))?$/.exec(URL.parse(uri)?.hash ?? "");
  const range = lines === null ? "" : `:${lines[1]}${lines[2] === undefined ? "" : `-${lines[2]}`}`;
  return ` @${escapeMention(shortPath(path, cwd))}${range} `;
}

function nameOf(uri: string, cwd: string): string {
  const path = pathOf(uri);
  return path === undefined ? uri : shortPath(path, cwd);
}

/** A title or an address, which somebody else may have written, without an `@` that would attach a file. */
function namesNothing(text: string): string {
  return text.replaceAll("@", "\\@");
}

function pathOf(uri: string): string | undefined {
  const url = URL.parse(uri);
  if (url === null || url.protocol !== "file:") return undefined;
  url.hash = "";
  url.search = "";
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}

function shortPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short === "" || short.startsWith("..") ? path : short;
}
