/**
 * The saved sessions as a client lists them, and their end.
 */
import { type ListSessionsResponse, RequestError } from "@agentclientprotocol/sdk";
import type { Environment } from "../../app/environment.ts";
import { allyPaths } from "../../store/paths.ts";
import { sessionDirectories } from "../../store/session_directories.ts";
import { SessionStore } from "../../store/sessions.ts";
import { canonicalDirectory } from "../../workspace/roots.ts";

/** Sessions of one page. */
const PAGE_SIZE = 50;

/** A session on disk. */
export interface FoundSession {
  readonly store: SessionStore;
  readonly id: string;
}

/** A page of the sessions of a directory, or of all, those written to last first. @throws {RequestError} the cursor names none */
export async function listStoredSessions(
  { cwd, cursor }: { cwd?: string | null; cursor?: string | null },
  env: Environment,
): Promise<ListSessionsResponse> {
  const stores = cwd ? [storeOf(cwd, env)] : await allStores(env);
  const listed = (await Promise.all(stores.map((store) => store.recent(Infinity)))).flat()
    .filter((one) => one.cwd !== "");
  if (stores.length > 1) listed.sort((a, b) => a.used < b.used ? 1 : -1);
  const start = cursor ? listed.findIndex(({ id }) => id === cursor) + 1 : 0;
  // From its beginning the list would be told again and again.
  if (cursor && start === 0) {
    throw RequestError.invalidParams(undefined, "the cursor is out of date: list anew without one");
  }
  const page = listed.slice(start, start + PAGE_SIZE);
  const last = page.at(-1);
  return {
    sessions: page.map(({ id, cwd, title, used }) => ({
      sessionId: id,
      cwd,
      title,
      ...used !== "" && { updatedAt: used },
    })),
    ...last !== undefined && start + PAGE_SIZE < listed.length && { nextCursor: last.id },
  };
}

/** The session with exactly this id, in whichever directory it was begun; undefined if there is none. */
export async function findStoredSession(
  id: string,
  env: Environment,
): Promise<FoundSession | undefined> {
  for (const store of await allStores(env)) {
    if ((await store.matchIds(id)).includes(id)) return { store, id };
  }
  return undefined;
}

/** Whether a directory has a session with exactly this id. */
export async function hasStoredSession(
  { id, cwd }: { id: string; cwd: string },
  env: Environment,
): Promise<boolean> {
  return (await storeOf(cwd, env).matchIds(id)).includes(id);
}

function storeOf(cwd: string, env: Environment): SessionStore {
  return new SessionStore({ directory: allyPaths(canonicalDirectory(cwd), env).sessions });
}

async function allStores(env: Environment): Promise<SessionStore[]> {
  const directories = await sessionDirectories(allyPaths("/", env).home);
  return directories.map((directory) => new SessionStore({ directory }));
}
