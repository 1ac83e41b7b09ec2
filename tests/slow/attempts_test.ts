/**
 * Every attempt of the tables in `tests/security`, by threat: a hostile model, code of a hostile repository, a plugin,
 * an MCP server, a model server, another user of the machine, a crash; with a sandbox and without one.
 */
import assert from "node:assert/strict";
import { AGENT_ATTEMPTS } from "../security/agent_attempts.ts";
import { CHANGED_PLUGINS } from "../security/changed_manifests.ts";
import { COMMAND_ATTEMPTS } from "../security/command_attempts.ts";
import { CONFIG_ATTEMPTS, CONFIG_PROGRAMS, plantSettings } from "../security/config_attempts.ts";
import { EDITOR_ATTEMPTS } from "../security/editor_attempts.ts";
import { EXPORT_ATTEMPTS } from "../security/export_attempts.ts";
import { HOOK_SITUATIONS } from "../security/hook_attempts.ts";
import { LYING_PLUGINS, runLyingPlugins } from "../security/lying_manifests.ts";
import { addEvilServer, MCP_ATTEMPTS } from "../security/mcp_attempts.ts";
import { PATH_FLAGS, PATH_SITUATIONS } from "../security/path_attempts.ts";
import {
  installEvilPlugin,
  PLUGIN_ATTEMPTS,
  PLUGIN_PROGRAM_ATTEMPTS,
} from "../security/plugin_attempts.ts";
import { PROJECT_ATTEMPTS } from "../security/project_attempts.ts";
import { RECEIPT_ATTEMPTS } from "../security/receipt_attempts.ts";
import { SERVER_ATTEMPTS } from "../security/server_attempts.ts";
import { SOURCE_ATTEMPTS } from "../security/source_attempts.ts";
import { SITUATIONS } from "../security/situations.ts";
import { TOOL_ATTEMPTS } from "../security/tool_attempts.ts";
import { runAttempts, runSituations } from "../support/attempts.ts";
import { runAgents, runEditors } from "../support/client_attempts.ts";
import { runPrograms } from "../support/program_attempts.ts";
import { hasBubblewrap } from "../support/sandbox.ts";

Deno.test("the tables hold more than four hundred attempts each", () => {
  assert.ok(COMMAND_ATTEMPTS.length > 400 && TOOL_ATTEMPTS.length > 400);
});

Deno.test("no command of a hostile model gets out unasked without a sandbox", async () => {
  assert.deepEqual(await runAttempts(COMMAND_ATTEMPTS, { flags: ["--no-sandbox"] }), []);
});

Deno.test({
  name: "no command of a hostile model gets out unasked in the sandbox",
  ignore: !hasBubblewrap(),
  fn: async () => assert.deepEqual(await runAttempts(COMMAND_ATTEMPTS), []),
});

Deno.test({
  name: "no code of a hostile repository gets out of the sandbox where its command is allowed",
  ignore: !hasBubblewrap(),
  fn: async () => {
    const flags = ["--allow-run=sh"];
    assert.deepEqual(await runAttempts(COMMAND_ATTEMPTS, { flags, asProject: true }), []);
  },
});

for (const flags of [["--no-sandbox"], ["--allow-write", "--allow-read"], ["-A"]]) {
  Deno.test(`no file tool leaves the workspace under ${flags.join(" ")}`, async () => {
    assert.deepEqual(await runAttempts(TOOL_ATTEMPTS, { flags }), []);
  });
}

const PLUGIN = { prepare: installEvilPlugin, flags: ["--allow-plugin=evil"] };

Deno.test("no module of a plugin gets what it was not granted in the sandbox, if there is one", async () => {
  assert.deepEqual(await runAttempts(PLUGIN_ATTEMPTS, PLUGIN), []);
});

Deno.test("no module of a plugin gets what it was not granted where Deno alone holds it", async () => {
  const flags = [...PLUGIN.flags, "--no-sandbox"];
  assert.deepEqual(await runAttempts(PLUGIN_ATTEMPTS, { ...PLUGIN, flags }), []);
});

Deno.test({
  name: "no program of a plugin gets what it was not granted",
  ignore: !hasBubblewrap(),
  fn: async () => assert.deepEqual(await runAttempts(PLUGIN_PROGRAM_ATTEMPTS, PLUGIN), []),
});

for (const flags of [[], ["--no-sandbox"]]) {
  Deno.test(`no plugin gets what its manifest hides, ${flags.join(" ") || "sandboxed"}`, async () => {
    const held = hasBubblewrap() && flags.length === 0;
    const plugins = LYING_PLUGINS.filter(({ needsSandbox }) => held || !needsSandbox);
    assert.deepEqual(await runLyingPlugins(plugins, { flags }), []);
    assert.deepEqual(await runLyingPlugins(CHANGED_PLUGINS, { flags }), []);
  });

  Deno.test(`no editor gets out by what it sends, ${flags.join(" ") || "sandboxed"}`, async () => {
    assert.deepEqual(await runEditors(EDITOR_ATTEMPTS, flags), []);
  });

  Deno.test(`no agent gets out by what it sends, ${flags.join(" ") || "sandboxed"}`, async () => {
    assert.deepEqual(await runAgents(AGENT_ATTEMPTS, flags), []);
  });
}

Deno.test("no file tool leaves the workspace where edits are allowed", async () => {
  assert.deepEqual(await runAttempts(TOOL_ATTEMPTS, { mode: "edits" }), []);
});

Deno.test("no answer of an MCP server, and nothing that it asks for, gets out", async () => {
  const how = { prepare: addEvilServer, flags: ["--allow-net=mcp:s"] };
  assert.deepEqual(await runAttempts(MCP_ATTEMPTS, how), []);
});

for (const flags of [[], ["--no-sandbox"]]) {
  Deno.test(`no call that a model server makes up gets out, ${flags.join(" ") || "sandboxed"}`, async () => {
    assert.deepEqual(await runAttempts(SERVER_ATTEMPTS, { flags }), []);
  });

  Deno.test(`what was planted, or a crash left, leads nowhere, ${flags.join(" ") || "sandboxed"}`, async () => {
    assert.deepEqual(await runSituations(SITUATIONS, { flags }), []);
  });
}

Deno.test("no hook of a project gets out of the sandbox, nor has a call get out", async () => {
  assert.deepEqual(await runSituations(HOOK_SITUATIONS, { flags: ["--trust-project"] }), []);
});

Deno.test("no program of a project takes the place of one that a person has named", async () => {
  assert.deepEqual(await runSituations(PATH_SITUATIONS, { flags: PATH_FLAGS }), []);
});

for (const flags of [[], ["--no-sandbox"]]) {
  const name = flags.join(" ") || "sandboxed";
  Deno.test(`no setting of a repository starts a program that gets out, ${name}`, async () => {
    const how = { prepare: plantSettings, flags };
    assert.deepEqual(await runAttempts(CONFIG_ATTEMPTS, how), []);
  });
}

Deno.test("no setting of a repository starts a program of its own, whatever ally is asked", async () => {
  assert.deepEqual(await runPrograms(CONFIG_PROGRAMS), []);
});

Deno.test("what is no source of skills installs nothing and reaches nobody", async () => {
  assert.deepEqual(await runPrograms(SOURCE_ATTEMPTS), []);
});

Deno.test("no forged receipt changes or tells anything", async () => {
  assert.deepEqual(await runPrograms(RECEIPT_ATTEMPTS), []);
});

Deno.test("no conversation is more than text where it is exported to", async () => {
  assert.deepEqual(await runPrograms(EXPORT_ATTEMPTS), []);
});

Deno.test("nothing of a project acts that nobody trusts, and nothing of it allows anything", async () => {
  assert.deepEqual(await runPrograms(PROJECT_ATTEMPTS), []);
});
