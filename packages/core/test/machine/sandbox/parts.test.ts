// The parts that need no sandbox: the filter, the profile of the Mac, the settings of srt, the watch over space.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../../src/machine/system/clock.ts";
import { accountFor, handOver } from "../../../src/machine/sandbox/account.ts";
import { closedWorkspace } from "../../../src/machine/sandbox/faults.ts";
import { seatbeltProfile } from "../../../src/machine/sandbox/seatbelt.ts";
import { seccompFilter } from "../../../src/machine/sandbox/seccomp.ts";
import { processTree, watchSpace } from "../../../src/machine/sandbox/space-watch.ts";
import { gitConfig } from "../../../src/machine/sandbox/view.ts";
import { createSurveyor } from "../../../src/machine/sandbox/survey.ts";
import { createPlace, type Place, start } from "./support.ts";

/** Runs the filter as the kernel does. @returns the verdict. */
function verdict(arch: string, call: number, args: readonly number[] = [], audit?: number): string {
  const program = seccompFilter(arch);
  if (program === undefined) throw new Error(`no filter for ${arch}`);
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call, 0);
  data.writeUInt32LE(audit ?? (arch === "x64" ? 0xc000_003e : 0xc000_00b7), 4);
  args.forEach((value, index) => data.writeBigUInt64LE(BigInt(value), 16 + 8 * index));
  let word = 0;
  for (let at = 0; ; at += 1) {
    const code = program.readUInt16LE(8 * at);
    const operand = program.readUInt32LE(8 * at + 4);
    const jump = (isTrue: boolean): void => void (at += program.readUInt8(8 * at + (isTrue ? 2 : 3)));
    if (code === 0x20) word = data.readUInt32LE(operand);
    else if (code === 0x15) jump(word === operand);
    else if (code === 0x35) jump(word >= operand);
    else if (code === 0x45) jump((word & operand) !== 0);
    else return { 0x7fff0000: "allowed", 0x80000000: "killed" }[operand] ?? `errno ${operand & 0xffff}`;
  }
}

const CALLS = {
  x64: {
    write: 1,
    ptrace: 101,
    mount: 165,
    bpf: 321,
    keyctl: 250,
    clone: 56,
    socket: 41,
    ioctl: 16,
    chmod: 90,
    openat: 257,
    fcntl: 72,
    copyFileRange: 326,
  },
  arm64: {
    write: 64,
    ptrace: 117,
    mount: 40,
    bpf: 280,
    keyctl: 219,
    clone: 220,
    socket: 198,
    ioctl: 29,
    chmod: 52,
    openat: 56,
    fcntl: 25,
    copyFileRange: 285,
  },
} as const;

for (const arch of ["x64", "arm64"] as const)
  test(`EX10 the system call filter (${arch})`, () => {
    const call = CALLS[arch];
    expect(verdict(arch, call.write)).toBe("allowed");
    for (const name of ["ptrace", "mount", "bpf", "keyctl"] as const) expect(verdict(arch, call[name])).toBe("errno 1");
    for (const ioUring of [425, 426, 427]) expect(verdict(arch, ioUring)).toBe("errno 1");
    for (const absent of [435, 437, 452]) expect(verdict(arch, absent)).toBe("errno 38");
    expect(verdict(arch, call.clone, [0x11])).toBe("allowed"); // fork
    expect(verdict(arch, call.clone, [0x1000_0000])).toBe("errno 1"); // CLONE_NEWUSER
    for (const family of [1, 2, 10, 16]) expect(verdict(arch, call.socket, [family])).toBe("allowed");
    for (const family of [17, 38, 40]) expect(verdict(arch, call.socket, [family])).toBe("errno 97");
    expect(verdict(arch, call.ioctl, [0, 0x5401])).toBe("allowed");
    expect(verdict(arch, call.ioctl, [0, 0x5412])).toBe("errno 1"); // TIOCSTI
    expect(verdict(arch, call.chmod, [0, 0o755])).toBe("allowed");
    expect(verdict(arch, call.chmod, [0, 0o4755])).toBe("errno 1");
    expect(verdict(arch, call.openat, [0, 0, 0, 0o4755])).toBe("allowed"); // the mode means nothing without O_CREAT
    expect(verdict(arch, call.openat, [0, 0, 0o101, 0o4755])).toBe("errno 1");
    expect(verdict(arch, call.openat, [0, 0, 0o20200002, 0o4755])).toBe("errno 1"); // O_TMPFILE, which a link can name
    expect(verdict(arch, call.write, [], 0x4000_0003)).toBe("killed"); // the 32-bit table
  });

for (const arch of ["x64", "arm64"] as const)
  test(`SC9 what reads without a trace is refused (${arch})`, () => {
    const call = CALLS[arch];
    const [noAccessTime, append] = [0o1000000, 0o2000];
    const open = (flags: number): string => verdict(arch, call.openat, [0, 0, flags, 0o644]);
    expect([open(0), open(noAccessTime), open(noAccessTime | 0o101)]).toEqual(["allowed", "errno 1", "errno 1"]);
    const opens: readonly number[] = arch === "x64" ? [2] : []; // open, which arm64 has not
    expect(opens.map((number) => verdict(arch, number, [0, noAccessTime]))).toEqual(opens.map(() => "errno 1"));
    const fcntl = (command: number, flags: number): string => verdict(arch, call.fcntl, [0, command, flags]);
    const [duplicate, setFlags] = [0, 4];
    expect([fcntl(setFlags, append), fcntl(duplicate, noAccessTime)]).toEqual(["allowed", "allowed"]);
    expect(fcntl(setFlags, append | noAccessTime)).toBe("errno 1");
    for (const request of [0x4004_9409, 0x4020_940d, 0xc018_9436])
      expect(verdict(arch, call.ioctl, [0, request])).toBe("errno 95"); // FICLONE, FICLONERANGE, FIDEDUPERANGE
    expect(verdict(arch, call.copyFileRange)).toBe("errno 38");
  });

test("EX9 R108 the profile for macOS denies what it does not name, and the protected names last", () => {
  const request = {
    workspace: "/Users/a/work (1)",
    directory: "/Users/a/work (1)",
    argv: ["/bin/sh"] as const,
    environment: { PATH: "/usr/bin" },
  };
  const state = { state: "/Users/a/.margay", home: "/Users/a/.margay/sandbox/home" };
  const profile = seatbeltProfile({ ...request, argv: ["/bin/sh"] }, state);
  const lines = profile.split("\n");
  expect(lines.slice(0, 2)).toEqual(["(version 1)", "(deny default)"]);
  expect(profile).not.toContain("(allow default)");
  expect(profile).not.toContain("network");
  for (const path of ["/bin", "/sbin", "/usr", "/System"]) expect(profile).toContain(`(subpath "${path}")`);
  const at = (part: string): number => lines.findIndex((line) => line.includes(part));
  expect(at('(allow file-read* file-write* (subpath "/Users/a/work (1)")')).toBeGreaterThan(
    at('(deny file-read* file-write* (subpath "/Users/a/.margay"))'),
  );
  const patterns = [...profile.matchAll(/\(regex #"([^"]+)"\)/g)].map(([, pattern = ""]) => new RegExp(pattern));
  const isDenied = (path: string): boolean => patterns.some((pattern) => pattern.test(`/Users/a/work (1)/${path}`));
  for (const path of [
    "AGENTS.md",
    "skills/x/SKILL.md",
    ".mcp.json",
    "a/.vscode/tasks.json",
    ".git/hooks/x",
    "a/b/.git/config",
    "a/.git/modules/b/config",
    ".git",
    "docs/AGENTS.md",
    "docs/claude.MD",
    "a/.cargo/config.toml",
    "my.code-workspace",
  ])
    expect([path, isDenied(path)]).toEqual([path, true]);
  for (const path of ["a.md", "cargo/config.toml", ".git/index", "a/.github/x", "hooks/x"])
    expect([path, isDenied(path)]).toEqual([path, false]);
  expect(at("deny file-write*")).toBeGreaterThan(at("allow file-read* file-write*"));
  expect(seatbeltProfile({ ...request, argv: ["/bin/sh"], network: { socket: "/s" } }, state)).toContain(
    '(allow network-outbound (literal "/s"))',
  );
});

test("EX11 a folder that went, or became a link, is not handed over, nor what the link leads to", async () => {
  using place = createPlace();
  const elsewhere = join(place.root, "elsewhere");
  fs.mkdirSync(join(elsewhere, "deep"), { recursive: true });
  const before = fs.statSync(join(elsewhere, "deep")).uid;
  fs.symlinkSync(elsewhere, join(place.workspace, "away"));
  const account = await accountFor(place.workspace, { uid: 0, gid: 0 }, place.state);
  if (typeof account === "string") throw new Error(account);
  for (const path of ["away", "away/deep", "gone"]) handOver(place.workspace, join(place.workspace, path), account);
  for (const path of [elsewhere, join(elsewhere, "deep")]) expect(fs.statSync(path).uid).toBe(before);
});

test("EX10 a workspace that is gone when it is asked why it is closed gets the repair of one that nobody can open", () => {
  using place = createPlace();
  expect(closedWorkspace(join(place.root, "gone"))).toMatchObject({
    fault: "workspace-closed",
    remedy: expect.stringMatching(/^choose another one/) as string,
  });
});

test("EX9 a workspace that became a file on the way holds nothing to look after", async () => {
  using place = createPlace();
  const path = join(place.root, "file");
  fs.writeFileSync(path, "");
  expect(await createSurveyor()(path)).toMatchObject({ repositories: [], named: [], links: [], sockets: [] });
});

test("R362 srt runs as an installed command outside the workspace, with our denials in its settings", async () => {
  using place = createPlace();
  fs.writeFileSync(join(place.workspace, ".mcp.json"), "");
  // Says what it was given, and runs the command as it is.
  const searchPath = place.program("srt", `cp "$2" ${place.root}/settings; shift 3; exec sh -c "$1"`);
  const sandbox = place.sandbox({ mode: "srt", user: { uid: 1_000, gid: 1_000 }, searchPath });
  // One that confines nothing does not pass.
  expect(await sandbox.status()).toMatchObject({ kind: "srt", ok: false, fault: "self-test" });
  const settings = JSON.parse(fs.readFileSync(join(place.root, "settings"), "utf8")) as Record<
    string,
    Record<string, readonly string[]>
  >;
  expect(settings["network"]).toEqual({ allowedDomains: [], deniedDomains: [] });
  expect(settings["filesystem"]?.["denyRead"]).toContain(place.state);
  expect(settings["filesystem"]?.["denyWrite"]?.some((path) => path.endsWith("/.mcp.json"))).toBe(true);
});

test("SE11 a command that fills the workspace is noticed, also with files that have no name any more", async () => {
  using place = createPlace();
  const limits = { diskBytes: 30_000_000, newFiles: 1e9, memoryBytes: 1e12 };
  const writer = spawn("sh", ["-c", "exec 9> f; rm f; head -c 60000000 /dev/zero >&9; sleep 100"], {
    cwd: place.workspace,
  });
  const ended = new AbortController();
  const pid = writer.pid ?? 0;
  expect(await watchSpace(place.workspace, limits, () => processTree(pid), ended.signal)).toBe(
    "it wrote more than 30 MB",
  );
  for (const one of processTree(pid).toReversed()) process.kill(one, "SIGKILL");
});

/** A file system in memory. On the disk others remove thousands of files in a moment, beside which a few hundred are not seen. */
const QUIET = "/dev/shm";

/** What the watch says of a program in a workspace of old files, until it has said so itself that it has done its work. */
async function watchedFiles(place: Place, newFiles: number, script: string): Promise<string | undefined> {
  const limits = { diskBytes: 1e12, newFiles, memoryBytes: 1e12 };
  const child = spawn("sh", ["-c", `read go\n${script}\necho done; sleep 100`], { cwd: place.workspace });
  const pid = child.pid ?? 0;
  const ended = new AbortController();
  child.stdout.once("data", () => {
    void systemClock()
      .sleep(500, ended.signal)
      .then(() => ended.abort(new Error("nothing was noticed")));
  });
  const watch = watchSpace(place.workspace, limits, () => processTree(pid), ended.signal);
  await statfs(place.workspace); // asked after the watch has asked the same
  child.stdin.write("go\n");
  const reason = await watch;
  for (const one of processTree(pid).toReversed()) process.kill(one, "SIGKILL");
  return reason;
}

test("SC42 a command that makes too many files is noticed, whatever they are and however old it makes them look", async () => {
  const kinds = [
    "mkdir deep deep/er; for i in $(seq 500); do : > deep/er/$i; done",
    "seq 500 | xargs mkdir",
    `python3 -c 'import os; [os.symlink("nowhere", str(n)) for n in range(500)]'`,
    "mkdir old; cd old; seq 500 | xargs touch -d 2001-01-01; touch -d 2001-01-01 .",
    // No name is left, but they are still there.
    `exec python3 -c '
import tempfile
files = [tempfile.TemporaryFile(dir=".") for _ in range(500)]
print("done", flush=True)
input()'`,
  ];
  for (const script of kinds) {
    using place = createPlace(QUIET);
    expect([script, await watchedFiles(place, 200, script)]).toEqual([script, "it made more than 200 new files"]);
  }
});

test("SC42 files that others make, that were there before, or that get another name are none of its own", async () => {
  using place = createPlace(QUIET);
  fs.mkdirSync(join(place.workspace, "before"));
  for (let n = 0; n < 500; n += 1) fs.writeFileSync(join(place.workspace, `before/${n}`), "");
  fs.mkdirSync(join(place.root, "elsewhere"));
  // The times of files are those of the last tick: what was made this moment may look as if the command had made it.
  const made = Date.now();
  await expect.poll(() => Date.now()).toBeGreaterThan(made + 20);
  const script = `
    for i in $(seq 500); do : > ../elsewhere/$i; done
    chmod 600 before/*; mv before after; mkdir links; ln after/* links
    for i in $(seq 50); do : > $i; done`;
  expect(await watchedFiles(place, 200, script)).toBeUndefined();
});

test("SC42 what others make and remove meanwhile does not hide what a command makes", async () => {
  using place = createPlace(QUIET);
  fs.mkdirSync(join(place.root, "elsewhere"));
  for (let n = 0; n < 1_500; n += 1) fs.writeFileSync(join(place.root, `elsewhere/${n}`), "");
  // So slowly that it is seen in between. What is new elsewhere leads to a look, which finds little of its own.
  const script = `
    rm -r ../elsewhere; sleep 0.3
    mkdir ../elsewhere; for i in $(seq 300); do : > ../elsewhere/$i; done; sleep 0.3
    for i in $(seq 500); do : > $i; done`;
  expect(await watchedFiles(place, 200, script)).toBe("it made more than 200 new files");
});

test("SE11 a workspace that is removed and processes that have ended are nothing to measure: the watch goes on", async () => {
  using place = createPlace();
  const child = spawn("true");
  await once(child, "close");
  const ended = new AbortController();
  let asked = 0;
  const enough = Promise.withResolvers<void>();
  const watch = watchSpace(
    place.workspace,
    { diskBytes: 100_000_000, newFiles: 1e9, memoryBytes: 1e12 },
    () => {
      fs.rmSync(place.workspace, { recursive: true, force: true });
      asked += 1;
      if (asked === 4) enough.resolve(); // for the disk and for the memory, in more than one round
      // Of our own open files one is closed when they are listed: the one they are listed with.
      return [process.pid, ...processTree(child.pid ?? 0)];
    },
    ended.signal,
  );
  await Promise.race([enough.promise, watch]);
  ended.abort(new Error("nobody asks any more"));
  expect(await watch).toBeUndefined();
  expect(fs.existsSync(place.workspace)).toBe(false);
});

test("SE11 a command whose processes take much memory together is noticed; forked pages count once", async () => {
  using place = createPlace();
  const program =
    "import os,time\nx=bytearray(b'1')*50_000_000\nfor i in range(6):\n  if os.fork()==0: time.sleep(100)\ny=bytearray(b'2')*1_400_000_000 if os.environ.get('MORE') else 0\ntime.sleep(100)";
  const watch = async (more: string, signal: AbortSignal): Promise<string | undefined> => {
    const child = spawn("python3", ["-c", program], { env: { PATH: "/usr/bin:/bin", MORE: more } });
    const pid = child.pid ?? 0;
    const reason = await watchSpace(
      place.workspace,
      { diskBytes: 1e12, newFiles: 1e9, memoryBytes: 1_300_000_000 },
      () => processTree(pid),
      signal,
    );
    for (const one of processTree(pid).toReversed()) process.kill(one, "SIGKILL");
    return reason;
  };
  const quiet = new AbortController();
  void systemClock()
    .sleep(1_500, quiet.signal)
    .then(() => quiet.abort(new Error("nothing was noticed")));
  expect(await watch("", quiet.signal)).toBeUndefined();
  expect(await watch("1", new AbortController().signal)).toBe("it took more than 1300 MB of memory");
});

test("EX2 a confined command ends by SIGTERM as it likes, and with the process that watches over it", async () => {
  using place = createPlace();
  const sandbox = place.sandbox();
  const command = await sandbox.wrap(place.request("trap 'echo cleaned; exit 3' TERM; kill -TERM $$; sleep 5"));
  if (typeof command === "string") throw new Error(command);
  expect(await start(command)).toEqual({ output: "cleaned\n", code: 3 });
  (await sandbox.hold(command.lease, 0))[Symbol.dispose]();
});

test("SC27 the configuration of git is made of values, whatever is in them", () => {
  const list = (text: string): readonly string[] =>
    execFileSync("git", ["config", "--file", "-", "--list"], { input: text, encoding: "utf8" }).trimEnd().split("\n");
  const odd = { name: '"\\\n[core]\n\tfsmonitor = evil # ; \u0000', email: " 名@例.com ", branch: "a;b#c" };
  const ssh = /^core\.sshcommand=echo "margay: git over ssh /;
  const lines = list(gitConfig(odd, false)).filter((line) => !ssh.test(line));
  expect(lines).toEqual([
    'user.name="\\ [core]  fsmonitor = evil # ;  ',
    "user.email= 名@例.com ",
    "core.trustctime=false",
    "ssh.variant=ssh",
    "gc.auto=0",
    "init.defaultbranch=a;b#c",
    "safe.directory=*",
  ]);
  expect(list(gitConfig({}, false)).slice(0, 2)).toEqual(["user.name=margay", "user.email=margay@localhost"]);
  expect(list(gitConfig({}, true)).slice(-3)).toEqual([
    "url.http://git.margay/.insteadof=https://",
    "url.http://git.margay/ssh:.insteadof=ssh://git@",
    "url.http://git.margay/scp:.insteadof=git@",
  ]);
});
