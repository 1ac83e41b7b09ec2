/**
 * `ally sessions`: lists, shows, exports and deletes what is saved, in this directory or in all.
 */
import { resolve } from "node:path";
import { confirmAtTerminal } from "../../app/confirm_at_terminal.ts";
import type { Environment } from "../../app/environment.ts";
import { EXIT } from "../../app/exit_codes.ts";
import type { Io } from "../../app/io.ts";
import type { Options } from "../../app/options.ts";
import { openStandardStreams, terminalWidth, wrapForTerminal } from "../../app/standard_streams.ts";
import { VERSION } from "../../app/version.ts";
import { fullHistory } from "../../context/transcript.ts";
import { formatOf, renderAs } from "../../context/transcript_formats.ts";
import type { ImagePart } from "../../core/image.ts";
import { UsageError } from "../../core/errors.ts";
import { reasonNotMade, reasonTaken, requireWrite, tryLstat } from "../../lib/fs.ts";
import { mapStrings } from "../../lib/json_strings.ts";
import { formatAge, formatBytes, jsonLine, oneLine, plural } from "../../lib/text.ts";
import { Vault } from "../../secrets/vault.ts";
import { readMaskKey } from "../../store/mask_key.ts";
import { type AllyPaths, allyPaths } from "../../store/paths.ts";
import type { StoredSession } from "../../store/session_reader.ts";
import {
  type SearchableSummary,
  type SessionSummary,
  titleOf,
} from "../../store/session_summary.ts";
import { sessionDirectories } from "../../store/session_directories.ts";
import { SessionStore } from "../../store/sessions.ts";
import { escapeControls } from "../../ui/safe_text.ts";
import { cellWidth, fit } from "../../ui/wrap.ts";
import { canonicalDirectory } from "../../workspace/roots.ts";
import type { ExportFormat, SessionsRequest } from "./command.ts";

/** A session that a request names. */
interface FoundSession {
  readonly store: SessionStore;
  readonly id: string;
}

/** Columns that a line of the list needs. */
const MIN_LINE = 70;

/** Does what `ally sessions` was asked for, and returns the exit code. @throws {UsageError} it cannot */
export async function runSessions(
  { request, options }: { request: SessionsRequest; options: Options },
  io: Io,
): Promise<number> {
  const { out } = openStandardStreams(io);
  const { env } = io;
  const paths = allyPaths(canonicalDirectory(options.cwd), env);
  const stores = await openStores(paths, request.all);
  switch (request.what) {
    case "list":
      return await runList(await listSessions(stores), { request, out, io });
    case "show": {
      const found = await findSession(request.id, stores);
      const stored = await loadMasked(found, { paths, env });
      const format = request.json ? "json" : "md";
      out((await formatSession(stored, { format, store: found.store })).trimEnd());
      return EXIT.done;
    }
    case "export": {
      const found = await findSession(request.id, stores);
      const stored = await loadMasked(found, { paths, env });
      const format = request.format ?? formatOf(request.file ?? "");
      const text = await formatSession(stored, { format, store: found.store });
      if (request.file === undefined) out(text.trimEnd());
      else out(await writeExport(resolve(options.cwd, request.file), { ...request, text }));
      return EXIT.done;
    }
    case "delete":
      return await deleteSessions(request, { stores, options, io });
  }
}

/** Lists of this directory's sessions, or of every directory's. */
async function openStores({ home, sessions }: AllyPaths, all: boolean): Promise<SessionStore[]> {
  const directories = all ? await sessionDirectories(home) : [sessions];
  return directories.map((directory) => new SessionStore({ directory }));
}

async function listSessions(stores: readonly SessionStore[]): Promise<SearchableSummary[]> {
  const listed: SearchableSummary[] = [];
  for (const store of stores) listed.push(...await store.recent(Infinity));
  // Within one directory the order of use is known; between directories only the clock tells.
  return stores.length === 1 ? listed : listed.sort((a, b) => a.used < b.used ? 1 : -1);
}

/** A title is cut to its line where it has room for some of it; a narrower terminal gets records. */
async function runList(
  listed: readonly SearchableSummary[],
  { request, out, io }: {
    request: { all: boolean; json: boolean };
    out: (text: string) => void;
    io: Io;
  },
): Promise<number> {
  const width = terminalWidth(io, "stdout") ?? Infinity;
  const columns = width < MIN_LINE ? Infinity : width - 1;
  const text = formatList(listed, { ...request, columns });
  out(request.json ? text : await wrapForTerminal(text, { io, stream: "stdout" }));
  return EXIT.done;
}

function formatList(
  listed: readonly SearchableSummary[],
  { all, json, columns: cells }: { all: boolean; json: boolean; columns: number },
): string {
  if (json) return jsonLine(listed.map(({ words: _searched, ...one }) => one));
  if (listed.length === 0) {
    return all
      ? "There are no sessions yet."
      : "There are no sessions in this directory yet; --all lists those of all directories.";
  }
  const now = Date.now();
  const cellsOf = (one: SessionSummary) => [
    one.id,
    formatAge(one.used, now),
    plural(one.turns, "turn"),
    formatBytes(one.size),
    oneLine(escapeControls(one.branch ?? "-")),
  ];
  const table = listed.map(cellsOf);
  const widths = table[0]?.map((_, at) =>
    Math.max(...table.map((row) => cellWidth(row[at] ?? "")))
  );
  return listed.map((one, index) => {
    const row = table[index]?.map((text, at) => padCells(text, widths?.[at] ?? 0, at)) ?? [];
    const line = [...row, oneLine(escapeControls(one.title))].join("  ");
    const where = all ? [`  ${oneLine(escapeControls(one.cwd))}`] : [];
    return [fit(line, cells), ...where].join("\n");
  }).join("\n");
}

/** Counts and sizes stand at the right of their column. */
function padCells(text: string, width: number, column: number): string {
  const blanks = " ".repeat(Math.max(0, width - cellWidth(text)));
  return column === 2 || column === 3 ? blanks + text : text + blanks;
}

async function findSession(id: string, stores: readonly SessionStore[]): Promise<FoundSession> {
  if (id === "last") {
    const newest = (await listSessions(stores))[0]?.id;
    if (newest === undefined) throw new UsageError("There is no session yet.");
    return await findSession(newest, stores);
  }
  const found: FoundSession[] = [];
  for (const store of stores) {
    for (const one of await store.matchIds(id)) found.push({ store, id: one });
  }
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  throw new UsageError(
    found.length > 1
      ? `${found.length} sessions begin with '${id}'. Give more of the id.`
      : `No session has the id '${id}'. ally sessions list shows those of this directory, ` +
        "with --all those of all.",
  );
}

/** A session with its secrets masked, even if it was saved when nothing was. */
async function loadMasked(
  { store, id }: FoundSession,
  { paths, env }: { paths: AllyPaths; env: Environment },
): Promise<StoredSession> {
  const vault = new Vault({ key: () => readMaskKey(paths.maskKey), env: env.toObject() });
  const stored = await store.load(id);
  const masked = (text: string) => vault.remask(text);
  return {
    ...stored,
    prompt: stored.prompt && mapStrings(stored.prompt, masked),
    calls: new Map(mapStrings([...stored.calls], masked)),
    turns: mapStrings(stored.turns, masked),
    title: stored.title === undefined ? undefined : masked(stored.title),
    messages: stored.messages.map((one) => mapStrings(one, masked) as typeof one),
    covered: stored.covered.map((part) => part.map((one) => mapStrings(one, masked) as typeof one)),
  };
}

/** The whole conversation as text of a format. */
async function formatSession(
  stored: StoredSession,
  { format, store }: { format: ExportFormat; store: SessionStore },
): Promise<string> {
  const { header: { id, cwd, created }, calls, turns } = stored;
  const messages = fullHistory(stored);
  const head = { id, title: titleOf(stored.title, messages), cwd, created };
  if (format === "atif") {
    const { renderTrajectory } = await import("../../context/atif.ts");
    const prompt = (stored.prompt ?? []).map(({ text }) => text).join("\n");
    return renderTrajectory({ ...head, version: VERSION, prompt, messages, turns });
  }
  const imageUrlOf = (image: ImagePart) => store.imageUrlOf(id, image);
  return await renderAs(format, { talk: { messages, calls, turns }, head, imageUrlOf });
}

/** @throws {UsageError} the file is there and is not to be overwritten, or cannot be written */
async function writeExport(
  path: string,
  { text, force }: { text: string; force: boolean },
): Promise<string> {
  try {
    requireWrite(path);
    await Deno.writeTextFile(path, text, { mode: 0o600, createNew: !force });
    return `Wrote ${path} (${formatBytes(new TextEncoder().encode(text).length)}).`;
  } catch (error) {
    const info = tryLstat(path);
    const why = info?.isDirectory
      ? reasonTaken(info)
      : error instanceof Deno.errors.AlreadyExists
      ? "it is there already; --force overwrites it"
      : reasonNotMade(path, error);
    throw new UsageError(`Cannot write ${path}: ${why}.`, { cause: error });
  }
}

async function deleteSessions(
  { ids, yes, json }: { ids: readonly string[]; yes: boolean; json: boolean },
  { stores, options: { color }, io }: {
    stores: readonly SessionStore[];
    options: Options;
    io: Io;
  },
): Promise<number> {
  const { out } = openStandardStreams(io);
  const named = new Map<string, FoundSession>();
  for (const id of ids) {
    const one = await findSession(id, stores);
    named.set(one.id, one);
  }
  const found = [...named.values()];
  const what = found.length === 1 ? `session ${found[0]?.id}` : plural(found.length, "session");
  const refusal = "Cannot ask without a terminal. Confirm with --yes.";
  if (!yes && !await confirmAtTerminal(`Delete ${what} for good?`, { color, io, refusal })) {
    out("Nothing was deleted.");
    return EXIT.failed;
  }
  const removed: string[] = [];
  try {
    for (const { store, id } of found) removed.push(await store.remove(id));
  } finally {
    // Where one cannot be deleted, those before it are gone all the same.
    const text = json ? jsonLine(removed) : removed.map((id) => `Deleted ${id}.`).join("\n");
    if (text !== "") out(text);
  }
  return EXIT.done;
}
