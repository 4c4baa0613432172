// Seccomp filter for a worker process, as a BPF program for the kernel. Rejects system calls that workerd never needs but an attack would:
// new processes and namespaces, mounts, tracing, kernel modules, and all sockets except unix sockets. Pure.

/** Number of a system call on x64 and arm64; null where the call does not exist. */
type Numbers = readonly [x64: number | null, arm64: number | null]

/** System calls that fail with EPERM. @public for the test that tries them inside a confined process. */
export const refusedCalls: Readonly<Record<string, Numbers>> = {
  ...{ ptrace: [101, 117], process_vm_readv: [310, 270], process_vm_writev: [311, 271], process_madvise: [440, 440] },
  ...{ kcmp: [312, 272], pidfd_getfd: [438, 438], perf_event_open: [298, 241], bpf: [321, 280] },
  ...{ mount: [165, 40], umount2: [166, 39], pivot_root: [155, 41], chroot: [161, 51], move_mount: [429, 429] },
  ...{ open_tree: [428, 428], fsopen: [430, 430], fsconfig: [431, 431], fsmount: [432, 432], fspick: [433, 433] },
  ...{ mount_setattr: [442, 442], unshare: [272, 97], setns: [308, 268], fork: [57, null], vfork: [58, null] },
  ...{ execveat: [322, 281], keyctl: [250, 219], add_key: [248, 217], request_key: [249, 218] },
  ...{ init_module: [175, 105], finit_module: [313, 273], delete_module: [176, 106], kexec_load: [246, 104] },
  ...{ kexec_file_load: [320, 294], reboot: [169, 142], swapon: [167, 224], swapoff: [168, 225], acct: [163, 89] },
  ...{ userfaultfd: [323, 282], io_uring_setup: [425, 425], io_uring_enter: [426, 426], io_uring_register: [427, 427] },
  ...{ open_by_handle_at: [304, 265], name_to_handle_at: [303, 264], fanotify_init: [300, 262] },
  ...{ personality: [135, 92], ioperm: [173, null], iopl: [172, null], modify_ldt: [154, null], uselib: [134, null] },
  ...{ quotactl: [179, 60], syslog: [103, 116], vhangup: [153, 58], lookup_dcookie: [212, 18], nfsservctl: [180, 42] },
  ...{ settimeofday: [164, 170], clock_settime: [227, 112], adjtimex: [159, 171], clock_adjtime: [305, 266] },
  ...{ sethostname: [170, 161], setdomainname: [171, 162], mknod: [133, null], mknodat: [259, 33] },
  ...{ setuid: [105, 146], setgid: [106, 144], setreuid: [113, 145], setregid: [114, 143], setresuid: [117, 147] },
  ...{ setresgid: [119, 149], setgroups: [116, 159], setfsuid: [122, 151], setfsgid: [123, 152], capset: [126, 91] },
}

const clone: Numbers = [56, 220]
/**
 * A seccomp filter cannot read the flags of `clone3`, because they are in memory. So `clone3` fails with ENOSYS, and the C library uses
 * `clone` instead.
 */
const clone3: Numbers = [435, 435]
const socket: Numbers = [41, 198]

const machines = { x64: { column: 0, audit: 0xc000003e }, arm64: { column: 1, audit: 0xc00000b7 } } as const

const errors = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 } as const
const actions = { allow: 0x7fff0000, kill: 0x80000000, error: 0x00050000 } as const
/** Offsets in the kernel's `struct seccomp_data`. */
const offsets = { number: 0, machine: 4, firstArgument: 16 } as const
/** First number of a system call of the x32 interface on x64. */
const x32 = 0x40000000
const cloneThread = 0x00010000
const unixSocket = 1

type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, value: number]
const load = (offset: number): Instruction => [0x20, 0, 0, offset]
const jumpIfEqual = (value: number, jumpTrue: number, jumpFalse: number): Instruction => [
  0x15,
  jumpTrue,
  jumpFalse,
  value,
]
const atLeast = (value: number, jumpTrue: number, jumpFalse: number): Instruction => [0x35, jumpTrue, jumpFalse, value]
const anyBit = (value: number, jumpTrue: number, jumpFalse: number): Instruction => [0x45, jumpTrue, jumpFalse, value]
const returnAction = (action: number): Instruction => [0x06, 0, 0, action]
const refuse = (error: keyof typeof errors): Instruction => returnAction(actions.error | errors[error])

/** Returns the filter program for `bwrap --seccomp`; null for an architecture whose call numbers are not listed in this file. */
export function seccompProgram(machine: string): Uint8Array | null {
  if (machine !== 'x64' && machine !== 'arm64') return null
  const { column, audit } = machines[machine]
  const program: Instruction[] = [
    load(offsets.machine),
    jumpIfEqual(audit, 1, 0),
    returnAction(actions.kill),
    load(offsets.number),
  ]
  if (machine === 'x64') program.push(atLeast(x32, 0, 1), refuse('EPERM'))
  for (const numbers of Object.values(refusedCalls)) {
    const number = numbers[column]
    if (number !== null) program.push(jumpIfEqual(number, 0, 1), refuse('EPERM'))
  }
  program.push(jumpIfEqual(clone3[column] ?? 0, 0, 1), refuse('ENOSYS'))
  // Creating a thread with `clone` is allowed; creating a process is not.
  program.push(jumpIfEqual(clone[column] ?? 0, 0, 4), load(offsets.firstArgument), anyBit(cloneThread, 1, 0))
  program.push(refuse('EPERM'), returnAction(actions.allow))
  program.push(jumpIfEqual(socket[column] ?? 0, 0, 4), load(offsets.firstArgument), jumpIfEqual(unixSocket, 1, 0))
  program.push(refuse('EAFNOSUPPORT'), returnAction(actions.allow))
  program.push(returnAction(actions.allow))
  const bytes = Buffer.alloc(program.length * 8)
  program.forEach(([code, jumpTrue, jumpFalse, value], index) => {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(jumpTrue, index * 8 + 2)
    bytes.writeUInt8(jumpFalse, index * 8 + 3)
    bytes.writeUInt32LE(value, index * 8 + 4)
  })
  return bytes
}
