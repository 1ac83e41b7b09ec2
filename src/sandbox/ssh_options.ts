/**
 * Options of ssh by which it starts no program of this machine, obeys no file but the user's, and gives no other machine
 * more of this one than a port.
 */

const FILE = /^[\w./~@%+,:=-]+$/;
const NAME = /^\w[\w.-]*$/;
const NUMBER = /^\d{1,6}$/;
/** Options of ssh by their names in lower case, with their values. Whoever answers gets no key: whom ssh trusts is its own matter. */
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
  // What is there may be written anew with what ssh has learnt.
  userknownhostsfile: /^(?:none|~?\/[\w./-]+)$/,
};
/**
 * Letters of it with a value of a form of its own. A file of settings (`F`) counts only by a name as these have, as ssh
 * shows lines of what is none, and only where commands cannot write it.
 */
export const SSH_LETTERS: Readonly<Record<string, RegExp>> = {
  // Ports alone: a socket of this machine, as that of the agent, is not to be reached from there.
  R: /^(?:[\w.*-]*:)?\d+(?::[\w.-]+:\d+)?$/,
  F: /^(?:none|\/dev\/null|(?:~|\/root|\/(?:home|Users)\/\w[\w.-]*)\/\.ssh\/[\w.-]*conf[\w.-]*)$/,
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
