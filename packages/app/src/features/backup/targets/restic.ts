/**
 * A repository of restic, by the program of this machine: whatever restic reaches (SFTP, rest-server, B2, Azure, rclone) keeps a
 * backup. Each file of the backup is one snapshot there with the tag `margay`; restic 0.14 or newer. Source: restic's manual.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RuntimeError } from "@margay/core";
import { FOLDERS, NAME } from "../store/target.ts";
import { LOCK_FILE, type Remote } from "./remote-lock.ts";
import { failed, type ServerOptions } from "./server.ts";

export interface ResticOptions extends ServerOptions {
  /** What its own back ends need: keys of clouds, an agent of SSH. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A file of the backup, as a snapshot of restic. */
interface Kept {
  readonly id: string;
  readonly bytes: number;
  readonly time: string;
}

interface Ran {
  readonly code: number | null;
  readonly out: Buffer;
  readonly err: string;
}

const TAG = "margay";
const SAID_CHARS = 500;
/** What 0.14 says, and the exit code of 0.17 and newer. */
const NONE = /unable to open config file|does not exist/i;
const NONE_CODE = 10;

/** @param options Its name is `restic:REPOSITORY`, as `restic -r` takes it. @throws RuntimeError `usage.wrong`. */
export function resticTarget(options: ResticOptions): Remote {
  const { name, login } = options;
  const repository = name.slice("restic:".length);
  const { password } = login;
  if (repository === "" || password === undefined)
    throw new RuntimeError(
      "usage.wrong",
      "A repository of restic needs its password: set backup.password, or give --password-file. It is not the passphrase of the backup.",
    );
  const run = (words: readonly string[], input?: Uint8Array): Promise<Ran> =>
    restic(options, { repository, password }, words, input);
  const must = async (words: readonly string[], input?: Uint8Array): Promise<Buffer> => {
    const { code, out, err } = await run(words, input);
    if (code === 0) return out;
    throw failed(name, err.trim().slice(-SAID_CHARS));
  };
  let known: Map<string, readonly Kept[]> | undefined;
  /** By path, the newest last. A repository that is not there yet holds none. */
  const look = async (): Promise<Map<string, readonly Kept[]>> => {
    const { code, out, err } = await run(["snapshots", "--json", "--no-lock", "--tag", TAG]);
    if (code !== 0 && code !== NONE_CODE && !NONE.test(err)) throw failed(name, err.trim().slice(-SAID_CHARS));
    return code === 0 ? keptIn(out) : new Map();
  };
  const all = async (): Promise<Map<string, readonly Kept[]>> => (known ??= await look());
  const forget = async (ids: readonly string[]): Promise<void> => {
    if (ids.length > 0) await must(["forget", ...ids]);
  };
  return {
    name,
    list: async (folder) =>
      [...(await all())]
        .flatMap(([path, [kept]]) => {
          const [below = "", file = ""] = path.split("/");
          return below === folder && NAME.test(file) && kept !== undefined ? [{ name: file, bytes: kept.bytes }] : [];
        })
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    read: async (path) => {
      if (path === LOCK_FILE) known = undefined; // others write it too
      const kept = (await all()).get(path)?.at(-1);
      return kept && must(["dump", "--no-lock", kept.id, `/${fileOf(path)}`]);
    },
    write: async (path, bytes) => {
      const before = (await all()).get(path) ?? [];
      if (known?.size === 0 && (await run(["cat", "config", "--no-lock"])).code !== 0) await must(["init"]);
      const tags = ["--tag", `${TAG},path=${path},bytes=${bytes.length}`, "--host", TAG];
      const out = await must(["backup", "--json", "--stdin", "--stdin-filename", fileOf(path), ...tags], bytes);
      const id = /"snapshot_id":"([0-9a-f]+)"/.exec(out.toString("utf8"))?.[1];
      if (id === undefined) throw failed(name, "restic named no snapshot");
      known?.set(path, [{ id, bytes: bytes.length, time: "" }]);
      await forget(before.map((one) => one.id));
    },
    remove: async (path) => {
      await forget((await all()).get(path)?.map(({ id }) => id) ?? []);
      known?.delete(path);
    },
    // A snapshot of restic is there as a whole or not at all; what a killed one leaves are its own locks.
    removeUnfinished: async () => {
      if ((await all()).size > 0) await must(["unlock"]);
    },
    tidy: async () => void (await must(["prune"])),
  };
}

function fileOf(path: string): string {
  return path.replace("/", "-");
}

function keptIn(out: Buffer): Map<string, readonly Kept[]> {
  const found = new Map<string, readonly Kept[]>();
  const items = (JSON.parse(out.toString("utf8")) ?? []) as readonly Item[]; // of restic, with --json
  for (const { id, time, tags = [] } of items) {
    const value = (key: string): string => tags.find((tag) => tag.startsWith(`${key}=`))?.slice(key.length + 1) ?? "";
    const path = value("path");
    const [folder, file] = path.split("/");
    if (file !== undefined && !FOLDERS.some((one) => one === folder)) continue;
    const kept = { id, time, bytes: Number(value("bytes")) };
    found.set(
      path,
      [...(found.get(path) ?? []), kept].toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time)),
    );
  }
  return found;
}

interface Item {
  readonly id: string;
  readonly time: string;
  readonly tags?: readonly string[];
}

/** Its password and the address, which may hold one, go by files without a name: not by arguments, which others can read. */
async function restic(
  { env, signal, name }: ResticOptions,
  { repository, password }: { readonly repository: string; readonly password: string },
  words: readonly string[],
  input: Uint8Array | undefined,
): Promise<Ran> {
  const files = [password, repository].map(nameless);
  const options = ["--quiet", "--password-file", "/dev/fd/3", "--repository-file", "/dev/fd/4"];
  try {
    const child = spawn("restic", [...options, ...words], {
      stdio: ["pipe", "pipe", "pipe", ...files],
      env,
      signal,
      killSignal: "SIGINT", // it takes its lock away then
    });
    const out: Buffer[] = [];
    let err = "";
    child.stdout?.on("data", (part: Buffer) => out.push(part));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (err = (err + text).slice(-SAID_CHARS)));
    child.stdin?.on("error", () => {}); // it ended before it had read all: its exit code says why
    child.stdin?.end(input);
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    return { code, out: Buffer.concat(out), err };
  } catch (error) {
    signal.throwIfAborted();
    throw failed(
      name,
      error instanceof Error && "code" in error && error.code === "ENOENT" ? "restic is not installed" : String(error),
    );
  } finally {
    for (const file of files) closeSync(file);
  }
}

function nameless(text: string): number {
  const path = join(tmpdir(), `margay-${randomBytes(12).toString("hex")}`);
  writeFileSync(path, text, { mode: 0o600, flag: "wx" });
  try {
    return openSync(path, "r");
  } finally {
    rmSync(path);
  }
}
