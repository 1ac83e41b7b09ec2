import assert from "node:assert/strict";
import { Vault } from "../../src/secrets/vault.ts";
import { harness, type HarnessOptions } from "../support/agent_harness.ts";
import { mixed } from "../support/secret_samples.ts";

const TOKEN = "ghp_" + mixed(36);
const FILES = { ".env": `# settings\nGITHUB_TOKEN=${TOKEN}\nPORT=1\n` };

function made(options: HarnessOptions) {
  return harness({
    files: FILES,
    rules: { allowAll: true },
    secrets: new Vault({ key: () => new Uint8Array(32) }),
    ...options,
  });
}

Deno.test("an error that quotes the file does not give its secrets away", async () => {
  await using set = await made({
    replies: [
      { calls: [["read", { file_paths: [".env"] }]] },
      {
        calls: [["edit", { file_path: ".env", old_string: "GITHUB_TOKENS=abc", new_string: "x" }]],
      },
      { calls: [["grep", { pattern: "GITHUB" }], ["bash", { command: "cat .env; exit 3" }]] },
    ],
  });
  await set.agent.run("go");
  const sent = JSON.stringify(set.requests);
  assert.ok(!sent.includes(TOKEN.slice(0, 12)), sent);
  assert.match(sent, /Command exited with code 3/);
  assert.ok(!JSON.stringify(set.saved).includes(TOKEN));
});

Deno.test("a call with a placeholder that is not known is not run, and never becomes a text of the file", async () => {
  const call = ["bash", { command: "echo '[secret:github_token:01234567]' > out.txt" }] as const;
  await using set = await made({ replies: [{ calls: [call] }, { calls: [call] }] });
  await set.agent.run("go");
  await assert.rejects(set.read("out.txt"));
  const answers = set.saved.filter((message) => message.role === "tool");
  assert.equal(answers.length, 2);
  for (const { content } of answers) {
    assert.match(content, /value behind a placeholder is not known/);
  }
});

Deno.test("the model is told once what placeholders are", async () => {
  const read = { calls: [["read", { file_paths: [".env"] }]] } as const;
  await using set = await made({
    replies: [read, { calls: [["bash", { command: "cat .env" }]] }, { text: "done" }],
  });
  await set.agent.run("go");
  const told = set.saved.filter(({ content }) => content.includes("Secrets are shown as"));
  assert.equal(told.length, 1);
});

Deno.test("a todo keeps the placeholder, and the words of a question show the value", async () => {
  let placeholder = "";
  await using set = await made({
    rules: {},
    replies: [
      { calls: [["read", { file_paths: [".env"] }]] },
      ({ messages }) => {
        const text = messages.at(-1)?.content ?? "";
        placeholder = /\[secret:github_token:\w{8}\]/.exec(text)?.[0] ?? "";
        const calls = [
          {
            id: "a",
            name: "todo_add",
            arguments: JSON.stringify({ tasks: [`use ${placeholder}`] }),
          },
          { id: "b", name: "bash", arguments: JSON.stringify({ command: `touch ${placeholder}` }) },
        ];
        return { message: { role: "assistant", content: "", calls } };
      },
    ],
  });
  await set.agent.run("go");
  assert.ok(placeholder.length > 0);
  assert.ok(JSON.stringify(set.notes).includes(placeholder));
  assert.ok(!JSON.stringify(set.notes).includes(TOKEN));
  const [question] = set.questions.flat();
  assert.ok(JSON.stringify(question?.previews).includes(`touch ${TOKEN}`));
});
