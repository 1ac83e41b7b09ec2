import assert from "node:assert/strict";
import { ToolError } from "../../src/core/errors.ts";
import { MaskedStream } from "../../src/secrets/masked_sink.ts";
import { Vault } from "../../src/secrets/vault.ts";
import { assertLinear } from "../support/growth.ts";
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

Deno.test("what a variable of the environment holds beside other words is masked wherever it stands", () => {
  const [password, login] = ["kT7vQ2xM9pLw4Nf9Zr8u", "dXNlcjpwVDd2UTJ4TTlwTHc0TmY5"];
  const secrets = vault({
    DATABASE_URL: `postgres://app:${password}@db.example/x`,
    DOCKER_AUTH_CONFIG: `{"auths":{"r":{"auth":"${login}"}}}`,
    TEST_URL: "postgres://postgres:postgres@localhost/test",
  });
  assert.match(
    secrets.mask(`${password} ${login} postgres`),
    /^\[secret:url_password:\w{8}\] \[secret:auth:\w{8}\] postgres$/,
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
  ["a list of characters", JSON.stringify([...VALUE])],
  ["a list of characters on lines", JSON.stringify([...VALUE], null, 2).replaceAll('"', "'")],
  ["groups of four", VALUE.match(/.{1,4}/g)!.join(" ")],
  ["lines of eight", VALUE.match(/.{1,8}/g)!.join("\n")],
  ["capitals", VALUE.toUpperCase()],
  ["a buffer of Node's", `<Buffer ${inHex(" ")}>`],
  ["an array of C's", `{ 0x${inHex(", 0x")} }`],
  ["escapes of JSON", "\\u00" + inHex("\\u00")],
  ["references of HTML", "&#x" + inHex(";&#x") + ";"],
  ["UTF-16 as Python prints it", [...VALUE].join("\\x00")],
  ["UTF-16 in hex", utf16.replace(/./gs, (one) => one.charCodeAt(0).toString(16).padStart(2, "0"))],
  ["base64 in groups of four", btoa(VALUE).match(/.{1,4}/g)!.join(" ")],
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

Deno.test("what is only written like a secret is left as it is", () => {
  const secrets = vault({
    DB_PASSWORD: "postgres",
    PIN_TOKEN: "20261129",
    APP_SECRET: "k3yk3yk3y",
  });
  const text = "PostgreSQL and POSTGRES on 2026-11-29, at 20:26:11.29";
  assert.equal(secrets.mask(text), text);
});

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

/** What programs print of a file of two lines, `TOKEN=` and this, and `X=a b`. */
const DUMPED_TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
const DUMPS: Readonly<Record<string, string>> = {
  "xxd": `
00000000: 544f 4b45 4e3d 6768 705f 4131 6232 4333  TOKEN=ghp_A1b2C3
00000010: 6434 4535 6636 4737 6838 4939 6a30 4b31  d4E5f6G7h8I9j0K1
00000020: 6c32 4d33 6e34 4f35 7036 5137 7238 0a58  l2M3n4O5p6Q7r8.X
00000030: 3d61 2062 0a                             =a b.
`,
  "xxd -p": `
544f4b454e3d6768705f4131623243336434453566364737683849396a30
4b316c324d336e344f357036513772380a583d6120620a
`,
  "xxd -p -c 5": `
544f4b454e
3d6768705f
4131623243
3364344535
6636473768
3849396a30
4b316c324d
336e344f35
7036513772
380a583d61
20620a
`,
  "xxd -g0 -u": `
00000000: 544F4B454E3D6768705F413162324333  TOKEN=ghp_A1b2C3
00000010: 6434453566364737683849396A304B31  d4E5f6G7h8I9j0K1
00000020: 6C324D336E344F357036513772380A58  l2M3n4O5p6Q7r8.X
00000030: 3D6120620A                        =a b.
`,
  "xxd -e": `
00000000: 454b4f54 68673d4e 31415f70 33433262  TOKEN=ghp_A1b2C3
00000010: 35453464 37473666 39493868 314b306a  d4E5f6G7h8I9j0K1
00000020: 334d326c 354f346e 37513670 580a3872  l2M3n4O5p6Q7r8.X
00000030: 6220613d       0a                    =a b.
`,
  "xxd -i": `
unsigned char a_env[] = {
  0x54, 0x4f, 0x4b, 0x45, 0x4e, 0x3d, 0x67, 0x68, 0x70, 0x5f, 0x41, 0x31,
  0x62, 0x32, 0x43, 0x33, 0x64, 0x34, 0x45, 0x35, 0x66, 0x36, 0x47, 0x37,
  0x68, 0x38, 0x49, 0x39, 0x6a, 0x30, 0x4b, 0x31, 0x6c, 0x32, 0x4d, 0x33,
  0x6e, 0x34, 0x4f, 0x35, 0x70, 0x36, 0x51, 0x37, 0x72, 0x38, 0x0a, 0x58,
  0x3d, 0x61, 0x20, 0x62, 0x0a
};
unsigned int a_env_len = 53;
`,
  "hexdump": `
0000000 4f54 454b 3d4e 6867 5f70 3141 3262 3343
0000010 3464 3545 3666 3747 3868 3949 306a 314b
0000020 326c 334d 346e 354f 3670 3751 3872 580a
0000030 613d 6220 000a                         
0000035
`,
  "hexdump -C": `
00000000  54 4f 4b 45 4e 3d 67 68  70 5f 41 31 62 32 43 33  |TOKEN=ghp_A1b2C3|
00000010  64 34 45 35 66 36 47 37  68 38 49 39 6a 30 4b 31  |d4E5f6G7h8I9j0K1|
00000020  6c 32 4d 33 6e 34 4f 35  70 36 51 37 72 38 0a 58  |l2M3n4O5p6Q7r8.X|
00000030  3d 61 20 62 0a                                    |=a b.|
00000035
`,
  "hexdump -c": `
0000000   T   O   K   E   N   =   g   h   p   _   A   1   b   2   C   3
0000010   d   4   E   5   f   6   G   7   h   8   I   9   j   0   K   1
0000020   l   2   M   3   n   4   O   5   p   6   Q   7   r   8  \\n   X
0000030   =   a       b  \\n                                            
0000035
`,
  "hexdump -b": `
0000000 124 117 113 105 116 075 147 150 160 137 101 061 142 062 103 063
0000010 144 064 105 065 146 066 107 067 150 070 111 071 152 060 113 061
0000020 154 062 115 063 156 064 117 065 160 066 121 067 162 070 012 130
0000030 075 141 040 142 012                                            
0000035
`,
  "od": `
0000000 047524 042513 036516 064147 057560 030501 031142 031503
0000020 032144 032505 033146 033507 034150 034511 030152 030513
0000040 031154 031515 032156 032517 033160 033521 034162 054012
0000060 060475 061040 000012
0000065
`,
  "od -c": `
0000000   T   O   K   E   N   =   g   h   p   _   A   1   b   2   C   3
0000020   d   4   E   5   f   6   G   7   h   8   I   9   j   0   K   1
0000040   l   2   M   3   n   4   O   5   p   6   Q   7   r   8  \\n   X
0000060   =   a       b  \\n
0000065
`,
  "od -a": `
0000000   T   O   K   E   N   =   g   h   p   _   A   1   b   2   C   3
0000020   d   4   E   5   f   6   G   7   h   8   I   9   j   0   K   1
0000040   l   2   M   3   n   4   O   5   p   6   Q   7   r   8  nl   X
0000060   =   a  sp   b  nl
0000065
`,
  "od -An -c": `
   T   O   K   E   N   =   g   h   p   _   A   1   b   2   C   3
   d   4   E   5   f   6   G   7   h   8   I   9   j   0   K   1
   l   2   M   3   n   4   O   5   p   6   Q   7   r   8  \\n   X
   =   a       b  \\n
`,
  "od -An -tx1": `
 54 4f 4b 45 4e 3d 67 68 70 5f 41 31 62 32 43 33
 64 34 45 35 66 36 47 37 68 38 49 39 6a 30 4b 31
 6c 32 4d 33 6e 34 4f 35 70 36 51 37 72 38 0a 58
 3d 61 20 62 0a
`,
  "od -tx1z": `
0000000 54 4f 4b 45 4e 3d 67 68 70 5f 41 31 62 32 43 33  >TOKEN=ghp_A1b2C3<
0000020 64 34 45 35 66 36 47 37 68 38 49 39 6a 30 4b 31  >d4E5f6G7h8I9j0K1<
0000040 6c 32 4d 33 6e 34 4f 35 70 36 51 37 72 38 0a 58  >l2M3n4O5p6Q7r8.X<
0000060 3d 61 20 62 0a                                   >=a b.<
0000065
`,
  "od -An -tx4": `
 454b4f54 68673d4e 31415f70 33433262
 35453464 37473666 39493868 314b306a
 334d326c 354f346e 37513670 580a3872
 6220613d 0000000a
`,
  "cat -n of xxd": `
     1	00000000: 544f 4b45 4e3d 6768 705f 4131 6232 4333  TOKEN=ghp_A1b2C3
     2	00000010: 6434 4535 6636 4737 6838 4939 6a30 4b31  d4E5f6G7h8I9j0K1
     3	00000020: 6c32 4d33 6e34 4f35 7036 5137 7238 0a58  l2M3n4O5p6Q7r8.X
     4	00000030: 3d61 2062 0a                             =a b.
`,
};

for (const [name, dump] of Object.entries(DUMPS)) {
  Deno.test(`a secret is masked in what ${name} prints, and put back, however it arrives`, () => {
    const text = `$ look\n${dump}\nends here`;
    for (const known of [`is it ${DUMPED_TOKEN}?`, ""]) {
      const secrets = vault();
      secrets.mask(known);
      const masked = secrets.mask(text);
      assert.match(masked, /^\$ look\n[^]{3,80}\[secret:\w+:[0-9a-f]{8}\][^]*ends here$/);
      assert.equal(masked.match(/\[secret:/g)?.length, 1);
      assert.ok(masked.length < text.length - 2 * DUMPED_TOKEN.length + 40, masked);
      // Of the text beside the numbers, too.
      assert.doesNotMatch(masked, /ghp_|A1b2|d4E5|l2M3|Q7r8/);
      assert.equal(secrets.reveal(masked), text);
      assert.equal(secrets.remask(masked), masked);
      for (const size of [1, 2, 3, 7, 16, 70]) {
        const fresh = vault();
        fresh.mask(known);
        const stream = new MaskedStream(fresh);
        let shown = "";
        for (let at = 0; at < text.length; at += size) {
          shown += stream.push(text.slice(at, at + size));
        }
        assert.equal(shown + stream.end(), masked, `pieces of ${size}`);
      }
    }
  });
}

Deno.test("a text that looks like dumps is looked through at a linear cost", async () => {
  const line = "00000000: 544f 4b45 4e3d 6768 705f 4131 6232 4333  TOKEN=ghp_A1b2C3\n";
  const texts = [line, "beef\n", "ab".repeat(40), "aa ", " ", "0x", "1234567 ", "   a", "0000000 "];
  for (const piece of texts) {
    const mask = (size: number) => vault().mask(piece.repeat(size / piece.length));
    await assertLinear(mask, { size: 400_000, what: `masking ${JSON.stringify(piece)}` });
  }
});

Deno.test("the spellings of many secrets are looked for at the cost of one", async () => {
  const secrets = vault();
  for (let index = 0; index < 50; index++) secrets.mask(`token ghp_${mixed(36)}`);
  const text = mixed(50_000).repeat(20);
  let run = 0;
  // No text twice: what was masked is remembered.
  const mask = (size: number) => secrets.mask(`${text.slice(0, size)} ${run++}`);
  await assertLinear(mask, { size: text.length });
});

Deno.test("a flood of tokens has no secret forgotten, and is masked in one pass", () => {
  const secrets = vault();
  secrets.mask('DB_PASSWORD="Korrekt9PferdBatt3rieKlammer"');
  const flood = Array.from({ length: 20_000 }, () => `ghp_${mixed(36)}`).join(" ");
  assert.doesNotMatch(secrets.mask(flood), /ghp_/);
  assert.match(
    secrets.mask("it is Korrekt9PferdBatt3rieKlammer."),
    /^it is \[secret:db_password:\w+\]\.$/,
  );
  assert.match(secrets.mask("so: Korrekt9PferdBatt3"), /^so: \[secret:db_password:\w+\]$/);
  assert.match(secrets.mask(btoa("Korrekt9PferdBatt3rieKlammer")), /\[secret:db_password:\w+\]/);
});

/** Files whose secret is told by lines above it. */
const APART: Readonly<Record<string, string>> = {
  "settings of Kubernetes": "env:\n  - name: DB_PASSWORD\n    value: VALUE\n",
  "a block of YAML": "db:\n  password: |\n    VALUE\n  user: x\n",
  "JSON with a value": '{\n "password": {\n  "value": "VALUE"\n }\n}\n',
  "JSON with a key": '[{\n "key": "password",\n "value": "VALUE"\n}]\n',
  ".netrc": "machine h\n  login u\n  password VALUE\n",
};
/** How programs print a file. */
const PRINTED: Readonly<Record<string, (line: string, number: number) => string>> = {
  "cat -n": (line, number) => `${String(number).padStart(6)}\t${line}`,
  "grep -n": (line, number) => `${number}:${line}`,
  "grep -n in several files": (line, number) => `etc/a-b.yaml:${number}:${line}`,
  "grep -A": (line, number) => number === 1 ? `a.yaml:${line}` : `a.yaml-${line}`,
  "the tool grep": (line, number) => `  Line ${number}, Char 1: ${line}`,
  "git blame": (line, number) =>
    `^0a1b2c3d (A. Person 2026-11-29 10:00:00 +0000 ${number}) ${line}`,
  "git diff": (line, number) => `${number === 1 ? "@@ -0,0 +1,5 @@\n" : ""}+${line}`,
  "git diff in colours": (line, number) =>
    `${number === 1 ? "\x1b[36m@@ -0,0 +1,5 @@\x1b[m\n" : ""}\x1b[32m+\x1b[m\x1b[32m${line}\x1b[m`,
  "docker compose logs": (line) => `web-1  | ${line}`,
};

for (const [file, text] of Object.entries(APART)) {
  for (const [program, print] of Object.entries(PRINTED)) {
    Deno.test(`a secret that a line above tells is masked as ${program} prints ${file}`, () => {
      const secrets = vault();
      const value = "k8DNxril3RavGD5MfvJ7NScUyk";
      const lines = text.replace("VALUE", value).trimEnd().split("\n");
      const printed = `x\n${lines.map((line, at) => print(line, at + 1)).join("\n")}\n`;
      const masked = secrets.mask(printed);
      assert.ok(!masked.includes(value), masked);
      assert.equal(secrets.reveal(masked), printed);
      assert.doesNotMatch(secrets.mask(`it is ${value}.`), new RegExp(value));
    });
  }
}

Deno.test("a secret is masked that colours part, or part from its name", () => {
  const secrets = vault();
  const value = "sjS14qbd8Zlq8khMjaddCnYysN";
  const token = `ghp_${mixed(36)}`;
  const texts = [
    `\x1b[01;31m\x1b[KAPI_KEY\x1b[m\x1b[K=${value}`,
    `\x1b[01;31m\x1b[Kghp_\x1b[m\x1b[K${token.slice(4)}`,
    `{ user: \x1b[32m'u'\x1b[39m, password: \x1b[32m'${value}'\x1b[39m }`,
    `\x1b[34;1m"password"\x1b[0m\x1b[1;39m:\x1b[0m \x1b[0;32m"${value}"\x1b[0m`,
  ];
  for (const text of texts) {
    const masked = secrets.mask(text);
    assert.match(masked, /\[secret:/);
    assert.ok(!masked.includes(value) && !masked.includes(token.slice(4)), masked);
    assert.equal(secrets.reveal(masked), text);
  }
});

Deno.test("what stands in front of lines makes no secret of what is none", () => {
  const lines = [
    "password:",
    "  the one that you chose",
    "key: value-1",
    "tokens:",
    "- identifier",
  ];
  for (const print of Object.values(PRINTED)) {
    const text = lines.map((line, at) => print(line, at + 1)).join("\n");
    assert.equal(vault().mask(text), text);
  }
});
