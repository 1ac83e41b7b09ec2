/**
 * Variables by which a program loads code or settings before it does anything of its own: whoever fills the places that
 * they name runs in every program that is started with them.
 */
const LOADERS =
  /^(?:(?:LD|DYLD|OPENSSL|MALLOC)_\w+|GLIBC_TUNABLES|GCONV_PATH|LOCPATH|NLSPATH|GIT_EXEC_PATH|PERL5?\w*(?:LIB|OPT|DB)|PYTHON(?:PATH|HOME|STARTUP))$/;

/** The environment of a program that ally starts for itself: none of the person's places decides what that loads. */
export function withoutLoaders(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !LOADERS.test(name)));
}

/** What that leaves out. */
export function loadersIn(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => LOADERS.test(name)));
}
