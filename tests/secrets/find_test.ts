import assert from "node:assert/strict";
import { SecretFinder } from "../../src/secrets/find.ts";
import { HARMLESS, hex, IN_CONTEXT, mixed, TOKENS } from "../support/secret_samples.ts";

const finder = new SecretFinder();
const found = (text: string) => finder.find(text).map(({ start, end }) => text.slice(start, end));

Deno.test("find() finds a token of each service, whatever stands around it", () => {
  const missed = TOKENS.flatMap((token) =>
    [token, `x = "${token}"`, `a\\n${token}\\n`, `(${token})`, `value:${token},`, `see ${token}.`]
      .filter((text) => !found(text).includes(token))
  );
  assert.deepEqual(missed, []);
  assert.ok(TOKENS.length >= 60);
});

Deno.test("find() finds what its surroundings name as a secret", () => {
  const missed = IN_CONTEXT.filter(([text, secret]) =>
    !found(text).some((one) => one.includes(secret))
  );
  assert.deepEqual(missed, []);
});

Deno.test("find() finds what a cut has left of a token", () => {
  const piece = "ghp_" + mixed(9);
  for (
    const cut of [
      "... [line cut: it has 3000 characters]",
      "…",
      "\n[... 70,000 characters cut here ...]\n",
    ]
  ) {
    assert.deepEqual(found(`x = ${piece}${cut}`), [piece]);
  }
});

Deno.test("find() comes to an end on megabytes of what its patterns begin with", () => {
  const size = 1_000_000;
  const beginnings = ["eyJ", "eyJaaaaaaaaaaaa.", "password=", "key", "-----BEGIN PRIVATE KEY-----"];
  const more = [
    "://a:",
    "sk-",
    "ghp_",
    "Bearer ",
    " -u a",
    "<a:password>",
    "login ",
    "password \t",
    "a",
    ...[
      "Cookie: a=b; ",
      "Cookie: sess",
      "mysql -a ",
      "login -u a ",
      "PASSWORD 'a",
      "a:5432:",
      "$6$a$",
    ],
    ...[
      '"kty"',
      '("a", ',
      "name: a\nvalue: ",
      '"a": {"value"',
      "a:\n ",
      ": str = ",
    ],
    ...[";password=", "Private-Lines: 1 ", `${"Bb".repeat(32)}\n`],
  ];
  for (const beginning of [...beginnings, ...more]) {
    const text = beginning.repeat(Math.ceil(size / beginning.length));
    const ends = finder.find(text).map(({ end }) => end);
    assert.ok(ends.every((end) => end <= text.length), beginning);
  }
});

Deno.test("find() leaves what stands around a secret", () => {
  const [text, secret] = IN_CONTEXT[0]!;
  assert.deepEqual(found(`A=1\n${text}B=2\n`), [secret]);
});

Deno.test("find() takes nothing for a secret that only looks like one", () => {
  const wrong = HARMLESS.map((text) => [text, found(text)] as const).filter(([, all]) =>
    all.length > 0
  );
  assert.deepEqual(wrong, []);
  assert.ok(HARMLESS.length >= 60);
});

Deno.test("find() finds each line of a private key, in a listing, in JSON, and where an end is cut off", () => {
  const lines = [mixed(64), mixed(63) + "+", "dGhlIGVuZA=="];
  const begin = "-----BEGIN RSA PRIVATE KEY-----";
  const end = "-----END RSA PRIVATE KEY-----";
  assert.deepEqual(found([begin, ...lines, end].join("\n")), lines);
  const numbered = [begin, ...lines, end].map((line, index) => `${index + 1}\t${line}`);
  assert.deepEqual(found(numbered.join("\n")), lines);
  assert.deepEqual(found(JSON.stringify([begin, ...lines, end].join("\n"))), lines);
  assert.deepEqual(found([begin, ...lines].join("\n")), lines.slice(0, 2));
  assert.deepEqual(found([...lines, end].join("\n")), lines.slice(0, 2));
  const encrypted = [
    begin,
    "Proc-Type: 4,ENCRYPTED",
    "DEK-Info: AES-256-CBC,3F9A",
    "",
    ...lines,
    end,
  ];
  assert.deepEqual(found(encrypted.join("\n")), lines);
});

Deno.test("find() finds lines of a block that says nowhere what it is, and none of a block that is no key", () => {
  const lines = [mixed(70), "Bb" + mixed(68), "Cc" + mixed(68)];
  const longer = [...lines, mixed(50).slice(7) + mixed(21)];
  assert.deepEqual(found(lines.join("\n")), lines);
  assert.deepEqual(found(longer.map((line, n) => `k.pem:${n}:+${line}\r\n`).join("")), longer);
  assert.deepEqual(found(lines.slice(1).join("\n")), []);
  assert.deepEqual(found(lines.join("\n\n")), []);
  assert.deepEqual(found(`-----BEGIN CERTIFICATE-----\n${lines.join("\n")}`), []);
  assert.deepEqual(found(`${lines.join("\n")}\n-----END PGP SIGNATURE-----`), []);
  assert.deepEqual(found([hex(64), hex(64), hex(64)].join("\n")), []);
  assert.deepEqual(found(lines.map((line) => `"${line}",`).join("\n")), []);
});
