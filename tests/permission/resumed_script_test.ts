/**
 * How a command line in parts goes on once the part that failed has what it lacked: again from the beginning, from
 * that part on, or not at all, so that nothing that changed something runs twice.
 */
import assert from "node:assert/strict";
import type { PartedScript, SandboxPolicy, ScriptPart } from "../../src/core/sandbox.ts";
import { resumeScript } from "../../src/permission/resumed_script.ts";
import { scriptParts } from "../../src/permission/sandbox_policy.ts";

const CLOSED: SandboxPolicy = { write: false, needs: [], sandboxRequired: true };
const OPEN: SandboxPolicy = { ...CLOSED, write: true, needs: ["repository"] };
const span = { pos: 0, end: 0 };

/** A part: `a` runs closed, `A` has powers; `?` after it reads the status before it. */
function part(name: string): ScriptPart {
  const policy = /[A-Z]/.test(name) ? OPEN : CLOSED;
  return { kind: "script", text: name, policy, readsStatus: name.endsWith("?"), span, setup: "" };
}

const cd = (directory: string): PartedScript => ({ kind: "cd", directory });

type Operator = Extract<PartedScript, { kind: "chain" }>["operators"][number];

/** `chain("a", "&&", "b", ";", group)`. */
function chain(...words: (string | PartedScript)[]): PartedScript {
  const items = words.filter((_, at) => at % 2 === 0)
    .map((one) => typeof one === "string" ? part(one) : one);
  const operators = words.filter((_, at) => at % 2 === 1) as Operator[];
  return { kind: "chain", items, operators, negated: false };
}

function text(parted: PartedScript): string {
  switch (parted.kind) {
    case "script": {
      const { write, needs } = parted.policy;
      return parted.text + (write && parted.text === parted.text.toLowerCase() ? `+${needs}` : "");
    }
    case "chain":
      return parted.items.map((item, at) =>
        (at === 0 ? "" : ` ${parted.operators[at - 1]} `) + text(item)
      ).join("");
    case "group":
      return `{ ${text(parted.body)}; }`;
    case "subshell":
      return `( ${text(parted.body)} )`;
    case "cd":
      return `cd ${parted.directory}`;
    default:
      return parted.kind;
  }
}

const group = (body: PartedScript): PartedScript => ({ kind: "group", body });
const subshell = (body: PartedScript): PartedScript => ({ kind: "subshell", body });

/** `x` lacks the power; which parts were started; what runs then. */
const ROWS: readonly (readonly [
  script: PartedScript,
  started: string,
  then: string | undefined,
])[] = [
  [chain("a", "&&", "x", "&&", "B"), "a x", "a && x+network && B"],
  [chain("x", "|", "a"), "x a", "x+network | a"],
  [subshell(chain("a", "&&", "x")), "a x", "( a && x+network )"],
  [chain("x", ";", "a", ";", "b"), "x a b", "x+network ; a ; b"],
  [chain("A", "&&", "x", "&&", "B"), "A x", "x+network && B"],
  [chain("A", ";", "x", ";", "b"), "A x b", "x+network ; b"],
  [chain("A", "||", "x", "&&", "B"), "A x", "x+network && B"],
  [chain("A", "&&", group(chain("B", ";", "x")), "&&", "c"), "A B x", "{ x+network; } && c"],
  [chain(chain("A", "&&", "x"), ";", "b"), "A x b", "x+network ; b"],
  // The shell's own steps are taken again.
  [
    chain(cd("d"), "&&", "A", "&&", cd("e"), "&&", "x", "&&", "b"),
    "A x",
    "cd d && cd e && x+network && b",
  ],
  [chain(cd("d"), ";", "A", ";", "x"), "A x", "cd d ; x+network"],
  [chain("A", ";", subshell(chain(cd("d"), "&&", "b")), ";", "x"), "A b x", "x+network"],
  // Nobody knows whether they were.
  [chain(chain("A", "&&", cd("d")), ";", "x"), "A x", undefined],
  [chain(cd("d"), "||", "A", "&&", "x"), "A x", undefined],
  // What follows has changed something already.
  [chain("x", ";", "A"), "x A", undefined],
  [chain("x", "||", "A"), "x A", undefined],
  [chain("x", "|", "A"), "x A", undefined],
  [chain("A", "|", "x"), "A x", undefined],
  // In a shell of its own, or with what is gone.
  [chain("A", ";", subshell(chain("x", ";", "b"))), "A x b", undefined],
  [chain("A", ";", "x?"), "A x?", undefined],
];

Deno.test("what changed something does not run twice, and what did not runs again", () => {
  for (const [script, started, then] of ROWS) {
    const parts = scriptParts(script);
    const find = (name: string) => parts.find((one) => one.text === name)!;
    const failed = parts.find((one) => one.text.startsWith("x"))!;
    const run = { failed, started: started.split(" ").map(find) };
    const resumed = resumeScript(script, run, ["network"]);
    assert.equal(resumed && text(resumed.parted), then, text(script));
  }
});

Deno.test("a part that has left the script is not run again", () => {
  const stranger = part("x");
  const run = { failed: stranger, started: [stranger] };
  assert.equal(resumeScript(chain("x", ";", "a"), run, ["write"]), undefined);
});
