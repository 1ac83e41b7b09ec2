/**
 * What there is to review after commands, as it is written and read: as small as the comparison allows.
 */
import type { GitSetting } from "../core/sandbox.ts";
import { tryLstat } from "../lib/fs.ts";
import { isObject, type JsonObject, violations } from "../lib/schema.ts";
import { describeHooks, type Hook } from "./module_hooks.ts";
import type { RepositoriesState } from "./nested_repositories.ts";
import {
  isAlwaysWatched,
  type PathState,
  type RepositoryState,
  watchDirectories,
} from "./repository_changes.ts";
import type { RepositoryEntry } from "./repository_entry.ts";
import type { DirectoryUse } from "./repository_directories.ts";
import type { WatchState } from "./repository_watch.ts";

/** Of what is written now; what has another number was written by another ally. */
const VERSION = 4;

/** What there is to review. */
export interface UnfinishedReview {
  readonly roots: readonly string[];
  readonly repositories: RepositoriesState;
  readonly watches: readonly WatchState[];
  /** What the words of the commands set. */
  readonly settings: readonly GitSetting[];
  /** Whether one of them may make repositories. */
  readonly mayMake: boolean;
  /** Empty directories that kept anything else from being made in their place. */
  readonly placeholders: readonly string[];
}

/** A review as it was written, with what each root was on the disk then. */
interface WrittenReview extends UnfinishedReview {
  readonly identities: ReadonlyMap<string, string>;
}

/** What is at a path as JSON has it: a text that follows from the rest is left out. */
interface JsonState extends Partial<Omit<PathState, "bytes" | "hooks">> {
  readonly bytes?: string;
  readonly hooks?: readonly JsonHook[];
}

type JsonHook = Omit<Hook, "bytes"> & { readonly bytes?: string };

/** A watch as JSON has it. */
interface JsonWatch extends Omit<WatchState, "before"> {
  readonly own: readonly (readonly [path: string, identity: string | null])[];
  readonly directories: readonly (readonly [path: string, use: DirectoryUse])[];
  readonly watched: readonly (readonly [directory: string, name: string, state: JsonState])[];
  readonly links: readonly (readonly [path: string, target: string])[];
  readonly isCut: boolean;
  readonly steps: readonly string[];
  readonly indexes: readonly (readonly [path: string, text: string])[];
  readonly heads: readonly (readonly [directory: string, text: string])[];
}

/** What stands where git finds a repository, as JSON has it. */
type JsonEntry = Omit<RepositoryEntry, "state"> & { readonly state: JsonState };

/** A review as JSON has it. */
interface JsonReview extends Omit<UnfinishedReview, "roots" | "repositories" | "watches"> {
  readonly version: typeof VERSION;
  readonly roots: readonly (readonly [path: string, identity: string])[];
  readonly repositories: Omit<RepositoriesState, "known"> & {
    readonly known: readonly (readonly [path: string, entry: JsonEntry])[];
  };
  readonly watches: readonly JsonWatch[];
}

/** The value that is written for a review. */
export function encodeReview(
  { roots, repositories, watches, ...rest }: UnfinishedReview,
): JsonReview {
  return {
    version: VERSION,
    roots: roots.flatMap((path) => {
      const identity = identityOfRoot(path);
      return identity === undefined ? [] : [[path, identity] as const];
    }),
    ...rest,
    repositories: {
      ...repositories,
      known: repositories.known.map(([path, entry]) => [path, {
        ...entry,
        state: encodeState(entry.state),
      }]),
    },
    watches: watches.map(encodeWatch),
  };
}

/** The review that was written as a text; undefined if that is damaged, or of another ally. */
export function readReview(text: string): WrittenReview | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isReview(value)) return undefined;
    const { version: _, roots, repositories, watches, ...rest } = value;
    return {
      ...rest,
      repositories: {
        ...repositories,
        known: repositories.known.map(([path, entry]) => [path, {
          ...entry,
          state: decodeState(entry.state),
        }]),
      },
      roots: roots.map(([path]) => path),
      identities: new Map(roots),
      watches: watches.map(decodeWatch),
    };
  } catch {
    return undefined;
  }
}

/**
 * What tells a root from another directory that has its path later: the number of its inode, and when it was made. The
 * disk may have another number after a restart.
 */
export function identityOfRoot(path: string): string | undefined {
  const info = tryLstat(path);
  return info && `${info.ino} ${info.birthtime?.getTime()}`;
}

function encodeWatch({ before, ...rest }: WatchState): JsonWatch {
  const { own, directories, watched, planted, indexes, heads } = before;
  return {
    ...rest,
    own: Array.from(own, ([path, identity]) => [path, identity ?? null]),
    directories: [...directories],
    watched: watched.filter(({ name, state }) => state.kind !== undefined || !isAlwaysWatched(name))
      .map(({ directory, name, state }) => [directory, name, encodeState(state)]),
    links: [...planted.links],
    isCut: planted.isCut ?? false,
    steps: [...planted.steps],
    indexes: [...indexes],
    heads: [...heads],
  };
}

function decodeWatch({ config, named, ...json }: JsonWatch): WatchState {
  const directories = new Map(json.directories);
  const states = new Map(
    json.watched.map(([directory, name, state]) => [`${directory}\0${name}`, decodeState(state)]),
  );
  const before: RepositoryState = {
    own: new Map(json.own.map(([path, identity]) => [path, identity ?? undefined])),
    directories,
    watched: [
      ...watchDirectories(
        directories,
        ({ directory, name }) => states.get(`${directory}\0${name}`) ?? NOTHING,
      ),
      ...json.watched.filter(([, name]) => !isAlwaysWatched(name))
        .map(([directory, name, state]) => ({ directory, name, state: decodeState(state) })),
    ],
    planted: {
      links: new Map(json.links),
      ...(json.isCut && { isCut: true }),
      steps: new Set(json.steps),
    },
    indexes: new Map(json.indexes),
    heads: new Map(json.heads),
  };
  return { before, config, named };
}

const NOTHING: PathState = { kind: undefined, text: "" };

function encodeState({ text, bytes, hooks, ...state }: PathState): JsonState {
  if (bytes) return { ...state, bytes: bytes.toBase64() };
  if (!hooks) return { ...state, text };
  const encoded = hooks.map(({ bytes, ...hook }): JsonHook => ({
    ...hook,
    ...(bytes && { bytes: bytes.toBase64() }),
  }));
  return { ...state, hooks: encoded };
}

function decodeState({ kind, text = "", bytes, hooks, mode, names }: JsonState): PathState {
  const state = { kind, ...(mode !== undefined && { mode }), ...(names && { names }) };
  if (bytes !== undefined) {
    const content = Uint8Array.fromBase64(bytes);
    return { ...state, bytes: content, text: new TextDecoder().decode(content) };
  }
  if (!hooks) return { ...state, text };
  const decoded = hooks.map(({ bytes, ...hook }): Hook => ({
    ...hook,
    ...(bytes !== undefined && { bytes: Uint8Array.fromBase64(bytes) }),
  }));
  return { ...state, hooks: decoded, text: describeHooks(decoded) };
}

const STRING = { type: "string" };
const STRINGS = { type: "array", items: STRING };

function pairsOf(...items: readonly JsonObject[]): JsonObject {
  const { length } = items;
  return { type: "array", items: { type: "array", items, minItems: length, maxItems: length } };
}

function objectOf(properties: JsonObject, optional: JsonObject = {}): JsonObject {
  return {
    type: "object",
    properties: { ...properties, ...optional },
    required: Object.keys(properties),
  };
}

const KIND = { enum: ["file", "directory", "link", "other"] };
const BYTES = { type: "string", pattern: "^[A-Za-z0-9+/]*={0,2}$" };
const HOOK = objectOf(
  { name: STRING, kind: KIND, mode: { type: "integer" }, names: { type: "integer" }, text: STRING },
  { bytes: BYTES },
);
const STATE = objectOf({}, {
  kind: KIND,
  text: STRING,
  mode: { type: "integer" },
  names: { type: "integer" },
  bytes: BYTES,
  hooks: { type: "array", items: HOOK },
});
const WATCH = objectOf({
  config: { type: "boolean" },
  named: STRINGS,
  own: pairsOf(STRING, { type: ["string", "null"] }),
  directories: pairsOf(STRING, { enum: ["own", "module", "worktree"] }),
  watched: pairsOf(STRING, STRING, STATE),
  links: pairsOf(STRING, STRING),
  isCut: { type: "boolean" },
  steps: STRINGS,
  indexes: pairsOf(STRING, STRING),
  heads: pairsOf(STRING, STRING),
});
const SETTING = {
  anyOf: [
    objectOf({ kind: { const: "named" }, name: STRING }, { values: STRINGS, from: STRING }),
    objectOf({ kind: { const: "made" }, name: STRING }),
    objectOf({ kind: { enum: ["unknown", "all"] } }),
  ],
};
const REVIEW = objectOf({
  version: { const: VERSION },
  roots: pairsOf(STRING, STRING),
  repositories: objectOf({
    known: pairsOf(STRING, objectOf({ id: STRING, state: STATE }, { leads: STRING })),
    searched: STRINGS,
    unreviewed: STRINGS,
    young: STRINGS,
    reviewed: pairsOf(STRING, STRING),
    links: objectOf({ known: pairsOf(STRING, { type: "boolean" }), stores: STRINGS }),
  }),
  watches: { type: "array", items: WATCH },
  settings: { type: "array", items: SETTING },
  mayMake: { type: "boolean" },
  placeholders: STRINGS,
});

function isReview(value: unknown): value is JsonReview {
  return isObject(value) && violations(REVIEW, value).length === 0;
}
