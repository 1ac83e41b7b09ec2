import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { deferImport } from "../../scripts/deferred_modules.ts";

Deno.test("deferImport() has a module run when one of its functions is called first, and leaves the rest", async () => {
  const folder = await Deno.makeTempDir();
  const write = (name: string, text: string) => Deno.writeTextFile(join(folder, name), text);
  try {
    await write("late.js", 'globalThis.order.push("late"); export const half = (n) => n / 2;');
    await write("soon.js", 'globalThis.order.push("soon"); export const one = 1;');
    const soon = JSON.stringify("./soon.js");
    const text = `import {
  half as halve
} from "./late.js";
import { one } from ${soon};
globalThis.order.push("main");
export default [halve(8), one];`;
    const deferred = deferImport(text, "late.js");
    assert.equal(deferred.split("\n").length, text.split("\n").length);
    await write("main.js", deferred);
    const order: string[] = [];
    Reflect.set(globalThis, "order", order);
    const { default: values } = await import(pathToFileURL(join(folder, "main.js")).href);
    assert.deepEqual(values, [4, 1]);
    assert.deepEqual(order, ["soon", "main", "late"]);
  } finally {
    Reflect.deleteProperty(globalThis, "order");
    await Deno.remove(folder, { recursive: true });
  }
});
