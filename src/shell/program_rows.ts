/**
 * The language in which the tables of programs are written. A line names programs with their risk, `=ROLE` if their
 * operands are more than text (`=ROLE-1` behind one that is text), `+POWER` for each power that they need, and why;
 * indented lines say more of them; lines that begin with dashes are their subcommands, which have the options of the
 * program if they name none:
 *
 *     sensitive git: uses the repository
 *       -c --config-env: extreme sets configuration that may run programs
 *     - safe =paths status log: reads the repository
 *     - sensitive +repository commit: changes the repository
 *
 * Risks are `safe`, `sensitive`, `extreme`, `held` (extreme beside a power alone), `unknown` (sensitive, but nobody knows
 * what it needs) and `code` (the same, extreme). A line indented by four goes on with the one before. Options whose names
 * say for every program that they write or run something (`--output`, `--exec`) stand in a row only where they do not.
 */
import type { Need } from "../core/sandbox.ts";
import {
  type Effect,
  extreme,
  type Finding,
  held,
  type Program,
  type Role,
  type Row,
  sensitive,
  tentative,
} from "./program.ts";

const RISKS: Readonly<Record<string, (why: string) => Finding>> = {
  safe: (why) => ({ risk: "safe", why }),
  sensitive,
  extreme,
  held,
  unknown: (why) => tentative(sensitive(why)),
  code: (why) => tentative(extreme(why)),
};
const ROLES: Readonly<Record<string, Program["operands"]>> = {
  paths: "path",
  reads: "read",
  writes: "write",
  copies: "copy",
  links: "link",
  runs_text: "code",
};
const LOOKING = String.raw`-[lLV]|--(?:list|show|version|help|status|json|all|long)[\w-]*`;
/** Things that subcommands are about: the verb comes behind. */
const NOUN = "env|toolchain|component|target|cache|config|settings|plugins?|registry|project|" +
  "sources?|repos?|repositories|device|connection|profile|alias|override";
/** The verb that is usual for looking, behind the name of a thing, or options that say the same. */
export const LOOKS = new RegExp(
  String.raw`^(?:(?:${LOOKING})\n)*(?:(?:(?:${NOUN})\n)?` +
    String
      .raw`(?:list(?:-[\w-]+)?|ls|show|get|status|info|current|which|where|versions?|whoami|dir)` +
    String.raw`(?:\n(?:${LOOKING}|[^-$\n].*|))*|${LOOKING})$`,
);
/** What is read wherever a file is: settings that name programs, and code that is loaded unnamed. */
const BESIDE: Readonly<Record<string, string>> = {
  "package.json": ".npmrc .yarnrc .yarnrc.yml pnpm-workspace.yaml .pnpmfile.cjs .pnp.cjs",
  "conftest.py": "sitecustomize.py usercustomize.py pytest.ini tests/conftest.py test/conftest.py",
};
const ROW = /^((?:- )*)(\w+) ([^:]\S*?(?: \S+?)*?): (.*)$/;

type Draft = { -readonly [Key in keyof Program]: Program[Key] } & {
  options: Map<string, Effect>;
  subcommands: Map<string, Program>;
  matches: (readonly [RegExp, Finding])[];
  looks: RegExp[];
};

/** The rows of a table. @throws {Error} a line cannot be read */
export function parseRows(text: string): Row[] {
  const roots = new Map<string, Program>();
  const levels: (readonly Draft[])[] = [];
  for (const line of text.replace(/\n {4,}/g, " ").split("\n")) {
    if (line.trim() === "") continue;
    if (line.startsWith("  ")) {
      for (const draft of levels.at(-1) ?? []) addDetail(line.trim(), draft);
      continue;
    }
    const [, dashes = "", risk = "", names = "", why = ""] = ROW.exec(line) ?? [];
    const finding = RISKS[risk]?.(why);
    const level = dashes.length / 2;
    if (!finding || level > levels.length) throw new Error(`Not a row of the table: ${line}`);
    levels.length = level;
    const parents = levels.at(-1)?.map(({ subcommands }) => subcommands) ?? [roots];
    const words = names.split(" ");
    const needs = words.filter((word) => word.startsWith("+"));
    const [operands, role = "", texts = 0] = /^=(\w+)(?:-(\d))?$/.exec(words[0] ?? "") ?? [];
    if (operands !== undefined && !(role in ROLES)) throw new Error(`Not a role: ${line}`);
    const named = words.filter((word) => word !== operands && !needs.includes(word));
    // Each parent has a program of its own, and all names of one row share it.
    const drafts = parents.map((parent) => {
      const draft: Draft = {
        ...finding,
        operands: ROLES[role] ?? "text",
        skip: Number(texts),
        options: new Map(),
        matches: [],
        longDash: false,
        subcommands: new Map(),
        executes: [],
        needs: needs.map((need) => need.slice(1) as Need),
        looks: [],
      };
      for (const word of named) parent.set(word, draft);
      return draft;
    });
    levels.push(drafts);
  }
  return [...roots];
}

function addDetail(line: string, draft: Draft): void {
  const [key = "", ...rest] = line.split(" ");
  const text = rest.join(" ");
  if (/^[-+]/.test(key) || key === "words") {
    const [, names = "", effect = ""] = /^(?:words )?(.+?): (.*)$/.exec(line) ?? [];
    for (const name of names.split(" ")) draft.options.set(name, parseEffect(effect));
  } else if (key === "match") {
    draft.matches.push(parsePattern(text));
  } else if (key === "unless") {
    draft.unless = parsePattern(text);
  } else if (key === "wraps") {
    draft.wrapper = (["assigns", "supplies", "project"] as const).find((one) => one === text) ??
      "runs";
    draft.skip = Number(/skip (\d)/.exec(text)?.[1] ?? 0);
  } else if (key === "letters") {
    const [letters = "", ...names] = rest;
    for (const name of [...[...letters].map((letter) => `-${letter}`), ...names]) {
      draft.options.set(name, "flag");
    }
  } else if (key === "runs") draft.interpreter = text;
  else if (key === "executes") {
    draft.executes = rest.flatMap((file) => [file, ...BESIDE[file]?.split(" ") ?? []]);
  } else if (key === "checks") draft.checks = new RegExp(text);
  else if (key === "special") draft.special = text as NonNullable<Program["special"]>;
  else if (key === "longdash") draft.longDash = true;
  else if (key === "lists") draft.lists = Number(text || 0);
  else if (key === "looks") draft.looks.push(text === "" ? LOOKS : new RegExp(text, "m"));
  else throw new Error(`Not a detail of a row: ${line}`);
}

/** `PATTERN => extreme discards work`. */
function parsePattern(text: string): [RegExp, Finding] {
  const [pattern = "", effect = ""] = text.split(" => ");
  return [new RegExp(pattern, "i"), parseEffect(effect) as Finding];
}

/** `write`, `extreme discards work`, `extreme= sends data` (takes a value). */
function parseEffect(text: string): Effect {
  const [, risk = "", equals = "", why = ""] = /^(\w+)(=?) (.*)$/.exec(text) ?? [];
  const finding = RISKS[risk]?.(why);
  if (!finding) return text as Role;
  return equals === "" ? finding : { ...finding, valued: true };
}
