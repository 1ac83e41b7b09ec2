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
  written(
    "with another name for its argument",
    '<tool_call>\n{"name": "read", "arguments": {"file_path": "a.txt"}}\n</tool_call>',
  ),
  written(
    "as XML with another name for its argument",
    "<tool_call>\n<function=read>\n<parameter=path>\na.txt\n</parameter>\n</function>\n</tool_call>",
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
  {
    ...written(
      "in channels of gpt-oss after its thinking",
      "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary " +
        `to=functions.read <|constrain|>json<|message|>${ARGS}<|call|>`,
    ),
    thinking: "hm",
  },
  {
    ...written(
      "to a recipient before the channel, after words to the user",
      "<|channel|>commentary<|message|>I look.<|end|><|start|>assistant to=functions.read" +
        `<|channel|>commentary json<|message|>${ARGS}`,
    ),
    text: "I look.",
  },
  {
    ...written(
      "in marks of Command",
      "<|START_THINKING|>hm<|END_THINKING|><|START_ACTION|>[\n" +
        `    {"tool_call_id": "0", "tool_name": "read", "parameters": ${ARGS}}\n]<|END_ACTION|>`,
    ),
    thinking: "hm",
  },
  written(
    "as an Action",
    `Action: \`\`\`json\n[{"tool_name": "read", "parameters": ${ARGS}}]\n\`\`\``,
  ),
  written("in marks of Gemma", '<|tool_call>call:read{file_paths:[<|"|>a.txt<|"|>]}<tool_call|>'),
  written(
    "in marks of FunctionGemma",
    "<start_function_call>call:read{file_paths:[<escape>a.txt<escape>]}<end_function_call>",
  ),
  written(
    "in tags of MiniMax",
    '<minimax:tool_call>\n<invoke name="read">\n<parameter name="file_paths">["a.txt"]</parameter>\n' +
      "</invoke>\n</minimax:tool_call>",
  ),
  written(
    "in tags of DeepSeek 3.2",
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="read">\n<｜DSML｜parameter name="file_paths" ' +
      'string="false">["a.txt"]</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
  ),
  written(
    "in marks of LFM",
    '<|tool_call_start|>[read(file_paths=["a.txt"])]<|tool_call_end|>',
  ),
  written("in marks of Llama 4", '<|python_start|>[read(file_paths=["a.txt"])]<|python_end|>'),
  written("in tags of Nemotron", `<TOOLCALL>[${JSON_CALL}]</TOOLCALL>`),
  written(
    "in tags of Seed",
    '<seed:tool_call>\n<function=read>\n<parameter=file_paths>["a.txt"]</parameter>\n</function>\n' +
      "</seed:tool_call>",
  ),
  written(
    "in tags with attributes",
    '<function name="read"><param name="file_paths">["a.txt"]</param></function>',
  ),
  written("in a tag with an attribute", `<function name="read">${ARGS}</function>`),
  written("as JSON with function_call", `{"function_call": ${JSON_CALL}}`),
  written("after functools", `functools[${JSON_CALL}]`),
  written("in tags of LongCat", `<longcat_tool_call>${JSON_CALL}</longcat_tool_call>`),
  written("in marks of Apertus", `<|tools_prefix|>[{"read": ${ARGS}}]<|tools_suffix|>`),
  written("in marks of GigaChat", `function call<|role_sep|>\n${JSON_CALL}`),
  written(
    "in marks of Step",
    '<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="read">' +
      '<steptml:parameter name="file_paths">["a.txt"]</steptml:parameter></steptml:invoke>' +
      "<｜tool_call_end｜><｜tool_calls_end｜>",
  ),
  ...["<|tool▁call", "<｜tool_call", "<｜tool call", "<｜tool\\_call"].map((begin) => {
    const [bar, blank] = [begin[1]!, begin.slice("<|tool".length, -"call".length)];
    const mark = (...words: string[]) => `<${bar}${["tool", ...words].join(blank)}${bar}>`;
    return written(
      `in marks of DeepSeek spelled ${begin}`,
      `${mark("calls", "begin")}${mark("call", "begin")}function${mark("sep")}read\n` +
        `\`\`\`json\n${ARGS}\n\`\`\`${mark("call", "end")}${mark("calls", "end")}`,
    );
  }),
  written(
    "in tags around tags",
    `<tool_calls>\n<tool_call>${JSON_CALL}</tool_call>\n</tool_calls>`,
  ),
  written(
    "as a name and fenced JSON",
    `<tool_call>read\n\`\`\`json\n${ARGS}\n\`\`\`\n</tool_call>`,
  ),
  written(
    "twice, set apart by a semicolon",
    `${JSON_CALL}; {"name":"todo_clear","parameters":{}}`,
    [
      READ,
      CLEAR,
    ],
  ),
  written(
    "twice in one tag",
    `<tool_call>\n${JSON_CALL}\n{"name":"todo_clear","arguments":{}}\n</tool_call>`,
    [READ, CLEAR],
  ),
  written("in doubled braces", `<tool_call>\n{${JSON_CALL}}\n</tool_call>`),
  written("before a closing tag alone", `${JSON_CALL}\n</tool_call>`),
  written("in a tag that only the end of the reply closes", `<tool_call>${JSON_CALL}<|im_end|>`),
  written(
    "as XML whose outer tag is missing",
    '<function=read>\n<parameter=file_paths>\n["a.txt"]\n</parameter>\n</function>\n</tool_call>',
  ),
  written(
    "as XML whose inner tag is not closed",
    '<tool_call>\n<function=read>\n<parameter=file_paths>\n["a.txt"]\n</parameter>\n</tool_call>',
  ),
  ...[
    `<tool_call>${JSON_CALL}</tool_call>`,
    `[TOOL_CALLS]read[ARGS]${ARGS}`,
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read<｜tool▁sep｜>${ARGS}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    `<|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>${ARGS}<|tool_call_end|>`,
  ].map((call) => ({
    ...written(`right after a sentence: ${call.slice(0, 12)}`, `I look.${call}`),
    text: "I look.",
  })),
  {
    ...written(
      "after a step with a colon",
      `I check the output:\n<tool_call>${JSON_CALL}</tool_call>`,
    ),
    text: "I check the output:",
  },
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
  kept("an example after an abbreviation", `e.g.<tool_call>${CLEAR_CALL}</tool_call>`),
  kept(
    "the words of another",
    `To clear it, a model answers:\n<tool_call>${CLEAR_CALL}</tool_call>`,
  ),
  kept("an output that is expected", `Expected output:\n<|tool_call|>[${CLEAR_CALL}]`),
  kept("a call after an open quotation mark", `"\n<tool_call>${CLEAR_CALL}</tool_call>`),
  kept("a token in a quotation", `> <|python_tag|>${CLEAR_CALL}`),
  kept("a token in a code span", `\`<|tool_call|>[${CLEAR_CALL}]\``),
  kept("a token after a quotation mark", `It says "<|tool_call|>[${CLEAR_CALL}]`),
  kept("a token in a list", `- <|python_tag|>${CLEAR_CALL}`),
  kept("a token that is spoken of", `The output was: <|tool_call|>[${CLEAR_CALL}]`),
  kept("a token that is named", "The mark <|python_tag|> comes before a call."),
  kept(
    "keys and values whose tag was not closed",
    "<tool_call>todo_clear\n<arg_key>a</arg_key>\n<arg_value>b</arg_value>",
  ),
  kept("a call cut off", '<tool_call>{"name":"todo_clear","arguments":{'),
  kept("a module that is spoken of", "functools has reduce and partial."),
  kept("an object of objects that is an answer", '```json\n{"ls": {"path": "."}}\n```'),
  kept("JSON that is an answer", '{"name": "ls", "size": 3}'),
  kept("Python that is an answer", "[x for x in range(3)]"),
  kept("a list of numbers", "[1, 2, 3]"),
  kept("a fenced answer", "```json\n[1, 2]\n```"),
];

/** All rows of this kind. */
export const WRITTEN: readonly DialectRow[] = [...RESCUED, ...TEXT];
