/**
 * What is said in a conversation, as ally keeps it. These shapes are stored in sessions as they stand;
 * `model/wire.ts` turns them into what a server expects, and nothing else does.
 */

import type { ImagePart } from "./image.ts";
import type { PromptPart } from "./system_prompt.ts";

/** One call of a tool, as the model sent it. */
export interface ToolCall {
  /** Unique within the conversation. */
  readonly id: string;
  /** Name of the tool, as the model wrote it. */
  readonly name: string;
  /** The argument text as the model wrote it, to the byte, unless a slip of its syntax was mended. */
  readonly arguments: string;
  /** Set if the model wrote the call into its text instead of making it. */
  readonly rescued?: boolean;
  /** What came with the call and its server wants back with it, as it came. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Set if the arguments were mended. */
  readonly repaired?: boolean;
  /** Why the call must not be run, whatever it says: cut off, ambiguous, too large. */
  readonly refused?: string;
}

/** What the model is told of its task and place. */
export interface SystemMessage {
  /** Who says it. */
  readonly role: "system";
  /** What is said. */
  readonly content: string;
}

/** What the user says, or ally in their place. */
export interface UserMessage {
  /** Who says it. */
  readonly role: "user";
  /** What is said. */
  readonly content: string;
  /** Set if the message stands in for earlier ones: what of the user's words it carries, in order. */
  readonly said?: readonly string[];
  /** Number of the newest change to files when it was said, 0 if there was none. */
  readonly change?: number;
  /** What was typed, where the content says more: attached files, what the model must know of modes. */
  readonly typed?: string;
  /** Set if it was typed while a turn ran, and taken into that turn. */
  readonly steering?: true;
  /** What it tells in place of parts of the system prompt; a message that only does so is ally's own, even if it is empty. */
  readonly told?: readonly PromptPart[];
  /** Pictures that go with the words. */
  readonly images?: readonly ImagePart[];
  /** The skills whose instructions it holds; a message that only does so is ally's own. */
  readonly skills?: readonly LoadedSkill[];
}

/** The instructions of a skill as the model reads them. */
export interface LoadedSkill {
  /** By which it is called. */
  readonly name: string;
  /** Hash of its file: another one is another skill. */
  readonly hash: string;
  /** What stands in the message that holds it. */
  readonly text: string;
}

/** Whether the model can already read just this version of a skill. */
export function isLoaded(
  { name, hash }: Pick<LoadedSkill, "name" | "hash">,
  loaded: readonly LoadedSkill[],
): boolean {
  return loaded.some((one) => one.name === name && one.hash === hash);
}

/** Whether ally says it in the user's place; what stands in for earlier messages holds words of the user's. */
export function isNote({ told, skills, said }: UserMessage): boolean {
  return said === undefined && (told !== undefined || skills !== undefined);
}

/** The skills whose instructions the model can read in these messages, the one loaded last at the end. */
export function skillsIn(messages: readonly Message[]): readonly LoadedSkill[] {
  const found = new Map<string, LoadedSkill>();
  for (const message of messages) {
    if (message.role !== "user" && message.role !== "tool") continue;
    for (const skill of message.skills ?? []) {
      found.delete(skill.name);
      found.set(skill.name, skill);
    }
  }
  return [...found.values()];
}

/** Thinking as its server wants it back. */
export interface Reasoning {
  /** The model that thought: no other one gets it. */
  readonly model: string;
  /** Where it stood in the reply. */
  readonly place:
    /** Fields beside the text, as they came. */
    | { readonly in: "fields"; readonly fields: Readonly<Record<string, unknown>> }
    /** What stood before the text that is shown, tags included. */
    | { readonly in: "text"; readonly text: string }
    /** A part of the content of its own. */
    | { readonly in: "part"; readonly text: string };
}

/** A reply of the model, with its calls. */
export interface AssistantMessage {
  /** Who says it. */
  readonly role: "assistant";
  /** What is said. */
  readonly content: string;
  /** The tools it calls. */
  readonly calls: readonly ToolCall[];
  /** What the model wrote after `content` where the calls were rescued from it, to the byte. */
  readonly written?: string | undefined;
  /** Reasoning text: shown and stored. */
  readonly thinking?: string;
  /** The same as it goes back to the server; absent once it no longer does. */
  readonly reasoning?: Reasoning | undefined;
  /** Set when the reply was cut off before its end. */
  readonly interrupted?: boolean;
}

/** The result of one call, as the model reads it. */
export interface ToolMessage {
  /** Who says it. */
  readonly role: "tool";
  /** The call that it answers. */
  readonly call_id: string;
  /** Name of the tool. */
  readonly name: string;
  /** The result. */
  readonly content: string;
  /** Whether the call did what it should. */
  readonly success: boolean;
  /** What was said of the fill of the window along with it; void after a compaction. */
  readonly status?: string;
  /** Set once the content was given up for a summary. */
  readonly cleaned?: boolean;
  /** Files that the content shows whole, or that the call has changed. */
  readonly files?: readonly FileMark[];
  /** Pictures that the call came back with. */
  readonly images?: readonly ImagePart[];
  /** The skills whose instructions the content holds. */
  readonly skills?: readonly LoadedSkill[];
}

/** What a result has to do with a file. */
export interface FileMark {
  /** Display path. */
  readonly path: string;
  /** Whether the result shows the whole file, or the call has changed it. */
  readonly how: "shown" | "changed";
  /** Fingerprint of the text it had then; absent if the file was removed or changed by a command. */
  readonly hash?: string;
}

/** A message of the conversation. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** A result's text as it is sent. */
export function resultText({ content, status }: ToolMessage): string {
  return status === undefined ? content : `${content}\n\n[${status}]`;
}

/** By this a message is found again once its session was saved and loaded; "" of none. */
export function markOf(message: Message | undefined): string {
  if (message === undefined) return "";
  const { role, content } = message;
  return `${role} ${content.length} ${content.slice(-MARK_LENGTH)}`;
}

/** Characters of a message's end that tell it from others of its length. */
const MARK_LENGTH = 40;

/** The messages without the thinking that goes back with them. */
export function withoutReasoning(messages: readonly Message[]): Message[] {
  return messages.map((message) => {
    if (message.role !== "assistant" || message.reasoning === undefined) return message;
    const { reasoning: _dropped, ...rest } = message;
    return rest;
  });
}

/** The messages without what was said of the fill of the window. */
export function withoutStatus(messages: readonly Message[]): Message[] {
  return messages.map((message) => {
    if (message.role !== "tool" || message.status === undefined) return message;
    const { status: _void, ...rest } = message;
    return rest;
  });
}

/** The pictures that go with a message. */
export function imagesOf(message: Message): readonly ImagePart[] {
  return message.role === "user" || message.role === "tool" ? message.images ?? [] : [];
}

/** The messages with words in the place of their pictures. */
export function withoutImages(messages: readonly Message[]): Message[] {
  return messages.map((message) => {
    if (message.role !== "user" && message.role !== "tool" || !message.images) return message;
    const { images, ...rest } = message;
    const notes = images.map((image) => imageNote(image, "no longer shown, for want of room"));
    return { ...rest, content: [rest.content, ...notes].join("\n\n") };
  });
}

/** Pixels of a picture for a token, as most models count. */
const PIXELS_PER_TOKEN = 750;
/** Tokens of the smallest picture. */
const MIN_IMAGE_TOKENS = 85;

/** About how many tokens the pictures of a message take; servers do not say beforehand. */
export function imageTokens(message: Message): number {
  return imagesOf(message).reduce(
    (sum, { width, height }) =>
      sum + Math.max(MIN_IMAGE_TOKENS, Math.ceil(width * height / PIXELS_PER_TOKEN)),
    0,
  );
}

/** What stands in the place of a picture that the model does not see. */
export function imageNote({ name, width, height }: ImagePart, why: string): string {
  return `[Image ${name}, ${width}x${height}: ${why}]`;
}

/** Ends the text of a reply that the user cut off; the model reads it on the next turn. */
export const INTERRUPTION_MARKER = "[Request interrupted by user]";

/** Ends the text of a reply whose connection broke for good, or whose budget was spent. */
export const BROKEN_MARKER = "[The reply broke off here]";

/** The words of a reply that ends early, without what says so. */
export function withoutEndMarker({ content }: AssistantMessage): string {
  return content.replace(INTERRUPTION_MARKER, "").replace(BROKEN_MARKER, "").trimEnd();
}
