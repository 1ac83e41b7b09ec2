import assert from "node:assert/strict";
import { UsageError } from "../../src/core/errors.ts";
import { readConfiguredRules } from "../../src/permission/configured.ts";
import { Policy } from "../../src/permission/policy.ts";
import { matchDeny, type Rules } from "../../src/permission/rules.ts";
import { textPathFacts } from "../support/path_facts.ts";

const own = { source: "config", file: "~/.ally/config.json", cwd: "/w", home: "/home/me" } as const;
const project = { ...own, source: "project", file: ".ally/config.json" } as const;

Deno.test("configured paths are relative to the working directory, ~ is the home", () => {
  const { rules, warnings } = readConfiguredRules({
    allow: { read: ["~/notes", "/x"], write: ["src"], run: ["git status"], net: true },
    deny: { env: ["AWS_*"] },
  }, own);
  assert.deepEqual(rules.allow, {
    read: ["/home/me/notes", "/x"],
    write: ["/w/src"],
    run: ["git status"],
    net: true,
  });
  assert.deepEqual(rules.deny, { env: ["AWS_*"] });
  assert.equal(rules.allowAll, false);
  assert.deepEqual(warnings, []);
});

Deno.test("a project's file forbids, and what it allows is left out with a warning", () => {
  const { rules, warnings } = readConfiguredRules({
    allow: { run: true },
    deny: { run: ["git push"], write: ["dist"] },
  }, project);
  assert.deepEqual(rules.allow, {});
  assert.deepEqual(rules.deny, { run: ["git push"], write: ["/w/dist"] });
  assert.match(warnings.join(), /\.ally\/config\.json: 'permissions\.allow' is ignored/);
});

for (
  const wrong of [
    [],
    "all",
    { allow: true },
    { allow: { write: false } },
    { allow: { run: [""] } },
    { deny: { exec: true } },
    { deny: { net: ["https://example.com"] } },
    { Deny: {} },
  ]
) {
  Deno.test(`permissions of ${JSON.stringify(wrong)} are refused with an example`, () => {
    assert.throws(
      () => readConfiguredRules(wrong, own),
      (error) => error instanceof UsageError && /config\.json.*must be like \{/.test(error.message),
    );
  });
}

for (const name of ["secret/*.pem", "$HOME/x", "~someone/x", "file:///x"]) {
  Deno.test(`a list of paths cannot name ${name} in a configuration either`, () => {
    assert.throws(
      () => readConfiguredRules({ deny: { read: ["a", name] } }, own),
      (error) =>
        error instanceof UsageError &&
        error.message.startsWith(
          `~/.ally/config.json: 'permissions.deny.read' cannot name "${name}": nothing is called`,
        ),
    );
  });
}

Deno.test("~ is no path where no home is known", () => {
  const homeless = { ...own, home: "" };
  assert.throws(() => readConfiguredRules({ deny: { read: ["~/x"] } }, homeless), UsageError);
});

const decided = async (
  configured: readonly Rules[],
  target: string,
  flags: Partial<Rules> = {},
) => {
  const policy = new Policy({
    rules: { allow: {}, deny: {}, allowAll: false, ...flags },
    configured,
    interactive: true,
    pathFacts: textPathFacts(),
  });
  const { decision, rule } = await policy.judge([{ kind: "run", target }]);
  return [decision, rule];
};

Deno.test("deny wins wherever it stands, and the verdict names the rule with its file", async () => {
  const user = readConfiguredRules({ allow: { run: ["make", "git"] } }, own).rules;
  const strict = readConfiguredRules({ deny: { run: ["make"] } }, project).rules;
  assert.deepEqual(await decided([user], "make"), [
    "allow",
    "allow run=make (~/.ally/config.json)",
  ]);
  const forbidden = ["deny", "deny run=make (.ally/config.json)"];
  assert.deepEqual(await decided([user, strict], "make"), forbidden);
  assert.deepEqual(await decided([user, strict], "make", { allowAll: true }), forbidden);
  const flag = { allow: { run: ["git"] } };
  assert.deepEqual(await decided([user], "git add x", flag), ["allow", "--allow-run=git"]);
});

Deno.test("a configured list never allows what is extreme", async () => {
  const user = readConfiguredRules({ allow: { run: true } }, own).rules;
  assert.deepEqual(await decided([user], "rm -rf build"), ["ask", undefined]);
});

Deno.test("a denied network forbids commands that need it, by host or altogether", () => {
  const rule = (net: true | string[], target: string, needs: readonly string[]) => {
    const { rules } = readConfiguredRules({ deny: { net } }, { ...own, file: "F" });
    const part = { risk: "sensitive", plain: true, programs: ["curl"], needs } as const;
    return matchDeny(rules, { kind: "run", target }, { parts: [part] })?.rule;
  };
  assert.equal(rule(true, "curl https://a.example", ["network"]), "deny net (F)");
  assert.equal(rule(["*.example"], "curl a.EXAMPLE/x", ["network"]), "deny net=*.example (F)");
  assert.equal(rule(["b.org:443"], "curl https://a.example", ["network"]), undefined);
  assert.equal(rule(true, "make", ["repository"]), undefined);
});

Deno.test("hosts and variables are covered as Deno covers them", async () => {
  const policy = new Policy({
    rules: {
      allow: { net: ["api.example.com", "*.test.org", "h:80"], env: ["NODE_*", "HOME"] },
      deny: {},
      allowAll: false,
    },
    interactive: true,
    pathFacts: textPathFacts(),
  });
  const expected = {
    "net api.example.com": "allow",
    "net api.example.com:443": "allow",
    "net evil.api.example.com": "ask",
    "net api.example.com.evil.org": "ask",
    "net a.test.org:8080": "allow",
    "net test.org": "ask",
    "net h:80": "allow",
    "net h:81": "ask",
    "env NODE_ENV": "allow",
    "env HOME": "allow",
    "env HOMEPATH": "ask",
  };
  for (const [access, wanted] of Object.entries(expected)) {
    const [kind, target] = access.split(" ") as ["net" | "env", string];
    assert.equal((await policy.judge([{ kind, target }])).decision, wanted, access);
  }
});
