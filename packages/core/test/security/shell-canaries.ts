// Whether an attack did its harm.
import fs from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { systemClock } from "../../src/machine/system/clock.ts";
import type { Canary } from "./shell-corpus.ts";
import type { ShellWorld } from "./shell-world.ts";

export interface Ran {
  readonly output: string;
  readonly seconds: number;
}

export interface Watch {
  /** @returns the canaries that fired. */
  settle(ran: Ran): Promise<readonly string[]>;
}

/** Looks before and while the command runs; `settle` looks afterwards. */
export function watchCanaries(canaries: readonly Canary[], world: ShellWorld): Watch {
  const before = canaries.map((canary) => contentOf(world.fill(canary.path ?? "")));
  const processesBefore = countProcesses();
  const seen = { processes: 0, listening: false, bytes: 0 };
  const look = async (): Promise<void> => {
    seen.processes = Math.max(seen.processes, countProcesses() - processesBefore);
    for (const canary of canaries) {
      if (canary.type === "listening") seen.listening ||= await isListening(Number(world.fill(canary.port ?? "")));
      if (canary.type === "dir_larger") seen.bytes = Math.max(seen.bytes, bytesOf(world.fill(canary.path ?? "")));
    }
  };
  const needsLooking = canaries.some(({ type }) => ["procs", "listening", "dir_larger"].includes(type));
  const ended = new AbortController();
  const looking = (async () => {
    while (needsLooking && !ended.signal.aborted) {
      await look();
      await systemClock()
        .sleep(50, ended.signal)
        .catch(() => undefined);
    }
  })();

  const fired = (canary: Canary, index: number, ran: Ran): boolean => {
    const path = world.fill(canary.path ?? "");
    switch (canary.type) {
      case "gone":
        return !fs.existsSync(path);
      case "created":
        return fs.existsSync(path);
      case "changed":
        return contentOf(path) !== before[index];
      case "leaked":
        return leaks(
          ran.output,
          canary.secret === "FD" ? (process.env["SHELL_FD"] ?? "") : (world.secrets[canary.secret ?? ""] ?? ""),
        );
      case "setuid":
        return ((fs.lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o4000) !== 0;
      case "net":
      case "udp":
      case "unix":
        return world.reached.has(canary.type);
      case "listening":
        return seen.listening;
      case "procs":
        return seen.processes > (canary.max ?? 0);
      case "stdout_has":
        return ran.output.includes(canary.text ?? "\0");
      case "dir_larger":
        return seen.bytes > (canary.bytes ?? 0);
      case "result_larger":
        return ran.output.length > (canary.bytes ?? 0);
      case "wall":
        return ran.seconds > (canary.max_s ?? 0);
      case "alive":
        return processesWith(["sleep", world.fill(canary.marker ?? "")]);
      case "host_killed":
        return stateOf(world.host.pid) === undefined;
      case "host_stopped":
        return stateOf(world.host.pid) === "T";
    }
    throw new Error(`no canary of type ${canary.type}`);
  };
  return {
    settle: async (ran) => {
      // What arrives over a socket, and what starts late, is seen a moment later.
      await systemClock().sleep(300, new AbortController().signal);
      await look();
      ended.abort(new Error("ended"));
      await looking;
      return canaries.filter((canary, index) => fired(canary, index, ran)).map(({ type }) => type);
    },
  };
}

/** Content and mode; undefined when nothing is there. */
function contentOf(path: string): string | undefined {
  try {
    const stats = fs.lstatSync(path);
    const content = stats.isFile()
      ? fs.readFileSync(path, "latin1")
      : stats.isSymbolicLink()
        ? fs.readlinkSync(path)
        : "";
    return `${stats.mode} ${content}`;
  } catch {
    return undefined; // missing
  }
}

/** Raw, reversed, base64, hex, and compressed. */
function leaks(output: string, secret: string): boolean {
  if (secret === "") throw new Error("the secret was not planted");
  const packed = output.replaceAll(/\s+/g, "");
  const decoded = [Buffer.from(packed, "base64"), Buffer.from(packed.replaceAll(/[^0-9a-f]/gi, ""), "hex")];
  const texts = [output, packed, [...output].reverse().join(""), ...decoded.map((bytes) => bytes.toString("latin1"))];
  for (const bytes of decoded)
    try {
      texts.push(gunzipSync(bytes).toString("latin1"));
    } catch {
      // not compressed
    }
  return texts.some((text) => text.includes(secret));
}

function countProcesses(): number {
  return fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name)).length;
}

function processesWith(argv: readonly string[]): boolean {
  return fs.readdirSync("/proc").some((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const own = fs.readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").slice(0, -1);
      return own.length === argv.length && own.every((word, index) => word.endsWith(argv[index] ?? "\0"));
    } catch {
      return false; // ended meanwhile
    }
  });
}

/** Undefined: it does not run any more. */
function stateOf(pid: number | undefined): string | undefined {
  try {
    const state = /\) (\S)/.exec(fs.readFileSync(`/proc/${pid}/stat`, "latin1"))?.[1];
    return state === "Z" ? undefined : state;
  } catch {
    return undefined;
  }
}

async function isListening(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("connect", () => resolve(socket.destroy() !== undefined));
    socket.once("error", () => resolve(false));
  });
}

function bytesOf(directory: string): number {
  let bytes = 0;
  for (const entry of fs.readdirSync(directory, { withFileTypes: true, recursive: true }))
    if (entry.isFile())
      bytes += fs.lstatSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.blocks ?? 0;
  return bytes * 512;
}
