// A machine to break: own processes, network, IPC and mounts, a read-only copy of the system, everything else in memory.
import { spawn } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const REPOSITORY = fileURLToPath(new URL("../../../../", import.meta.url));

/**
 * The descriptors 9 and 42 are left open, as a careless program leaves some. The script pivots instead of changing its root, since in a
 * changed root no user namespace can be made. The shell stays: as the first process it buries what nobody waits for, and the dead count
 * towards what a user may run.
 */
const SETUP = String.raw`
set -e
repository=$1 node=$2 root=$3 bind=$4
shift 4
ip link set lo up 2> /dev/null || ifconfig lo up 2> /dev/null || :
mount --make-rprivate /
mount "--$bind" / "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
for place in tmp run root home var/tmp; do [ -d "$root/$place" ] && mount -t tmpfs tmpfs "$root/$place"; done
chmod 1777 "$root/tmp"
mkdir "$root/tmp/repository" "$root/tmp/worlds"
chmod 1777 "$root/tmp/worlds"
mount --bind "$repository" "$root/tmp/repository"
touch "$root/tmp/node"
mount --bind "$node" "$root/tmp/node"
cd "$root"
pivot_root . mnt
umount -l /mnt
cd /
export TMPDIR=/tmp/worlds SHELL_FD=SECRET-FD-$$-$RANDOM
echo "$SHELL_FD" > /tmp/fd
exec 9< /tmp/fd 42< /tmp/fd
"$@"
exit $?
`;

export interface RunnerLine {
  readonly id: string;
  readonly skipped?: string;
  readonly fired?: readonly string[];
  readonly ok?: boolean;
  readonly output?: string;
  readonly seconds?: number;
}

/** @param user Runs as this user instead of root. @returns a line for each case. */
export async function inScratchMachine(args: readonly string[], user?: number): Promise<readonly RunnerLine[]> {
  const as = user === undefined ? [] : ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups"];
  const runner = "/tmp/repository/packages/core/test/security/shell-runner.ts";
  const program = [...as, "/tmp/node", "--conditions=margay-source", runner, ...args];
  const apart = ["--pid", "--net", "--ipc", "--uts", "--mount", "--fork", "--kill-child=SIGKILL"];
  const isRoot = process.getuid?.() === 0;
  // Other users are needed: a victim that is not the one who watches. Everybody has some, by /etc/subuid.
  const mapped = isRoot ? [] : ["--user", "--map-root-user", "--map-auto"];
  // In a user namespace what is mounted in a place cannot be left out of it.
  const bind = isRoot ? "bind" : "rbind";
  const root = fs.mkdtempSync(join(tmpdir(), "margay-scratch-"));
  const child = spawn(
    "unshare",
    [...mapped, ...apart, "bash", "-c", SETUP, "scratch", REPOSITORY, process.execPath, root, bind, ...program],
    {
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", LANG: "C.UTF-8" },
    },
  );
  let output = "";
  let errors = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString("utf8")));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  fs.rmdirSync(root); // mounted over in the other machine only
  if (code !== 0) throw new Error(`the scratch machine failed (${code}): ${errors.slice(-2_000)}`);
  return output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as RunnerLine); // written by shell-runner.ts
}
