/**
 * Path facts without a disk: paths are judged by their text, files have the content that the test gives them.
 */
import { normalize } from "node:path";
import { ABSENT, type PathFacts } from "../../src/core/path_facts.ts";
import { hasSecretsBelow } from "../../src/core/secret_places.ts";

/** Makes path facts whose workspace is `/w`. */
export function textPathFacts(files: Readonly<Record<string, string>> = {}): PathFacts {
  const isDirectory = (path: string) =>
    path === "/w" || Object.keys(files).some((one) => one.startsWith(`${path}/`));
  return {
    cwd: "/w",
    home: "/home/me",
    posix: false,
    locate(path) {
      const absolute = normalize(path).replace(/(?<=.)\/$/, "");
      return { absolute, inside: absolute === "/w" || absolute.startsWith("/w/") };
    },
    secretAt: () => undefined,
    secretPlaces: () => [],
    hasSecretsBelow: (directory) => hasSecretsBelow(directory, "/home/me"),
    trackedPaths: () => Promise.resolve([]),
    namedTrees: () => Promise.resolve([]),
    areCommits: () => Promise.resolve(false),
    isTemporary: (path) => path.startsWith("/tmp/"),
    ownerOf: () => Promise.resolve(undefined),
    mayBeInHistory: (path) => path === "/w" || path.startsWith("/w/"),
    outerTree: () => Promise.resolve(undefined),
    exists: (path) => files[path] !== undefined || isDirectory(path),
    gitHooks: () => Promise.resolve(["/w/.husky/pre-commit"]),
    fingerprint: (path) => files[path] === undefined ? ABSENT : `${path}: ${files[path]}`,
    read(path) {
      const text = files[path];
      return text === undefined ? undefined : { text, whole: true };
    },
    entries: (path) => [
      ...new Set(
        Object.keys(files).filter((one) => one.startsWith(`${path}/`))
          .map((one) => one.slice(path.length + 1).split("/")[0]!),
      ),
    ],
  };
}
