/**
 * A process that exchanges two names without end, by `renameat2` with RENAME_EXCHANGE: the fault of a
 * directory that turns into a link and back. Arguments: the two paths, the seed. Linux only.
 */
import { randomNumbers } from "./random.ts";

const [first = "", second = "", seed] = Deno.args;
const random = randomNumbers(Number(seed));
const AT_FDCWD = -100;
const EXCHANGE = 2;
const { symbols: { renameat2, usleep } } = Deno.dlopen("libc.so.6", {
  renameat2: { parameters: ["i32", "buffer", "i32", "buffer", "u32"], result: "i32" },
  usleep: { parameters: ["u32"], result: "i32" },
});
const [a, b] = [first, second].map((path) => new TextEncoder().encode(`${path}\0`));
await Deno.stdout.write(new TextEncoder().encode("ready\n"));
for (;;) {
  for (let count = random() * 64; count > 0; count--) {
    renameat2(AT_FDCWD, a!, AT_FDCWD, b!, EXCHANGE);
  }
  // Rests of all lengths, so that a swap may come at any point of a write.
  usleep(Math.floor(random() * 300));
}
