/** Every parameter and every error of `edit`, one row each. */
import { commonRows, type Row, testTable } from "../support/tool_table.ts";

const validation = "validation_error" as const;
const user = "user_error" as const;

const ROWS: readonly Row[] = [
  {
    says: "takes old_string and new_string at top level",
    has: "a\nb\n",
    input: { old_string: "a", new_string: "x" },
    gives: "x\nb\n",
    result: { edits_applied: 1, patch_number: 1, recently_modified: ["f"] },
  },
  {
    says: "takes replace_all at top level",
    has: "a a\n",
    input: { old_string: "a", new_string: "x", replace_all: true },
    gives: "x x\n",
  },
  {
    says: "takes edits, each with old_string, new_string and replace_all",
    has: "a a b\n",
    input: {
      edits: [
        { old_string: "a", new_string: "x", replace_all: true },
        { old_string: "x b", new_string: "y", replace_all: false },
      ],
    },
    gives: "x y\n",
    result: { edits_applied: 2 },
  },
  {
    says: "takes a file's path by another name",
    has: "a\n",
    input: { file_path: undefined, path: "f", old_string: "a", new_string: "x" },
    gives: "x\n",
  },
  {
    says: "creates a file for an empty old_string",
    input: { old_string: "", new_string: "a\n" },
    gives: "a\n",
  },
  {
    says: "fills an empty file that was read",
    has: "",
    input: { old_string: "", new_string: "a\n" },
    gives: "a\n",
  },
  {
    says: "deletes for an empty new_string",
    has: "a\nb\n",
    input: { old_string: "a\n", new_string: "" },
    gives: "b\n",
  },
  {
    says: "says that it matched but for line ends",
    has: "a\r\nb\r\n",
    input: { old_string: "a\nb", new_string: "c" },
    gives: "c\r\n",
    result: { match: "matched but for line ends" },
  },
  {
    says: "says that it matched but for white space at line ends",
    has: "x\na  \nb\n",
    input: { old_string: "a\nb", new_string: "c" },
    gives: "x\nc\n",
    result: { match: "matched but for white space (at line ends): verify line 2" },
  },
  {
    says: "says that it matched but for indentation, at every place with replace_all",
    has: "\ta();\n\t\ta();\n",
    input: { old_string: "  a();\n", new_string: "  b();\n", replace_all: true },
    gives: "\tb();\n\t\tb();\n",
    result: { match: "matched but for white space (indentation): verify lines 1, 2" },
  },
  {
    says: "says which edit matched but for typographic characters",
    has: "a\n“b”\n",
    input: {
      edits: [{ old_string: "a", new_string: "c" }, { old_string: '"b"', new_string: "d" }],
    },
    gives: "c\nd\n",
    result: { match: "edit 2 matched but for typographic quotes or dashes: verify line 2" },
  },
  {
    says: "refuses a text that is not there and names the nearest",
    has: "let total = 1;\n",
    input: { old_string: "Let Total = 1;", new_string: "x" },
    kind: user,
    error: /Cannot edit f: old_string is not in the file/,
    suggests: /only in upper and lower case from:\n1\tlet total = 1;/,
  },
  {
    says: "refuses a text that is not there, replace_all or not",
    has: "a\n",
    input: { old_string: "zz", new_string: "x", replace_all: true },
    kind: user,
    error: /old_string is not in the file/,
  },
  {
    says: "refuses a text that is not unique",
    has: "a\nb\na\n",
    input: { old_string: "a", new_string: "x" },
    kind: user,
    error: /old_string occurs 2 times, in lines 1, 3/,
    suggests: /replace_all/,
  },
  {
    says: "refuses a text that is not unique but for white space",
    has: "\ta();\n\t\ta();\n",
    input: { old_string: "  a();\n", new_string: "  b();\n" },
    kind: user,
    error: /occurs 2 times but for white space \(indentation\), in lines 1, 2/,
  },
  {
    says: "makes none of its edits if one fails",
    has: "a\n",
    input: { edits: [{ old_string: "a", new_string: "b" }, { old_string: "c", new_string: "d" }] },
    kind: user,
    error: /edit 2 of 2/,
  },
  {
    says: "refuses the same text twice",
    has: "a\n",
    input: { old_string: "a", new_string: "a" },
    kind: validation,
    error: /old_string and new_string are the same/,
  },
  {
    says: "refuses edits that change nothing together",
    has: "a\n",
    input: { edits: [{ old_string: "a", new_string: "b" }, { old_string: "b", new_string: "a" }] },
    kind: user,
    error: /the edits change nothing/,
  },
  {
    says: "refuses to create a file that holds something",
    has: "a\n",
    input: { old_string: "", new_string: "b" },
    kind: user,
    error: /Cannot create f: it exists and is not empty/,
  },
  {
    says: "refuses an empty old_string in a later edit",
    has: "a\n",
    input: { edits: [{ old_string: "a", new_string: "b" }, { old_string: "", new_string: "c" }] },
    kind: validation,
    error: /old_string is empty, which only a first edit may be/,
  },
  {
    says: "refuses two empty strings",
    has: "",
    input: { old_string: "", new_string: "" },
    kind: validation,
    error: /old_string and new_string are both empty/,
  },
  {
    says: "refuses elided content",
    has: "a\nb\n",
    input: { old_string: "a", new_string: "x\n// ... rest unchanged" },
    kind: validation,
    error: /line 2 of new_string stands for content that is left out: \/\/ \.\.\. rest unchanged/,
  },
  {
    says: "takes words of elision that the file has itself",
    has: "a\n// ... existing code ...\n",
    input: { old_string: "a", new_string: "x\n// ... existing code ..." },
    gives: "x\n// ... existing code ...\n// ... existing code ...\n",
  },
  {
    says: "refuses a call without old_string",
    has: "a\n",
    input: { new_string: "b" },
    kind: validation,
    error: /old_string is missing/,
  },
  {
    says: "refuses a call without new_string",
    has: "a\n",
    input: { old_string: "a" },
    kind: validation,
    error: /new_string is missing/,
  },
  {
    says: "refuses edits beside old_string and new_string",
    has: "a\n",
    input: { old_string: "a", new_string: "b", edits: [{ old_string: "a", new_string: "c" }] },
    kind: validation,
    error: /edits and old_string\/new_string are both given/,
  },
  {
    says: "refuses a replace_all that is no boolean",
    has: "a\n",
    input: { old_string: "a", new_string: "b", replace_all: "sometimes" },
    kind: validation,
    error: /'replace_all'/,
    suggests: /Example: edit\(/,
  },
  {
    says: "refuses a file that is not there",
    input: { old_string: "a", new_string: "b" },
    kind: user,
    error: /Cannot find f: there is no such file/,
  },
];

testTable("edit", [...ROWS, ...commonRows({ old_string: "a", new_string: "x" })]);
