/**
 * Downloads one version of a package from npm's registry, as the archive that its author published, and verifies
 * the registry's checksum. No script of it runs and nothing it depends on is fetched.
 */
import { createHash } from "node:crypto";
import { MAX_PLUGIN_BYTES } from "../core/plugin_size.ts";
import { ANSWER_LIMITS, BodyLimitError, readBytes } from "../lib/bounded_body.ts";
import { isObject } from "../lib/schema.ts";
import { messageOf } from "../lib/text.ts";

/** The registry where none is configured. */
export const NPM_REGISTRY = "https://registry.npmjs.org";

/** Milliseconds for one answer of the registry, its body included. */
const TIMEOUT_MS = 60_000;
const NAME = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
/** From strong to weak; weaker ones are not accepted. */
const HASHES = ["sha512", "sha384", "sha256"] as const;

/** A downloaded package with a verified checksum. */
interface NpmPackage {
  readonly name: string;
  readonly version: string;
  readonly archive: Uint8Array<ArrayBuffer>;
}

/**
 * Fetches `NAME`, `NAME@VERSION` or `NAME@TAG`.
 * @throws {Error} no such package or version, no answer, too large, or not what the registry promised
 */
export async function fetchPackage(
  spec: string,
  options: { registry: string; signal: AbortSignal },
): Promise<NpmPackage> {
  const { name, wanted } = readSpec(spec);
  const registry = options.registry.replace(/\/+$/, "");
  const url = `${registry}/${name.replace("/", "%2f")}`;
  const text = new TextDecoder().decode(
    await download(url, {
      ...options,
      maxBytes: ANSWER_LIMITS.maxBytes,
      accept: "application/vnd.npm.install-v1+json",
      notFound: `${registry} has no package ${name}`,
    }),
  );
  const { version, dist } = chooseVersion(parse(text), { name, wanted });
  const { tarball, integrity } = dist;
  if (typeof tarball !== "string" || typeof integrity !== "string") {
    throw new Error(`the registry gives no checksum for ${name}@${version}`);
  }
  if (!/^https?:/.test(tarball)) {
    throw new Error(`the registry names what is no download: ${tarball}`);
  }
  if (registry.startsWith("https:") && !tarball.startsWith("https:")) {
    throw new Error(`the registry names a download that is not encrypted: ${tarball}`);
  }
  const archive = await download(tarball, {
    ...options,
    maxBytes: MAX_PLUGIN_BYTES,
    accept: "*/*",
    notFound: `there is nothing at ${tarball}`,
  });
  verifyChecksum(archive, { integrity, what: `${name}@${version}` });
  return { name, version, archive };
}

function readSpec(spec: string): { name: string; wanted: string } {
  const at = spec.indexOf("@", 1);
  const name = at < 0 ? spec : spec.slice(0, at);
  const wanted = at < 0 ? "latest" : spec.slice(at + 1);
  if (!NAME.test(name)) throw new Error(`'${name}' is not the name of an npm package`);
  return { name, wanted };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error("the registry's answer is not JSON", { cause: error });
  }
}

function chooseVersion(
  metadata: unknown,
  { name, wanted }: { name: string; wanted: string },
): { version: string; dist: Record<string, unknown> } {
  const { versions = {}, "dist-tags": tags = {} } = isObject(metadata) ? metadata : {};
  const tagged = ownValue(tags, wanted);
  const version = typeof tagged === "string" ? tagged : wanted;
  const chosen = ownValue(versions, version);
  if (!isObject(chosen) || !isObject(chosen.dist)) {
    const some = isObject(versions) ? Object.keys(versions).slice(-5).join(", ") : "";
    throw new Error(
      `${name} has no version '${wanted}'. Name one exactly` +
        (some === "" ? "" : `; the last are ${some}`),
    );
  }
  return { version, dist: chosen.dist };
}

function ownValue(object: unknown, key: string): unknown {
  return isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined;
}

/** @throws {Error} no strong checksum fits */
function verifyChecksum(
  archive: Uint8Array,
  { integrity, what }: { integrity: string; what: string },
): void {
  const given = integrity.split(/\s+/).map((one) => one.split("?")[0] ?? "");
  const algorithm = HASHES.find((name) => given.some((one) => one.startsWith(`${name}-`)));
  if (algorithm === undefined) throw new Error(`the registry gives no strong checksum for ${what}`);
  const found = `${algorithm}-${createHash(algorithm).update(archive).digest("base64")}`;
  if (!given.includes(found)) {
    throw new Error(`what was downloaded for ${what} is not what the registry's checksum promises`);
  }
}

interface DownloadOptions {
  readonly signal: AbortSignal;
  /** Bytes. */
  readonly maxBytes: number;
  readonly accept: string;
  /** What a 404 means. */
  readonly notFound: string;
}

async function download(url: string, options: DownloadOptions): Promise<Uint8Array<ArrayBuffer>> {
  const { maxBytes, accept, notFound } = options;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const response = await fetch(url, { headers: { accept }, signal }).catch((error) => {
    throw new Error(`${new URL(url).host} cannot be reached: ${reasonOf(error)}`, { cause: error });
  });
  if (!response.ok) {
    await response.body?.cancel();
    if (response.status === 404) throw new Error(notFound);
    throw new Error(`${url} answered ${response.status} ${response.statusText}`.trimEnd());
  }
  try {
    return await readBytes(response, { ...ANSWER_LIMITS, maxBytes });
  } catch (error) {
    if (options.signal.aborted) throw error;
    const remedy = error instanceof BodyLimitError && error.limit === "size"
      ? "Install a packed file that you downloaded yourself"
      : "Try again later";
    throw new Error(`${url} did not answer as it should: ${reasonOf(error)}. ${remedy}`, {
      cause: error,
    });
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof DOMException && error.name === "TimeoutError") return "no answer in time";
  return messageOf(error);
}
