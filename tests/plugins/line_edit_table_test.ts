/** Every parameter and every error of `line_edit`, one row each. */
import { commonRows, type Row, testTable } from "../support/tool_table.ts";

const validation = "validation_error" as const;
const user = "user_error" as const;

const ROWS: readonly Row[] = [
  {
    says: "takes edits of start_line, end_line and new_content",
    has: "a\nb\nc\n",
    input: { edits: [{ start_line: 2, end_line: 2, new_content: "x" }] },
    gives: "a\nx\nc\n",
    result: {
      edits_applied: 1,
      lines_added: 1,
      lines_removed: 1,
      patch_number: 1,
      recently_modified: ["f"],
    },
  },
  {
    says: "takes new_content as an array of lines",
    has: "a\nb\n",
    input: { edits: [{ start_line: 1, end_line: 1, new_content: ["x", "", "y"] }] },
    gives: "x\n\ny\nb\n",
    result: { note: "Lines behind 1 moved by +2: read again before you number them." },
  },
  {
    says: "takes lines that end in line ends",
    has: "a\nb\n",
    input: {
      edits: [
        { start_line: 1, end_line: 1, new_content: ["x\n", "y\n"] },
        { start_line: 2, end_line: 2, new_content: "z\nw\n" },
      ],
    },
    gives: "x\ny\nz\nw\n",
  },
  ...["", []].map((new_content): Row => ({
    says: `deletes for ${JSON.stringify(new_content)}`,
    has: "a\nb\nc\n",
    input: { edits: [{ start_line: 1, end_line: 2, new_content }] },
    gives: "c\n",
    result: { note: "Lines behind 2 moved by -2: read again before you number them." },
  })),
  {
    says: "reads all numbers as those of the file before",
    has: "1\n2\n3\n4\n5\n",
    input: {
      edits: [
        { start_line: 1, end_line: 2, new_content: "" },
        { start_line: 4, end_line: 4, new_content: ["x", "y"] },
        { start_line: 3, end_line: 3, new_content: "z" },
      ],
    },
    gives: "z\nx\ny\n5\n",
    result: { edits_applied: 3 },
  },
  {
    says: "keeps line ends and the missing final newline",
    has: "a\r\nb\r\nc",
    input: {
      edits: [
        { start_line: 3, end_line: 3, new_content: "z" },
        { start_line: 1, end_line: 1, new_content: "x\ny" },
      ],
    },
    gives: "x\r\ny\r\nb\r\nz",
  },
  {
    says: "refuses a line before the first",
    has: "a\nb\n",
    input: { edits: [{ start_line: 0, end_line: 1, new_content: "x" }] },
    kind: validation,
    error: /start_line is 0, but the first line is 1/,
    suggests: /1\ta\n2\tb/,
  },
  {
    says: "refuses an end before the start",
    has: "a\nb\n",
    input: { edits: [{ start_line: 2, end_line: 1, new_content: "x" }] },
    kind: validation,
    error: /end_line 1 is before start_line 2/,
  },
  {
    says: "refuses a line behind the last and shows the lines there",
    has: "1\n2\n3\n4\n5\n6\n",
    input: { edits: [{ start_line: 7, end_line: 9, new_content: "x" }] },
    kind: user,
    error: /there is no line 9, for the file has 6 lines/,
    suggests: /^The lines there:\n3\t3\n4\t4\n5\t5\n6\t6\n.*replace the last line/,
  },
  {
    says: "refuses any line of an empty file",
    has: "",
    input: { edits: [{ start_line: 1, end_line: 1, new_content: "x" }] },
    kind: user,
    error: /there is no line 1, for the file has 0 lines/,
    suggests: /Use write/,
  },
  {
    says: "refuses edits that overlap",
    has: "a\nb\nc\n",
    input: {
      edits: [
        { start_line: 2, end_line: 3, new_content: "x" },
        { start_line: 1, end_line: 2, new_content: "y" },
      ],
    },
    kind: validation,
    error: /the edits of lines 1-2 and 2-3 overlap/,
  },
  {
    says: "refuses a new_content of another kind",
    has: "a\n",
    input: { edits: [{ start_line: 1, end_line: 1, new_content: [1] }] },
    kind: validation,
    error: /new_content is neither a string nor an array of strings/,
  },
  {
    says: "refuses elided content",
    has: "a\nb\n",
    input: {
      edits: [{ start_line: 1, end_line: 1, new_content: ["x", "# ... existing code ..."] }],
    },
    kind: validation,
    error: /line 2 of new_content stands for content that is left out/,
  },
  {
    says: "refuses content that the lines hold already",
    has: "a\nb\n",
    input: { edits: [{ start_line: 1, end_line: 1, new_content: "a" }] },
    kind: user,
    error: /the lines hold that content already/,
  },
  {
    says: "refuses a call without edits",
    has: "a\n",
    input: {},
    kind: validation,
    error: /Missing required parameter 'edits' for line_edit/,
    suggests: /Example: line_edit\(file_path="src\/main.ts", edits=\[/,
  },
  {
    says: "refuses an empty list of edits",
    has: "a\n",
    input: { edits: [] },
    kind: validation,
    error: /edits is empty/,
  },
  ...["start_line", "end_line", "new_content"].map((name): Row => ({
    says: `refuses an edit without ${name}`,
    has: "a\n",
    input: { edits: [{ start_line: 1, end_line: 1, new_content: "x", [name]: undefined }] },
    kind: validation,
    error: new RegExp(`Missing required parameter '${name}' for edits\\[0\\] of line_edit`),
  })),
  {
    says: "makes none of its edits if one fails",
    has: "a\nb\n",
    input: {
      edits: [
        { start_line: 1, end_line: 1, new_content: "x" },
        { start_line: 5, end_line: 5, new_content: "y" },
      ],
    },
    kind: user,
    error: /edit 2 of 2\): there is no line 5/,
  },
  {
    says: "refuses a file that is not there",
    input: { edits: [{ start_line: 1, end_line: 1, new_content: "x" }] },
    kind: user,
    error: /Cannot find f/,
  },
];

testTable("line_edit", [
  ...ROWS,
  ...commonRows({ edits: [{ start_line: 1, end_line: 1, new_content: "x" }] }),
]);
