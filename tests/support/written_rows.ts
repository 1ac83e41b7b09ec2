/**
 * Replies with calls written as text, in every form known, and texts that only look like calls.
 */
import { ARGS, CLEAR, type DialectRow, READ, texts } from "./dialect_row.ts";

const JSON_CALL = `{"name": "read", "arguments": ${ARGS}}`;
const written = (name: string, text: string, calls: DialectRow["calls"] = [READ]) => ({
  name: `a call written ${name}`,
  reply: texts(...text.match(/[^]{1,7}/g) ?? []),
  calls,
  mark: "rescued" as const,
});

const RESCUED: readonly DialectRow[] = [
  written("in Hermes tags", `<tool_call>\n${JSON_CALL}\n</tool_call>`),
  { ...written("after text", `I look.\n\n<tool_call>${JSON_CALL}</tool_call>`), text: "I look." },
  {
    ...written(
      "after words on a format",
      `I check the format.\n<tool_call>${JSON_CALL}</tool_call>`,
    ),
    text: "I check the format.",
  },
  written("in tags that were not closed", `<tool_call>\n${JSON_CALL}`),
  written(
    "twice in tags",
    `<tool_call>${JSON_CALL}</tool_call>\n<tool_call>{"name":"todo_clear","arguments":{}}</tool_call>`,
    [READ, CLEAR],
  ),
  written(
    "with single quotes in tags",
    `<tool_call>{'name': 'todo_clear', 'arguments': {}}</tool_call>`,
    [
      CLEAR,
    ],
  ),
  written(
    "as XML of Qwen-Coder",
    "<tool_call>\n<function=read>\n<parameter=file_paths>\n" +
      '["a.txt"]\n</parameter>\n</function>\n</tool_call>',
  ),
  written("as a bare function tag", `<function=read>${ARGS}</function>`),
  written(
    "with keys and values of GLM",
    "<tool_call>read\n<arg_key>file_paths</arg_key>\n<arg_value>a.txt</arg_value>\n</tool_call>",
  ),
  written(
    "as an invocation",
    '<function_calls>\n<invoke name="read">\n<parameter name="file_paths">["a.txt"]</parameter>\n' +
      "</invoke>\n</function_calls>",
  ),
  written("in fenced JSON", "```json\n" + JSON_CALL + "\n```"),
  written("as bare JSON", JSON_CALL),
  written("as JSON with parameters", `{"name": "read", "parameters": ${ARGS}}`),
  written("as a list of JSON", `[${JSON_CALL}]`),
  written("after [TOOL_CALLS] as a list", `[TOOL_CALLS] [${JSON_CALL}]`),
  written("after [TOOL_CALLS] with a name", `[TOOL_CALLS]read${ARGS}`),
  written("after [TOOL_CALLS] with [ARGS]", `[TOOL_CALLS]read[ARGS]${ARGS}`),
  written("in Python", `[read(file_paths=["a.txt"]), todo_clear()]`, [READ, CLEAR]),
  written("in Python's quotes", `[read(file_paths=['a.txt'])]`),
  written("after <|python_tag|>", `<|python_tag|>${JSON_CALL}<|eom_id|>`),
  written("in tool_code", "```tool_code\nread(file_paths=['a.txt'])\n```"),
  written("after <|tool_call|>", `<|tool_call|>[${JSON_CALL}]<|/tool_call|>`),
  written(
    "in sections of Kimi",
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>" +
      `${ARGS}<|tool_call_end|><|tool_calls_section_end|>`,
  ),
  written(
    "in marks of DeepSeek",
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n```json\n" +
      `${ARGS}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  ),
  written(
    "in channels of gpt-oss",
    `<|channel|>commentary to=functions.read <|constrain|>json<|message|>${ARGS}<|call|>`,
  ),
];

const kept = (name: string, text: string): DialectRow => ({ name, reply: texts(text), text });
const CLEAR_CALL = '{"name": "todo_clear", "arguments": {}}';

const TEXT: readonly DialectRow[] = [
  kept("a call of a tool that is none", '<tool_call>{"name":"nope","arguments":{}}</tool_call>'),
  kept("a call that breaks its schema", '<tool_call>{"name":"read","arguments":{}}</tool_call>'),
  kept("a call in the middle of text", `<tool_call>${CLEAR_CALL}</tool_call>\nand so on`),
  kept("a call within a line", `write <tool_call>${CLEAR_CALL}</tool_call>`),
  kept("a quoted call", `> <tool_call>${CLEAR_CALL}</tool_call>`),
  kept("a fenced call in tags", `As said:\n\`\`\`\n<tool_call>${CLEAR_CALL}</tool_call>\n\`\`\``),
  kept("fenced JSON after text", `Use this:\n\`\`\`json\n${CLEAR_CALL}\n\`\`\``),
  kept("an example", `It would look like this:\n<tool_call>${CLEAR_CALL}</tool_call>`),
  kept(
    "an example of the format",
    `The format is:\n\n<tool_call>${CLEAR_CALL}</tool_call>`,
  ),
  kept("a call cut off", '<tool_call>{"name":"todo_clear","arguments":{'),
  kept("JSON that is an answer", '{"name": "ls", "size": 3}'),
  kept("Python that is an answer", "[x for x in range(3)]"),
  kept("a list of numbers", "[1, 2, 3]"),
  kept("a fenced answer", "```json\n[1, 2]\n```"),
];

/** All rows of this kind. */
export const WRITTEN: readonly DialectRow[] = [...RESCUED, ...TEXT];
