/**
 * Whether a name is that of a secret: `dbPassword`, `API_KEY`, `auth.token`, but not `token_count`,
 * `publicKey` or `passwordHint`.
 */

/** The part of a name that tells. */
const TELLING = /passw(?:or)?d|passphrase|pwd|pass$|secret|token|credential|key|auth$/gi;

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
export function isSecretName(name: string): boolean {
  return [...name.matchAll(TELLING)].some(({ 0: word, index }) =>
    isSecretWord(word, { before: name.slice(0, index), after: name.slice(index + word.length) })
  );
}

/** Whether a telling word in a name tells, with what stands before and after it in the name. */
export function isSecretWord(
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
      return /(?:^|[-_.])$/.test(before) || /^[A-Z]/.test(word);
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
export function kindOf(name: string): string {
  const words = wordsOf(name).map((word) => word.replace(/[^a-z0-9]/g, "")).filter(Boolean);
  return words.slice(-3).join("_").slice(-32).replace(/^_/, "") || "secret";
}
