import assert from "node:assert/strict";
import { didYouMean, findNear } from "../../src/lib/names.ts";
import { COMMANDS } from "../../src/slash/table.ts";

/** What is typed, and which slash commands it may have meant. */
const SLIPS: readonly (readonly [typed: string, near: readonly string[]])[] = [
  ["hlep", ["help"]],
  ["claer", ["clear"]],
  ["perms", ["permissions"]],
  ["ctx", ["context"]],
  ["cfg", ["config"]],
  ["mdl", ["model"]],
  ["sesions", ["sessions"]],
  ["comp", ["compact"]],
  ["q", []],
  ["xyz", []],
  ["permisions-list", []],
];

for (const [typed, near] of SLIPS) {
  Deno.test(`findNear() takes /${typed} for ${near.join(", ") || "nothing"}`, () => {
    assert.deepEqual(findNear(typed, COMMANDS.map(({ name }) => name)), near);
  });
}

Deno.test("findNear() finds every slash command with two letters exchanged or one left out", () => {
  const names = COMMANDS.map(({ name }) => name).filter((name) => name.length > 3);
  const missed = names.flatMap((name) =>
    [...name].slice(1, -1).flatMap((letter, at) => {
      const exchanged = name.slice(0, at + 1) + name[at + 2] + letter + name.slice(at + 3);
      const without = name.slice(0, at + 1) + name.slice(at + 2);
      return [exchanged, without].filter((typed) =>
        !names.some((one) => one.startsWith(typed)) && !findNear(typed, names).includes(name)
      ).map((typed) => `${typed} for ${name}`);
    })
  );
  assert.deepEqual(missed, []);
});

Deno.test("findNear() names three at most, and each once", () => {
  const near = findNear("al", ["alpha", "alpha", "alps", "also", "altar"]);
  assert.deepEqual(near, ["alps", "also", "alpha"]);
  assert.equal(didYouMean(near), "Did you mean alps, also or alpha?");
});
