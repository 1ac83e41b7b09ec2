import assert from "node:assert/strict";
import { join } from "node:path";
import { leaseObjects, type NeededContents } from "../../src/workspace/object_lease.ts";
import { ObjectStore } from "../../src/workspace/objects.ts";

interface Store extends AsyncDisposable {
  open(): ObjectStore;
  put(...texts: string[]): Promise<string[]>;
  read(...ids: string[]): Promise<(string | undefined)[]>;
}

async function makeStore(): Promise<Store> {
  const place = await Deno.makeTempDir({ prefix: "ally-test-" });
  const options = {
    directory: join(place, "snapshots"),
    path: Deno.env.get("PATH") ?? "",
    roots: { all: [] },
  };
  const open = () => new ObjectStore(options);
  return {
    open,
    async put(...texts) {
      const ids: string[] = [];
      for (const text of texts) {
        const writer = open().writer();
        ids.push(await writer.put(new TextEncoder().encode(text)));
        await writer.close();
      }
      return ids;
    },
    async read(...ids) {
      await using reader = open().reader();
      const texts: (string | undefined)[] = [];
      for (const id of ids) {
        const bytes = await reader.read(id);
        texts.push(bytes && new TextDecoder().decode(bytes));
      }
      return texts;
    },
    async [Symbol.asyncDispose]() {
      await Deno.remove(place, { recursive: true });
    },
  };
}

const needs = (needed: Partial<NeededContents>) => () =>
  Promise.resolve({ ofChanges: [], ofFiles: [], ...needed });

Deno.test("a store that has grown too large keeps what changes and files need, and nothing else", async () => {
  await using store = await makeStore();
  const ids = await store.put("of a change", "of a file", "of nothing");
  const needed = needs({ ofChanges: ids.slice(0, 1), ofFiles: ids.slice(1, 2) });
  const limits = { bytes: 1_000_000, files: 2 };
  using _lease = await leaseObjects(store.open(), { needed, limits });
  assert.deepEqual(await store.read(...ids), ["of a change", "of a file", undefined]);
});

Deno.test("of a store that is too large by what is needed, the newest changes keep their contents", async () => {
  await using store = await makeStore();
  const noise = () => crypto.getRandomValues(new Uint8Array(1000)).toHex();
  const texts = [noise(), noise(), noise()];
  const ids = await store.put(...texts);
  const limits = { bytes: 3000, files: 100 };
  using _lease = await leaseObjects(store.open(), { needed: needs({ ofChanges: ids }), limits });
  assert.deepEqual(await store.read(...ids), [texts[0], undefined, undefined]);
});

Deno.test("a store within its limits, and one that another ally relies on, are left alone", async () => {
  await using store = await makeStore();
  const ids = await store.put("one", "two", "three");
  const needed = needs({});
  {
    using _lease = await leaseObjects(store.open(), { needed });
    using _other = await leaseObjects(store.open(), { needed, limits: { bytes: 1, files: 1 } });
    assert.deepEqual(await store.read(...ids), ["one", "two", "three"]);
  }
  using _alone = await leaseObjects(store.open(), { needed, limits: { bytes: 1, files: 1 } });
  assert.deepEqual(await store.read(...ids), [undefined, undefined, undefined]);
});
