/**
 * The filter of system calls: what it decides for a call, found by running its program as the kernel does.
 */
import assert from "node:assert/strict";
import { seccompFilter } from "../../src/sandbox/seccomp.ts";

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const errno = (code: number) => 0x00050000 | code;

interface Call {
  readonly audit: number;
  readonly number: number;
  readonly args?: readonly number[];
}

/** The verdict of a filter on one call. */
function decide(program: Uint8Array<ArrayBuffer>, { audit, number, args = [] }: Call): number {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, number, true);
  data.setUint32(4, audit, true);
  for (const [index, value] of args.entries()) data.setUint32(16 + 8 * index, value, true);
  const view = new DataView(program.buffer);
  let loaded = 0;
  for (let at = 0; at < program.length / 8; at++) {
    const code = view.getUint16(at * 8, true);
    const value = view.getUint32(at * 8 + 4, true);
    if (code === 0x20) loaded = data.getUint32(value, true);
    else if (code === 0x06) return value;
    else {
      assert.ok(code === 0x15 || code === 0x35 || code === 0x45, `${code}`);
      const holds = code === 0x15
        ? loaded === value
        : code === 0x35
        ? loaded >= value
        : (loaded & value) !== 0;
      at += view.getUint8(at * 8 + (holds ? 2 : 3));
    }
  }
  throw new Error("the filter has no end");
}

const X86 = 0xc000003e;
const ARM = 0xc00000b7;

const CALLS: readonly (readonly [arch: string, what: string, call: Call, verdict: number])[] = [
  ["x86_64", "read", { audit: X86, number: 0 }, ALLOW],
  ["x86_64", "clone3", { audit: X86, number: 435 }, errno(38)],
  ["x86_64", "clone of a thread", { audit: X86, number: 56, args: [0x3d0f00] }, ALLOW],
  ["x86_64", "clone with users", { audit: X86, number: 56, args: [0x10000011] }, errno(1)],
  ["x86_64", "unshare of files", { audit: X86, number: 272, args: [0x400] }, ALLOW],
  ["x86_64", "unshare of users", { audit: X86, number: 272, args: [0x10020000] }, errno(1)],
  ["aarch64", "clone with users", { audit: ARM, number: 220, args: [0x10000000] }, errno(1)],
  ["aarch64", "unshare of users", { audit: ARM, number: 97, args: [0x10000000] }, errno(1)],
  ["x86_64", "keyctl", { audit: X86, number: 250 }, errno(1)],
  ["x86_64", "add_key", { audit: X86, number: 248 }, errno(1)],
  ["x86_64", "request_key", { audit: X86, number: 249 }, errno(1)],
  ["x86_64", "bpf", { audit: X86, number: 321 }, errno(1)],
  ["x86_64", "perf_event_open", { audit: X86, number: 298 }, errno(1)],
  ["x86_64", "userfaultfd", { audit: X86, number: 323 }, errno(1)],
  ["x86_64", "io_uring_setup", { audit: X86, number: 425 }, errno(38)],
  ["x86_64", "io_uring_register", { audit: X86, number: 427 }, errno(38)],
  ["x86_64", "a socket of the internet", { audit: X86, number: 41, args: [2] }, ALLOW],
  ["x86_64", "a local socket", { audit: X86, number: 41, args: [1] }, ALLOW],
  ["x86_64", "a socket of the virtual machine", { audit: X86, number: 41, args: [40] }, errno(97)],
  ["x86_64", "a socket of Bluetooth", { audit: X86, number: 41, args: [31] }, errno(97)],
  ["x86_64", "TIOCGWINSZ", { audit: X86, number: 16, args: [0, 0x5413] }, ALLOW],
  ["x86_64", "TIOCSTI", { audit: X86, number: 16, args: [0, 0x5412] }, errno(1)],
  ["x86_64", "a call of x32", { audit: X86, number: 0x40000000 + 250 }, errno(38)],
  ["x86_64", "a call of a 32-bit program", { audit: 0x40000003, number: 288 }, KILL],
  ["aarch64", "keyctl", { audit: ARM, number: 219 }, errno(1)],
  ["aarch64", "read", { audit: ARM, number: 63 }, ALLOW],
  ["aarch64", "a socket of the internet", { audit: ARM, number: 198, args: [10] }, ALLOW],
  [
    "aarch64",
    "a socket of the virtual machine",
    { audit: ARM, number: 198, args: [40] },
    errno(97),
  ],
  ["aarch64", "TIOCSTI", { audit: ARM, number: 29, args: [0, 0x5412] }, errno(1)],
];

for (const [architecture, what, call, verdict] of CALLS) {
  Deno.test(`on ${architecture} the filter decides on ${what}`, () => {
    assert.equal(decide(seccompFilter(architecture)!, call), verdict >>> 0);
  });
}

Deno.test("a processor whose calls are not known has no filter", () => {
  assert.equal(seccompFilter("riscv64"), undefined);
});
