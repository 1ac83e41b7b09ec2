/**
 * What build tools and the scripts that wrap them find by themselves, beside the files by which the table of programs
 * knows them: `gradlew` starts a jar and what a file of properties names.
 */
import { basename, dirname, join } from "node:path";
import { directoriesAbove } from "../../lib/contains.ts";
import type { PathFacts } from "../../core/path_facts.ts";
import { filesInside } from "../../shell/paths.ts";
import { valuesOf } from "./named_places.ts";
import { pathsLike, type Reference } from "./reference.ts";

/** A tool, and what it finds in the directory that it works in, or above. */
type Row = readonly [tool: RegExp, files: readonly string[]];

const TASKFILES = ["Taskfile", "taskfile"].flatMap((name) =>
  ["yml", "yaml", "dist.yml", "dist.yaml"].map((ending) => `${name}.${ending}`)
);

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
  [/^rake$/, ["rakefile", "Rakefile.rb", "rakefile.rb", "rakelib/*.rake"]],
  [/^(py\.test|pytest)$/, ["pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml"]],
  [/^task$/, TASKFILES],
  [/^ctest$/, ["CTestTestfile.cmake"]],
  [/^prove$/, [".proverc"]],
  [/^rspec$/, [".rspec"]],
  [/^tox$/, ["toxfile.py", "tox.toml"]],
  [/^mage$/, ["magefile.go"]],
];

/** Directories below what a test runner is given that are looked into. */
const MAX_DIRECTORIES = 100;
/** Where no tests are looked for. */
const SKIPPED = /^(\..*|node_modules|__pycache__|venv|dist|build)$/;

/** A command, as far as it decides what a tool finds. */
interface ToolCommand {
  readonly programs: readonly string[];
  readonly argv: readonly string[];
  readonly executes: readonly string[];
  readonly cwds: readonly string[];
}

/** What these programs find, where they run or where a file lies that they execute, and above within the workspace. */
export function toolFiles(command: ToolCommand, pathFacts: PathFacts): Reference[] {
  const { programs, executes, cwds } = command;
  const names = [...programs, ...executes.map((path) => basename(path))];
  const files = ROWS.flatMap(([tool, files]) => names.some((one) => tool.test(one)) ? files : []);
  if (files.length === 0) return [];
  const own = [...cwds, ...entered(command, pathFacts), ...executes.map((path) => dirname(path))];
  const places = placesAbove(own).filter((place) => pathFacts.locate(place).inside);
  const found = places.flatMap((place) => files.flatMap((file) => filesOf(place, file, pathFacts)));
  const isPytest = programs.some((name) => /^(py\.test|pytest)$/.test(name));
  return [...found, ...isPytest ? testFiles(command, pathFacts) : []].map((path) => ({ path }));
}

function placesAbove(places: readonly string[]): string[] {
  return [...new Set(places.flatMap((place) => [place, ...directoriesAbove(place)]))];
}

/** The path of a name, or those of a pattern. */
function filesOf(place: string, name: string, pathFacts: PathFacts): string[] {
  if (!name.includes("*")) return [join(place, name)];
  return pathsLike(join(place, dirname(name)), basename(name), pathFacts);
}

/** The directories that `task -d` is told to work in. */
function entered({ programs, argv, cwds }: ToolCommand, pathFacts: PathFacts): string[] {
  if (!programs.includes("task")) return [];
  return valuesOf(argv, /^(?:-d|--dir=?)(.*)$/s).filter((path) => path !== "")
    .flatMap((path) => filesInside(path, { pathFacts, cwds }));
}

/** The `conftest.py` from the root down to what is named and below it, and the plugins that are named. */
function testFiles({ argv, cwds }: ToolCommand, pathFacts: PathFacts): string[] {
  const context = { pathFacts, cwds };
  const named = argv.map((word) => word.replace(/^--\w+=|::.*$/g, ""))
    .flatMap((word) => filesInside(word, context)).filter((path) => pathFacts.exists(path));
  const places = [...new Set(named.length > 0 ? named : cwds)];
  const above = placesAbove(places).filter((place) => pathFacts.locate(place).inside);
  for (let at = 0; at < places.length && places.length < MAX_DIRECTORIES; at++) {
    for (const name of pathFacts.entries(places[at]!)) {
      // What has an ending is a file, as a rule; of a test's file nothing lies below.
      if (!SKIPPED.test(name) && !name.includes(".")) places.push(join(places[at]!, name));
    }
  }
  const plugins = valuesOf(argv, /^-p(.*)$/s)
    .filter((name) => name !== "" && !name.startsWith("no:"))
    .map((name) => name.replaceAll(".", "/"))
    .flatMap((name) => [`${name}.py`, `${name}/__init__.py`]);
  const deep = places.map((place) => join(place, "conftest.py"))
    .filter((path) => pathFacts.exists(path));
  return [
    ...[...above, ...places.slice(0, named.length || 1)].map((place) => join(place, "conftest.py")),
    ...deep,
    ...plugins.flatMap((name) => filesInside(name, context)),
  ];
}
