// What each part of the confinement gives, seen from inside.
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bubblewrapCommand } from "../../../src/machine/sandbox/bubblewrap.ts";
import { createPlace, runIn, start } from "./support.ts";

test("EX10 EX11 a command has processes, a network, an account and a home of its own, no rights, and can't write beside its places", async () => {
  using place = createPlace();
  const look = [
    "echo pid=$$ home=$HOME user=$(id -u)",
    "echo interfaces=$(tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' ' | tr '\\n' ,)",
    "grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status | tr '\\t' ' '",
    "(touch /made || touch /dev/made || touch /usr/made) 2> /dev/null && echo written",
    "ulimit -c; ulimit -n; ulimit -f; ulimit -u",
    "exit 0",
  ].join("\n");
  const { output } = await runIn(place.sandbox(), place.request(look));
  const [first = "", interfaces, ...rest] = output.trim().split("\n");
  const {
    pid = "",
    home,
    user = "",
  } = /^pid=(?<pid>\d+) home=(?<home>\S+) user=(?<user>\d+)$/.exec(first)?.groups ?? {};
  expect(Number(pid)).toBeLessThan(10);
  expect(home).toBe("/run/home");
  expect(Number(user)).toBeGreaterThan(0);
  expect(interfaces).toBe("interfaces=lo,");
  const [effective, bounding, noNew, filter, ...limits] = rest;
  expect([effective, noNew, filter]).toEqual(["CapEff: 0000000000000000", "NoNewPrivs: 1", "Seccomp: 2"]);
  // Of another account nothing can be taken back: its capabilities are those of a user namespace.
  expect(process.getuid?.() !== 0 || bounding === "CapBnd: 0000000000000000").toBe(true);
  expect(limits.slice(0, 3)).toEqual(["0", "1024", "1048576"]);
  expect(limits.slice(3).map(Number)[0]).toBeLessThan(100_000);
  expect(limits).toHaveLength(4);
});

test.each([0, 1, 4, 20])("EX11 of %i descriptors that margay was started with a command gets none", async (count) => {
  using place = createPlace();
  const sandbox = place.sandbox();
  const secret = join(place.root, "secret");
  fs.writeFileSync(secret, "");
  const look =
    "tr '\\0' '\\n' < /proc/$$/environ | cut -d= -f1 | sort; for one in /proc/$$/fd/*; do readlink $one; done; exit 0";
  const command = await sandbox.wrap(place.request(look));
  if (typeof command === "string") throw new Error(command);
  const fd = fs.openSync(secret, "r");
  try {
    const { output, code } = await start(command, Array<number>(count).fill(fd));
    expect(code).toBe(0);
    const lines = output.split("\n");
    expect(lines.filter((line) => line.startsWith("/") && line !== "/dev/null")).toEqual([]);
    // The shell that closes many leaves nothing of its own behind.
    expect(lines.filter((line) => /^\w+$/.test(line))).toEqual([...Object.keys(command.environment), "PWD"].toSorted());
  } finally {
    fs.closeSync(fd);
    (await sandbox.hold(command.lease, 0))[Symbol.dispose]();
  }
});

test("EX11 an account of root's choice is dropped to for good; any other can make no user namespace; neither writes beside its places", () => {
  const files = { filter: "/s/f", passwd: "/s/p", group: "/s/g", hosts: "/s/h", git: "/s/c", gitDoor: "/s/d" };
  const argumentsFor = (uid: number, dropped: boolean): string =>
    bubblewrapCommand({ workspace: "/srv/w", directory: "/srv/w", argv: ["true"], environment: {} }, [], {
      bwrap: "/usr/bin/bwrap",
      setpriv: "/usr/bin/setpriv",
      account: { uid, gid: uid, dropped },
      state: "/s",
      hasGnuEnv: false,
      files,
      node: "/n",
    }).argv.join(" ");
  const [roots, anothers] = [argumentsFor(60_978, true), argumentsFor(1_000, false)];
  expect(roots).toContain("-- /usr/bin/setpriv --reuid=60978 --regid=60978 --clear-groups --bounding-set=-all");
  expect(anothers).toContain("--unshare-user --disable-userns");
  for (const given of [roots, anothers]) expect(given).toContain("--remount-ro /dev --remount-ro / ");
});
