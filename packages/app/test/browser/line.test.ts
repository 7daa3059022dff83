import { says, startMockModel, type MockModel } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { expect, test } from "vitest";
import { freePort } from "../free-port.ts";
import { answers, CHROMIUM, say, until } from "./support.ts";

const BIN = join(import.meta.dirname, "../../bin/margay.js");

test("rows 11, 12: the gateway is killed in the middle of an answer and started again: the page says so and goes on", async (t) => {
  const place = await startProcess(t);
  const { page, model } = place;
  model.replies(stalls({ after: "One", rest: says("") }));
  await say(page, "count");
  await until(() => answers(page)).toEqual(["One"]);
  await page.locator("#composer").fill("a draft");
  await place.kill();
  await page.getByText("Reconnecting…").waitFor();
  expect(await page.locator("#composer").inputValue()).toBe("a draft");
  expect(await page.locator(".item.user").innerText()).toContain("count");
  model.replies(says("One two three."), says("One two three."));
  await place.start();
  await page.getByText("Reconnecting…").waitFor({ state: "detached" });
  await until(async () => (await answers(page)).at(-1)).toBe("One two three.");
  expect(await page.locator(".item.user").count()).toBe(1);
  expect(await page.locator("#composer").inputValue()).toBe("a draft");
});

test("what is sent while the line is down waits, is sent when it is back though another chat is on screen, and is answered once", async (t) => {
  const place = await startTalk(t);
  const { page, model } = place;
  await place.kill();
  await page.getByText("Reconnecting…").waitFor();
  await say(page, "second question");
  await page.getByText("is sent when the connection is back").waitFor();
  expect(await page.locator("#composer").inputValue()).toBe("");
  await page.getByRole("button", { name: "New chat" }).first().click(); // nobody looks at it when the line is back
  await page.locator("#composer").fill("a draft");
  expect(await page.getByRole("button", { name: "Sending waits for the connection" }).isDisabled()).toBe(true);
  model.replies(says("Second answer."));
  await place.start();
  await until(() => model.requests.length).toBe(2);
  await page.reload();
  expect(await page.locator("#composer").inputValue()).toBe("a draft");
  await page.locator(".session").first().click();
  await until(() => answers(page)).toEqual(["First answer.", "Second answer."]);
  await until(() => page.locator(".item.user").count()).toBe(2);
  await until(() =>
    page.evaluate(() => Object.keys(sessionStorage).filter((name) => name.includes("outgoing"))),
  ).toEqual([]);
  expect(model.requests).toHaveLength(2);
});

test("what is sent while the line is down is sent by the page that was loaded again", async (t) => {
  const place = await startTalk(t);
  const { page, model } = place;
  await page.evaluate(() => {
    // The message leaves the page and is never heard of: the line looks open, as on a network that swallows packets.
    WebSocket.prototype.send = () => {};
  });
  await say(page, "second question");
  await page.locator(".item.user.sending").waitFor();
  model.replies(says("Second answer."));
  await page.reload();
  await until(() => answers(page)).toEqual(["First answer.", "Second answer."]);
  expect(await page.locator(".item.user").count()).toBe(2);
  expect(model.requests).toHaveLength(2);
});

test("row 12: the gateway stays down for twenty seconds: offline with the command that starts it, all readable, and it comes back alone", async (t) => {
  const place = await startTalk(t);
  const { page, model } = place;
  await page.locator(".session", { hasText: "first question" }).waitFor();
  await page.evaluate(() => document.body.setAttribute("data-loaded", "once"));
  await page.locator("#composer").fill("a draft");
  const downAt = Date.now();
  await place.kill();
  await page.getByText("Reconnecting…").waitFor();
  const offline = page.locator(".line-bar.offline");
  await offline.waitFor();
  expect(Date.now() - downAt).toBeGreaterThanOrEqual(15_000);
  await offline.getByText("margay can't be reached. What is loaded stays readable. Start it with").waitFor();
  await offline.getByText("margay gateway", { exact: true }).waitFor();
  await offline.getByRole("button", { name: "Copy" }).waitFor();
  expect(await page.locator(".session").first().innerText()).toContain("first question");
  expect(await answers(page)).toEqual(["First answer."]);
  const send = page.getByRole("button", { name: "Sending waits for the connection" });
  expect(await send.isDisabled()).toBe(true);
  await page.locator("#composer").press("Enter");
  expect(await page.locator("#composer").inputValue()).toBe("a draft");
  await until(() => Date.now() - downAt).toBeGreaterThan(20_000);
  await place.start();
  await offline.waitFor({ state: "detached" });
  expect(await page.locator("body").getAttribute("data-loaded")).toBe("once");
  expect(await page.locator("#composer").inputValue()).toBe("a draft");
  model.replies(says("Second answer."));
  await page.locator("#composer").press("Enter");
  await until(() => answers(page)).toEqual(["First answer.", "Second answer."]);
});

interface Owner {
  onTestFinished(clean: () => Promise<void>): void;
}
interface Running {
  readonly page: Page;
  readonly model: MockModel;
  start(): Promise<string>;
  kill(): Promise<void>;
}

/** A question was asked and answered. */
async function startTalk(t: Owner): Promise<Running> {
  const place = await startProcess(t);
  const { page, model } = place;
  model.replies(says("First answer."));
  await say(page, "first question");
  await until(() => answers(page)).toEqual(["First answer."]);
  await page.locator(".item-foot").first().waitFor({ state: "attached" }); // the turn has ended: nothing is repeated
  return place;
}

/** The real program in a process of its own, so that it can die. */
async function startProcess(t: Owner): Promise<Running> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "margay-line-")));
  const model = await startMockModel({ rules: "off" });
  const home = join(directory, "home");
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(join(directory, "workspace"));
  const config = {
    model: "mock/mock-model",
    providers: { mock: { api: "openai-chat", baseUrl: `${model.url}/v1`, apiKey: "test-key-for-mock" } },
    workspace: join(directory, "workspace"),
    heartbeat: { enabled: false },
    gateway: { port: await freePort() },
  };
  writeFileSync(join(home, "config.json"), JSON.stringify(config), { mode: 0o600 });
  let child: ChildProcess | undefined;
  const start = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const args = [BIN, "gateway", "--no-open"];
      const running = spawn(process.execPath, args, { env: { ...process.env, MARGAY_HOME: home } });
      child = running;
      let text = "";
      running.stdout.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        const link = /http:\S+#login=\S+/.exec(text)?.[0];
        if (link !== undefined) resolve(link);
      });
      running.stderr.on("data", (chunk: Buffer) => (text += chunk.toString()));
      running.on("exit", () => reject(new Error(`the gateway ended: ${text}`)));
    });
  const kill = async (): Promise<void> => {
    const dying = child;
    if (dying === undefined || dying.exitCode !== null || dying.signalCode !== null) return;
    await new Promise((resolve) => {
      dying.once("exit", resolve);
      dying.kill("SIGKILL");
    });
  };
  const link = await start();
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  t.onTestFinished(async () => {
    await browser.close();
    await kill();
    await model.close();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  });
  const page = await browser.newPage({ locale: "en" });
  page.setDefaultTimeout(60_000); // the waits between attempts to connect are in it
  await page.goto(link);
  await page.locator("#composer").waitFor();
  return { page, model, start, kill };
}
