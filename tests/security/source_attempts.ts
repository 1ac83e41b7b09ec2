/**
 * What a person is talked into installing skills and plugins from: names of packages that are addresses or paths,
 * addresses in place of files, files that are none.
 */
import type { World } from "../support/attempts.ts";
import type { ProgramAttempt } from "../support/program_attempts.ts";

const SOURCES: readonly string[] = [
  "npm:http://127.0.0.1:@PORT@/x.tgz",
  "npm:https://127.0.0.1:@PORT@/x",
  "npm://127.0.0.1:@PORT@/x",
  "npm:../../x",
  "npm:..",
  "npm:.",
  "npm:",
  "npm:/etc/passwd",
  "npm:@HOME@/other",
  "npm:@a/../b",
  "npm:@a/b/../../c",
  "npm:a%2f..%2fb",
  "npm:a?x=1",
  "npm:a#x",
  "npm:a b",
  "npm:file:@HOME@/other",
  "npm:git+ssh://127.0.0.1:@PORT@/x",
  "npm:a/b",
  "npm:\u202ea",
  "npm:A",
  "http://127.0.0.1:@PORT@/x.tgz",
  "https://127.0.0.1:@PORT@/x.tgz",
  "file://@HOME@/other",
  "git+http://127.0.0.1:@PORT@/x",
  "git@127.0.0.1:x/y",
  "ssh://127.0.0.1:@PORT@/x",
  "data:application/x-tar;base64,AAAA",
  "/dev/zero",
  "/dev/stdin",
  "/proc/self/environ",
  "@SOCKET@",
  "@HOME@/notes.txt",
  "@HOME@/other",
  "link.txt",
  "linked",
  "dangling.txt",
  ".git",
  "x\u001b[2J",
];

const fill = (text: string, { values }: World) =>
  text.replace(/@([A-Z]+)@/g, (_, name: string) => values[name] ?? "");

/** One for each source, for skills and for plugins. */
export const SOURCE_ATTEMPTS: readonly ProgramAttempt[] = ["skills", "plugin"].flatMap((what) =>
  SOURCES.map((source) => {
    const line = [what, "install", "--yes", source];
    return {
      name: `ally ${line.join(" ")}`,
      prepare: (_place, world) => {
        line[3] = fill(source, world);
      },
      args: [line],
      find: ([done]) => [
        ...done?.code === 0 ? ["it is installed"] : [],
        // deno-lint-ignore no-control-regex
        ...(/[\u202e\u001b]/.test(done?.stderr ?? "") ? ["it drives the terminal"] : []),
      ],
    } satisfies ProgramAttempt;
  })
);
