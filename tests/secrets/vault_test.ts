import assert from "node:assert/strict";
import { ToolError } from "../../src/core/errors.ts";
import { MaskedStream } from "../../src/secrets/masked_sink.ts";
import { Vault } from "../../src/secrets/vault.ts";
import { hex, mixed, TOKENS } from "../support/secret_samples.ts";

const KEY = new TextEncoder().encode("0123456789abcdef0123456789abcdef");
const TOKEN = "ghp_" + mixed(36);
const OTHER = "sk-proj-" + mixed(60);

function vault(env: Record<string, string> = {}): Vault {
  return new Vault({ key: () => KEY, env });
}

Deno.test("reveal() gives back to the byte what mask() took away", () => {
  const secrets = vault();
  const text = TOKENS.map((token, index) => `NAME_${index}_TOKEN="${token}" # note`).join("\r\n");
  const masked = secrets.mask(text);
  for (const token of TOKENS) assert.ok(!masked.includes(token), token);
  assert.equal(secrets.reveal(masked), text);
  assert.equal(secrets.mask(text), masked);
  assert.equal(secrets.remask(masked), masked);
});

Deno.test("the same secret has the same placeholder with the same key, and another with another key", () => {
  const masked = vault().mask(`a ${TOKEN}`);
  assert.match(masked, /^a \[secret:github_token:[0-9a-f]{8}\]$/);
  assert.equal(vault().mask(`a ${TOKEN}`), masked);
  const other = new Vault({ key: () => new Uint8Array(32) });
  assert.notEqual(other.mask(`a ${TOKEN}`), masked);
});

Deno.test("the key is not asked for before there is a secret", () => {
  const secrets = new Vault({ key: () => assert.fail("asked"), env: { A_TOKEN: TOKEN } });
  assert.equal(secrets.mask("const token = getToken();"), "const token = getToken();");
  assert.equal(secrets.reveal("nothing"), "nothing");
});

Deno.test("a secret seen once is masked wherever it stands, a weak one only where it is named", () => {
  const secrets = vault();
  secrets.mask("DB_PASSWORD=Tr0ub4dor&3\nADMIN_PASSWORD=postgres\n");
  assert.match(secrets.mask("it is Tr0ub4dor&3!"), /^it is \[secret:db_password:\w{8}\]!$/);
  assert.equal(secrets.mask("the postgres server"), "the postgres server");
});

Deno.test("values of the environment are masked by their names, but no paths, gaps or short ones", () => {
  const secrets = vault({
    MY_PASSPHRASE: "correct horse",
    KEYRING_KEY: "/run/user/0/keyring",
    LOCAL_API_KEY: "not-needed",
    SHORT_TOKEN: "abc",
    ALLY_MODEL: "some-model-1",
  });
  const text = "correct horse, /run/user/0/keyring, not-needed, abc, some-model-1";
  assert.match(
    secrets.mask(text),
    /^\[secret:my_passphrase:\w{8}\], \/run\/user\/0\/keyring, not-needed, abc, some-model-1$/,
  );
});

Deno.test("a piece of a known secret that a cut has left is masked too", () => {
  const secrets = vault();
  secrets.mask(OTHER);
  const masked = secrets.mask(`${OTHER.slice(0, 30)}...\n...${OTHER.slice(-30)}`);
  assert.match(masked, /^\[secret:openai_key:\w{8}\]\.\.\.\n\.\.\.\[secret:openai_key:\w{8}\]$/);
});

Deno.test("reveal() refuses a placeholder that is not known, without repeating it", () => {
  assert.throws(
    () => vault().reveal("x [secret:github_token:01234567] y"),
    (error) =>
      error instanceof ToolError && error.kind === "validation" &&
      /github token, tag 01234567/.test(error.message) &&
      !error.message.includes("[secret:") && /Read the file/.test(error.suggestion ?? ""),
  );
});

Deno.test("what only looks like a placeholder in a file stays as it is", () => {
  const secrets = vault();
  const literal = "see [secret:github_token:01234567]";
  assert.equal(secrets.mask(literal), literal);
  assert.equal(secrets.reveal(literal), literal);
  // Even a real one that somebody put into a file is told apart from the secret.
  const own = secrets.mask(TOKEN);
  const masked = secrets.mask(`${own} and ${TOKEN}`);
  assert.match(masked, /^\[secret:placeholder:\w{8}\] and \[secret:github_token:\w{8}\]$/);
  assert.equal(secrets.reveal(masked), `${own} and ${TOKEN}`);
});

Deno.test("remask() does not take the model's words for a file's", () => {
  const secrets = vault();
  secrets.remask("I remember [secret:github_token:01234567].");
  assert.throws(() => secrets.reveal("[secret:github_token:01234567]"), ToolError);
});

Deno.test("a stream shows no piece of a secret, wherever it is cut", () => {
  const pem = `-----BEGIN PRIVATE KEY-----\n${mixed(64)}\n${mixed(40)}9\n-----END PRIVATE KEY-----`;
  const text = `start ${TOKEN} mid\nDB_PASSWORD=hunter2\n${pem}\nexport API_KEY="${hex(32)}"\nend`;
  const whole = vault().remask(text);
  for (let size = 1; size <= 40; size++) {
    const stream = new MaskedStream(vault());
    let shown = "";
    for (let at = 0; at < text.length; at += size) shown += stream.push(text.slice(at, at + size));
    assert.equal(shown + stream.end(), whole, `pieces of ${size}`);
  }
});

Deno.test("a stream shows plain words as they come", () => {
  const stream = new MaskedStream(vault());
  assert.equal(stream.push("Hello wor"), "Hello ");
  assert.equal(stream.push("ld. "), "world. ");
  assert.equal(stream.end(), "");
});

Deno.test("a line without end is masked in bounded memory", () => {
  const stream = new MaskedStream(vault());
  const filler = "a".repeat(1000);
  let shown = "";
  for (let index = 0; index < 200; index++) shown += stream.push(filler);
  assert.ok(shown.length >= 200_000 - 60_000);
  assert.equal((shown + stream.end()).length, 200_000);
});

/** What programs print of a value: name, text, and whether a part of it may be left. */
const VALUE = "pa55/w0rd+of~the=vault?";
const BYTES = new TextEncoder().encode(VALUE);
const inHex = (separator: string) =>
  [...BYTES].map((byte) => byte.toString(16).padStart(2, "0")).join(separator);
const base64 = (before: string, after = "\n") => btoa(before + VALUE + after);
const utf16 = String.fromCharCode(...[...VALUE].flatMap((one) => [one.charCodeAt(0), 0]));
const SPELLINGS: readonly (readonly [name: string, text: string])[] = [
  ["reversed", [...VALUE].reverse().join("")],
  ["hex", inHex("")],
  ["HEX", inHex("").toUpperCase()],
  ["hex with blanks", inHex(" ")],
  ["hex with colons", inHex(":")],
  ["hex as xxd prints it", inHex("").match(/.{1,4}/g)!.join(" ")],
  ["escapes", "\\x" + inHex("\\x")],
  ["percent signs throughout", "%" + inHex("%")],
  ["a URL", encodeURIComponent(VALUE)],
  ["a URL in lower case", encodeURIComponent(VALUE).replace(/%../g, (code) => code.toLowerCase())],
  ["blanks between", [...VALUE].join(" ")],
  ["a character a line", [...VALUE].join("\n")],
  ["UTF-16 read as UTF-8", utf16],
  ["UTF-16 in base64", btoa(utf16)],
  ["UTF-32 read as UTF-8", [...VALUE].join("\0\0\0")],
  ...["", "a", "ab", "abc", "user:"].flatMap((before) => [
    [`base64 after ${before.length} bytes`, base64(before)] as const,
    [`base64 after ${before.length} bytes, more behind`, base64(before, "xyz")] as const,
    [
      `base64 of URLs after ${before.length} bytes`,
      base64(before).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""),
    ] as const,
  ]),
];

for (const [name, text] of SPELLINGS) {
  Deno.test(`a known secret is masked as ${name}, and put back`, () => {
    for (
      const secrets of [
        vault({ DB_PASSWORD: VALUE }),
        vault(),
      ]
    ) {
      secrets.mask(`DB_PASSWORD="${VALUE}"`);
      const masked = secrets.mask(`before ${text} after`);
      assert.match(masked, /^before .{0,14}\[secret:db_password:[0-9a-f]{8}\].{0,14} after$/s);
      assert.ok(masked.length < 80, masked);
      assert.equal(secrets.reveal(masked), `before ${text} after`);
    }
  });
}

for (const [name, gap] of [["UTF-16", "\0"], ["UTF-32", "\0\0\0"]] as const) {
  Deno.test(`a secret that nobody knew is found in ${name} read as UTF-8, and known from then on`, () => {
    const secrets = vault();
    const token = `ghp_${mixed(36)}`;
    for (const value of [token, VALUE]) {
      const text = [..."x\nDB_PASSWORD=", value, "\ny"].flatMap((part) => [...part]).join(gap);
      const masked = secrets.mask(text);
      assert.match(masked, /\[secret:\w+:[0-9a-f]{8}\]/);
      assert.ok(!masked.replaceAll("\0", "").includes(value.slice(4, 20)), masked);
      assert.equal(secrets.reveal(masked), text);
      assert.match(secrets.mask(`it is ${value}.`), /^it is \[secret:\w+:[0-9a-f]{8}\]\.$/);
    }
  });
}

Deno.test("the spellings of many secrets are looked for at the cost of one", () => {
  const secrets = vault();
  for (let index = 0; index < 50; index++) secrets.mask(`token ghp_${mixed(36)}`);
  const text = mixed(50_000).repeat(20);
  const cost = (size: number) => {
    const times = Array.from({ length: 9 }, (_, run) => run).map((run) => {
      const started = performance.now();
      secrets.mask(`${text.slice(0, size)} ${run}`);
      return performance.now() - started;
    });
    return Math.min(...times);
  };
  cost(100_000);
  const [quarter, whole] = [cost(250_000), cost(1_000_000)];
  assert.ok(whole < Math.max(quarter, 20) * 12, `${quarter} ms, then ${whole} ms`);
});
