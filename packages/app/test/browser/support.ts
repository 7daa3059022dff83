// A person's browser in front of a real gateway: fails on console errors, CSP violations, and requests to other hosts.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect } from "vitest";
import type { JsonObject } from "@margay/core";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { startGateway, type GatewayPlaceOptions, type Owner, type TestGateway } from "../gateway/support.ts";

export interface BrowserOptions extends GatewayPlaceOptions {
  readonly theme?: "light" | "dark";
  readonly language?: "en" | "zh-CN";
  /** 390 × 844 with touch instead of 1,280 × 800. */
  readonly phone?: boolean;
  /** Where people reach it from elsewhere, as `gateway.publicUrl` says: plain HTTP on this name. */
  readonly name?: string;
  /** Names that lead elsewhere in this browser: `MAP evil.test 127.0.0.1`. */
  readonly hostRules?: string;
  /** Nobody has come in: `page` is blank. */
  readonly outside?: boolean;
  /** It beeps once a second, and the browser gives it without a question; `refused`: there is one, and the answer is no. */
  readonly microphone?: "beeps" | "refused";
  /** The whole browser: a sandboxed frame has a process of its own there, as it has for people, and pages are installed. */
  readonly whole?: true;
  /** Console errors that the test is about, by a part of their text. */
  readonly expected?: readonly string[];
}

export interface BrowserPlace {
  readonly gateway: TestGateway;
  /** What stands before the path in the address bar. */
  readonly origin: string;
  readonly browser: Browser;
  readonly context: BrowserContext;
  /** Logged in, with an empty chat; without a model in the wizard. */
  readonly page: Page;
  /** What went wrong on any page so far. */
  readonly faults: readonly string[];
  /** Ends a test: nothing went wrong on any page, and axe finds nothing against WCAG 2.2 AA on this one. */
  isClean(page?: Page): Promise<void>;
  /** A fresh link of the terminal. */
  loginLink(): string;
  /** Another tab of the same browser. */
  tab(address?: string): Promise<Page>;
}

/** Debian's, or the one that `CHROMIUM_PATH` names. */
export const CHROMIUM: string = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";

/** The same without tab strip, prompts and a process for the screen: a third of the work. What it lacks is asked of the whole one. */
const SHELL = existsSync(`${CHROMIUM}-headless-shell`) ? `${CHROMIUM}-headless-shell` : CHROMIUM;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export async function openBrowser(t: Owner, options: BrowserOptions = {}): Promise<BrowserPlace> {
  const { theme = "light", language = "en", phone = false, expected = [], name, outside = false } = options;
  const gateway = await startGateway(
    t,
    name === undefined ? options : { ...options, config: reachedBy(name, options) },
  );
  const origin = name === undefined ? gateway.url : `http://${name}`;
  const rules = name === undefined ? options.hostRules : `MAP ${name}:80 127.0.0.1:${gateway.port}`;
  const args = ["--no-sandbox", ...(rules === undefined ? [] : [`--host-resolver-rules=${rules}`])];
  if (options.microphone !== undefined) args.push("--use-fake-device-for-media-stream");
  if (options.microphone === "beeps") args.push("--use-fake-ui-for-media-stream");
  // What only one test asks for has a browser of its own.
  const isWhole = options.whole === true || options.microphone !== undefined; // the shell asks nobody for a microphone
  const program = isWhole ? CHROMIUM : SHELL;
  const browser = rules === undefined ? await sharedBrowser(program, args) : await launch(program, args);
  const context = await browser.newContext({
    viewport: phone ? { width: 390, height: 844 } : { width: 1280, height: 800 },
    ...(phone && { isMobile: true, hasTouch: true }),
    colorScheme: theme,
    locale: language,
    permissions: options.microphone === "beeps" ? ["microphone"] : [],
  });
  context.setDefaultTimeout(60_000); // of each wait for the page
  const faults: string[] = [];
  const note = (fault: string): void => {
    // The header is for who comes by https or loopback; on plain HTTP from elsewhere chromium says that it has no effect.
    const isIgnored = name !== undefined && fault.includes("Cross-Origin-Opener-Policy header has been ignored");
    if (!isIgnored && !expected.some((part) => fault.includes(part))) faults.push(fault);
  };
  context.on("console", (message) => {
    if (message.type() === "error") note(`console: ${message.text()}`);
  });
  context.on("weberror", (report) => {
    const thrown = report.error();
    note(`uncaught: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`);
  });
  context.on("request", (request) => {
    const url = request.url();
    if (/^(https?|wss?):/.test(url) && new URL(url).host !== new URL(origin).host) note(`foreign request: ${url}`);
  });
  t.onTestFinished(async () => {
    if (rules !== undefined) await browser.close();
    else await Promise.all(browser.contexts().map((each) => each.close()));
  });
  const loginLink = (): string => `${origin}/#login=${gateway.gateway.auth.codes.mint("login").code}`;
  const page = await context.newPage();
  if (!outside) {
    await page.goto(loginLink());
    await page.locator("#composer, .welcome").first().waitFor();
  }
  return {
    gateway,
    origin,
    browser,
    context,
    page,
    faults,
    isClean: async (on = page) => {
      expect(faults).toEqual([]);
      expect(await violations(on)).toEqual([]);
    },
    loginLink,
    tab: async (address = "/") => {
      const other = await context.newPage();
      await other.goto(origin + address);
      await other.locator("#composer").waitFor();
      return other;
    },
  };
}

function launch(program: string, args: readonly string[]): Promise<Browser> {
  return chromium.launch({ executablePath: program, args: [...args] });
}

const browsers = new Map<string, Promise<Browser>>();

/**
 * One process of chromium for all tests of a worker that start it with the same arguments: a second to start it is a third of a
 * test. What a person has, cookies, storage, caches, service workers, belongs to a context, and each test has its own. Ends with
 * the worker.
 */
async function sharedBrowser(program: string, args: readonly string[]): Promise<Browser> {
  const key = [program, ...args].join(" ");
  const kept = await browsers.get(key)?.catch(() => undefined);
  if (kept?.isConnected() === true) return kept;
  const started = launch(program, args);
  browsers.set(key, started);
  return started;
}

/** Bound to all addresses without TLS, as in a network at home. */
function reachedBy(name: string, { config }: BrowserOptions): (modelUrl: string) => JsonObject {
  const gateway = { host: "0.0.0.0", allowPlainHttp: true, publicUrl: `http://${name}` };
  return (modelUrl) => {
    const given = (typeof config === "function" ? config(modelUrl) : config) ?? {};
    return { ...given, gateway: { ...gateway, ...(given["gateway"] as JsonObject | undefined) } };
  };
}

/** `rule: selector`, for each element that breaks a rule. */
export async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(options: object): Promise<AxeResult> } };
    // Half-way through a fade a text has no contrast that anybody reads at; what never ends (a spinner) is looked at as it is.
    const ending = document
      .getAnimations()
      .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime));
    await Promise.all(ending.map((one) => one.finished.catch(() => {}))); // taken back: it ended too
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
    const { violations: found } = await axe.run({
      runOnly: { type: "tag", values: tags },
      resultTypes: ["violations"],
    });
    return found.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")} ${failureSummary}`),
    );
  });
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
  }[];
}

/** Writes it and presses Enter, as a person does. */
export async function say(page: Page, text: string): Promise<void> {
  await page.locator("#composer").fill(text);
  await page.locator("#composer").press("Enter");
}

/** `expect.poll`, looking more often. */
export function until<Value>(read: () => Value): ReturnType<typeof expect.poll<Value>> {
  return expect.poll(read, { interval: 40 });
}

/** What the gateway says by itself waits between `hold` and `release`, as on a slow line. Loads the page anew. */
export async function holdEvents(page: Page): Promise<{ hold(): void; release(): void }> {
  const held: (() => void)[] = [];
  let holds = false;
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((frame) => {
      if (holds) held.push(() => socket.send(frame));
      else socket.send(frame);
    });
  });
  await page.reload();
  await page.locator("#composer").waitFor();
  return {
    hold: () => {
      holds = true;
    },
    release: () => {
      holds = false;
      for (const send of held.splice(0)) send();
    },
  };
}

/** The texts of the answers on screen. */
export function answers(page: Page): Promise<string[]> {
  return page.locator(".item.assistant .md").allInnerTexts();
}
