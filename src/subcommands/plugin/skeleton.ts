/**
 * The files of a new plugin: one working tool, its test, and a README. They are the author's from then on.
 */
import { MANIFEST_VERSION } from "../../plugin_host/manifest_schema.ts";
import type { PluginLanguage } from "./command.ts";

/** The files by path. */
export function createSkeleton(
  name: string,
  language: PluginLanguage,
): Readonly<Record<string, string>> {
  const tool = `${name.replaceAll("-", "_")}_count`;
  const program = language === "ts"
    ? { module: MODULE_PATH }
    : { command: "python3", args: ["count.py"], timeout: 30 };
  const manifest = {
    manifest: MANIFEST_VERSION,
    name,
    version: "0.1.0",
    description: "Counts lines, words and characters",
    permissions: {},
    tools: [{
      name: tool,
      description: "Count the lines, words and characters of a text",
      effects: ["read"],
      parameters: {
        type: "object",
        properties: { text: { type: "string", description: "The text to count" } },
        required: ["text"],
      },
      example: { text: "two words" },
      ...program,
    }],
  };
  const files = language === "ts" ? TYPESCRIPT : PYTHON;
  return {
    "plugin.json": `${JSON.stringify(manifest, null, 2)}\n`,
    ...files,
    "README.md": createReadme({ name, tool, language }),
  };
}

const MODULE_PATH = "./count.ts";

const TYPESCRIPT = {
  "count.ts": `/** Counts the lines, words and characters of a text. */
export default function count(input: { text: string }) {
  const { text } = input;
  return {
    lines: text === "" ? 0 : text.replace(/\\n$/, "").split("\\n").length,
    words: text.match(/\\S+/g)?.length ?? 0,
    characters: [...text].length,
  };
}
`,
  "count_test.ts": `import assert from "node:assert/strict";
import count from "${MODULE_PATH}";

Deno.test("counts lines, words and characters", () => {
  assert.deepEqual(count({ text: "one two\\nthree\\n" }), { lines: 2, words: 3, characters: 14 });
});

Deno.test("an empty text has nothing to count", () => {
  assert.deepEqual(count({ text: "" }), { lines: 0, words: 0, characters: 0 });
});
`,
};

const PYTHON = {
  "count.py": `"""Counts the lines, words and characters of a text: JSON in, JSON out."""

import json
import sys


def count(text):
    return {
        "lines": len(text.splitlines()),
        "words": len(text.split()),
        "characters": len(text),
    }


if __name__ == "__main__":
    request = json.load(sys.stdin)
    print(json.dumps({"success": True, **count(request["text"])}))
`,
  "test_count.py": `import json
import subprocess
import sys
import unittest

from count import count


class CountTest(unittest.TestCase):
    def test_counts_lines_words_and_characters(self):
        self.assertEqual(
            count("one two\\nthree\\n"), {"lines": 2, "words": 3, "characters": 14}
        )

    def test_answers_as_ally_asks(self):
        done = subprocess.run(
            [sys.executable, "-B", "count.py"],
            input=json.dumps({"text": "one two"}),
            capture_output=True,
            text=True,
            check=True,
        )
        self.assertEqual(
            json.loads(done.stdout),
            {"success": True, "lines": 1, "words": 2, "characters": 7},
        )


if __name__ == "__main__":
    unittest.main()
`,
};

function createReadme(
  { name, tool, language }: { name: string; tool: string; language: PluginLanguage },
): string {
  const program = language === "ts" ? "count.ts" : "count.py";
  return `# ${name}

A plugin for ally with one tool, \`${tool}\`.

- \`plugin.json\` says what its tools are called, what they take, and what the plugin may do.
- \`${program}\` is the tool.
- \`ally plugin test\` runs its test.
- \`ally plugin check\` looks for mistakes; \`ally plugin audit ${name}\` shows what it may do.

Before it runs for the first time, and whenever a file of it has changed, ally asks.
In scripts: \`ally -p --allow-plugin=${name} "..."\`.
`;
}
