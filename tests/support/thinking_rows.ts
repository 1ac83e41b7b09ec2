/**
 * Replies with thinking in every place where servers leave it: in fields, between tags, in channels.
 */
import { choice, type DialectRow, finished, stream, texts } from "./dialect_row.ts";

const FIELDS_AND_TAGS: readonly DialectRow[] = [
  ...["reasoning_content", "reasoning", "thinking", "reasoning_text"].map((field) => ({
    name: `thinking in ${field}`,
    reply: stream(choice({ [field]: "hm" }), choice({ content: "42" }), finished("stop")),
    thinking: "hm",
    text: "42",
  })),
  {
    name: "thinking in reasoning_details",
    reply: stream(
      choice({ reasoning_details: [{ type: "reasoning.text", text: "hm" }] }),
      choice({ content: "42" }),
      finished("stop"),
    ),
    thinking: "hm",
    text: "42",
  },
  {
    name: "thinking as parts of the content",
    reply: stream(
      choice({ content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }] }),
      choice({ content: [{ type: "text", text: "42" }] }),
      finished("stop"),
    ),
    thinking: "hm",
    text: "42",
  },
  {
    name: "thinking between tags that are cut over chunks",
    reply: texts("<th", "ink>\nhm", "</thin", "k>\n\n4", "2"),
    thinking: "hm",
    text: "42",
  },
  {
    name: "a thought within a thought",
    reply: texts("<think>a<think>b</think>c</think>42"),
    thinking: "a<think>b</think>c",
    text: "42",
  },
  {
    name: "a thought that speaks of its own tag",
    reply: texts("<think>the <think> tag</think>42"),
    thinking: "the <think> tag</think>42",
    text: "42",
  },
  {
    name: "two thoughts in a row",
    reply: texts("<think>a</think>\n<think>b</think>42"),
    thinking: "ab",
    text: "42",
  },
  {
    name: "a thought whose beginning the template swallowed",
    reply: texts("hm\n</think>\n\n42"),
    thinking: "hm",
    text: "42",
  },
  {
    name: "channels of gpt-oss in the content",
    reply: texts(
      "<|channel|>analysis<|message|>hm<|end|>",
      "<|start|>assistant<|channel|>final<|message|>42",
    ),
    thinking: "hm",
    text: "42",
  },
];

const CHANNELS: readonly DialectRow[] = [
  {
    name: "the final channel of gpt-oss alone",
    reply: texts("<|channel|>fin", "al<|message|>42<|ret", "urn|>"),
    text: "42",
  },
  {
    name: "two thoughts of gpt-oss, the second without an end",
    reply: texts(
      "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>analysis<|message|>b",
      "<|start|>assistant<|channel|>final<|message|>42",
    ),
    thinking: "ab",
    text: "42",
  },
  {
    name: "words of gpt-oss to the user before its answer",
    reply: texts(
      "<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|channel|>final<|message|>42",
    ),
    text: "I look.\n\n42",
  },
  {
    name: "a channel that never gets its message",
    reply: texts("<|channel|>fin"),
    text: "<|channel|>fin",
  },
  {
    name: "a thought of Gemma",
    reply: texts("<|channel>thought\nhm<chan", "nel|>42"),
    thinking: "hm",
    text: "42",
  },
];

/** All rows of this kind. */
export const THINKING: readonly DialectRow[] = [...FIELDS_AND_TAGS, ...CHANNELS];
