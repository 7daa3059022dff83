// What the first hour happens in: the built program, a browser, an address somebody wants to have read.
import { spawn } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { PROGRAM } from "../durability/killed-gateway.ts";

export async function pageOf(browser: Browser, link: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en" });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  await page.goto(link);
  return page;
}

/** Of somebody who has nothing: no key of a provider, a home of their own. */
export function environmentOf(user: string, ollama: string | undefined): NodeJS.ProcessEnv {
  const { PATH, TMPDIR } = process.env;
  return {
    PATH,
    ...(TMPDIR !== undefined && { TMPDIR }),
    HOME: user,
    LANG: "C.UTF-8",
    // Nothing listens there: what runs on the machine of whoever walks is not a new user's.
    OLLAMA_HOST: ollama ?? "127.0.0.1:9",
  };
}

export interface Running {
  readonly link: string;
  stop(): Promise<unknown>;
}

export async function gateway(env: NodeJS.ProcessEnv, port: number): Promise<Running> {
  const child = spawn(process.execPath, [PROGRAM, "gateway", "--no-open", "--port", String(port)], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const closed = new Promise((done) => child.once("close", done));
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      const link = /http:\S+#login=\S+/.exec(text)?.[0];
      if (link !== undefined) resolve(link);
    });
  child.once("close", () => reject(new Error(`the gateway ended: ${text}`)));
  const stop = (): Promise<unknown> => {
    child.kill("SIGINT");
    return closed;
  };
  return { link: await promise, stop };
}

export async function run(env: NodeJS.ProcessEnv, args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env, stdio: "ignore" });
  const code = await new Promise((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`margay ${args.join(" ")} ended with ${String(code)}`);
}

export async function serve(): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(
      "<!doctype html><title>Tea</title><main><h1>Tea</h1><p>Tea grows on hills, and is picked by hand.</p></main>",
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}` };
}
