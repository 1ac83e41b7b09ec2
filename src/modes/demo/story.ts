/**
 * What the scripted model of the demo answers. It follows what really happened: a denial with other instructions ends
 * the story.
 */
import type { RecordedRequest, ScriptedReply } from "./scripted_server.ts";

/** What the person of the demo asks for. */
export const DEMO_PROMPT = "The test fails. Find out why and fix it.";

const STEPS: readonly ScriptedReply[] = [
  {
    thinking: "First look at what is there, then see the failure with my own eyes.",
    text: "I'll look at the project first.",
    calls: [
      { name: "ls", arguments: { file_path: "." } },
      { name: "read", arguments: { file_paths: ["slug.sh", "test.sh"] } },
    ],
  },
  {
    text: "Now the test, to see how it fails.",
    calls: [
      { name: "bash", arguments: { command: "sh test.sh", description: "Run the tests" } },
    ],
  },
  {
    text: "`tr ' ' '_'` joins the words with **underscores**, and keeps repeated blanks. " +
      "It should squeeze them into one dash.",
    calls: [
      {
        name: "edit",
        arguments: { file_path: "slug.sh", old_string: "tr ' ' '_'", new_string: "tr -s ' ' '-'" },
      },
    ],
  },
  {
    text: "And the test again.",
    calls: [
      { name: "bash", arguments: { command: "sh test.sh", description: "Run the tests again" } },
    ],
  },
  {
    text: `All three tests pass now.

- **Cause:** \`slug\` replaced each blank by an underscore.
- **Fix:** in \`slug.sh\`, \`tr -s ' ' '-'\` replaces every run of blanks by one dash.

Nothing else was changed. In a session, \`/undo\` would take it back.`,
  },
];

/** The reply to one request of the demo. */
export function nextReply(request: RecordedRequest, index: number): ScriptedReply {
  const wish = findDenialText(request);
  if (wish !== undefined) {
    return {
      text: `You would rather have: *${wish}*. A real model would do that now; ` +
        "this one only follows a script, so it stops here.",
    };
  }
  return { ...STEPS[Math.min(index, STEPS.length - 1)], delayMs: 20, chunkSize: 6 };
}

/** How many replies the story has at most. */
export const STORY_LENGTH = STEPS.length;

function findDenialText(request: RecordedRequest): string | undefined {
  const messages = request.body.messages;
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  const content = last instanceof Object && "content" in last ? String(last.content) : "";
  return /The user denied this call and says: (.*?)"/.exec(content)?.[1];
}
