// Debian's Firefox, driven by its own remote protocol (Marionette): playwright-core drives only builds of its makers. The part of a
// browser around a page, where notices stand, is reached too (`--remote-allow-system-access`).
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { Owner } from "../gateway/support.ts";

/** Debian's, or the one that `FIREFOX_PATH` names. */
const FIREFOX = process.env["FIREFOX_PATH"] ?? "/usr/bin/firefox-esr";

export interface Firefox {
  /** Opens an address in the tab that is driven. */
  go(address: string): Promise<void>;
  /** Runs in the page; `return` gives what JSON can say. */
  inPage<Value>(script: string): Promise<Value>;
  /** Runs in the browser around it, with all its rights. */
  around<Value>(script: string): Promise<Value>;
  /** As a person clicks: waits until it is there. */
  click(selector: string): Promise<void>;
  /** Leaves one empty tab, and drives that. */
  closePages(): Promise<void>;
  /** Drives the tab that opened by itself. */
  newTab(): Promise<void>;
  /** What notices on the screen say, one text for each. */
  notices(): Promise<readonly string[]>;
  tapNotice(): Promise<void>;
}

/** @param push address of its push service. */
export async function startFirefox(t: Owner, push: string): Promise<Firefox> {
  const profile = mkdtempSync(join(tmpdir(), "margay-firefox-"));
  const lines = Object.entries({ ...PREFERENCES, "dom.push.serverURL": push });
  const own = lines.map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`);
  writeFileSync(join(profile, "user.js"), own.join(""));
  const args = ["--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile", profile];
  const { PATH } = process.env;
  const env = { PATH, HOME: profile, LANG: "C.UTF-8", TMPDIR: profile };
  const child = spawn(FIREFOX, [...args, "about:blank"], { stdio: "ignore", env, detached: true });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()).once("error", () => resolve()));
  t.onTestFinished(async () => {
    endAll(child);
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });
  const file = join(profile, "MarionetteActivePort");
  const port = (): number => (existsSync(file) ? Number(readFileSync(file, "utf8")) : 0);
  await expect.poll(port, { interval: 50 }).toBeGreaterThan(0);
  const send = await marionette(port());
  await send("WebDriver:NewSession", {});
  await send("WebDriver:SetTimeouts", { script: 30_000, implicit: 30_000 });
  return driver(send);
}

/** Nothing but this machine is reached: what is elsewhere goes to a proxy that nobody is. */
const PREFERENCES: Readonly<Record<string, string | number | boolean>> = {
  "marionette.port": 0, // any: it writes which
  "remote.prefs.recommended": false, // they switch Web Push off
  "dom.push.testing.allowInsecureServerURL": true,
  "permissions.default.desktop-notification": 1,
  "alerts.useSystemBackend": false, // a notice is a window of its own, with or without a desktop
  "network.proxy.type": 1,
  "network.proxy.socks": "127.0.0.1",
  "network.proxy.socks_port": 9,
  "browser.shell.checkDefaultBrowser": false,
  "browser.startup.page": 0,
  "browser.aboutwelcome.enabled": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "toolkit.telemetry.enabled": false,
};

/** With the processes of its pages. */
function endAll({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // it ended by itself
  }
}

type Send = (name: string, parameters: object) => Promise<unknown>;

/** Frames are `LENGTH:JSON`; a command is `[0, id, name, parameters]`, its answer `[1, id, error, result]`. */
async function marionette(port: number): Promise<Send> {
  const socket = connect(port, "127.0.0.1");
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const greeted = Promise.withResolvers<void>();
  const lost = (error: Error): void => {
    greeted.reject(error);
    for (const one of waiting.values()) one.reject(error);
  };
  socket.on("error", lost).on("close", () => lost(new Error("Firefox has ended")));
  frames(socket, (frame) => {
    if (!Array.isArray(frame)) return greeted.resolve();
    const [, id, error, result] = frame as [number, number, { readonly message: string } | null, unknown];
    const one = waiting.get(id);
    waiting.delete(id);
    if (error === null) one?.resolve(result);
    else one?.reject(new Error(error.message));
  });
  await greeted.promise;
  let last = 0;
  return (name, parameters) => {
    const text = JSON.stringify([0, (last += 1), name, parameters]);
    const answer = Promise.withResolvers<unknown>();
    waiting.set(last, answer);
    socket.write(`${Buffer.byteLength(text)}:${text}`);
    return answer.promise;
  };
}

function frames(socket: Socket, take: (frame: unknown) => void): void {
  let bytes = Buffer.alloc(0);
  socket.on("data", (part: Buffer) => {
    bytes = Buffer.concat([bytes, part]);
    for (;;) {
      const colon = bytes.indexOf(":");
      const end = colon + 1 + Number(bytes.subarray(0, Math.max(colon, 0)).toString());
      if (colon < 0 || bytes.length < end) return;
      take(JSON.parse(bytes.subarray(colon + 1, end).toString()));
      bytes = bytes.subarray(end);
    }
  });
}

function driver(send: Send): Firefox {
  const run = async <Value>(script: string): Promise<Value> => {
    const body = `const done = arguments[arguments.length - 1];
      (async () => { ${script} })().then((value) => done({ value }), (error) => done({ error: String(error) }));`;
    const answer = (await send("WebDriver:ExecuteAsyncScript", { script: body, args: [] })) as {
      readonly value: { readonly value: Value; readonly error?: string };
    };
    if (answer.value.error !== undefined) throw new Error(answer.value.error);
    return answer.value.value;
  };
  const around = async <Value>(script: string): Promise<Value> => {
    await send("Marionette:SetContext", { value: "chrome" });
    try {
      return await run<Value>(script);
    } finally {
      await send("Marionette:SetContext", { value: "content" });
    }
  };
  const tabs = async (): Promise<readonly string[]> =>
    (await send("WebDriver:GetWindowHandles", {})) as readonly string[];
  const drive = (handle: string | undefined): Promise<unknown> => send("WebDriver:SwitchToWindow", { handle });
  return {
    go: async (url) => void (await send("WebDriver:Navigate", { url })),
    inPage: run,
    around,
    click: async (selector) => {
      const found = await send("WebDriver:FindElement", { using: "css selector", value: selector });
      const [id] = Object.values((found as { readonly value: Readonly<Record<string, string>> }).value);
      await send("WebDriver:ElementClick", { id });
    },
    closePages: async () => {
      const before = await tabs();
      const { handle } = (await send("WebDriver:NewWindow", { type: "tab" })) as { readonly handle: string };
      for (const one of before) {
        await drive(one);
        await send("WebDriver:CloseWindow", {});
      }
      await drive(handle);
    },
    newTab: async () => {
      await expect.poll(tabs, { interval: 50 }).toHaveLength(2);
      await drive((await tabs()).at(-1));
    },
    notices: () =>
      around(`return ${ALERTS}.map((alert) =>
        ["alertTitleLabel", "alertTextLabel"].map((id) => alert.document.getElementById(id))
          .map((label) => label.getAttribute("value") || label.textContent).join(": "))`),
    tapNotice: async () => void (await around(`${ALERTS}[0].document.getElementById("alertBox").click()`)),
  };
}

/** Windows of notices: Firefox draws them itself where no desktop does. */
const ALERTS = `[...Services.wm.getEnumerator("alert:alert")].filter(({ document }) => document.readyState === "complete")`;
