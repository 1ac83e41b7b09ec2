/**
 * Which terminal takes what, by the environment it sets.
 */
import assert from "node:assert/strict";
import { type Feature, identifyTerminal } from "../../src/ui/sequences.ts";

/** Environments as the terminals set them. */
const ROWS: [name: string, env: Record<string, string>, features: string, notifier: string][] = [
  ["dumb", { TERM: "dumb", TERM_PROGRAM: "iTerm.app" }, "", "bell"],
  ["unknown", {}, "", "bell"],
  ["xterm", { TERM: "xterm-256color" }, "title focus", "bell"],
  ["Linux console", { TERM: "linux" }, "", "bell"],
  ["Windows Terminal", { WT_SESSION: "1-2" }, "title focus link marks progress", "bell"],
  [
    "macOS Terminal",
    { TERM: "xterm-256color", TERM_PROGRAM: "Apple_Terminal" },
    "title",
    "bell",
  ],
  [
    "iTerm2",
    { TERM_PROGRAM: "iTerm.app", TERM_PROGRAM_VERSION: "3.6.6" },
    "title focus link marks progress",
    "osc9",
  ],
  [
    "iTerm2",
    { TERM_PROGRAM: "iTerm.app", TERM_PROGRAM_VERSION: "3.5.14" },
    "title focus link marks",
    "osc9",
  ],
  ["kitty", { TERM: "xterm-kitty" }, "title focus link marks", "osc99"],
  [
    "Ghostty",
    { TERM: "xterm-ghostty", TERM_PROGRAM: "ghostty", TERM_PROGRAM_VERSION: "1.2.0" },
    "title focus link marks progress",
    "osc777",
  ],
  ["Ghostty", { TERM: "xterm-ghostty" }, "title focus link marks", "osc777"],
  [
    "WezTerm",
    { TERM_PROGRAM: "WezTerm", TERM_PROGRAM_VERSION: "20240203-110809-5046fc22" },
    "title focus link marks",
    "osc777",
  ],
  [
    "VS Code",
    { TERM_PROGRAM: "vscode", TERM_PROGRAM_VERSION: "1.90.2" },
    "title focus link marks",
    "bell",
  ],
  ["Konsole", { KONSOLE_VERSION: "230800" }, "title focus link marks", "bell"],
  ["VTE", { VTE_VERSION: "7600" }, "title focus link", "bell"],
  ["VTE", { VTE_VERSION: "8000" }, "title focus link marks progress", "bell"],
  ["foot", { TERM: "foot-extra" }, "title focus link marks", "osc777"],
  ["Alacritty", { TERM: "alacritty" }, "title focus link", "bell"],
  // Within a multiplexer its own variables count, not those of the terminal that it was started in.
  [
    "tmux",
    {
      TMUX: "/tmp/tmux-0/default,1,0",
      TERM_PROGRAM: "tmux",
      TERM_PROGRAM_VERSION: "3.3a",
      WT_SESSION: "1",
    },
    "title focus",
    "bell",
  ],
  [
    "tmux",
    { TMUX: "/tmp/tmux-0/default,1,0", TERM_PROGRAM_VERSION: "next-3.5" },
    "title focus link marks",
    "bell",
  ],
  ["screen", { STY: "1.pts", TERM: "screen-256color", KITTY_WINDOW_ID: "1" }, "", "bell"],
];

Deno.test("a terminal gets what it takes in the version that it has, and nothing it would take for something else", () => {
  for (const [name, variables, features, notifier] of ROWS) {
    const kind = identifyTerminal((one) => variables[one]);
    const found = { name: kind.name, features: [...kind.features], notifier: kind.notifier };
    const wanted = features.split(" ").filter((one) => one !== "") as Feature[];
    assert.deepEqual(found, { name, features: wanted, notifier }, JSON.stringify(variables));
  }
});
