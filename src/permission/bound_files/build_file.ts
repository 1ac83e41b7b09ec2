/**
 * The files that files of build tools take in, where these have a word for it, and the scripts that they start.
 */
import { basename, dirname, join } from "node:path";
import { filesInside } from "../../shell/paths.ts";
import { joinReferences, type References, type SourceFile } from "./reference.ts";
import { lineReferences } from "./shell_script.ts";

/** How a tool names what it takes in. */
interface Dialect {
  readonly files: RegExp;
  readonly takesIn: RegExp;
  /** The files that a name may stand for. */
  readonly named: (name: string) => readonly string[];
  /** Lines that are run by a shell: the first group that is there. */
  readonly commands?: RegExp;
}

const DIALECTS: readonly Dialect[] = [
  {
    files: /^[jJ]ustfile$|^\.justfile$|\.just$/,
    takesIn:
      /^[ \t]*(?:import\??|mod\??(?:[ \t]+\w+)?(?=[ \t]+['"])|mod\??)[ \t]+['"]?([\w./-]+)['"]?/gm,
    named: (name) => [name, `${name}.just`, `${name}/mod.just`, `${name}/justfile`],
    commands: /^[ \t]+[@-]*(.*)$/gm,
  },
  {
    files: /^CMakeLists\.txt$|\.cmake$/,
    takesIn:
      /\b(?:include|add_subdirectory)[ \t]*\([ \t\n]*"?(?:\$\{(?:CMAKE|PROJECT)_(?:CURRENT_)?(?:SOURCE|LIST)_DIR\}\/)?([\w./+-]+)/gi,
    named: (name) => [name, `${name}.cmake`, `cmake/${name}.cmake`, `${name}/CMakeLists.txt`],
  },
  {
    files: /^meson\.build$/,
    takesIn: /'([\w./-]+)'/g,
    named: (name) => [name, `${name}/meson.build`, `subprojects/${name}/meson.build`],
  },
  {
    files: /\.gradle(\.kts)?$/,
    takesIn: /\b(?:from|include)\b[\s:=(]*['"]:?([\w./:-]+)['"]/g,
    named: (name) => {
      const path = name.replaceAll(":", "/");
      return [path, `${path}/build.gradle`, `${path}/build.gradle.kts`];
    },
  },
  {
    files: /^pom\.xml$/,
    takesIn: /<(?:module|relativePath)>\s*([\w./-]+)/g,
    named: (name) => [name, `${name}/pom.xml`],
  },
  {
    files: /^Rakefile$|\.rake$/,
    takesIn: /\b(?:require_relative|require|load|import)\b[ \t(]*['"]([\w./-]+)['"]/g,
    named: (name) => [name, `${name}.rb`, `${name}.rake`],
    commands: /\b(?:sh|system|ruby|exec)\b[ \t(]*['"](.*?)['"]|`([^`]+)`/g,
  },
];

/** Names that one file takes in. */
const MAX_NAMES = 500;

/** Looks through a file of a build tool. */
export function buildReferences(file: SourceFile): References {
  const { path, text, pathFacts } = file;
  const dialect = DIALECTS.find(({ files }) => files.test(basename(path)));
  if (!dialect) return { files: [], complete: true };
  const cwds = [...new Set([dirname(path), ...file.cwds])];
  const names = [...new Set([...text.matchAll(dialect.takesIn)].map(([, name = ""]) => name))];
  const named = names.slice(0, MAX_NAMES).flatMap(dialect.named)
    .flatMap((name) => filesInside(join(".", name), { pathFacts, cwds }))
    // A name may be that of a directory, in which the file lies.
    .filter((one) => pathFacts.fingerprint(one) !== undefined);
  const lines = dialect.commands ? [...text.matchAll(dialect.commands)] : [];
  return joinReferences([
    { files: named.map((one) => ({ path: one })), complete: names.length <= MAX_NAMES },
    lineReferences(lines.map(([, line, other = ""]) => line ?? other), { ...file, cwds }),
  ]);
}
