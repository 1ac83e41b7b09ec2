/**
 * The environment that tests run in, the same on every machine: no setting of a person, of a CI or of another program
 * reaches a test, or anything that a test starts.
 */
import { homedir } from "node:os";
import { join } from "node:path";

/** What comes through as it is. */
const PASSED_ON: readonly RegExp[] = [
  // Where programs are, and who runs them.
  /^(PATH|USER|LOGNAME)$/,
  // What the tests are told, and whether their report has colours.
  /^(ALLY_FAULTS|ALLY_TEST_COUNT|ALLY_TEST_SEED|ALLY_WRITE_SCREENS|NO_COLOR)$/,
  // How packages are fetched: Deno fetches its bundler when it first needs it, and some tests ask for a package.
  /^(https?|all)_proxy$/i,
  /^(SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|DENO_CERT|DENO_TLS_CA_STORE|DENO_AUTH_TOKENS)$/,
  /^npm_config_(registry|cache|userconfig|globalconfig|proxy|https_proxy|noproxy|ca|cafile|strict_ssl|offline|prefer_offline)$/i,
];

/** A directory for temporary files whose path a test may write into a script, and that has room for a socket. */
const PLAIN_DIRECTORY = /^\/[\w.\/-]{0,60}$/;

/** What never goes through a proxy: the servers of tests. */
const LOOPBACK = ["127.0.0.1", "localhost", "::1"];

/** The directory of the person's own settings and caches; a user without a name may have none. */
export function personalHome(given: Readonly<Record<string, string>>): string {
  return given.HOME || (homedir() as string | null) || "/";
}

/** What is not taken from the machine. */
export interface TestEnvironmentOptions {
  /** An empty directory; git, npm and bash find no settings of a person's in it. */
  readonly home: string;
  /** A directory for temporary files; used if its path is plain. */
  readonly temporary: string;
  /** Deno's cache. */
  readonly denoDir: string;
}

/** Makes it from the environment that the tests were started in. */
export function createTestEnvironment(
  given: Readonly<Record<string, string>>,
  { home, temporary, denoDir }: TestEnvironmentOptions,
): Record<string, string> {
  const passedOn = Object.entries(given)
    .filter(([name]) => PASSED_ON.some((pattern) => pattern.test(name)));
  const personal = personalHome(given);
  const direct = [given.NO_PROXY ?? given.no_proxy ?? "", ...LOOPBACK].filter(Boolean).join(",");
  return {
    // The caches and Rust's toolchains stay where they are: what is in them need not be fetched again.
    npm_config_cache: join(personal, ".npm"),
    XDG_CACHE_HOME: given.XDG_CACHE_HOME || join(personal, ".cache"),
    RUSTUP_HOME: given.RUSTUP_HOME || join(personal, ".rustup"),
    ...Object.fromEntries(passedOn),
    ...PLAIN_DIRECTORY.test(temporary) && { TMPDIR: temporary },
    HOME: home,
    DENO_DIR: denoDir,
    DENO_NO_UPDATE_CHECK: "1",
    NO_PROXY: direct,
    no_proxy: direct,
    LANG: "C.UTF-8",
    TZ: "UTC",
    TERM: "dumb",
    GIT_CONFIG_NOSYSTEM: "1",
  };
}
