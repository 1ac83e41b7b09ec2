/**
 * The small project of the demo: a shell function with a bug and a test that shows it. It needs nothing
 * that a machine with a shell does not have.
 */
import { join } from "node:path";

const FILES: Readonly<Record<string, string>> = {
  "README.md": `# slug

Turns titles into names for files: \`slug "Hello World"\` prints \`hello-world\`.
Run the tests with \`sh test.sh\`.
`,
  "slug.sh": `# slug TEXT: lower case, words joined by single dashes
slug() {
  printf '%s\\n' "$1" |
    tr 'A-Z' 'a-z' |
    tr ' ' '_'
}
`,
  "test.sh": `# Tests of slug; the exit code is the number of failures.
. ./slug.sh
failed=0

check() {
  got=$(slug "$1")
  if [ "$got" = "$2" ]; then
    echo "ok: $1"
  else
    echo "FAILED: $1: got '$got', wanted '$2'"
    failed=$((failed + 1))
  fi
}

check "Hello" "hello"
check "Hello World" "hello-world"
check "Two  Spaces" "two-spaces"
exit $failed
`,
};

/** Writes the project into a new directory and returns its path. */
export async function makeProject(parent: string): Promise<string> {
  const directory = join(parent, "slug");
  await Deno.mkdir(directory);
  for (const [name, text] of Object.entries(FILES)) {
    await Deno.writeTextFile(join(directory, name), text);
  }
  return directory;
}
