/**
 * Whether a value found where a secret is expected is one, and not a reference to it, a type, a word or a
 * dummy value.
 */
import { PLACEHOLDER_START } from "../core/secrets.ts";

/**
 * How much a value's place says: a variable of an `.env`, a password on a line of settings, another such
 * line, quotes, bare code.
 */
export type ValueContext = "env" | "password" | "setting" | "quoted" | "bare";

/** What gets its value from elsewhere: variables, templates, calls. */
const REFERENCE =
  /[${}<>]|%\(|^[*&@!]|\(\)|^(?:process|os|env|config|settings|self|this|ENV|import|secrets?|vars?|data|local|module|ref|arn|vault|op|ssm|sops|urn|file|https?)[.:[]|^(?:\.{0,2}|~)\/[\w.~-]+|^[A-Za-z]:\\/;

/** The same in the place of a variable's value, which may hold any mark. */
const VARIABLE_REFERENCE =
  /^\$\w|\$[{(]|\{\{|^<[A-Za-z]|^[*&]\w|^[\w.]+\([^)]*\)?;?$|^!(?:Ref|Sub|vault|GetAtt|ImportValue)|^%\w+%|^(?:process|os|secrets?)\.\w|^https?:|^(?:\.{0,2}|~)\/[\w.~-]+/;

/** What people write in place of a secret. */
const DUMMY =
  /^(?:x+|\*+|\.+|-+|_+|0+|1+|#+|•+|n\/?a|none|null|nil|undefined|true|false|yes|no|on|off|todo|tbd|fixme|changeme|change[-_ ]?(?:me|this|it).*|replace.*|enter.*|insert.*|put.*here|set.*here|your.*|my[-_]?(?:password|secret|token|api[-_]?key|key)|the[-_].*|some[-_].*|example.*|.*[-_]example|.*EXAMPLE|sample.*|dummy.*|fake.*|mock.*|placeholder.*|redacted.*|masked.*|hidden|secret|secret[-_]?key|password|passwd|pass|pwd|token|api[-_]?key|key|string|str|text|number|boolean|bool|int|any|object|bytes|buffer|unknown|void|never|optional|required|default|empty|not[-_]needed|no[-_]key.*|sk[-_]no[-_]key.*|lm[-_]studio|ollama|test|testing|abc123|foo|bar|baz)$/i;

/** `user.password2`, `Foo::Bar`, `a->b`: code. */
const CODE_PATH = /^[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)+$/;
const VERSION = /^0x[0-9A-Fa-f]+$|^[\^~=v]{0,2}\d+\.\d+(?:\.\d+)?(?:[-+.][\w.+-]*)?$/;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** Whether a value in such a place is a secret. */
export function isPlausible(value: string, context: ValueContext): boolean {
  if (isDummyValue(value) || value.startsWith(PLACEHOLDER_START)) return false;
  if ((context === "env" ? VARIABLE_REFERENCE : REFERENCE).test(value)) return false;
  if (VERSION.test(value)) return false;
  if (context === "env") return !/^(?:\d{1,6}|\d+[smhd]|\d+(?:\.\d+)+)$/.test(value);
  if (/\s/.test(value) || !/[A-Za-z]/.test(value)) return false;
  if (/^[A-Z][a-z]+(?:\d+[A-Z]\w*|[A-Z]\w*)$/.test(value) && !/\d.*\d/.test(value)) return false;
  const digits = value.replace(/\D/g, "").length;
  switch (context) {
    case "password":
      return !CODE_PATH.test(value) && value.length >= 6 &&
        (digits > 0 || hasMark(value) || /^[a-z]+(?:-[a-z]+)*$/.test(value));
    case "setting":
      return !CODE_PATH.test(value) && value.length >= 6 && (digits > 0 || hasMark(value));
    case "quoted":
      return !CODE_PATH.test(value) && value.length >= 6 && (digits > 0 || hasMark(value)) &&
        !isPhrase(value);
    case "bare":
      return !CODE_PATH.test(value) && value.length >= 8 && digits > 0 &&
        (!IDENTIFIER.test(value) || (value.length >= 16 && /\d\D+\d/.test(value)));
  }
}

/** Whether a value only marks the place of a secret, as documentation and templates do. */
export function isDummyValue(value: string): boolean {
  return DUMMY.test(value) || /^(.)\1+$|\.{3}|…/.test(value);
}

/** Strong enough that the same text elsewhere is the same secret. */
export function isStrong(value: string): boolean {
  if (value.length < 6) return false;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value)).length;
  return value.length >= 20
    ? /\d/.test(value) || kinds >= 3
    : /[A-Za-z]/.test(value) && /\d/.test(value);
}

/** A punctuation mark that words and names do not have. */
function hasMark(value: string): boolean {
  return /[!#%^&*+=?~]/.test(value) && value.length >= 8;
}

/** `reset-password-v2`, `auth/token-1`, `error.token_2`: names of things, with a digit among words. */
function isPhrase(value: string): boolean {
  const words = value.split(/[-_./:\s]/);
  return words.length > 1 &&
    words.every((word) => /^(?:[A-Za-z]*|v?\d{1,3}|[A-Za-z]+\d?)$/.test(word));
}
