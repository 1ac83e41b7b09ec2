/**
 * What a compaction is made of: how much of the conversation it covers, what the model is asked, and the
 * message that stands in for what is covered. Pure.
 */
import {
  isNote,
  type LoadedSkill,
  type Message,
  skillsIn,
  type UserMessage,
  withoutEndMarker,
} from "../core/message.ts";
import { cutEnd, plural } from "../lib/text.ts";
import type { TokenCounter } from "./counter.ts";
import { surroundingsText, toldIn } from "./prompt.ts";
import { cutToTokens } from "./tokens.ts";

/** Share of the window that the messages kept whole may take. */
const TAIL_SHARE = 1 / 4;
/** Share of the window that the user's own words may take. */
const USER_WORDS_SHARE = 1 / 8;
/** Share of the window that the instructions of skills may take. */
const SKILLS_SHARE = 1 / 8;
/** Share of the window above which the user's words alone are worth covering: they are cut then. */
const LONG_WORDS_SHARE = 1 / 2;
/** Share of the window, and tokens, that a summary may have. */
const SUMMARY_SHARE = 1 / 8;
const MAX_SUMMARY = 2000;
/** Files and calls that are listed, the last ones. */
const MAX_FILES = 30;
const MAX_CALLS = 30;
/** Characters of a call, and of what the model said, in a list. */
const CALL_LENGTH = 120;
const REMARK_LENGTH = 300;

/** Tokens that a summary may have in a window of this size. */
export function summaryTokens(size: number): number {
  return Math.min(MAX_SUMMARY, Math.floor(size * SUMMARY_SHARE));
}

/**
 * How many of the messages are covered: all but the last ones that together take a quarter of the window,
 * or half of what there is. Never parts a call from its results. 0 if there is nothing to gain, or less
 * than `least` tokens would be covered.
 */
export function countCovered(
  messages: readonly Message[],
  { size, counter, least = 0 }: {
    size: number;
    counter: TokenCounter;
    least?: number;
  },
): number {
  const most = size * TAIL_SHARE;
  const room = Math.min(most, counter.countUpTo(2 * most, messages.toReversed()) / 2);
  let start = messages.length;
  let tokens = 0;
  for (let index = messages.length - 1; index > 0; index--) {
    const message = messages[index]!;
    tokens += counter.countMessage(message);
    if (tokens > room && start < messages.length) break;
    if (message.role !== "tool") start = index;
    if (tokens > room) break;
  }
  // A stand-in alone is as short as it can be.
  const covered = messages.slice(0, start);
  const gain = counter.countUpTo(Math.max(least, size * LONG_WORDS_SHARE), covered);
  const isTalk = covered.some(({ role }) => role !== "user");
  const isWorth = gain >= least && (isTalk || gain > size * LONG_WORDS_SHARE);
  return start === messages.length || !isWorth ? 0 : start;
}

/** What the model is asked after the messages that it is to summarize. */
export function summaryRequest(focus: string, tokens: number): UserMessage {
  const wish = focus === "" ? [] : ["", `The user asks to keep above all: ${focus}`];
  const content = [
    "Stop here. The conversation so far is about to be replaced by a summary that you write now, and the",
    "work goes on from it. Call no tool. Write only the summary, in Markdown, under these headings:",
    "## Goal - what the user wants, with every condition",
    "## Decisions - what was settled, found out or ruled out, and why",
    "## Files - each file that matters: what it holds, what was changed in it",
    "## State - what is done and verified, with the commands that prove it",
    "## Open - what remains, next step first; errors not yet solved, to the word",
    `Be exact about names, paths, numbers and commands. Use at most ${tokens} tokens. The user's own`,
    "words, the list of files and the todo list are kept beside it: do not repeat them.",
    ...wish,
  ].join("\n");
  return { role: "user", content };
}

/** What stands in for the covered messages. */
export function buildSummaryMessage(
  covered: readonly Message[],
  options: {
    /** What the model wrote; undefined if it could not. */
    summary: string | undefined;
    todos: readonly string[];
    size: number;
    counter: TokenCounter;
  },
): UserMessage {
  const { summary, todos } = options;
  const said = fitWords(userWordsIn(covered), options);
  const files = filesIn(covered);
  const told = toldIn(covered);
  const skills = fitSkills(skillsIn(covered), options);
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`## ${title}\n${lines.join("\n")}`];
  const content = [
    `[The earlier conversation, ${plural(covered.length, "message")}, was compacted to this. ` +
    "There is room again: calls that were blocked or cut for want of it can be made again.]",
    summary ?? listWork(covered),
    ...section("The user's words so far, verbatim", said.map((text) => `> ${quote(text)}`)),
    ...section("Files (content fingerprint when last seen)", files),
    ...section("Todo list", todos),
    ...section("Skills in use", skills.kept.map(({ text }) => text)),
    ...section("Skills no longer loaded: load one again when it is needed", skills.dropped),
    ...told.length === 0 ? [] : [surroundingsText(told)],
  ].join("\n\n");
  return {
    role: "user",
    content,
    said,
    ...told.length > 0 && { told },
    ...skills.kept.length > 0 && { skills: skills.kept },
  };
}

/** The skills whose instructions stay, those loaded last before the others, and the names of the rest. */
function fitSkills(
  skills: readonly LoadedSkill[],
  { size, counter }: { size: number; counter: TokenCounter },
): { kept: readonly LoadedSkill[]; dropped: readonly string[] } {
  const kept: LoadedSkill[] = [];
  const dropped: string[] = [];
  let left = Math.floor(size * SKILLS_SHARE);
  for (const skill of skills.toReversed()) {
    const cost = counter.count(skill.text);
    if (cost <= left) {
      kept.unshift(skill);
      left -= cost;
    } else dropped.unshift(`- ${skill.name}`);
  }
  return { kept, dropped };
}

/** What can be told of the covered messages without a model: the calls, and its own remarks. */
function listWork(covered: readonly Message[]): string {
  const outcomes = new Map(
    covered.flatMap((message) =>
      message.role === "tool" ? [[message.call_id, message.success] as const] : []
    ),
  );
  // Worked out only for those that are listed: a history can be long.
  const lines = covered.flatMap((message): (() => string)[] => {
    if (message.role !== "assistant") return [];
    const remark = withoutEndMarker(message).trimStart();
    const calls = message.calls.map((call) => () => {
      const what = shortenToLine(`${call.name} ${call.arguments}`, CALL_LENGTH);
      return `- ${what}: ${outcomes.get(call.id) ? "done" : "failed"}`;
    });
    return [
      ...(remark === "" ? [] : [() => `- said: ${shortenToLine(remark, REMARK_LENGTH)}`]),
      ...calls,
    ];
  });
  const earlier = covered.flatMap((message) =>
    message.role === "user" && message.said !== undefined ? [message.content] : []
  );
  return [
    ...earlier.map((text) => cutEnd(text, REMARK_LENGTH * 10)),
    "## What was done (no summary could be written; this is a list)",
    ...(lines.length > MAX_CALLS ? [`- ... ${lines.length - MAX_CALLS} earlier`] : []),
    ...lines.slice(-MAX_CALLS).map((line) => line()),
  ].join("\n");
}

/** The user's words in order, those that an earlier compaction carried over first. */
function userWordsIn(covered: readonly Message[]): string[] {
  return covered.flatMap((message) => {
    if (message.role !== "user") return [];
    return message.said ?? (isNote(message) ? [] : [message.content]);
  });
}

/** Within the bound all is verbatim; over it the longest are cut in their middle, never the others. */
function fitWords(
  said: readonly string[],
  { size, counter }: { size: number; counter: TokenCounter },
): string[] {
  const count = (text: string) => counter.count(text);
  const room = Math.floor(size * USER_WORDS_SHARE);
  // Half of the bound for very many short messages: the first is the task, the last is the latest wish.
  const carried = dropMiddleWords(said, { room, count });
  const costs = carried.map(count);
  if (costs.reduce((sum, cost) => sum + cost, 0) <= room) return carried;
  const cap = capFor(costs, room);
  return carried.map((text, index) => {
    return costs[index]! > cap ? cutToTokens(text, cap, { count }) : text;
  });
}

/** The most that each may cost so that all together stay within the room. */
function capFor(costs: readonly number[], room: number): number {
  let left = room;
  const sorted = costs.toSorted((a, b) => a - b);
  for (const [index, cost] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index));
    if (cost > share) return share;
    left -= cost;
  }
  return room;
}

/** Fewest tokens that a message of the user's is worth being carried with. */
const MIN_WORDS = 12;

function dropMiddleWords(
  said: readonly string[],
  { room, count }: { room: number; count: (text: string) => number },
): string[] {
  // The first, the line for those left out, and the last.
  const most = Math.max(3, Math.floor(room / MIN_WORDS));
  if (said.length <= most) return [...said];
  let left = room;
  if (said.every((text) => (left -= count(text)) >= 0)) return [...said];
  const [first = ""] = said;
  const out = plural(said.length - most + 1, "message");
  return [first, `[${out} left out]`, ...said.slice(-(most - 2))];
}

/** The files that the covered messages are about, as far as their results tell. */
function filesIn(covered: readonly Message[]): string[] {
  const lines = new Map<string, string>();
  for (const message of covered) {
    if (message.role === "user" && message.said !== undefined) {
      for (const [line, path] of message.content.matchAll(FILE_LINE)) lines.set(path ?? "", line);
    }
    if (message.role !== "tool" || !Array.isArray(message.files)) continue;
    for (const { path, how, hash } of message.files) {
      lines.delete(path);
      const what = how === "shown" ? "read" : "changed";
      lines.set(path, `- ${path}: ${what}${hash === undefined ? "" : `, ${hash}`}`);
    }
  }
  return [...lines.values()].slice(-MAX_FILES);
}

/** A line of the list of files, found again in an earlier stand-in. */
const FILE_LINE = /^- (.+): (?:read|changed)(?:, [0-9a-f]{12})?$/gm;

function quote(text: string): string {
  return text.replaceAll("\n", "\n> ");
}

/** The beginning of a text on one line. */
function shortenToLine(text: string, length: number): string {
  // Blanks may shrink, and what is far behind does not show anyway.
  return cutEnd(text.slice(0, 10 * length).replace(/\s+/g, " ").trim(), length);
}
