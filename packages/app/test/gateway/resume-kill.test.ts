import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callsTool, says, startMockModel } from "@margay/core/testing";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { modelConfig } from "../cli/harness.ts";
import { client, type Client } from "./frames.ts";
import { openPage, type Page } from "./page.ts";

const MAIN = join(import.meta.dirname, "../../src/main.ts");
const HOOK = new URL("../../../core/src/testing/crash-hook.ts", import.meta.url).href;

interface Running {
  readonly url: string;
  readonly token: string;
  readonly process: ChildProcess;
  readonly gone: Promise<unknown>;
}

/** The program itself, ready when it says where it listens. */
async function start(home: string, directory: string, crash?: string): Promise<Running> {
  const note = join(home, "gateway.json");
  rmSync(note, { force: true }); // of the process that was killed
  const child = spawn(
    process.execPath,
    [
      ...(crash === undefined ? [] : ["--import", HOOK]),
      "--conditions=margay-source",
      MAIN,
      "gateway",
      "--port",
      "0",
      "--no-open",
    ],
    {
      env: {
        ...process.env,
        MARGAY_HOME: home,
        HOME: directory,
        NO_COLOR: "1",
        ...(crash !== undefined && { MARGAY_CRASH_AT: crash, MARGAY_CRASH_FILE: "sessions" }),
      },
      stdio: "ignore",
    },
  );
  const gone = once(child, "close");
  await expect.poll(() => existsSync(note), { timeout: 15_000 }).toBe(true);
  const { url, token } = JSON.parse(readFileSync(note, "utf8")) as { url: string; token: string };
  return { url, token, process: child, gone };
}

async function connect({ url, token }: Running, page?: Page): Promise<Client> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws`, { headers: { authorization: `Bearer ${token}` } });
  socket.on("error", () => {}); // killed with its server
  const tab = client(socket);
  if (page !== undefined) socket.on("message", (data: Buffer) => page.take(JSON.parse(data.toString())));
  await once(socket, "open");
  return tab;
}

// Commits of the session: 1 opened, 2 received, 3 frozen and started, 4 requested, 5 responded, 6 judged, 7 tool
// started, 8 tool finished, 9 requested, 10 responded, 11 ended, 12 delivered.
for (const crash of ["after:2", "before:4", "after:5", "torn:8", "after:9", "after:11"])
  test(`R400 R256 killed ${crash} while a page is connected: it goes on with nothing lost and nothing twice`, async (t) => {
    const model = await startMockModel({ rules: "off" });
    t.onTestFinished(() => model.close());
    const directory = realpathSync(mkdtempSync(join(tmpdir(), "margay-killed-")));
    t.onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
    const home = join(directory, "home");
    const workspace = join(directory, "workspace");
    mkdirSync(home, { mode: 0o700 });
    mkdirSync(workspace);
    const config = { ...modelConfig(model.url), workspace, heartbeat: { enabled: false } };
    writeFileSync(join(home, "config.json"), JSON.stringify(config), { mode: 0o600 });
    model.replies(callsTool("list_dir", { path: "." }, { text: "Looking. " }), says("It is empty.", { chunks: 3 }));

    const first = await start(home, directory, crash);
    const tab = await connect(first);
    const message = { type: "message.send", key: "my-message", parts: [{ type: "text", text: "look" }] };
    const created = await fetch(`${first.url}/api/v1/sessions`, {
      method: "POST",
      headers: { authorization: `Bearer ${first.token}`, "content-type": "application/json" },
      body: "{}",
    });
    const { id: session } = (await created.json()) as { id: string };
    const page = openPage(session);
    tab.socket.on("message", (data: Buffer) => page.take(JSON.parse(data.toString())));
    await tab.ask({ type: "subscribe", session, after: 0 });
    tab.send({ id: "m", session, ...message });
    await first.gone;

    const second = await start(home, directory);
    t.onTestFinished(async () => {
      second.process.kill("SIGTERM");
      await second.gone;
    });
    const back = await connect(second, page);
    await back.ask({ type: "subscribe", session, after: page.view.seq });
    // The page did not hear that it was accepted: it sends again, with the same key.
    await back.ask({ session, ...message });
    await expect.poll(() => page.view.items.map(({ kind }) => kind), { timeout: 15_000 }).toContain("turn-end");
    const { items } = (await (
      await fetch(`${second.url}/api/v1/sessions/${session}/messages?limit=200`, {
        headers: { authorization: `Bearer ${second.token}` },
      })
    ).json()) as { items: readonly { kind: string }[] };
    await expect.poll(() => page.view.items).toEqual(items);
    expect(items.filter(({ kind }) => kind === "user")).toHaveLength(1);
    expect(items.filter(({ kind }) => kind === "turn-end")).toHaveLength(1);
  }, 60_000);
