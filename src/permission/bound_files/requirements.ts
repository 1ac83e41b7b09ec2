/**
 * The files that a list of pip's names: other lists, and packages of the project, which are built as they are installed.
 */
import { dirname, join } from "node:path";
import { filesInside } from "../../shell/paths.ts";
import type { Reference, References, SourceFile } from "./reference.ts";

/** Another list, and a package by its path. */
const LIST = /^\s*(?:-r|-c|--requirement|--constraint)[\s=]*(\S+)/gm;
const PACKAGE =
  /^\s*(?:(?:-e|--editable)[\s=]*)?(?:[\w.-]+(?:\[[^\]]*\])?\s*@\s*)?((?:\.{0,2}\/|file:|\.|[\w-][\w.-]*\/)[^\s;#[]*)/gm;
/** A place of packages on this disk, whose files nobody knows. */
const LOCAL_INDEX =
  /^\s*(?:-f|-i|--find-links|--index-url|--extra-index-url)[\s=]*(?!\s*https?:\/\/)\S/m;
/** What builds a package. */
const BUILDS = ["pyproject.toml", "setup.py", "setup.cfg"];

/** Looks through a list of what pip is to install. */
export function requirementReferences({ path, text, pathFacts }: SourceFile): References {
  const cwds = [dirname(path)];
  const inside = (name: string) => filesInside(name, { pathFacts, cwds });
  const lists = [...text.matchAll(LIST)].flatMap(([, name]) => inside(name!));
  const packages = [...text.matchAll(PACKAGE)].map(([, name]) =>
    name!.replace(/^file:(?:\/\/)?/, "")
  );
  return {
    files: [
      ...lists.map((one): Reference => ({ path: one, as: "requirements" })),
      ...packages.flatMap((name) => BUILDS.flatMap((file) => inside(join(name, file))))
        .map((one): Reference => ({ path: one, as: "leaf" })),
    ],
    complete: !LOCAL_INDEX.test(text) &&
      !/^\s*(?:-r|-c|-e|--requirement|--constraint|--editable)\b.*\$/m.test(text),
  };
}
