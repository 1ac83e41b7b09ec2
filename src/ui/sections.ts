/**
 * The empty lines between what stands on the screen: one before each section, none where one stands already.
 */
import type { Section } from "./live_view.ts";

/** What somebody else wrote. */
export interface Written {
  /** Whether it ends in an empty line. */
  readonly isApart: boolean;
  /** @default it begins and ends none */
  readonly section?: Section;
}

/** Follows what is drawn. */
export class Sections {
  /** The section that was drawn last; undefined if what comes next begins one in any case. */
  current: Section | undefined;
  /** Whether an empty line stands above what comes next. */
  isApart = false;

  /** The lines of a section with an empty line before its first ones; with `apart` also within it. */
  begin(section: Section, lines: readonly string[], apart = false): string[] {
    const gap = (this.current !== section || apart) && !this.isApart;
    this.isApart = false;
    this.current = section;
    return gap ? ["", ...lines] : [...lines];
  }

  /** Takes note of what somebody else wrote. */
  follow({ isApart, section = this.current }: Written): void {
    this.isApart = isApart;
    this.current = section;
  }

  /** Lines with an empty one above and one below. */
  setApart(lines: readonly string[]): string[] {
    const lead = this.isApart ? [] : [""];
    this.isApart = true;
    return [...lead, ...lines, ""];
  }
}
