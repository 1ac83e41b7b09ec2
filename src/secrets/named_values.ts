/**
 * Secrets that only their surroundings tell: `DB_PASSWORD=...` of an `.env`, settings and code that name
 * one, URLs with a password, `~/.netrc`, options of commands, XML, SQL, connection strings. Every pattern begins with a literal
 * and repeats within bounds, so that the cost is linear on any text.
 */
import { isDummyValue, isPlausible, isStrong, type ValueContext } from "./plausible.ts";
import type { SecretMatch } from "./secret_match.ts";

/** The telling part of a name and what follows it in the name. */
const NAME = String
  .raw`(passw(?:or)?d|passphrase|pwd|pass(?=["'\]]{0,2}\s{0,3}[=:])|secret|token|credential|key|` +
  String.raw`auth(?=["'\]]{0,2}\s{0,3}[=:]))([\w-]{0,32})`;
/** What stands between a name and its value. */
const SIGN = String.raw`(\\?["'\x60\]]{0,2}[ \t]{0,8}(?:=>|:=|\?=|[=:]|is:?(?= ))[ \t]{0,8})`;
/** What YAML has in front of a value: its type, or a name for it. */
const MARK = String.raw`(?:(?<=:[ \t]{1,8})(?:!!\w{1,16}|&[\w-]{1,32})[ \t]{1,8})?`;
/** In quotes, in quotes that are escaped themselves, or bare. */
const VALUE =
  String.raw`(?:"((?:[^"\\\r\n]|\\[^\r\n]){3,512})|'((?:[^'\\\r\n]|\\[^\r\n]){3,512})|` +
  String
    .raw`\\["']([^"'\\\r\n]{3,512})|\x60([^\x60\\\r\n]{3,512})|([^\s"'\x60,;()[\]{}<>|\\]{3,1024}))`;

const ASSIGNMENT = new RegExp(NAME + SIGN + MARK + VALUE, "gi");

/** Forms in which the secret is the group. */
const FORMS: readonly { kind: string; hint: string; pattern: RegExp }[] = [
  {
    kind: "url_password",
    hint: "://",
    pattern: /:\/\/[^\s/:@"'`<>]{0,128}:([^\s/@"'`<>]{3,256})@[\w.[%-]/g,
  },
  {
    kind: "netrc_password",
    hint: "login",
    pattern:
      /\b(?:machine\s{1,8}\S{1,128}|default)\s{1,8}login\s{1,8}\S{1,128}\s{1,8}password\s{1,8}["']?([^\s"']{3,256})/g,
  },
  {
    kind: "password",
    hint: "password",
    pattern: /^[ \t]{0,16}password[ \t]{1,8}(\S{4,256})[ \t]*$/gm,
  },
  {
    kind: "password",
    hint: "--",
    pattern:
      /--(?:[a-z]{1,16}-)?(?:password|passwd|passphrase|token|secret|api-key|access-key|secret-key)[= ]{1,2}["']?([^\s"'-][^\s"']{5,512})/g,
  },
  {
    kind: "password",
    hint: "-u",
    pattern: /[\s=](?:-u|--user)[= ]?["']?[^\s:"'$]{1,128}:([^\s"'$]{4,256})/g,
  },
  { kind: "password", hint: "sshpass", pattern: /\bsshpass\s{1,4}-p\s?["']?([^\s"']{3,256})/g },
  {
    kind: "password",
    hint: "</",
    pattern:
      /<(?:\w{1,20}:)?\w{0,30}(?:[Pp]assword|[Ss]ecret|[Tt]oken|[Aa]pi[Kk]ey)>\s{0,40}([^<\s]{4,512})\s{0,40}<\//g,
  },
  // `Server=...;Password=...;`
  {
    kind: "connection_password",
    hint: "assword=",
    pattern: /[;"'] ?[Pp]assword=([^;"'\s]{4,256})(?=[;"'])/g,
  },
  {
    kind: "connection_password",
    hint: "wd=",
    pattern: /[;"'] ?[Pp]wd=([^;"'\s]{4,256})(?=[;"'])/g,
  },
  {
    kind: "url_token",
    hint: "://",
    pattern: /:\/\/((?=\D{0,40}\d)\w{24,256})@(?!o\d+\.ingest)[\w.-]/g,
  },
  {
    kind: "cookie",
    hint: "ookie",
    pattern:
      /[Cc]ookie["']?:\s{0,4}["']?(?:[\w.-]{1,64}=[^;\s"']{0,512};\s{0,4}){0,20}?[\w.-]{0,32}(?:sess|sid|auth|token|jwt)[\w.-]{0,32}=([^;\s"']{12,4096})/gi,
  },
  {
    kind: "password",
    hint: "mysql",
    pattern:
      /\bmysql(?:dump|admin|import|show)?\s[^\r\n|;&]{0,200}?(?<=\s)-p["']?([^\s"'$-][^\s"']{3,256})/g,
  },
  {
    kind: "password",
    hint: "login",
    pattern: /\blogin\s[^\r\n|;&]{0,200}?(?<=\s)-p[ =]?["']?([^\s"'$-][^\s"']{5,512})/g,
  },
  {
    kind: "password",
    hint: "BY '",
    pattern: /\bBY '(?<=\bIDENTIFIED\b[^'\r\n]{0,60}')([^'\r\n]{4,256})'/g,
  },
  { kind: "password", hint: "PASSWORD '", pattern: /\bPASSWORD '([^'\r\n]{4,256})'/g },
  // A line of `~/.pgpass`: host, port, database, user and password.
  {
    kind: "password",
    hint: ":",
    pattern:
      /:(?:\d{4,5}|\*):(?<=^[\w.*-]{1,128}:(?:\d{4,5}|\*):)[\w.*-]{1,64}:[\w.*-]{1,64}:(\S{4,256})$/gm,
  },
  {
    kind: "password_hash",
    hint: "$",
    pattern:
      /\$(?:(?:apr1|[1567y])\$(?:rounds=\d{1,9}\$)?[./A-Za-z0-9]{0,64}|2[abxy]\$\d\d)\$([./A-Za-z0-9]{20,128})/g,
  },
  {
    kind: "aws_secret_key",
    hint: "AKIA",
    pattern: /\bAKIA[A-Z2-7]{16}["']?[,:\s]{1,40}["']?([A-Za-z0-9+/]{40})(?![\w+/=])/g,
  },
  { kind: "password", hint: "psk=", pattern: /\bpsk=["']?([^"'\s]{8,64})/g },
  {
    kind: "private_key",
    hint: '"kty"',
    pattern: /"(?:d|p|q|dp|dq|qi|k)"\s{0,4}:\s{0,4}"([\w-]{40,1500})"/g,
  },
];

/** Forms in which a name, the first group or what stands before, and its value, the last group, are apart. */
const PAIRS: readonly { hint: string; pattern: RegExp }[] = [
  // `define('DB_PASSWORD', '...')`, `set("apiKey", "...")`.
  {
    hint: ",",
    pattern: /\(\s{0,8}["']([\w.-]{2,64})["']\s{0,4},\s{0,8}["']([^"'\r\n]{8,512})["']/g,
  },
  // `- name: DB_PASSWORD` and `value: ...` below, `{"key": "password", "value": "..."}`, `<add key="..." value="..."/>`.
  {
    hint: "value",
    pattern:
      /\b(?:name|key)["']?\s{0,4}[:=]\s{0,4}["']?([\w.-]{2,64})["']?[,\s]{1,40}["']?value["']?\s{0,4}[:=]\s{0,4}["']?([^\s"',}<>]{6,512})/g,
  },
  // `"password": {"value": "..."}`, and in YAML the value on the next line.
  {
    hint: "value",
    pattern: /["']\s{0,4}:\s{0,4}\{\s{0,40}["']value["']\s{0,4}:\s{0,4}["']([^"'\r\n]{6,512})["']/g,
  },
  {
    hint: "\n",
    pattern:
      /:[ \t]{0,4}(?:[>|][+-]?)?[ \t]{0,4}\r?\n[ \t]{1,40}([^\s:"'{}[\]#-][^\s:"']{5,512})[ \t]*$/gm,
  },
  {
    hint: "value",
    pattern: /:[ \t]{0,4}\r?\n[ \t]{1,40}value:[ \t]{1,4}["']?([^\s"',}<>]{6,512})["']?[ \t]*$/gm,
  },
  // `const apiKey: string = "..."`.
  {
    hint: "str",
    pattern:
      /\??: ?(?:string|String|str|&(?:'static )?str) ?= ?["'\x60]([^"'\x60\r\n]{6,512})["'\x60]/g,
  },
];

/**
 * A variable as `.env` files, shells and compose files set it: a name in capitals, and a value without quotes; after a
 * colon it fills the rest of its line. Nearly any value counts, whatever characters it has, up to the next blank.
 */
const VARIABLE = new RegExp(
  String.raw`(?<![\w$.&?%@-])([A-Z][A-Z0-9_]{2,63})` +
    String.raw`(?:=|:[ \t]{1,4}(?=\S{3,1024}[ \t]*(?:#.*)?$)|(?<=ENV \w{1,64})[ \t])` +
    String.raw`(?=[^\s"'\x60[({])(\S{3,1024})`,
  "gm",
);

/** Secrets told by their names or their surroundings. */
export function findNamedValues(text: string): SecretMatch[] {
  return [
    ...findSecretVariables(text),
    ...findAssignments(text),
    ...matchForms(text),
    ...matchPairs(text),
  ];
}

/** Secrets among the variables that a text sets. */
function findSecretVariables(text: string): SecretMatch[] {
  const findings: SecretMatch[] = [];
  for (const match of text.matchAll(VARIABLE)) {
    const [whole, name = "", rest = ""] = match;
    if (!isSecretName(name)) continue;
    const value = rest.replace(/(?:["'`](?:[,)\]};:].*)?|\\[nrt"'].*|[;,]+|<\/.*)$/, "");
    if (value.length < 3 || !isPlausible(value, "env")) continue;
    const start = match.index + whole.length - rest.length;
    findings.push({ start, end: start + value.length, kind: kindOf(name), weak: !isStrong(value) });
  }
  return findings;
}

function findAssignments(text: string): SecretMatch[] {
  const findings: SecretMatch[] = [];
  for (const match of text.matchAll(ASSIGNMENT)) {
    const [whole, word = "", after = "", sign = "", ...values] = match;
    const bare = values.at(-1);
    const value = values.find((one) => one !== undefined) ?? "";
    const start = match.index + whole.length - value.length;
    const before = nameBefore(text, match.index);
    const name = before + word + after;
    if (!isSecretWord(word, { before, after })) continue;
    const quoted = bare === undefined;
    const context = contextOf(text, {
      name,
      word,
      quoted,
      sign,
      start: match.index - before.length,
    });
    const long = context === "password" ? readToBlank(text, start) : value;
    const trimmed = quoted ? value : long.replace(/(?<!\.)[.:!?]$/, "");
    const filled = context !== "setting" && context !== "password" ||
      endsLine(text, start + long.length);
    if (!isPlausible(trimmed, filled ? context : "bare")) continue;
    findings.push({
      start,
      end: start + trimmed.length,
      kind: kindOf(name),
      weak: !isStrong(trimmed),
    });
  }
  return findings;
}

function matchForms(text: string): SecretMatch[] {
  const findings: SecretMatch[] = [];
  for (const { kind, hint, pattern } of FORMS) {
    if (!text.includes(hint)) continue;
    for (const match of text.matchAll(pattern)) {
      const value = match[1] ?? "";
      if (isDummyValue(value) || /[${}<>]|^\[secret:|^%[sdv]?$/.test(value)) continue;
      if (kind === "password" && !isPlausible(value, "setting")) continue;
      const start = match.index + match[0].lastIndexOf(value);
      findings.push({ start, end: start + value.length, kind, weak: !isStrong(value) });
    }
  }
  return findings;
}

function matchPairs(text: string): SecretMatch[] {
  const findings: SecretMatch[] = [];
  for (const { hint, pattern } of PAIRS) {
    if (!text.includes(hint)) continue;
    for (const match of text.matchAll(pattern)) {
      const [whole, ...groups] = match;
      const value = groups.at(-1) ?? "";
      const name = groups.length > 1 ? groups[0]! : nameBefore(text, match.index);
      if (!isSecretName(name) || !isPlausible(value, "quoted")) continue;
      const start = match.index + whole.lastIndexOf(value);
      const end = start + value.length;
      findings.push({ start, end, kind: kindOf(name), weak: !isStrong(value) });
    }
  }
  return findings;
}

/** The part of a name before an index, at most 64 characters. */
function nameBefore(text: string, index: number): string {
  let start = index;
  while (start > 0 && index - start < 64 && /[\w.-]/.test(text[start - 1]!)) start--;
  return text.slice(start, index);
}

/** What surrounds an assignment. */
function contextOf(
  text: string,
  { name, word, quoted, sign, start }: {
    name: string;
    word: string;
    quoted: boolean;
    sign: string;
    start: number;
  },
): ValueContext {
  const lead = text.slice(Math.max(0, start - 80), start).replace(/^[^]*\n/, "");
  const alone = /^(?:\s*\d+[\t:|-]?)?[\s+>-]*(?:export\s+|ENV\s+|set\s+|-\s*|["'])?$/i.test(lead);
  const upper = /^[A-Z][A-Z0-9_]*$/.test(name);
  if (upper && /^=["']?$/.test(sign) && (alone || !quoted)) return "env";
  if (quoted) return "quoted";
  if (!alone) return "bare";
  return /^pass|^pwd/i.test(word) && /^(?:=|: *)$/.test(sign) ? "password" : "setting";
}

/** A value with whatever marks it has, but those that end a line of code. */
function readToBlank(text: string, start: number): string {
  const [value = ""] = /^[^\s"'`()]*/.exec(text.slice(start, start + 1024)) ?? [];
  return value.replace(/[,;]+$/, "");
}

/** Whether nothing follows a value on its line, comments excepted. */
function endsLine(text: string, end: number): boolean {
  return /^[ \t]*(?:#.*|\/\/.*)?(?:\r?\n|$)/.test(text.slice(end, end + 200));
}

/** The part of a name that tells; the name of a secret is `dbPassword`, `API_KEY`, `auth.token`, but not `token_count`. */
const TELLING = /passw(?:or)?d|passphrase|pwd|pass$|pw$|secret|token|credential|key|auth$/gi;

/** As the word before `key`, what it opens. */
const OPENS = new Set(
  ("api app access account admin auth client crypt encryption deploy hmac jwt license master private " +
    "priv secret service session shared sign signing ssh ssl storage token webhook").split(" "),
);
/** As the word in front of the telling one, what makes it harmless. */
const HARMLESS = new Set(
  ("public pub primary foreign sort partition cache group object index row hash map translation i18n " +
    "dedupe idempotency csrf xsrf next prev page continuation sync max min num total prompt completion " +
    "input output stop eos bos pad unk mask special cached reasoning").split(" "),
);
/** As the last word of a name, what makes it the name of something about a secret. */
const ABOUT = new Set(
  ("limit limits count counts size ttl url uri endpoint file files filename path dir id ids name names " +
    "expires expiry expiration expire length len type types kind header headers enabled disabled field fields " +
    "format version policy prefix suffix regex pattern label labels hint error errors invalid required " +
    "usage used index idx ring board code codes down up press store chain manager provider service class " +
    "method algorithm alg scope scopes audience issuer min max rotation reset strength rule rules budget " +
    "cost price izer izers ized stream map frame frames word words point points total ref arn source from " +
    "visible encryption hashing mode cipher strategy backend storage engine family range confirmation " +
    "match matches text input changed at date time timeout status state " +
    "generator factory handler helper validator parser util utils test tests mock exchange options params")
    .split(" "),
);

/** Whether a whole name is that of a secret. */
function isSecretName(name: string): boolean {
  return [...name.matchAll(TELLING)].some(({ 0: word, index }) =>
    isSecretWord(word, { before: name.slice(0, index), after: name.slice(index + word.length) })
  );
}

/** Whether a telling word in a name tells, with what stands before and after it in the name. */
function isSecretWord(
  word: string,
  { before, after }: { before: string; after: string },
): boolean {
  const [last = ""] = wordsOf(before).slice(-1);
  if (ABOUT.has(wordsOf(after).at(-1) ?? "") || /^s$|^iz|^S$|^s[-_A-Z]/.test(after)) return false;
  if (HARMLESS.has(last)) return false;
  const lower = word.toLowerCase();
  switch (lower) {
    case "auth":
      return /(?:^|_)$/.test(before) && after === "";
    case "pass":
      return /(?:^|[-_.])$/.test(before) ||
        (/^[A-Z]/.test(word) && !/(?:ASK|BY|COM|SUR|TRES)$/.test(before));
    case "pw":
      return before.endsWith("_");
    case "pwd":
      // By itself the working directory.
      return word !== "PWD" || before !== "";
    case "key":
      return OPENS.has(last) ||
        (/[A-Z0-9]_$/.test(before) && word === "KEY" && /^_?\d*$/.test(after));
    default:
      return true;
  }
}

/** The words of a name, in lower case: `_`, `-`, `.` and capitals part them. */
function wordsOf(name: string): string[] {
  return name.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase().split(/[-_. ]+/).filter(Boolean);
}

/** What a placeholder calls a secret of this name: at most three words of it. */
function kindOf(name: string): string {
  const words = wordsOf(name).map((word) => word.replace(/[^a-z0-9]/g, "")).filter(Boolean);
  return words.slice(-3).join("_").slice(-32).replace(/^_/, "") || "secret";
}
