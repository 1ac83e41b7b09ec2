/** Every parameter and every error of `write`, one row each. */
import { commonRows, type Row, testTable } from "../support/tool_table.ts";

const validation = "validation_error" as const;
const user = "user_error" as const;

const ROWS: readonly Row[] = [
  {
    says: "takes content and creates the file",
    input: { content: "é\n" },
    gives: "é\n",
    result: { bytes_written: 3, patch_number: 1, recently_modified: ["f"], created: true },
  },
  {
    says: "takes the path by another name",
    input: { file_path: undefined, filePath: "f", content: "a" },
    gives: "a",
  },
  {
    says: "makes the directories above a file",
    input: { file_path: "d/e/g", content: "a" },
    result: { recently_modified: ["d/e/g"] },
  },
  {
    says: "overwrites what was read, with the line ends that it had",
    has: "a\r\nb\r\n",
    input: { content: "x\ny\n" },
    gives: "x\r\ny\r\n",
    result: { bytes_written: 6, created: false },
  },
  { says: "fills an empty file that was read", has: "", input: { content: "a" }, gives: "a" },
  { says: "takes empty content", has: "a\n", input: { content: "" }, gives: "" },
  {
    says: "refuses the content that the file has already",
    has: "a\r\n",
    input: { content: "a\n" },
    kind: user,
    error: /Cannot write f: it has exactly this content already/,
    suggests: /Nothing is left to do/,
  },
  {
    says: "refuses elided content in a new file",
    input: { content: "a\n# ... rest of the file unchanged\n" },
    kind: validation,
    error: /Cannot write f: line 2 stands for content that is left out/,
    suggests: /whole content, or use edit/,
  },
  {
    says: "refuses elided content over a file that holds something",
    has: "a\n",
    input: { content: "<!-- ... -->\n" },
    kind: validation,
    error: /line 1 stands for content that is left out: <!-- \.\.\. -->/,
  },
  {
    says: "takes words of elision that the file has itself",
    has: "// ...\n",
    input: { content: "a\n  // ...\n" },
    gives: "a\n  // ...\n",
  },
  {
    says: "makes an empty file where no content is given, and says so",
    input: {},
    gives: "",
    result: { created: true, note: "No content was given: the file is empty." },
  },
  {
    says: "empties no file for want of content",
    has: "a\n",
    input: {},
    kind: validation,
    error: /Missing required parameter 'content' for write/,
    suggests: /content="" empties the file/,
  },
  {
    says: "refuses content that is no text",
    input: { content: { a: 1 } },
    kind: validation,
    error: /Invalid 'content'/,
  },
  {
    says: "refuses a path below a file",
    has: "a\n",
    input: { file_path: "f/g", content: "x" },
    kind: "system_error",
    error: /Cannot write f\/g: a part of the path is not a directory/,
  },
];

testTable("write", [...ROWS, ...commonRows({ content: "x" })]);
