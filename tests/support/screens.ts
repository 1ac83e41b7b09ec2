/**
 * One session in which everything that ally draws is seen once: a script of keys, a model that answers by the words it
 * was given, and the screen after each step. The same for each size of a terminal.
 */
import type { RecordedRequest, ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { STARTED } from "./ally_terminal.ts";

/** A step: what is typed, and what the screen has then. */
export interface ScreenStep {
  /** Of the screen that is kept; a step without one only leads to the next. */
  readonly name?: string;
  /** Keys by tmux's names; text after "-l" is typed as it is. */
  readonly keys: readonly (readonly string[])[];
  /** What the screen shows once the step is done. */
  readonly shows: RegExp;
}

function say(words: string): string[][] {
  return [["-l", words], ["Enter"]];
}

/** The steps of the session, in their order. */
export const SCREEN_STEPS: readonly ScreenStep[] = [
  { name: "start", keys: [], shows: STARTED },
  { name: "keys", keys: [["-l", "?"]], shows: /more:|Ctrl\+T/ },
  { keys: [["C-u"]], shows: /›$/ },
  { name: "list", keys: [["-l", "/co"]], shows: /compact/ },
  { keys: [["C-u"]], shows: /›$/ },
  { name: "files", keys: [["-l", "look at @gr"]], shows: /greet\.ts/ },
  { keys: [["C-u"]], shows: /›$/ },
  { name: "markdown", keys: say("markdown"), shows: /The\s+end\.[^]*\sout\b/ },
  { name: "edit-question", keys: say("edit"), shows: /❯ Deny/ },
  { name: "edit", keys: [["a"]], shows: /Edited\s+it\.[^]*\sout\b/ },
  { name: "command-question", keys: say("command"), shows: /❯ Deny/ },
  { keys: [["d"]], shows: /Stopped/ },
  { name: "running", keys: say("running"), shows: /two/ },
  { keys: [], shows: /Both\s+are\s+done\.[^]*\sout\b/ },
  { name: "folded", keys: say("folded"), shows: /That\s+was\s+long\.[^]*\sout\b/ },
  { name: "failed", keys: say("failed"), shows: /It\s+failed\.[^]*\sout\b/ },
  { name: "agents", keys: say("agents"), shows: /Both\s+agents\s+are\s+done\.[^]*\sout\b/ },
  { name: "todo", keys: say("todo"), shows: /Planned\.[^]*\sout\b/ },
  { name: "help", keys: say("/help"), shows: /say\s+more/ },
  { keys: say("/clear"), shows: /new\s+conversation/ },
  { name: "resume", keys: say("/resume"), shows: /❯/ },
];

/** Files of the project. */
export const SCREEN_FILES: Readonly<Record<string, string>> = {
  "greet.ts": `/** Greets somebody. */
export function greet(name: string): string {
  return "Hello " + name;
}
`,
  "README.md": "# Greetings\n",
};

const MARKDOWN = `## What it does

It **greets** a person by *name*, as \`greet.ts\` says:

\`\`\`ts
export const greet = (name: string) => \`Hello \${name}\`; // short
\`\`\`

1. First the name is read.
   - Blanks at its ends do not count.
2. Then it is greeted: 你好, 世界.

| name | greeting | used |
|------|----------|-----:|
| Ada  | Hello Ada | 12 |
| 李雷 | 你好 李雷 | 3 |

- [x] greets
- [ ] says goodbye

> More is in [the documentation](https://example.com/greet).

The end.`;

const EDIT = {
  file_path: "greet.ts",
  old_string: '  return "Hello " + name;',
  new_string: "  return `Hello ${name.trim()}!`;",
};

function bash(command: string, description: string) {
  return { name: "bash", arguments: { command, description } };
}

/** By the words of a prompt, the replies that follow one another. */
const REPLIES: Readonly<Record<string, readonly ScriptedReply[]>> = {
  markdown: [{ thinking: "The person wants to see Markdown.", text: MARKDOWN }],
  edit: [
    { calls: [{ name: "read", arguments: { file_paths: ["greet.ts"] } }] },
    { text: "I'll trim the name.", calls: [{ name: "edit", arguments: EDIT }] },
    { text: "Edited it." },
  ],
  command: [{
    text: "The package has to be published.",
    calls: [bash("npm publish --access public", "Publish the package")],
  }],
  running: [
    {
      calls: [
        bash("printf 'one\\n'; sleep 3; cat README.md", "Read slowly"),
        bash("printf 'two\\n'; sleep 3; cat greet.ts", "Read slowly, too"),
      ],
    },
    { text: "Both are done." },
  ],
  folded: [
    { calls: [bash("seq 1 61", "Count")] },
    { text: "That was long." },
  ],
  failed: [
    {
      calls: [
        bash("seq 1 20; echo 'error: greet is not a function' >&2; exit 3", "Run the tests"),
      ],
    },
    { text: "It failed." },
  ],
  agents: [
    {
      calls: [{
        name: "agent",
        arguments: {
          agents: ["README.md", "greet.ts"].map((file) => ({
            agent_name: "general",
            task_prompt: `look at ${file}`,
          })),
        },
      }],
    },
    { text: "Both agents are done." },
  ],
  todo: [
    {
      calls: [{
        name: "todo_add",
        arguments: { tasks: ["Read the code", "Mend the greeting", "Run the tests"] },
      }],
    },
    { text: "Planned." },
  ],
  "look at README.md": [
    { calls: [{ name: "read", arguments: { file_paths: ["README.md"] } }] },
    { text: "It has one heading: Greetings." },
  ],
  "look at greet.ts": [
    { calls: [{ name: "read", arguments: { file_paths: ["greet.ts"] } }] },
    { text: "It has one function, `greet`." },
  ],
};

/** The model's next reply, by the words it was given last and how often it has called since. */
export function replyToScreen({ body }: RecordedRequest): ScriptedReply {
  const messages = Array.isArray(body.messages)
    ? body.messages as { role: string; content: string }[]
    : [];
  const isWords = ({ role, content }: { role: string; content: string }) =>
    role === "user" && Object.keys(REPLIES).some((words) => content.includes(words));
  const at = messages.findLastIndex(isWords);
  const words = Object.keys(REPLIES).toSorted((a, b) => b.length - a.length)
    .find((one) => messages[at]?.content.includes(one)) ?? "";
  const replied = messages.slice(at + 1).filter(({ role }) => role === "assistant").length;
  return REPLIES[words]?.[replied] ?? { text: "(nothing more)" };
}

/** A screen without what differs from run to run; what is replaced keeps its width. */
export function normalizeScreen(screen: string): string {
  return screen
    .replace(/127\.0\.0\.1:[\d\n]+\/v1/g, (address) => address.replace(/(?<=:[\d\n]*)\d/g, "0"))
    .replace(/^\d{1,5}(?=\/v1$)/gm, (digits) => "0".repeat(digits.length))
    .replace(/\b\d+ [A-Z][a-z]{2}, \d\d:\d\d/g, "1 Jan, 00:00")
    .replace(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, "⠋")
    // Whether a time is shown at all depends on the machine.
    .replace(/ · \d+(\.\d+)?s$/gm, "")
    .replace(/\b\d+(\.\d+)?s\b/g, "0s")
    .replace(/\b\d+(\.\d+)? KB\b/g, "0 KB")
    .replace(/\b\d+(\.\d+)?k?(?= (?:in|out|tokens|t\/s)\b)/g, "0")
    .replace(/(?<name>bubblewrap\s)\d+\.\d+\.\d+/g, "$<name>0.0.0")
    .replace(/^ally \d+\.\d+\.\d+/gm, "ally 0.0.0")
    .replace(/context \d+%/g, "context 0%");
}
