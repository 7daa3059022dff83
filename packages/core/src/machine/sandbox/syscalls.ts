// Numbers of system calls, per machine: what the filter refuses, and what it looks at.
// Sources: Linux arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h.

export interface Machine {
  /** AUDIT_ARCH_*: a call of another machine's table (32 bit) ends the program. */
  readonly audit: number;
  /** Numbers from here on belong to a third table (x32). */
  readonly foreignFrom?: number;
  readonly denied: readonly number[];
  /** Said not to exist: it copies without reading. */
  readonly copyFileRange: number;
  readonly clone: number;
  readonly socket: number;
  readonly socketpair: number;
  readonly ioctl: number;
  readonly fcntl: number;
  /** Calls whose argument of this index is a file mode. */
  readonly modes: readonly (readonly [call: number, argument: number])[];
  /** Calls that open a file, and make it with a mode when O_CREAT or O_TMPFILE is among the flags: [call, flags, mode]. */
  readonly openings: readonly (readonly [call: number, flags: number, mode: number])[];
}

/** The same number everywhere: calls added since 2019. */
const COMMON = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  pidfd_getfd: 438,
  process_madvise: 440,
  mount_setattr: 442,
  quotactl_fd: 443,
  open_tree_attr: 467,
};

/**
 * Said not to exist, so that programs fall back to older calls: clone3 and openat2 keep what matters behind a pointer, where no
 * filter can look; fchmodat2.
 */
export const ABSENT: readonly number[] = [435, 437, 452];

const X64 = {
  ptrace: 101,
  syslog: 103,
  uselib: 134,
  vhangup: 153,
  pivot_root: 155,
  sysctl: 156,
  chroot: 161,
  acct: 163,
  settimeofday: 164,
  mount: 165,
  umount2: 166,
  swapon: 167,
  swapoff: 168,
  reboot: 169,
  sethostname: 170,
  setdomainname: 171,
  iopl: 172,
  ioperm: 173,
  create_module: 174,
  init_module: 175,
  delete_module: 176,
  quotactl: 179,
  nfsservctl: 180,
  lookup_dcookie: 212,
  clock_settime: 227,
  kexec_load: 246,
  add_key: 248,
  request_key: 249,
  keyctl: 250,
  migrate_pages: 256,
  unshare: 272,
  move_pages: 279,
  perf_event_open: 298,
  fanotify_init: 300,
  name_to_handle_at: 303,
  open_by_handle_at: 304,
  clock_adjtime: 305,
  setns: 308,
  process_vm_readv: 310,
  process_vm_writev: 311,
  kcmp: 312,
  finit_module: 313,
  kexec_file_load: 320,
  bpf: 321,
  userfaultfd: 323,
};

const ARM64 = {
  lookup_dcookie: 18,
  umount2: 39,
  mount: 40,
  pivot_root: 41,
  nfsservctl: 42,
  chroot: 51,
  vhangup: 58,
  quotactl: 60,
  acct: 89,
  kexec_load: 104,
  init_module: 105,
  delete_module: 106,
  clock_settime: 112,
  syslog: 116,
  ptrace: 117,
  reboot: 142,
  sethostname: 161,
  setdomainname: 162,
  settimeofday: 170,
  unshare: 97,
  add_key: 217,
  request_key: 218,
  keyctl: 219,
  swapon: 224,
  swapoff: 225,
  migrate_pages: 238,
  move_pages: 239,
  perf_event_open: 241,
  fanotify_init: 262,
  name_to_handle_at: 264,
  open_by_handle_at: 265,
  clock_adjtime: 266,
  setns: 268,
  process_vm_readv: 270,
  process_vm_writev: 271,
  kcmp: 272,
  finit_module: 273,
  bpf: 280,
  userfaultfd: 282,
  kexec_file_load: 294,
};

/** Machines we have a table for, by `process.arch`. */
export const MACHINES: Readonly<Record<string, Machine>> = {
  x64: {
    audit: 0xc000_003e,
    foreignFrom: 0x4000_0000,
    denied: [...Object.values(X64), ...Object.values(COMMON)],
    clone: 56,
    socket: 41,
    socketpair: 53,
    ioctl: 16,
    fcntl: 72,
    copyFileRange: 326,
    // chmod, fchmod, fchmodat, creat, mknod, mknodat
    modes: [
      [90, 1],
      [91, 1],
      [268, 2],
      [85, 1],
      [133, 1],
      [259, 2],
    ],
    // open, openat
    openings: [
      [2, 1, 2],
      [257, 2, 3],
    ],
  },
  arm64: {
    audit: 0xc000_00b7,
    denied: [...Object.values(ARM64), ...Object.values(COMMON)],
    clone: 220,
    socket: 198,
    socketpair: 199,
    ioctl: 29,
    fcntl: 25,
    copyFileRange: 285,
    // fchmod, fchmodat, mknodat
    modes: [
      [52, 1],
      [53, 2],
      [33, 2],
    ],
    openings: [[56, 2, 3]],
  },
};
