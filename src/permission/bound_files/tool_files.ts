/**
 * What build tools and the scripts that wrap them find by themselves, beside the files by which the table of programs
 * knows them: `gradlew` starts a jar and what a file of properties names.
 */
import { basename, dirname, join } from "node:path";
import { directoriesAbove } from "../../lib/contains.ts";
import type { PathFacts } from "../../core/path_facts.ts";
import type { Reference } from "./reference.ts";

/** A tool, and what it finds in the directory that it works in, or above. */
type Row = readonly [tool: RegExp, files: readonly string[]];

const ROWS: readonly Row[] = [
  [
    /^gradlew(\.bat)?$/,
    ["gradle/wrapper/gradle-wrapper.properties", "gradle/wrapper/gradle-wrapper.jar"],
  ],
  [
    /^gradle(w(\.bat)?)?$/,
    [
      ...["gradle.properties", "gradle/libs.versions.toml", "gradle/gradle-daemon-jvm.properties"],
      ...["buildSrc/build.gradle", "buildSrc/build.gradle.kts"],
      ...["buildSrc/settings.gradle", "buildSrc/settings.gradle.kts"],
    ],
  ],
  [
    /^mvnw(\.cmd)?$/,
    [
      ...[".mvn/wrapper/maven-wrapper.properties", ".mvn/wrapper/maven-wrapper.jar"],
      ".mvn/wrapper/MavenWrapperDownloader.java",
    ],
  ],
  [
    /^mvn(w(\.cmd)?)?$/,
    [
      ...[".mvn/extensions.xml", ".mvn/jvm.config", ".mvn/maven.config"],
      ".mvn/settings.xml",
    ],
  ],
  [
    /^sbt$/,
    [...["project/build.properties", "project/plugins.sbt"], ...[".sbtopts", ".jvmopts"]],
  ],
  [/^ant$/, ["build.xml"]],
  [/^ninja$/, ["build.ninja"]],
  [/^scons$/, ["SConstruct", "Sconstruct", "sconstruct"]],
  [/^lein$/, ["project.clj"]],
  [/^mill$/, ["build.mill", "build.sc"]],
  [
    /^bazel(isk)?$/,
    ["tools/bazel", ".bazelrc", ".bazelversion", "WORKSPACE", "WORKSPACE.bazel", "MODULE.bazel"],
  ],
  [/^cmake$/, ["CMakePresets.json", "CMakeUserPresets.json"]],
  [/^rails$/, ["bin/rails"]],
  [/^thor$/, ["Thorfile"]],
  [/^mage$/, ["magefile.go"]],
];

/** What these programs find, where they run or where a file lies that they execute, and above within the workspace. */
export function toolFiles(
  { programs, executes, cwds }: {
    readonly programs: readonly string[];
    readonly executes: readonly string[];
    readonly cwds: readonly string[];
  },
  pathFacts: PathFacts,
): Reference[] {
  const names = [...programs, ...executes.map((path) => basename(path))];
  const files = ROWS.flatMap(([tool, files]) => names.some((one) => tool.test(one)) ? files : []);
  if (files.length === 0) return [];
  const own = [...cwds, ...executes.map((path) => dirname(path))];
  const places = new Set(own.flatMap((place) => [place, ...directoriesAbove(place)]));
  return [...places].filter((place) => pathFacts.locate(place).inside)
    .flatMap((place) => files.map((file) => ({ path: join(place, file) })));
}
