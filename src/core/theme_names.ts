/**
 * The names of the themes, as people write them: settings take them, commands offer them, the screen is drawn in them.
 */

/** The themes. */
export const THEME_NAMES = [
  "auto",
  "dark",
  "light",
  "high-contrast",
  "color-blind",
  "none",
] as const;

/** One of them. */
export type ThemeName = typeof THEME_NAMES[number];
