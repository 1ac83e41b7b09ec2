/**
 * The list of themes, each shown by a sample of what ally draws.
 */
import { pickFromList } from "../../ui/pick_list.ts";
import { THEME_NAMES, type ThemeName } from "../../core/theme_names.ts";
import type { Terminal } from "../../ui/terminal.ts";
import { createTheme, type Theme } from "../../ui/theme.ts";
import { fit } from "../../ui/wrap.ts";
import type { Appearance } from "./appearance.ts";

const WHAT: Readonly<Record<ThemeName, string>> = {
  auto: "what the terminal says of its background",
  dark: "for a dark background",
  light: "for a light background",
  "high-contrast": "no colours, nothing dimmed, bold in their place",
  "color-blind": "blue and orange in place of green and red",
  none: "no colours",
};

/** Lets the person choose; undefined for none. */
export function pickTheme(
  { terminal, theme, signal, appearance }: {
    terminal: Terminal;
    theme: Theme;
    signal: AbortSignal;
    appearance: Appearance;
  },
): Promise<string | undefined> {
  const sample = (name: ThemeName, columns: number) =>
    sampleLines(
      createTheme({ ...theme, isLight: appearance.isLight, name: () => name }),
      columns,
    );
  return pickFromList("Which theme?", {
    terminal,
    theme,
    signal,
    current: appearance.name(),
    entries: THEME_NAMES.map((value) => ({ value, label: `${value}: ${WHAT[value]}` })),
    preview: sample,
  });
}

/** What is on the screen most of the time. */
function sampleLines(theme: Theme, columns: number): string[] {
  const { glyphs, paint } = theme;
  const code = `${paint("keyword", "const")} ${paint("name", "answer")} = ${
    paint("string", '"yes"')
  }; ${paint("comment", "// why")}`;
  return [
    "",
    `${paint("accent", glyphs.prompt)} fix the test`,
    `${paint("success", glyphs.bullet)} ${paint("bold", "edit")} src/parse.ts`,
    theme.paintChange("removed", "-  return 0;"),
    theme.paintChange("added", "+  return 1;"),
    `${paint("error", glyphs.failed)} ${paint("bold", "bash")} deno test ${
      paint("error", "1 failed")
    }`,
    `${paint("warning", "!")} ${paint("warning", "A warning")} ${paint("dim", "and what is dim")}`,
    code,
  ].map((line) => fit(line, columns));
}
