// Real servers that a backup goes to, and a line to them that breaks when it is told to.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer, connect, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export interface Served {
  readonly name: string;
  readonly user?: string;
  readonly password: string;
  /** What it keeps, on this machine. */
  readonly folder: string;
  /** Begins an upload that is never finished. */
  broken?(run: (signal: AbortSignal) => Promise<unknown>): Promise<void>;
  /** The next upload breaks off once. */
  flaky?(): void;
}

function folderOf(what: string): string {
  const folder = mkdtempSync(join(tmpdir(), `margay-${what}-`));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** @returns what `pattern` finds in what it says. */
async function started(command: string, args: readonly string[], pattern: RegExp): Promise<string> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(async () => {
    const gone = once(child, "close");
    if (child.kill("SIGKILL")) await gone;
  });
  return new Promise((resolve, reject) => {
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        const found = pattern.exec((said += text));
        if (found !== null) resolve(found[1] ?? "");
      });
    child.once("error", reject);
    child.once("close", () => reject(new Error(said)));
  });
}

/** Bytes of one connection that count as an upload that is under way. */
const UNDER_WAY = 300_000;

interface Line {
  readonly port: number;
  /** The next upload is cut, or held: resolves then. */
  next(what: "cut" | "hold"): Promise<void>;
}

/** To the server, through a port of its own. */
async function line(port: number): Promise<Line> {
  let mode: "through" | "cut" | "hold" = "through";
  let reached = (): void => {};
  const server = createServer((socket) => {
    const out = connect(port, "127.0.0.1");
    let bytes = 0;
    socket.on("data", (part: Buffer) => {
      bytes += part.length;
      if (mode === "through" || bytes < UNDER_WAY) return void out.write(part);
      if (mode === "cut") {
        mode = "through";
        socket.destroy();
        out.destroy();
      }
      return reached();
    });
    out.on("data", (part: Buffer) => void socket.write(part));
    for (const [one, other] of [
      [socket, out],
      [out, socket],
    ] as const)
      one.on("error", () => other.destroy()).on("close", () => other.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return {
    port: (server.address() as AddressInfo).port, // of a TCP server
    next: async (what) => {
      mode = what;
      await new Promise<void>((resolve) => (reached = resolve));
      mode = "through";
    },
  };
}

function brokenBy({ next }: Line): NonNullable<Served["broken"]> {
  return async (run) => {
    const abort = new AbortController();
    const held = next("hold");
    const running = run(abort.signal);
    await held;
    abort.abort();
    await running;
  };
}

export async function webdavServer(): Promise<Served> {
  const folder = folderOf("webdav");
  const args = ["serve", "webdav", folder, "--addr", "127.0.0.1:0", "--user", "ann", "--pass", "of the server"];
  const port = await started("rclone", args, /http:\/\/127\.0\.0\.1:(\d+)/);
  const through = await line(Number(port));
  return {
    name: `webdav://127.0.0.1:${through.port}/backups/margay`,
    user: "ann",
    password: "of the server",
    folder,
    broken: brokenBy(through),
    flaky: () => void through.next("cut"),
  };
}

/** It checks signatures; its one pair of keys is known. */
export async function s3Server(): Promise<Served> {
  const directory = folderOf("s3");
  const options = {
    port: 0,
    address: "127.0.0.1",
    silent: true,
    directory,
    configureBuckets: [{ name: "kept" }],
  };
  const path = createRequire(import.meta.url).resolve("s3rver");
  const script = `new (require(${JSON.stringify(path)}))(${JSON.stringify(options)}).run().then(({ port }) => console.log("port " + port));`;
  const port = await started(process.execPath, ["--no-deprecation", "-e", script], /port (\d+)/);
  const through = await line(Number(port));
  const packs = (): readonly string[] =>
    readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((path) => path.includes("/packs/"));
  return {
    name: `s3://kept/homes/one?endpoint=http://127.0.0.1:${through.port}`,
    user: "S3RVER",
    password: "S3RVER",
    folder: directory,
    // Amazon's keeps nothing of an upload that broke off, as its reference says of PutObject; this one keeps the part.
    broken: async (run) => {
      const before = new Set(packs());
      await brokenBy(through)(run);
      for (const path of packs()) if (!before.has(path)) rmSync(join(directory, path));
    },
    flaky: () => void through.next("cut"),
  };
}

export function resticRepository(password = "of the repository"): Promise<Served> {
  const folder = folderOf("restic");
  return Promise.resolve({ name: `restic:${join(folder, "repository")}`, password, folder });
}

export function makeFolder(path: string): string {
  mkdirSync(path, { recursive: true });
  return path;
}
