// The system call filter as classic BPF, for `bwrap --seccomp FD`: what no namespace takes away.
import { ABSENT, MACHINES, type Machine } from "./syscalls.ts";

/** Offsets into `struct seccomp_data`. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const argumentAt = (index: number): number => 16 + 8 * index; // low word: both machines are little-endian

const LOAD = 0x20; // BPF_LD | BPF_W | BPF_ABS
const IF_EQUAL = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const IF_AT_LEAST = 0x35; // BPF_JMP | BPF_JGE | BPF_K
const IF_ANY_BIT = 0x45; // BPF_JMP | BPF_JSET | BPF_K
const RETURN = 0x06;

const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const error = (number: number): number => 0x0005_0000 | number; // SECCOMP_RET_ERRNO
const EPERM = 1;
const ENOSYS = 38;
const EOPNOTSUPP = 95;
const EAFNOSUPPORT = 97;

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const NEW_NAMESPACES = 0x7e02_0000;
/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. Others, such as AF_VSOCK and AF_ALG, are no part of a network namespace. */
const FAMILIES = [1, 2, 10, 16];
/** TIOCSTI types into the terminal, TIOCLINUX pastes into a console. */
const TERMINAL_INPUT = [0x5412, 0x541c];
/** FICLONE, FICLONERANGE, FIDEDUPERANGE: what shares blocks with a file reads nothing. */
const SHARED_BLOCKS = [0x4004_9409, 0x4020_940d, 0xc018_9436];
/** What is read so leaves no access time, by which labels know what a command read: O_NOATIME. */
const UNSEEN = 0o1000000;
const F_SETFL = 4;
const SET_USER_ID = 0o4000;
/** O_CREAT, and the bit that O_TMPFILE has besides O_DIRECTORY. */
const CREATES = 0o100 | 0o20000000;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number];

/** @returns the program, or undefined for a machine there is no table of system calls for. */
export function seccompFilter(arch: string): Buffer | undefined {
  const machine = MACHINES[arch];
  return machine === undefined ? undefined : assemble(program(machine));
}

function program(machine: Machine): readonly Instruction[] {
  return [
    load(ARCHITECTURE),
    [IF_EQUAL, 1, 0, machine.audit],
    [RETURN, 0, 0, KILL_PROCESS],
    load(NUMBER),
    ...(machine.foreignFrom === undefined ? [] : refuseWhen(IF_AT_LEAST, machine.foreignFrom, error(ENOSYS))),
    ...[...new Set(machine.denied)].flatMap((number) => refuseWhen(IF_EQUAL, number, error(EPERM))),
    ...[...ABSENT, machine.copyFileRange].flatMap((number) => refuseWhen(IF_EQUAL, number, error(ENOSYS))),
    ...look(machine.clone, [load(argumentAt(0)), ...refuseWhen(IF_ANY_BIT, NEW_NAMESPACES, error(EPERM))]),
    ...[machine.socket, machine.socketpair].flatMap((number) => look(number, knownFamilies())),
    ...look(machine.ioctl, [
      load(argumentAt(1)),
      ...TERMINAL_INPUT.flatMap((request) => refuseWhen(IF_EQUAL, request, error(EPERM))),
      ...SHARED_BLOCKS.flatMap((request) => refuseWhen(IF_EQUAL, request, error(EOPNOTSUPP))),
    ]),
    ...look(machine.fcntl, [
      load(argumentAt(1)),
      [IF_EQUAL, 1, 0, F_SETFL],
      [RETURN, 0, 0, ALLOW],
      load(argumentAt(2)),
      ...refuseWhen(IF_ANY_BIT, UNSEEN, error(EPERM)),
    ]),
    // Otherwise a command leaves programs in the workspace that run as the operator, whoever on the machine starts them.
    ...machine.modes.flatMap(([number, mode]) =>
      look(number, [load(argumentAt(mode)), ...refuseWhen(IF_ANY_BIT, SET_USER_ID, error(EPERM))]),
    ),
    ...machine.openings.flatMap(([number, flags, mode]) =>
      look(number, [
        load(argumentAt(flags)),
        ...refuseWhen(IF_ANY_BIT, UNSEEN, error(EPERM)),
        [IF_ANY_BIT, 1, 0, CREATES],
        [RETURN, 0, 0, ALLOW],
        load(argumentAt(mode)),
        ...refuseWhen(IF_ANY_BIT, SET_USER_ID, error(EPERM)),
      ]),
    ),
    [RETURN, 0, 0, ALLOW],
  ];
}

function load(offset: number): Instruction {
  return [LOAD, 0, 0, offset];
}

function refuseWhen(test: number, operand: number, verdict: number): readonly Instruction[] {
  return [
    [test, 0, 1, operand],
    [RETURN, 0, 0, verdict],
  ];
}

/** `body` for the calls of one number; they are allowed where it ends. */
function look(number: number, body: readonly Instruction[]): readonly Instruction[] {
  return [[IF_EQUAL, 0, body.length + 1, number], ...body, [RETURN, 0, 0, ALLOW]];
}

function knownFamilies(): readonly Instruction[] {
  return [
    load(argumentAt(0)),
    ...FAMILIES.flatMap((family) => refuseWhen(IF_EQUAL, family, ALLOW)),
    [RETURN, 0, 0, error(EAFNOSUPPORT)],
  ];
}

function assemble(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(8 * instructions.length);
  instructions.forEach(([code, ifTrue, ifFalse, operand], index) => {
    bytes.writeUInt16LE(code, 8 * index);
    bytes.writeUInt8(ifTrue, 8 * index + 2);
    bytes.writeUInt8(ifFalse, 8 * index + 3);
    bytes.writeUInt32LE(operand, 8 * index + 4);
  });
  return bytes;
}
