// Walks the first hour of a new user, from six starts: `first-hour-main.ts FOLDER`. The built program, a real browser; what is
// typed and clicked is counted, each stage keeps a picture, and the figures become a table.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MockModel } from "@margay/core/testing";
import { chromium, type Locator, type Page } from "playwright-core";
import { freePort } from "../free-port.ts";
import { nanobotToday } from "../import/real-nanobot.ts";
import { countbotJuly } from "../import/real-countbot.ts";
import { openclawSeptember } from "../import/real-openclaw.ts";
import { CHROMIUM, say } from "./support.ts";
import { newcomersModel, PAGE } from "./first-hour-model.ts";
import { environmentOf, gateway, pageOf, run, serve, type Running } from "./first-hour-world.ts";

const KEY = "sk-first-hour-0123456789";
const STAGES = ["answer", "file", "reminder", "page", "approval"] as const;
type Stage = (typeof STAGES)[number] | "ready";

interface Walk {
  readonly page: Page;
  readonly model: MockModel;
  /** A page somebody wants to have summarized, on this machine. */
  readonly address: string;
  click(what: Locator): Promise<void>;
  type(what: Locator, text: string): Promise<void>;
  say(text: string): Promise<void>;
  /** As typed in a terminal. */
  command(...args: readonly string[]): Promise<void>;
  /** Ctrl+C and the same command again; the page comes back by itself. */
  restart(): Promise<void>;
  picture(name: string): Promise<void>;
  reached(stage: Stage): Promise<void>;
}

interface Start {
  readonly name: string;
  /** Put into the home directory of the user. */
  readonly prepare?: (user: string) => void;
  readonly ollama?: true;
  /** The wizard, from its first step to the first task. */
  readonly setUp: (walk: Walk) => Promise<void>;
  readonly practice?: true;
}

const next = (page: Page): Locator => page.locator(".welcome-foot .button.primary");

const STARTS: readonly Start[] = [
  {
    name: "nothing",
    practice: true,
    setUp: ({ page, click }) => click(page.getByRole("button", { name: /practice/i })),
  },
  { name: "ollama", ollama: true, setUp: takeOllama },
  {
    name: "address",
    setUp: async ({ page, model, click, type }) => {
      await click(page.getByRole("button", { name: /Other address/ }));
      await type(page.getByLabel("Address", { exact: true }), `${model.url}/v1`);
      await type(page.getByLabel(/^Key/), KEY);
      const meant = page.getByLabel(/on this machine or in my network/);
      await meant.or(page.locator(".welcome-form button[type=submit]:enabled")).first().waitFor();
      if ((await meant.isVisible()) && !(await meant.isChecked())) await click(meant);
      await click(page.locator(".welcome-form button[type=submit]"));
      await page.locator('.welcome-verdict[data-state="ok"]').waitFor();
      await click(next(page));
    },
  },
  { name: "nanobot", ollama: true, prepare: (user) => adopt(nanobotToday, user, ".nanobot"), setUp: takeHome },
  { name: "countbot", ollama: true, prepare: (user) => adopt(countbotJuly, user, ".countbot"), setUp: takeHome },
  { name: "openclaw", ollama: true, prepare: (user) => adopt(openclawSeptember, user, ".openclaw"), setUp: takeHome },
];

function adopt(make: (directory: string) => string, user: string, name: string): void {
  const made = mkdtempSync(join(tmpdir(), "margay-made-"));
  cpSync(make(made), join(user, name), { recursive: true });
  rmSync(made, { recursive: true, force: true });
}

async function takeOllama({ page, click }: Walk): Promise<void> {
  const missed = page.getByText(/^Nothing found on/);
  const card = page.locator(".welcome-choice > button", { hasText: "Ollama" });
  await card.or(missed).first().waitFor();
  // A machine that is very busy answers too late: then it is looked at again, as a person does.
  if (await missed.isVisible()) await click(page.getByRole("button", { name: "Look again" }));
  await click(card);
  await page.locator('.welcome-choice .welcome-verdict[data-state="ok"]').waitFor();
  await click(next(page));
}

async function takeHome(walk: Walk): Promise<void> {
  const { page, click, picture } = walk;
  const home = page.locator(".welcome-home").first();
  await click(home.getByRole("button", { name: "See what comes" }));
  await home.locator("[role=status] p").first().waitFor();
  await picture("what-comes");
  await click(home.getByRole("button", { name: "Take it over" }));
  await home.getByText("Taken over from").waitFor({ timeout: 120_000 });
  await page.locator('.welcome-verdict[data-state="failed"], .welcome-verdict[data-state="ok"]').first().waitFor();
  await picture("taken");
  await takeOllama(walk);
}

const [folder = "."] = process.argv.slice(2);
const wanted = process.argv.slice(3);
mkdirSync(folder, { recursive: true });
const rows: { readonly name: string; readonly figures: Readonly<Record<string, string>> }[] = [];
for (const start of STARTS) {
  if (wanted.length > 0 && !wanted.includes(start.name)) continue;
  rows.push({ name: start.name, figures: await walkFrom(start) });
}
const table = tableOf();
writeFileSync(join(folder, "first-hour.md"), table);
process.stdout.write(table);

function tableOf(): string {
  const columns = ["ready", ...STAGES];
  const lines = [
    ["start", ...columns],
    ["---", ...columns.map(() => "---")],
  ];
  for (const { name, figures } of rows) lines.push([name, ...columns.map((stage) => figures[stage] ?? "–")]);
  return lines.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

async function walkFrom(start: Start): Promise<Readonly<Record<string, string>>> {
  const user = mkdtempSync(join(tmpdir(), "margay-first-hour-"));
  const [site, browser] = await Promise.all([
    serve(),
    chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] }),
  ]);
  const model = await newcomersModel();
  const port = await freePort();
  let running: Running = { link: "", stop: () => Promise.resolve() };
  const pictures = { last: 0 };
  const done = { clicks: 0, commands: 0, typed: 0 };
  const figures: Record<string, string> = {};
  start.prepare?.(user);
  const env = environmentOf(user, start.ollama === true ? new URL(model.url).host : undefined);
  const began = performance.now();
  try {
    done.commands += 1;
    running = await gateway(env, port);
    const page = await pageOf(browser, running.link);
    const picture = async (name: string): Promise<void> => {
      await page.evaluate(() => document.fonts.ready);
      await page.waitForFunction(() =>
        document.getAnimations().every(({ effect }) => effect?.getComputedTiming().endTime === Infinity),
      );
      pictures.last += 1;
      await page.screenshot({ path: join(folder, `${start.name}-${String(pictures.last)}-${name}.png`) });
    };
    const walk: Walk = {
      page,
      model,
      address: `${site.url}${PAGE}`,
      picture,
      click: async (what) => {
        done.clicks += 1;
        await what.click();
      },
      type: async (what, text) => {
        done.typed += 1;
        await what.fill(text);
      },
      say: async (text) => {
        done.typed += 1;
        await say(page, text);
      },
      command: async (...args) => {
        done.commands += 1;
        await run(env, args);
      },
      restart: async () => {
        done.commands += 1;
        await running.stop();
        running = await gateway(env, port);
      },
      reached: async (stage) => {
        const seconds = (performance.now() - began) / 1000;
        figures[stage] =
          `${String(done.clicks)} clicks, ${String(done.typed)} texts, ${String(done.commands)} commands, ${seconds.toFixed(0)} s`;
        process.stdout.write(`${start.name}: ${stage} ${figures[stage]}\n`);
        await picture(stage);
      },
    };
    await hour(start, walk);
  } catch (error) {
    figures["fault"] = String(error);
    process.stderr.write(`${start.name}: ${String(error)}\n`);
    process.exitCode = 1;
    await browser
      .contexts()[0]
      ?.pages()[0]
      ?.screenshot({ path: join(folder, `${start.name}-fault.png`) });
  } finally {
    await browser.close();
    await running.stop();
    site.server.close();
    await model.close().catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
    rmSync(user, { recursive: true, force: true, maxRetries: 5 });
  }
  return figures;
}

async function hour(start: Start, walk: Walk): Promise<void> {
  const { page, click, picture, reached } = walk;
  await page.locator(".welcome").waitFor();
  await picture("language");
  await click(next(page));
  await page.locator(".welcome-two").waitFor();
  await picture("model");
  await start.setUp(walk);
  await page.locator(".welcome-personas").waitFor();
  await picture("names");
  await click(next(page));
  await page.locator('.welcome-card[data-step="safety"] .p-card').waitFor();
  await picture("safety");
  await click(next(page));
  await page.locator(".welcome-examples").waitFor();
  await reached("ready");
  await click(page.locator(".welcome-examples .button").first());
  await answered(page, 1);
  await reached("answer");
  await (start.practice === true ? practiced : asked)(walk);
}

/** With a model that understands. */
async function asked(walk: Walk): Promise<void> {
  const { page, reached } = walk;
  await walk.say("Write the shopping list into shopping.md");
  await answered(page, 2);
  await reached("file");
  await walk.say("In one second remind me of the tea");
  await page.locator(".item", { hasText: "The tea is ready" }).last().waitFor({ timeout: 120_000 });
  await reached("reminder");
  await walk.command("config", "set", "tools.webFetch.allowHosts", JSON.stringify([new URL(walk.address).host]));
  await walk.restart();
  await page.locator("#composer").waitFor();
  await walk.say(`Summarize ${walk.address}`);
  await page.locator(".item.assistant", { hasText: "tea comes from hills" }).waitFor();
  await reached("page");
  await walk.say("What does tea.example say about tea?");
  await allows(walk);
  await reached("approval");
}

/** A command wants to reach a host that nobody listed, which has to be allowed; it is, once. (The name leads nowhere.) */
async function allows({ page, click, picture }: Walk): Promise<void> {
  await page.locator(".approval").waitFor();
  await picture("asks");
  const allow = page.locator(".approval-actions .button.primary");
  await allow.and(page.locator(":enabled")).waitFor();
  await click(allow);
  await page.locator(".approval").waitFor({ state: "detached" });
}

/** What practice mode can: its reminder is of tomorrow, and is run by hand. */
async function practiced(walk: Walk): Promise<void> {
  const { page, reached } = walk;
  await walk.say("run echo tea > shopping.md");
  await answered(page, 2);
  await reached("file");
  await walk.say("every day at 9 remind me to drink tea");
  await answered(page, 3);
  await walk.picture("reminder-made");
  await walk.say("run curl -s https://tea.example");
  await allows(walk);
  await reached("approval");
}

async function answered(page: Page, count: number): Promise<void> {
  await page.waitForFunction(
    (n) => document.querySelectorAll(".item-foot").length >= n && document.querySelector(".turn-status") === null,
    count,
    { timeout: 120_000 },
  );
}
