/**
 * Tips, one of which is shown a day. What stands between backticks exists: a test looks for it.
 */

/** In the order in which they come. */
export const TIPS: readonly string[] = [
  "`/undo` takes the last change of files back, and shows first what it would do.",
  "`@src/main.ts:10-20` attaches some lines of a file, `@src` what a directory holds.",
  "`!git status` runs a command as you; the model sees its output with your next words.",
  "Words typed while ally works steer it after the call that is running; `Esc` gets them back.",
  "`/plan` has the model only read and propose, until `/plan off`.",
  "`ally -c` goes on with this directory's last session, `ally -r` lets you choose one.",
  "`#words` adds them to the project's instructions, which every session reads.",
  "`/rewind` goes back to before one of your messages, with the files if you like.",
  "`/init` has the model look at the project and write what later sessions should know of it.",
  '`git diff | ally -p "review this"` answers once and ends, for scripts.',
  "`/context` shows what fills the model's window, and `/compact` makes room.",
  "`/permissions` shows what Always has stored, and takes it back.",
  "`ally permissions explain 'COMMAND'` says how a command would be judged, and runs nothing.",
  "`@general` and a task gives it to an agent, whose work leaves your window alone.",
  "`/effort low` has a model that thinks too much think less, where its server can be told.",
  "`ally doctor` finds out what the model and its server can do, and how to fix what they cannot.",
  "`?` on an empty line shows the keys; `/help keys` tells of those you know from elsewhere.",
  "`Shift+Tab` takes the next mode: ask for each edit, edits allowed, plan.",
  "`/show 3` shows all of what stands shortened on the screen with that number.",
  "`/cost` tells what a session took, by model, agent and turn.",
  "`Ctrl+G` opens the message in your editor.",
];
