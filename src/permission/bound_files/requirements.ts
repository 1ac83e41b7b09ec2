/**
 * The files that a list of pip's names: other lists. A package of the project is built by its own code as it is
 * installed, of which no rule knows all.
 */
import { dirname } from "node:path";
import { filesInside } from "../../shell/paths.ts";
import { findNamedPlaces } from "./named_places.ts";
import type { Reference, References, SourceFile } from "./reference.ts";

/** Another list, there or not. */
const LIST = /^\s*(?:-r|-c|--requirement|--constraint)[\s=]*(\S+)/gm;
/** A place of packages on this disk, whose files nobody knows. */
const LOCAL_INDEX =
  /^\s*(?:-f|-i|--find-links|--index-url|--extra-index-url)[\s=]*(?!\s*https?:\/\/)\S/m;

/** Looks through a list of what pip is to install. */
export function requirementReferences({ path, text, pathFacts }: SourceFile): References {
  const context = { pathFacts, cwds: [dirname(path)] };
  const lists = [...text.matchAll(LIST)].flatMap(([, name]) => filesInside(name!, context));
  const lines = text.split("\n").filter((line) => !/^\s*(?:#|$)/.test(line));
  const { files, directories, isCut } = findNamedPlaces(lines, context);
  return {
    files: [...new Set([...lists, ...files])]
      .map((one): Reference => ({ path: one, as: "requirements" })),
    complete: !LOCAL_INDEX.test(text) &&
      !/^\s*(?:-r|-c|-e|--requirement|--constraint|--editable)\b.*\$/m.test(text),
    runsByItself: isCut || directories.some((one) => !lists.includes(one)),
  };
}
