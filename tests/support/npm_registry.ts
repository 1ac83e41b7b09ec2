/**
 * A registry of npm packages on loopback, as honest or as broken as a test wants it.
 */
import { createHash } from "node:crypto";
import { packTar } from "modern-tar";

export interface PublishedPackage {
  readonly name: string;
  readonly version: string;
  /** Texts by path, below "package/". */
  readonly files: Readonly<Record<string, string>>;
  /** What the registry says of the archive. @default its true checksum; undefined: nothing */
  readonly integrity?: string | undefined;
}

export interface NpmRegistry extends AsyncDisposable {
  readonly url: string;
  /** Paths asked for. */
  readonly requests: readonly string[];
}

/** Starts it; the last version of a package is its latest. */
export async function startNpmRegistry(
  packages: readonly PublishedPackage[],
): Promise<NpmRegistry> {
  const archives = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const { name, version, files } of packages) {
    archives.set(`/${name}/-/${version}.tgz`, await archiveOf(files));
  }
  const requests: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const path = decodeURIComponent(new URL(request.url).pathname);
    requests.push(path);
    const archive = archives.get(path);
    if (archive !== undefined) return new Response(archive);
    const published = packages.filter(({ name }) => path === `/${name}`);
    if (published.length === 0) return new Response("{}", { status: 404 });
    return Response.json(metadata(published, { origin: new URL(request.url).origin, archives }));
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    requests,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function metadata(
  published: readonly PublishedPackage[],
  { origin, archives }: { origin: string; archives: ReadonlyMap<string, Uint8Array> },
) {
  return {
    name: published[0]?.name,
    "dist-tags": { latest: published.at(-1)?.version },
    versions: Object.fromEntries(published.map((one) => {
      const path = `/${one.name}/-/${one.version}.tgz`;
      const digest = createHash("sha512").update(archives.get(path)!).digest("base64");
      const integrity = "integrity" in one ? one.integrity : `sha512-${digest}`;
      return [one.version, { dist: { tarball: `${origin}${path}`, integrity } }];
    })),
  };
}

/** A packed package, as npm packs it. */
export async function archiveOf(
  files: Readonly<Record<string, string>>,
): Promise<Uint8Array<ArrayBuffer>> {
  const tar = await packTar(
    Object.entries(files).map(([path, body]) => ({
      header: {
        name: `package/${path}`,
        size: new TextEncoder().encode(body).length,
        type: "file" as const,
        // The same files make the same bytes, whatever second it is.
        mtime: new Date(0),
      },
      body,
    })),
  );
  const stream = new Blob([tar]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
