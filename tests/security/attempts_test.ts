/**
 * What a hostile model, repository, plugin, MCP server or model server, another user of the machine or a crash may
 * bring: nothing outside is read or changed, nobody outside is reached, and `.git` stays as it is, with a sandbox and
 * without one. Here a sample; among the slow tests all of it.
 */
import assert from "node:assert/strict";
import { runAttempts, runSituations } from "../support/attempts.ts";
import { runAgents, runEditors } from "../support/client_attempts.ts";
import { runPrograms } from "../support/program_attempts.ts";
import { hasBubblewrap } from "../support/sandbox.ts";
import { AGENT_ATTEMPTS } from "./agent_attempts.ts";
import { CHANGED_PLUGINS, UNCHANGED } from "./changed_manifests.ts";
import { COMMAND_ATTEMPTS } from "./command_attempts.ts";
import { CONFIG_ATTEMPTS, CONFIG_PROGRAMS, plantSettings } from "./config_attempts.ts";
import { EDITOR_ATTEMPTS } from "./editor_attempts.ts";
import { EXPORT_ATTEMPTS } from "./export_attempts.ts";
import { HOOK_SITUATIONS } from "./hook_attempts.ts";
import { LYING_PLUGINS, runLyingPlugins } from "./lying_manifests.ts";
import { addEvilServer, MCP_ATTEMPTS } from "./mcp_attempts.ts";
import { PATH_FLAGS, PATH_SITUATIONS } from "./path_attempts.ts";
import { installEvilPlugin, PLUGIN_ATTEMPTS } from "./plugin_attempts.ts";
import { PROJECT_ATTEMPTS } from "./project_attempts.ts";
import { RECEIPT_ATTEMPTS } from "./receipt_attempts.ts";
import { SERVER_ATTEMPTS } from "./server_attempts.ts";
import { SOURCE_ATTEMPTS } from "./source_attempts.ts";
import { SITUATIONS } from "./situations.ts";
import { TOOL_ATTEMPTS } from "./tool_attempts.ts";

const sample = <T>(all: readonly T[], every = 50) => all.filter((_, index) => index % every === 0);

Deno.test("no command of a hostile model gets out unasked without a sandbox", async () => {
  assert.deepEqual(await runAttempts(sample(COMMAND_ATTEMPTS), { flags: ["--no-sandbox"] }), []);
});

Deno.test({
  name: "no command of a hostile model gets out unasked in the sandbox",
  ignore: !hasBubblewrap(),
  fn: async () => assert.deepEqual(await runAttempts(sample(COMMAND_ATTEMPTS)), []),
});

Deno.test("no file tool leaves the workspace under -A", async () => {
  assert.deepEqual(await runAttempts(sample(TOOL_ATTEMPTS), { flags: ["-A"] }), []);
});

Deno.test("no file tool and no command gets out unasked where edits are allowed", async () => {
  const how = { mode: "edits" } as const;
  assert.deepEqual(await runAttempts(sample(TOOL_ATTEMPTS), how), []);
  assert.deepEqual(
    await runAttempts(sample(COMMAND_ATTEMPTS), { ...how, flags: ["--no-sandbox"] }),
    [],
  );
});

Deno.test("no call that a model server makes up gets out", async () => {
  assert.deepEqual(await runAttempts(sample(SERVER_ATTEMPTS, 21)), []);
});

Deno.test("no plugin gets what it was not granted", async () => {
  const how = { prepare: installEvilPlugin, flags: ["--allow-plugin=evil"] };
  assert.deepEqual(await runAttempts(sample(PLUGIN_ATTEMPTS, 53), how), []);
});

Deno.test("no plugin gets what its manifest hides", async () => {
  const plugins = LYING_PLUGINS.filter(({ needsSandbox }) => !needsSandbox);
  assert.deepEqual(await runLyingPlugins(sample(plugins, 40)), []);
});

Deno.test("no answer of an MCP server, and nothing that it asks for, gets out", async () => {
  const how = { prepare: addEvilServer, flags: ["--allow-net=mcp:s"] };
  assert.deepEqual(await runAttempts(sample(MCP_ATTEMPTS), how), []);
});

Deno.test("what another user planted, or a crash left, leads nowhere", async () => {
  assert.deepEqual(await runSituations(sample(SITUATIONS, 33)), []);
});

Deno.test("no hook of a project gets out, nor has a call get out", async () => {
  const flags = ["--trust-project"];
  assert.deepEqual(await runSituations(sample(HOOK_SITUATIONS, 8), { flags }), []);
});

Deno.test("no program of a project takes the place of one that a person has named", async () => {
  assert.deepEqual(await runSituations(sample(PATH_SITUATIONS, 30), { flags: PATH_FLAGS }), []);
});

Deno.test("no setting of a repository starts a program where a model reads and checks", async () => {
  const how = { prepare: plantSettings, flags: ["--no-sandbox"] };
  assert.deepEqual(await runAttempts(sample(CONFIG_ATTEMPTS, 5), how), []);
  assert.deepEqual(await runPrograms(sample(CONFIG_PROGRAMS, 9)), []);
});

Deno.test("what is no source of skills installs nothing and reaches nobody", async () => {
  assert.deepEqual(await runPrograms(sample(SOURCE_ATTEMPTS, 9)), []);
});

Deno.test("no plugin that changed since it was allowed runs, and one that did not does", async () => {
  assert.deepEqual(await runLyingPlugins(sample(CHANGED_PLUGINS, 20)), []);
  assert.equal((await runLyingPlugins([UNCHANGED])).length, 1);
});

Deno.test("no editor and no agent gets out by what it sends", async () => {
  assert.deepEqual(await runEditors(sample(EDITOR_ATTEMPTS, 60)), []);
  assert.deepEqual(await runAgents(sample(AGENT_ATTEMPTS, 20)), []);
});

Deno.test("no forged receipt changes or tells anything, and no conversation is more than text", async () => {
  assert.deepEqual(await runPrograms(sample(RECEIPT_ATTEMPTS)), []);
  assert.deepEqual(await runPrograms(sample(EXPORT_ATTEMPTS)), []);
});

Deno.test("nothing of a project acts that nobody trusts, and nothing of it allows anything", async () => {
  assert.deepEqual(await runPrograms(sample(PROJECT_ATTEMPTS, 15)), []);
});
