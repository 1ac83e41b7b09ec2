/**
 * Variables of which a script itself shows what they hold: given a value once, in plain sight, before they
 * are used. Their values stand in for them when the script is judged. Called by `classify.ts`.
 */
import type { ParsedCommand } from "./parsed_command.ts";
import type { KnownVariables, ShellWord } from "./words.ts";

/** Values of one variable beyond which it is not followed. */
const MAX_VALUES = 20;
/** What can change a variable without showing it. */
const CHANGES = /^(unset|local|declare|typeset|source|\.|eval|let|builtin|command|set|shift)$/;
/** What the shell neither splits nor expands. */
const PLAIN = /^[\w.,:@%+/=-]+$/;

/** What the variables of a script hold: one map, or one for each round of a loop; none if nothing is sure. */
export function constantValues(
  script: ParsedCommand,
  unknown: ReadonlySet<string>,
): readonly KnownVariables[] {
  const hidden = script.functions.size > 0 ||
    script.commands.some(({ words: [name, ...rest] }) =>
      CHANGES.test(name?.value ?? "") ||
      (name?.value === "printf" && rest.some(({ prefix }) => prefix.startsWith("-v")))
    );
  if (hidden) return [];
  const known = [...script.assignedValues].flatMap(([name, values]) => {
    const plain = values.flatMap((value) => value && isPlain(value) ? [value] : []);
    const sure = script.assignmentCounts.get(name) === 1 && plain.length === values.length &&
      plain.length <= MAX_VALUES && !unknown.has(name) && !script.arithmetic.has(name);
    return sure && plain.length > 0 ? [[name, plain] as const] : [];
  });
  const several = known.find(([, values]) => values.length > 1);
  const followed = known.filter((one) => one === several || one[1].length === 1);
  if (followed.length === 0) return [];
  return Array.from(
    { length: several?.[1].length ?? 1 },
    (_, at) => new Map(followed.map(([name, values]) => [name, values[at] ?? values[0]!])),
  );
}

function isPlain({ kind, value }: ShellWord): boolean {
  return kind === "pattern" || (kind === "literal" && PLAIN.test(value));
}
