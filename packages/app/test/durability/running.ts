/** The built program as a process of its own, in a state directory of a test: a gateway, or one command. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { Margay } from "../cli/harness.ts";

const BIN = join(import.meta.dirname, "../../bin/margay.js");

export interface Running {
  readonly pid: number;
  readonly out: () => string;
  readonly err: () => string;
  readonly ended: Promise<number | NodeJS.Signals | null>;
  kill(signal: NodeJS.Signals): void;
}

export interface Gateway extends Running {
  readonly url: string;
  api(path: string, body?: object): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
  ready(): Promise<boolean>;
}

/** @param given `by`: a program that starts it. */
export function start(
  { home, directory }: Pick<Margay, "home" | "directory">,
  given: { readonly by?: readonly string[] },
  ...argv: readonly string[]
): Running {
  const [program = "", ...words] = [...(given.by ?? []), process.execPath, BIN, ...argv];
  const child = spawn(program, words, {
    env: { PATH: process.env["PATH"], HOME: directory, MARGAY_HOME: home, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  const ended = once(child, "close").then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals | null); // what "close" gives
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { pid: child.pid ?? 0, out: () => out, err: () => err, ended, kill: (signal) => void child.kill(signal) };
}

/** @param by a program that starts it. */
export async function startGateway(
  made: Pick<Margay, "home" | "directory">,
  by: readonly string[] = [],
): Promise<Gateway> {
  const note = join(made.home, "gateway.json");
  rmSync(note, { force: true }); // of the process before
  const running = start(made, { by }, "gateway", "--port", "0", "--no-open");
  const noted = (): { readonly url: string; readonly token: string } | undefined => {
    try {
      return JSON.parse(readFileSync(note, "utf8")) as { url: string; token: string }; // written by the gateway
    } catch {
      return undefined; // not yet
    }
  };
  await expect.poll(noted, { timeout: 60_000, interval: 40 }).toBeDefined();
  const { url = "", token = "" } = noted() ?? {};
  const ready = async (): Promise<boolean> => (await fetch(`${url}/ready`)).status === 200;
  await expect.poll(ready, { timeout: 60_000, interval: 40 }).toBe(true);
  return {
    ...running,
    url,
    ready,
    api: async (path, body) => {
      const response = await fetch(`${url}/api/v1${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          "idempotency-key": crypto.randomUUID(),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
  };
}

/** No file of the process grows from here on, as on a full disk. */
export function fillDisk(pid: number): void {
  execFileSync("prlimit", ["--pid", String(pid), "--fsize=0:unlimited"]);
}

export function freeDisk(pid: number): void {
  execFileSync("prlimit", ["--pid", String(pid), "--fsize=unlimited:unlimited"]);
}
