/**
 * The system calls that no command in the sandbox needs and that lead out of it: the kernel's keyrings, which are the
 * same in all namespaces, namespaces of users, in which mounts could be undone, sockets of virtual machines and devices,
 * input for terminals, and interfaces with a long history of holes. A filter is a program of the kernel's BPF; pure.
 */

/** What one processor calls things. */
interface Architecture {
  /** As the kernel tells filters. */
  readonly audit: number;
  readonly socket: number;
  readonly ioctl: number;
  /** clone and unshare, which take flags first. */
  readonly parting: readonly number[];
  /** add_key, request_key, keyctl, userfaultfd, bpf, perf_event_open. */
  readonly forbidden: readonly number[];
  /** Calls from here on are of another ABI, which the numbers above do not cover. */
  readonly foreign?: number;
}

const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x86_64: {
    audit: 0xc000003e,
    socket: 41,
    ioctl: 16,
    parting: [56, 272],
    forbidden: [248, 249, 250, 323, 321, 298],
    foreign: 0x40000000,
  },
  aarch64: {
    audit: 0xc00000b7,
    socket: 198,
    ioctl: 29,
    parting: [220, 97],
    forbidden: [217, 218, 219, 282, 280, 241],
  },
};

/** io_uring_setup, io_uring_enter, io_uring_register: programs take the ordinary calls instead. */
const IO_URING = [425, 426, 427];
/** Its flags lie in memory, where no filter sees them; the C libraries take clone instead. */
const CLONE3 = 435;
/** CLONE_NEWUSER. */
const NEW_USER = 0x10000000;
/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. */
const SOCKET_FAMILIES = [1, 2, 10, 16];
/** TIOCSTI and TIOCLINUX, which type for the user. */
const TYPING = [0x5412, 0x541c];

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

const ALLOW = 0x7fff0000;
const ERRNO = 0x00050000;
const KILL_PROCESS = 0x80000000;

const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const RETURN = 0x06;

/** Where the kernel puts the number of the call, the architecture and the low half of an argument. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const argument = (index: number) => 16 + 8 * index;

type Instruction = readonly [code: number, onTrue: number, onFalse: number, value: number];

/** The filter for a processor, as `bwrap --seccomp` reads it; undefined if its calls are not known. */
export function seccompFilter(architecture: string): Uint8Array<ArrayBuffer> | undefined {
  const known = ARCHITECTURES[architecture];
  return known && encode(instructionsFor(known));
}

function instructionsFor(
  { audit, socket, ioctl, parting, forbidden, foreign }: Architecture,
): Instruction[] {
  return [
    load(ARCHITECTURE),
    [IF_EQUAL, 1, 0, audit],
    give(KILL_PROCESS),
    load(NUMBER),
    ...(foreign === undefined ? [] : [[IF_AT_LEAST, 0, 1, foreign], give(ERRNO | ENOSYS)] as const),
    ...forbidden.flatMap((call) => when(call, [give(ERRNO | EPERM)])),
    ...[...IO_URING, CLONE3].flatMap((call) => when(call, [give(ERRNO | ENOSYS)])),
    ...parting.flatMap((call) =>
      when(call, [
        load(argument(0)),
        [IF_ANY_BIT, 0, 1, NEW_USER],
        give(ERRNO | EPERM),
        give(ALLOW),
      ])
    ),
    ...when(socket, [
      load(argument(0)),
      ...SOCKET_FAMILIES.flatMap((family) => when(family, [give(ALLOW)])),
      give(ERRNO | EAFNOSUPPORT),
    ]),
    ...when(ioctl, [
      load(argument(1)),
      ...TYPING.flatMap((request) => when(request, [give(ERRNO | EPERM)])),
      give(ALLOW),
    ]),
    give(ALLOW),
  ];
}

function load(offset: number): Instruction {
  return [LOAD, 0, 0, offset];
}

function give(verdict: number): Instruction {
  return [RETURN, 0, 0, verdict];
}

/** What is done if the loaded value is this one; else it goes on behind. */
function when(value: number, then: readonly Instruction[]): Instruction[] {
  return [[IF_EQUAL, 0, then.length, value], ...then];
}

function encode(program: readonly Instruction[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(program.length * 8);
  const view = new DataView(bytes.buffer);
  for (const [at, [code, onTrue, onFalse, value]] of program.entries()) {
    view.setUint16(at * 8, code, true);
    view.setUint8(at * 8 + 2, onTrue);
    view.setUint8(at * 8 + 3, onFalse);
    view.setUint32(at * 8 + 4, value >>> 0, true);
  }
  return bytes;
}
