/**
 * How a run was started, as a recording holds it. A recording may come from anybody: each field is taken by its name,
 * and only where it is of its kind.
 */
import { UsageError } from "../core/errors.ts";
import { type Effort, EFFORTS } from "../core/model.ts";
import { describeViolation, isObject, type JsonObject, violations } from "../lib/schema.ts";
import type { Rules } from "../permission/rules.ts";
import type { Recording } from "../recording/traffic.ts";
import type { Options } from "./options.ts";

/** Under which conditions a run works. */
export interface RunConditions {
  /** Whether a person could answer. */
  readonly interactive: boolean;
  /** Whether the user's settings were left out, as in the demo. */
  readonly isolated: boolean;
  /** Whether files of the project acted on ally. */
  readonly trusted: boolean;
}

/** The flags and settings on which requests depend. */
export interface RecordedOptions
  extends Pick<Options, "appendSystemPrompt" | "addDirs" | "rules" | "plan"> {
  readonly fallbackModel?: string | undefined;
  readonly contextSize?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly effort?: Effort | undefined;
  readonly maxTurns: number;
}

/** Of them, what a replay takes; directories outside of the workspace are named anew. */
type ReplayedOptions =
  & Partial<Omit<RecordedOptions, "addDirs">>
  & Pick<RecordedOptions, "rules" | "plan">;

/** What the header says of the run, beside its options. */
interface RecordedRun extends RunConditions {
  /** The name of the first endpoint, and the addresses of all that have a name. */
  readonly home: string | undefined;
  readonly named: Readonly<Record<string, string>> | undefined;
  /** About the first model; not checked. */
  readonly facts: unknown;
}

const TARGETS: JsonObject = {
  anyOf: [{ const: true }, { type: "array", items: { type: "string" } }],
};

/** The fields of each kind of access. */
const KINDS = {
  read: TARGETS,
  write: TARGETS,
  run: TARGETS,
  net: TARGETS,
  env: TARGETS,
} as const satisfies Record<keyof Rules["allow"], JsonObject>;

const RULES = {
  allow: { type: "object", properties: KINDS },
  deny: { type: "object", properties: KINDS },
  allowAll: { type: "boolean" },
} as const;

/** Every field that is taken; what else a recording says is nothing that it may say. */
const FIELDS = {
  fallbackModel: { type: "string" },
  contextSize: { type: "number" },
  maxTokens: { type: "number" },
  temperature: { type: "number" },
  effort: { enum: EFFORTS },
  maxTurns: { type: "number" },
  appendSystemPrompt: { type: "string" },
  plan: { type: "boolean" },
  rules: { type: "object", properties: RULES, required: ["allow", "deny"] },
} as const satisfies Record<keyof ReplayedOptions, JsonObject>;

/** Under which conditions the run of a recording worked; what is not said, or not understood, was not so. */
export function recordedRunOf({ header: { run } }: Recording): RecordedRun {
  const { interactive, isolated, trusted, home, named, facts } = run;
  const addresses = isObject(named)
    ? Object.entries(named).filter((one): one is [string, string] => typeof one[1] === "string")
    : undefined;
  return {
    interactive: interactive === true,
    isolated: isolated === true,
    trusted: trusted === true,
    home: typeof home === "string" ? home : undefined,
    named: addresses && Object.fromEntries(addresses),
    facts,
  };
}

/** The options of a recording's run. @throws {UsageError} it has none, or one is not of its kind */
export function readRecordedOptions({ name, header: { run } }: Recording): ReplayedOptions {
  const schema = { type: "object", properties: FIELDS, required: ["rules"] };
  const [wrong] = violations(schema, run.options ?? null);
  if (wrong !== undefined) {
    const why = `line 1 does not say how the run was started: ${describeViolation(wrong)}`;
    throw new UsageError(`Cannot replay ${name}: ${why}`);
  }
  const options = pick(run.options, FIELDS);
  const { allow, deny, allowAll = false } = pick(options.rules, RULES);
  const rules = { allow: pick(allow, KINDS), deny: pick(deny, KINDS), allowAll };
  // The schema has passed each of them.
  return { plan: false, ...options, rules } as unknown as ReplayedOptions;
}

/** The fields of an object that have one of these names. */
function pick<K extends string>(
  value: unknown,
  names: Readonly<Record<K, unknown>>,
): Partial<Record<K, unknown>> {
  const fields = isObject(value) ? Object.entries(value) : [];
  const known = fields.filter(([name]) => Object.hasOwn(names, name));
  return Object.fromEntries(known) as Partial<Record<K, unknown>>;
}
