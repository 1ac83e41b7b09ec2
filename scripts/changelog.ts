/**
 * The section of a version in the changelog.
 */

/** A section, as it stands under its heading. */
export interface ChangelogSection {
  /** What follows the version in the heading, as "2026-12-01" or "unreleased". */
  readonly date: string;
  readonly text: string;
}

/** Finds the section of a version; undefined if there is none. */
export function findSection(changelog: string, version: string): ChangelogSection | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((one) => one.split(/[\s(]/, 1)[0] === version);
  if (section === undefined) return undefined;
  const [heading = "", ...lines] = section.split("\n");
  return {
    date: heading.slice(version.length).replace(/[(),]/g, "").trim(),
    text: lines.join("\n").trim(),
  };
}
