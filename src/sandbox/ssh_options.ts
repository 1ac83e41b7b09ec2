/**
 * Options of ssh that neither run a program, load one nor pass the keys on. Whoever answers gets no key by which somebody
 * logs in: whom ssh trusts does not matter here.
 */

const FILE = /^[\w./~@%+,:=-]+$/;
const NAME = /^\w[\w.-]*$/;
const NUMBER = /^\d{1,6}$/;
/** By their names in lower case, with their values. */
const SSH_OPTIONS: Readonly<Record<string, RegExp>> = {
  addressfamily: /^(?:any|inet6?)$/,
  batchmode: /^(?:yes|no)$/,
  checkhostip: /^(?:yes|no)$/,
  compression: /^(?:yes|no)$/,
  connectionattempts: NUMBER,
  connecttimeout: NUMBER,
  controlmaster: /^no$/,
  controlpath: /^none$/,
  forwardagent: /^no$/,
  forwardx11: /^no$/,
  hashknownhosts: /^(?:yes|no)$/,
  hostkeyalgorithms: /^[\w@.,+^-]+$/,
  identitiesonly: /^(?:yes|no)$/,
  identityfile: FILE,
  kexalgorithms: /^[\w@.,+^-]+$/,
  loglevel: /^\w+$/,
  port: NUMBER,
  preferredauthentications: /^publickey$/,
  pubkeyacceptedalgorithms: /^[\w@.,+^-]+$/,
  pubkeyacceptedkeytypes: /^[\w@.,+^-]+$/,
  pubkeyauthentication: /^yes$/,
  serveralivecountmax: NUMBER,
  serveraliveinterval: NUMBER,
  stricthostkeychecking: /^(?:yes|ask|accept-new|no|off)$/,
  tcpkeepalive: /^(?:yes|no)$/,
  user: NAME,
  userknownhostsfile: FILE,
};
/** Letters of it that have a value. A file of settings (`F`) counts only where commands cannot write it. */
export const SSH_LETTERS: Readonly<Record<string, RegExp>> = {
  F: /^(?:none|~?\/[\w./~@%+,:=-]+)$/,
  i: FILE,
  l: NAME,
  p: NUMBER,
};

/** Whether the value of `-o` is one of them: `IdentitiesOnly=yes`, `IdentitiesOnly yes`. */
export function isPlainSshOption(text: string): boolean {
  const [, name = "", value = ""] = /^(\w+)(?: *= *| +)(\S+)$/.exec(text) ?? [];
  const values = new Map(Object.entries(SSH_OPTIONS)).get(name.toLowerCase());
  return values?.test(value) ?? false;
}
