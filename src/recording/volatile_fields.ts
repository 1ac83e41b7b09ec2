/**
 * What may differ between a recording and a run that repeats it: directories, the date, the platform, random
 * names, and in the results of tools also times. Pure.
 */
import type { RecordingHeader } from "./traffic.ts";

/** A run, as far as it may differ. */
export interface RunEnvironment {
  /** As in the header of a recording. */
  readonly directories: Readonly<Record<string, string>>;
  readonly platform: string;
  /** ISO 8601, with or without the time. */
  readonly date: string;
}

/** Names that are made up anew in every run. */
const RANDOM =
  /\[secret:\w+:[0-9a-f]{8}\]|\bresult-[0-9a-f]{12}\.txt\b|\b[\w-]+-[0-9a-f]{8}\.log\b|\bcall_[0-9a-f]{12}\b/g;

/** Times, processes, commits and who made these in the results of tools, and what replaces them. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/\b((?:Author|Commit|Committer|Tagger): +)[^<>\n\\]+ <[^<>\s\\]*>/g, "$1<identity>"],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( ?(Z|[+-]\d\d:?\d\d))?/g, "<time>"],
  [/\b([A-Z][a-z]{2} )?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d(:\d\d)?( \d{4})?( [+-]\d{4})?/g, "<time>"],
  [/(?<![\d:.])\d\d:\d\d:\d\d(\.\d+)?(?![\d:])/g, "<time>"],
  [/(?<=^|[\s[("])\d\d:\d\d(?=$|[\s\]),"])/gm, "<time>"],
  [/("?\b(?:duration|elapsed)\w*"?\s*[:=]\s*)\d+(\.\d+)?/g, "$1<duration>"],
  [/\b(\d+m ?)?\d+(\.\d+)? ?(ns|µs|us|ms|s|secs?|seconds?)\b/g, "<duration>"],
  [/\b(pid"?[ :=]+)\d+/gi, "$1<pid>"],
  // They go on from one session of a project to the next.
  [/("patch_number":)\d+/g, "$1<number>"],
  [/\b(localhost|127\.0\.0\.1):\d{4,5}\b/g, "$1:<port>"],
  [/(\/private)?(\/var)?\/tmp\/[\w.-]+/g, "/tmp/<name>"],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "<uuid>"],
  [/\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b/g, "<hash>"],
];

/** The output of a command that was interrupted, and the status it ended with. */
const CUT_OUTPUT =
  /("error_type":"interrupted",(?:[^"\\]|\\.|"(?!output"))*"output":")(?:[^"\\]|\\.)*"/g;
const SIGNALLED = /("error_type":"interrupted".*"return_code":)\d+/g;

/** Compares texts of two runs, and puts the names of this run into what was recorded. */
export class VolatileFields {
  readonly #pairs: readonly (readonly [name: string, recorded: string, here: string])[];
  readonly #platforms: readonly string[];
  /** Random names: recorded -> here. */
  readonly #learned = new Map<string, string>();

  constructor(header: RecordingHeader, here: RunEnvironment) {
    const names = Object.keys(here.directories).filter((name) => header.directories[name]);
    this.#pairs = [
      ...names.map((name) => [name, header.directories[name]!, here.directories[name]!] as const),
      ["date", header.time.slice(0, 10), here.date.slice(0, 10)] as const,
    ].filter(([, recorded, now]) => recorded.length > 1 && now.length > 1);
    this.#platforms = [header.platform, here.platform];
  }

  /** A text with names in the places of what may differ; equal for two runs if nothing else differs. */
  normalize(text: string, role?: string): string {
    let result = text;
    const values = this.#pairs.flatMap(([name, ...both]) => both.map((value) => ({ name, value })));
    for (const { name, value } of values.sort((a, b) => b.value.length - a.value.length)) {
      result = result.replace(wholeWord(value), `<${name}>`);
    }
    if (role === "tool") {
      result = result.replace(CUT_OUTPUT, '$1<cut>"').replace(SIGNALLED, "$1<signal>");
      // Most results are JSON: their lines are compared and shown as lines.
      result = result.replaceAll("\\n", "\n").replaceAll("\\t", "\t");
      for (const [pattern, name] of VOLATILE) result = result.replace(pattern, name);
    }
    if (role === "system") {
      for (const name of this.#platforms) {
        result = result.replace(`Platform: ${name}.`, "Platform: <platform>.");
      }
    }
    return result;
  }

  /** Recorded text with the names of this run. */
  localize(text: string): string {
    const pairs = [...this.#learned, ...this.#pairs.map(([, recorded, now]) => [recorded, now])]
      .filter(([recorded, now]) => recorded !== now && text.includes(recorded!))
      .sort(([a], [b]) => b!.length - a!.length);
    return pairs.reduce((result, [from, to]) => result.replace(wholeWord(from!), () => to!), text);
  }

  /** Ties the random names in two texts that say the same. */
  learn(recorded: string, here: string): void {
    const before = recorded.match(RANDOM) ?? [];
    const now = here.match(RANDOM) ?? [];
    if (before.length !== now.length) return;
    before.forEach((name, index) => this.#learned.set(name, now[index]!));
  }
}

/** Gives the random names of a request numbers, in the order in which they appear. */
export function createRandomNameNumberer(): (text: string) => string {
  const numbers = new Map<string, number>();
  return (text) =>
    text.replace(RANDOM, (name) => {
      if (!numbers.has(name)) numbers.set(name, numbers.size + 1);
      return `<${/^\W*[a-z]+/.exec(name)?.[0].replace(/\W/g, "") ?? "name"} ${numbers.get(name)}>`;
    });
}

/** A path or date as a whole, never the beginning of a longer name. */
function wholeWord(value: string): RegExp {
  return new RegExp(`${RegExp.escape(value)}(?![\\w-])`, "g");
}
