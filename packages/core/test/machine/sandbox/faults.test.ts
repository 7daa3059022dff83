// Each reason for a missing sandbox has its own code and repair, and none of them runs a command.
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { execTool } from "../../../src/builtin/exec/exec.ts";
import type { CallId } from "../../../src/contract/base.ts";
import {
  faultText,
  type Sandbox,
  type SandboxFault,
  type SandboxOptions,
} from "../../../src/machine/sandbox/sandbox.ts";
import { createMachine, textOf } from "../../builtin/machine.ts";
import { createPlace, type Place, SYSTEM_PATH } from "./support.ts";

const USER = { uid: 1_000, gid: 1_000 };

interface Cause {
  readonly fault: SandboxFault;
  readonly name: string;
  /** What the system says it is. */
  readonly options: (place: Place) => Partial<SandboxOptions>;
  readonly reason: RegExp;
  readonly command?: RegExp;
}

/** A bwrap that says what the real one says on such a system. */
const saying = (place: Place, words: string): Partial<SandboxOptions> => ({
  user: USER,
  searchPath: place.program("bwrap", `echo "bwrap: ${words}" >&2; exit 1`),
});

const CAUSES: readonly Cause[] = [
  {
    fault: "off",
    name: "the operator switched it off",
    options: () => ({ mode: "none" }),
    reason: /tools\.exec\.sandbox is none/,
    command: /^margay config set tools\.exec\.sandbox required$/,
  },
  {
    fault: "no-user-namespaces",
    name: "user namespaces are off",
    // The real bwrap, in a namespace whose limit is 0.
    options: (place) => ({
      user: USER,
      searchPath: place.program(
        "bwrap",
        `exec unshare -Ur sh -c 'echo 0 > /proc/sys/user/max_user_namespaces && exec /usr/bin/bwrap "$@"' sh "$@"`,
      ),
    }),
    reason: /no user namespaces/,
    command: /^sudo sysctl -w (user\.max_user_namespaces=\d+|kernel\.unprivileged_userns_clone=1)$/,
  },
  {
    fault: "apparmor",
    name: "AppArmor of Ubuntu 24.04",
    options: (place) => saying(place, "setting up uid map: Permission denied"),
    reason: /AppArmor .*uid map: Permission denied/,
    command: /profile bwrap \/usr\/bin\/bwrap .*userns,.* sudo tee \/etc\/apparmor\.d\/bwrap/,
  },
  {
    fault: "bubblewrap-too-old",
    name: "bubblewrap is too old",
    options: (place) => saying(place, "Unknown option --disable-userns"),
    reason: /too old \(Unknown option --disable-userns\)/,
  },
  {
    fault: "container",
    name: "a container without the right to namespaces",
    options: (place) => saying(place, "Can't mount proc on /newroot/proc: Operation not permitted"),
    reason: /this container may not/,
  },
  {
    fault: "container",
    name: "a container with a right too many",
    options: (place) => saying(place, "Unexpected capabilities but not setuid, old file caps config?"),
    reason: /this container may not/,
  },
  {
    fault: "self-test",
    name: "a sandbox that confines nothing",
    // Takes the options and our shell away and runs the program as it is: a limit of processes would count all of the user's.
    options: (place) => ({
      user: USER,
      searchPath: place.program("bwrap", 'while [ "$1" != -- ]; do shift; done; shift; cd "$5"; shift 5; exec "$@"'),
    }),
    reason: /reached a file outside and a port of this machine and an abstract socket/,
  },
  {
    fault: "self-test",
    name: "a sandbox in which nothing works",
    options: (place) => ({ user: USER, searchPath: place.program("bwrap", "exit 0") }),
    reason: /failed its own test \(no answer\)/,
  },
  {
    fault: "wsl1",
    name: "the first WSL",
    options: () => ({ release: "4.4.0-19041-Microsoft" }),
    reason: /WSL/,
    command: /^wsl --set-version/,
  },
  { fault: "platform", name: "Windows", options: () => ({ platform: "win32" }), reason: /no sandbox for Windows/ },
  { fault: "architecture", name: "an unknown processor", options: () => ({ arch: "riscv64" }), reason: /riscv64/ },
  {
    fault: "no-sandbox-exec",
    name: "macOS without sandbox-exec",
    options: () => ({ platform: "darwin", user: USER }),
    reason: /sandbox-exec is missing/,
  },
  {
    fault: "no-sandbox-exec",
    name: "root on macOS",
    options: () => ({ platform: "darwin", user: { uid: 0, gid: 0 } }),
    reason: /sandbox-exec/,
  },
  {
    fault: "no-srt",
    name: "srt is chosen and not installed",
    options: () => ({ mode: "srt", user: USER }),
    reason: /no srt outside the workspace/,
    command: /^npm install -g @anthropic-ai\/sandbox-runtime$/,
  },
  {
    fault: "no-srt",
    name: "srt as root",
    options: () => ({ mode: "srt", user: { uid: 0, gid: 0 } }),
    reason: /runs as root/,
  },
  {
    fault: "no-srt",
    name: "srt only in the workspace",
    options: (place) => ({
      mode: "srt",
      user: USER,
      searchPath: place.program("srt", "exit 0", join(place.workspace, "bin")),
    }),
    reason: /no srt outside the workspace \(.*workspace\/bin\/srt\)/,
  },
  {
    fault: "workspace",
    name: "root's own home, which cannot be given to another user",
    options: () => ({ workspace: "/root", user: { uid: 0, gid: 0 } }),
    reason: /must stay root's/,
  },
  {
    fault: "workspace",
    name: "a workspace that holds the system",
    options: () => ({ workspace: "/" }),
    reason: /the workspace \/ holds the system/,
  },
];

/** Asked to run a command, the tool says why not, and nothing has happened. */
async function refuses(sandbox: Sandbox, reason: RegExp): Promise<void> {
  using machine = createMachine();
  const tool = execTool({ directory: join(machine.state, "exec"), environment: process.env, sandbox });
  const result = await machine.run(tool, { command: "touch ran" }, { callId: "refused" as CallId });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toMatch(new RegExp(`^Error: .*${reason.source}.*\\. Next: .*[^.]\\.$`));
  expect(fs.readdirSync(machine.workspace)).toEqual([]);
  expect(fs.existsSync(join(machine.state, "exec"))).toBe(false);
}

for (const { fault, name, options, reason, command } of CAUSES)
  test(`R108 EX10 ${fault}: ${name}: exec refuses and names the repair`, async () => {
    using place = createPlace();
    const sandbox = place.sandbox(options(place));
    const status = await sandbox.status();
    expect(status).toMatchObject({ ok: false, fault });
    expect(status.reason).toMatch(reason);
    expect(status.remedy).toMatch(/\w/);
    expect(status.command ?? "").toMatch(command ?? /^/);
    await refuses(sandbox, reason);
  });

test("R108 what the program said is kept beside the reason, and nothing where it said nothing", async () => {
  using place = createPlace();
  const said = await place.sandbox(saying(place, "setting up uid map: Permission denied")).status();
  expect(said.detail).toBe("setting up uid map: Permission denied");
  expect(await place.sandbox({ mode: "none" }).status()).not.toHaveProperty("detail");
});

/** The system's own folders hold a bwrap here: a machine without one is one whose folders are hidden. */
const HIDDEN = { bubblewrap: "no-such-bwrap-anywhere", setpriv: "no-such-setpriv-anywhere" };

test("R108 no-bubblewrap: exec refuses and names the command that installs it", async () => {
  using place = createPlace();
  const sandbox = place.sandbox({ programs: { bwrap: HIDDEN.bubblewrap } });
  expect(await sandbox.status()).toMatchObject({
    ok: false,
    fault: "no-bubblewrap",
    command: expect.stringMatching(/^(sudo )?\S+( \S+)* bubblewrap$/) as string,
  });
  await refuses(sandbox, /bubblewrap \(bwrap\), which confines commands, is not installed/);
});

test("R108 a state directory that takes nothing is a reason like another", async () => {
  using place = createPlace();
  fs.writeFileSync(join(place.state, "sandbox"), "a file where a folder should be");
  const sandbox = place.sandbox();
  expect(await sandbox.status()).toMatchObject({ ok: false, fault: "self-test" });
  await refuses(sandbox, /failed its own test \((?:EEXIST|ENOTDIR)/);
});

test("R108 a fault of which nothing is known leads to margay doctor", () => {
  const status = { kind: "none", ok: false, testedAt: 0 } as const;
  expect(faultText(status)).toBe("there is no sandbox. Next: see `margay doctor`");
  expect(faultText({ ...status, reason: "it is off", remedy: "switch it on" })).toBe("it is off. Next: switch it on");
});

test("EX11 no-setpriv: root's rights are not left to a command", async () => {
  using place = createPlace();
  const sandbox = place.sandbox({ user: { uid: 0, gid: 0 }, programs: { setpriv: HIDDEN.setpriv } });
  expect(await sandbox.status()).toMatchObject({ ok: false, fault: "no-setpriv" });
  await refuses(sandbox, /setpriv/);
});

test("EX10 bubblewrap-in-workspace: the program is never taken from the workspace, nor through a link or a relative PATH", async () => {
  using place = createPlace();
  const bin = place.program("evil-bwrap", `touch ${place.root}/taken`, join(place.workspace, "bin"));
  const away = join(place.root, "away");
  fs.mkdirSync(away);
  fs.symlinkSync(join(bin, "evil-bwrap"), join(away, "evil-bwrap"));
  const sandbox = place.sandbox({
    programs: { bwrap: "evil-bwrap" },
    searchPath: `${bin}:${away}:workspace/bin:.:`,
  });
  expect(await sandbox.status()).toMatchObject({ ok: false, fault: "bubblewrap-in-workspace" });
  await refuses(sandbox, /lies in the workspace/);
  expect(fs.existsSync(join(place.root, "taken"))).toBe(false);
});

test("EX10 a bwrap in the workspace does not stand in the way of the system's", async () => {
  using place = createPlace();
  const bin = place.program("bwrap", `touch ${place.root}/taken`, join(place.workspace, "bin"));
  expect(await place.sandbox({ searchPath: `${bin}:${SYSTEM_PATH}` }).status()).toMatchObject({
    ok: true,
    kind: "bubblewrap",
  });
  expect(fs.existsSync(join(place.root, "taken"))).toBe(false);
});
