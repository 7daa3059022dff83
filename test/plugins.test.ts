// A plugin as a stranger gets it: packed, added to a margay outside the checkout without any network, and asked.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callsTool, says, startMockModel } from "@margay/core/testing";
import { publint } from "publint";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const folder = realpathSync(mkdtempSync(join(tmpdir(), "plugins-")));
const program = join(folder, "margay/bin/margay.js");
const home = join(folder, "home");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(async () => {
  const built = await run(process.execPath, [join(root, "scripts/build.mjs")], process.env); // nothing to do after `npm test` built
  if (built.code !== 0) throw new Error(built.err);
  for (const part of ["bin", "dist", "package.json"])
    cpSync(join(root, "packages/app", part), join(folder, "margay", part), { recursive: true });
  mkdirSync(home, { mode: 0o700 });
});

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Not spawnSync: the model of these tests answers from this very process. */
function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd: string = folder): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: 60_000 });
    let out = "";
    let err = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, out, err }));
  });
}

function margay(args: readonly string[], extra: NodeJS.ProcessEnv = {}): Promise<Ran> {
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: home, MARGAY_HOME: home, LANG: "C.UTF-8", npm_config_offline: "true", ...extra };
  return run(process.execPath, [program, ...args], env);
}

async function pack(name: string): Promise<string> {
  const cwd = join(root, "plugins", name);
  const { out } = await run("npm", ["pack", "--json", "--pack-destination", folder], { ...process.env }, cwd);
  const [{ filename }] = JSON.parse(out) as [{ filename: string }];
  return join(folder, filename);
}

test.each([
  "provider-bedrock",
  "provider-azure",
  "channel-email",
  "channel-telegram",
  "channel-discord",
  "channel-slack",
  "channel-feishu",
  "channel-xmpp",
])("CH179 %s is packed without dependencies, with its licences", async (name) => {
  const tarball = await pack(name);
  const bytes = readFileSync(tarball);
  expect(bytes.length).toBeLessThan(name === "channel-email" ? 600_000 : 400_000);
  const { messages } = await publint({
    strict: true,
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) },
  });
  expect(messages).toEqual([]);
  const { dependencies } = JSON.parse(readFileSync(join(root, "plugins", name, "package.json"), "utf8")) as {
    dependencies?: object;
  };
  expect(dependencies).toBeUndefined();
  // A code of core's table in it would mean a second core.
  expect(readFileSync(join(root, "plugins", name, "dist/index.js"), "utf8")).not.toContain("journal.damaged");
  const notice = readFileSync(join(root, "plugins", name, "NOTICE"), "utf8");
  expect(notice.includes("@ai-sdk/")).toBe(name === "provider-bedrock"); // azure has no library
  expect(notice.includes("imapflow")).toBe(name === "channel-email");
});

test("a missing plugin is named, added from its tarball without a network, asked, and removed", async () => {
  await using model = await startMockModel({ rules: "off" });
  writeFileSync(
    join(home, "config.json"),
    JSON.stringify({
      model: "azure/my-gpt",
      providers: { azure: { apiKey: "k", baseUrl: `${model.url}/openai/v1` } },
    }),
    { mode: 0o600 },
  );
  const before = await margay(["agent", "-m", "hello"]);
  expect([before.code, before.err]).toEqual([78, expect.stringContaining("margay plugin add provider-azure")]);
  expect(before.err).toContain("[plugin.missing]");

  const added = await margay(["plugin", "add", await pack("provider-azure")]);
  expect([added.code, added.out]).toEqual([0, expect.stringContaining("@margay/provider-azure 0.1.0 is installed.")]);
  expect((await margay(["plugin", "list"])).out).toMatch(/provider-azure +Azure OpenAI +0\.1\.0 +installed/);

  model.replies(says("From a deployment."));
  const answered = await margay(["agent", "-m", "hello"]);
  expect([answered.code, answered.out.trim(), answered.err]).toEqual([0, "From a deployment.", expect.anything()]);
  expect(model.requests[0]).toMatchObject({ path: "/openai/v1/responses", model: "my-gpt" });

  expect((await margay(["plugin", "remove", "provider-azure"])).code).toBe(0);
  expect((await margay(["agent", "-m", "hello"])).code).toBe(78);
});

test("the built Bedrock plugin loads in a margay of its own and asks for what is missing", async () => {
  writeFileSync(join(home, "config.json"), JSON.stringify({ model: "bedrock/us.amazon.nova-lite-v1:0" }), {
    mode: 0o600,
  });
  expect((await margay(["plugin", "add", await pack("provider-bedrock")])).code).toBe(0);
  const { code, err } = await margay(["models", "test"], { AWS_REGION: "us-east-1" });
  expect([code, err]).toEqual([78, expect.stringContaining("AWS_BEARER_TOKEN_BEDROCK")]);
});

test("CH90 CH92 a channel is added from its tarball, checked by its manifest, listed, and removed", async () => {
  writeFileSync(join(home, "config.json"), "{}", { mode: 0o600 });
  const set = (name: string, value: string): Promise<Ran> =>
    margay(["config", "set", `channels.mail.${name}`, value, "--json"]);
  await set("kind", "email");
  const enabled = await set("enabled", "true");
  expect([enabled.code, enabled.err]).toEqual([0, ""]);

  const added = await margay(["plugin", "add", await pack("channel-email")]);
  expect([added.code, added.out]).toEqual([
    0,
    expect.stringMatching(/@margay\/channel-email 0\.1\.0 is installed\. .*channels\.email/),
  ]);
  expect((await margay(["plugin", "list"])).out).toMatch(/channel-email +E-mail +0\.1\.0 +installed/);
  const sent = await margay(["channels", "test", "mail", "--to", "anna@example.org"]);
  expect([sent.code, sent.err]).toEqual([78, expect.stringContaining("options.user is required")]);
  await set(
    "options",
    '{"user":"a","password":"a-long-secret","imapHost":"localhost","smtpHost":"localhost","prot":1}',
  );
  const wrong = await margay(["channels", "test", "mail", "--to", "anna@example.org"]);
  expect([wrong.code, wrong.err]).toEqual([78, expect.stringContaining("options.prot")]);
  expect(readFileSync(join(home, "config.json"), "utf8")).not.toContain("a-long-secret");
  expect((await margay(["config", "show", "channels.mail"])).out).toMatch(/imapHost.*localhost/);

  expect((await margay(["plugin", "remove", "email"])).code).toBe(0);
  const gone = await margay(["channels", "test", "mail", "--to", "anna@example.org"]);
  expect(gone.err).toContain("margay plugin add channel-email");
});

test("CH90 CH91 the page names the channels that are not installed, the command for each, and goes on when it was run", async (t) => {
  writeFileSync(join(home, "config.json"), JSON.stringify({ gateway: { port: 0 } }), { mode: 0o600 });
  const { PATH = "" } = process.env;
  const gateway = spawn(process.execPath, [program, "gateway"], {
    cwd: folder,
    env: { PATH, HOME: home, MARGAY_HOME: home, LANG: "C.UTF-8" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const browser = await chromium.launch({
    executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  t.onTestFinished(async () => {
    await browser.close();
    gateway.kill();
    if (gateway.exitCode === null) await once(gateway, "exit");
  });
  let said = "";
  for (const stream of [gateway.stdout, gateway.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  const link = (): string => /http:\S+#login=\S+/.exec(said)?.[0] ?? "";
  await expect.poll(link, { timeout: 30_000 }).not.toBe("");
  const page = await browser.newPage({ locale: "en" });
  await page.goto(link());
  await page.locator("#composer").waitFor();
  await page.goto(`${new URL(link()).origin}/?p=channels`);
  const telegram = page.locator("li", { has: page.getByRole("link", { name: "Telegram" }) });
  await telegram.getByText("to be installed first").waitFor();
  await telegram.getByRole("link").click();
  await page.getByText("margay plugin add channel-telegram").waitFor();
  // Where the registry is not reached: the same from its tarball.
  expect((await margay(["plugin", "add", await pack("channel-telegram")])).code).toBe(0);
  await page.getByRole("button", { name: "It is installed" }).click();
  await page.getByText("BotFather").first().waitFor();
  await page.getByLabel("Token").fill("1:2");
  expect((await margay(["plugin", "remove", "telegram"])).code).toBe(0);
});

test("PL1 the tool of docs/write-a-tool.md is packed, added and called in the built program", async () => {
  await using model = await startMockModel({ rules: "off" });
  const source = join(folder, "margay-tool-words");
  const own = join(folder, "words-home");
  for (const path of [source, own, join(own, "workspace")]) mkdirSync(path, { recursive: true, mode: 0o700 });
  const page = readFileSync(join(root, "docs/write-a-tool.md"), "utf8");
  for (const [, name = "", content = ""] of page.matchAll(/`([\w.]+)`:\n\n```\w+\n([\s\S]*?)```/g))
    writeFileSync(join(source, name), content);
  writeFileSync(join(own, "workspace/note.txt"), "one two three");
  const config = {
    model: "mock/mock-model",
    workspace: join(own, "workspace"),
    providers: { mock: { api: "openai-chat", baseUrl: `${model.url}/v1`, apiKey: "k" } },
  };
  writeFileSync(join(own, "config.json"), JSON.stringify(config), { mode: 0o600 });
  const env = { MARGAY_HOME: own };
  const packed = await run("npm", ["pack", "--json", "--pack-destination", folder], { ...process.env }, source);
  const [{ filename }] = JSON.parse(packed.out) as [{ filename: string }];
  const added = await margay(["plugin", "add", join(folder, filename), "--yes"], env);
  expect([added.code, added.out]).toEqual([0, "margay-tool-words 1.0.0 is used from the next start of margay on.\n"]);
  model.replies(callsTool("plugin_words_count", { path: "note.txt" }), says("three"));
  const answered = await margay(["agent", "-m", "how many words?"], env);
  expect([answered.code, answered.out.trim()]).toEqual([0, "three"]);
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("3 words");
});

test("CH90 the channel of docs/write-a-channel.md is added as it stands there, tested, and answers", async (t) => {
  await using model = await startMockModel({ rules: "off" });
  await using example = await startExample();
  const there = join(folder, "margay-channel-example");
  mkdirSync(there);
  const page = readFileSync(join(root, "docs/write-a-channel.md"), "utf8");
  const files = [...page.matchAll(/^`([\w.]+)`:\n\n```\w+\n([^]*?)^```$/gm)];
  for (const [, name = "", text = ""] of files) writeFileSync(join(there, name), text);
  for (const name of ["guide.md", "guide.zh-CN.md"]) writeFileSync(join(there, name), "1. Ask Example for a token.\n");
  expect(files.map(([, name]) => name)).toEqual(["package.json", "channel.json", "index.js"]);
  writeFileSync(
    join(home, "config.json"),
    JSON.stringify({
      model: "mock/m",
      providers: { mock: { api: "openai-chat", baseUrl: `${model.url}/v1`, apiKey: "k" } },
      channels: { example: { kind: "example", token: "right-token", baseUrl: example.url, operators: ["ada"] } },
      gateway: { port: 0 },
    }),
    { mode: 0o600 },
  );
  expect((await margay(["plugin", "add", "./margay-channel-example"])).err).toContain("npm install");
  expect((await margay(["config", "set", "channels.example.enabled", "true"])).code).toBe(0);
  model.replies(says("Hello Ada."));
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: home, MARGAY_HOME: home, LANG: "C.UTF-8" };
  const gateway = spawn(process.execPath, [program, "gateway"], { cwd: folder, env, stdio: "ignore" });
  t.onTestFinished(async () => {
    gateway.kill();
    if (gateway.exitCode === null) await once(gateway, "exit");
  });
  example.write("ada", "hi");
  await expect.poll(() => example.taken, { timeout: 30_000 }).toEqual([{ chat: "ada", text: "Hello Ada." }]);
  expect((await margay(["channels", "status"])).out).toMatch(/example \(robot\) +up +once/);
});

/** The platform that docs/write-a-channel.md speaks of: a key is taken once. */
async function startExample(): Promise<
  AsyncDisposable & { readonly url: string; readonly taken: object[]; write(from: string, text: string): void }
> {
  const told: { n: number; chat: string; from: string; text: string }[] = [];
  const taken = new Map<string, object>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://example");
    const answer = (status: number, body: unknown): void =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (request.headers.authorization !== "Bearer right-token") return answer(401, {});
    if (pathname === "/me") return answer(200, { name: "robot" });
    if (request.method === "GET") {
      const news = told.filter(({ n }) => n > Number(searchParams.get("after")));
      return void setTimeout(() => answer(200, news), news.length === 0 ? 200 : 0);
    }
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.once("end", () => {
      const { key, chat, text } = JSON.parse(body) as { key: string; chat: string; text: string };
      taken.set(key, { chat, text });
      answer(200, { id: key });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get taken() {
      return [...taken.values()];
    },
    write: (from, text) => void told.push({ n: told.length + 1, chat: from, from, text }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

test("CH179 the entry of a channel is small: what it speaks with is loaded when it is used", () => {
  for (const kind of ["email", "telegram", "discord", "slack", "feishu", "xmpp"]) {
    const name = `channel-${kind}`;
    const entry = readFileSync(join(root, "plugins", name, "dist/index.js"), "utf8");
    expect([name, entry.length < 50_000]).toEqual([name, true]);
  }
});

test("the program's own bundle holds neither", () => {
  const notice = readFileSync(join(root, "packages/app/NOTICE"), "utf8");
  expect(notice).not.toMatch(/amazon-bedrock|@ai-sdk\/azure|@smithy/);
});
