// Login by a scan: an app is made, and its secret comes by the way that only we ask on.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as lark from "@larksuiteoapi/node-sdk";
import { systemClock } from "@margay/core/internal";
import type { LoginStep } from "@margay/core/plugin";
import { says } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { login as logIn } from "../../../packages/app/test/channels/log-in.ts";
import { startGateway } from "../../../packages/app/test/gateway/support.ts";
import { temporary, testHost, type TestHost } from "../../../packages/core/test/channels/alone.ts";
import { plugin } from "../src/index.ts";
import { type Feishu, startFeishu } from "./emulator/feishu.ts";

const FEISHU = "https://accounts.feishu.cn";
const LARK = "https://accounts.larksuite.com";
const PATH = "/oauth/v1/app/registration";

interface Scene {
  readonly feishu: Feishu;
  readonly host: TestHost;
  /** Where it was asked, in order. */
  readonly places: readonly string[];
  /** How often it has looked at the clock and gone to sleep again. */
  readonly sleeps: () => number;
}

/** The names of Feishu and Lark lead to the emulator. */
async function scene(seconds = { expires: 60, interval: 0.05 }): Promise<Scene> {
  const feishu = await startFeishu();
  onTestFinished(() => feishu[Symbol.asyncDispose]());
  feishu.registration.seconds = seconds;
  const clock = systemClock();
  let sleeps = 0;
  const made = testHost("feishu", temporary("feishu"), {
    ...clock,
    sleep: (ms, signal) => {
      sleeps += 1;
      return clock.sleep(ms, signal);
    },
  });
  const places: string[] = [];
  const request: TestHost["request"] = (to, init, more) => {
    const { origin } = new URL(to);
    places.push(origin);
    const there = origin === LARK ? `${feishu.url}/lark` : feishu.url;
    return made.request(String(to).replace(origin, there), init, more);
  };
  return { feishu, host: { ...made, request }, places, sleeps: () => sleeps };
}

/** @param act with each code that is shown. */
async function login(
  { host }: Scene,
  act: (code: string) => void,
  settings: Readonly<Record<string, string>> = {},
): Promise<readonly LoginStep[]> {
  const steps: LoginStep[] = [];
  const signal = AbortSignal.timeout(30_000);
  for await (const step of plugin.login?.({ id: "feishu", settings }, host, signal) ?? []) {
    steps.push(step);
    if (step.type === "qr") act(step.data);
  }
  return steps;
}

/** What it was asked for, of one kind. */
function asked({ feishu }: Scene, action: string): number {
  return feishu.requests.filter(({ path, body }) => path.endsWith(PATH) && body["action"] === action).length;
}

test("CH249 CH100 the vendor's client makes an app of the emulator, of Feishu and of Lark, and is refused", async () => {
  const { feishu } = await scene({ expires: 60, interval: 0.2 });
  const domain = feishu.url.replace("http://", "");
  const http = lark.defaultHttpInstance as unknown as {
    interceptors: { request: { use(change: (config: { url: string }) => object): number; eject(id: number): void } };
  };
  // It asks by https, and nothing else.
  const id = http.interceptors.request.use((config) => ({ ...config, url: config.url.replace("https:", "http:") }));
  onTestFinished(() => http.interceptors.request.eject(id));
  const states: string[] = [];
  const register = (act: (url: string) => void): Promise<unknown> =>
    lark
      .registerApp({
        domain,
        larkDomain: `${domain}/lark`,
        addons: { callbacks: { items: ["card.action.trigger"] } },
        onQRCodeReady: ({ url }) => act(url),
        onStatusChange: ({ status }) => void states.push(status),
      })
      .catch((error: unknown) => error);
  const { appId: client_id, secret: client_secret } = feishu.world;
  const agreeing = register((url) => {
    expect(feishu.registration.scan(url, "agree")).toMatchObject({
      addons: { callbacks: { items: ["card.action.trigger"] } },
    });
  });
  expect(await agreeing).toMatchObject({ client_id, client_secret, user_info: { tenant_brand: "feishu" } });
  expect(await register((url) => void feishu.registration.scan(url, "agree", "lark"))).toMatchObject({
    client_secret,
    user_info: { tenant_brand: "lark" },
  });
  expect(states).toContain("domain_switched");
  expect(await register((url) => void feishu.registration.scan(url, "refuse"))).toMatchObject({
    code: "access_denied",
  });
});

/** What the guide lets people put into the console. */
function scopesOf(guide: string): unknown {
  const [, text = ""] = readFileSync(new URL(`../${guide}`, import.meta.url), "utf8").split(/```(?:json)?/);
  const { scopes } = JSON.parse(text) as { readonly scopes: { readonly tenant: readonly string[] } };
  return { tenant: scopes.tenant };
}

test("CH249 who scans agrees to what the guide says that margay needs, in both languages, and gets an app of Feishu", async () => {
  const place = await scene();
  const { feishu, places } = place;
  const { appId, secret: appSecret } = feishu.world;
  const steps = await login(place, (code) => {
    const { addons, clientId } = feishu.registration.scan(code, "agree");
    expect(addons).toMatchObject({
      scopes: scopesOf("guide.md"),
      events: { items: { tenant: ["im.message.receive_v1", "im.message.recalled_v1"] } },
      callbacks: { items: ["card.action.trigger"] },
    });
    expect(scopesOf("guide.zh-CN.md")).toEqual(scopesOf("guide.md"));
    expect(clientId).toBeUndefined();
  });
  expect(steps.map(({ type }) => type)).toEqual(["qr", "done"]);
  expect(steps.at(-1)).toEqual({ type: "done", account: appId, settings: { appId, appSecret, region: "feishu" } });
  expect(new Set(places)).toEqual(new Set([FEISHU]));
});

test("CH249 who belongs to Lark gets an app of Lark: it is asked for there, and the region is kept", async () => {
  const place = await scene();
  const { feishu, places } = place;
  const steps = await login(place, (code) => void feishu.registration.scan(code, "agree", "lark"));
  expect(steps.map(({ type }) => type)).toEqual(["qr", "scanned", "done"]);
  expect(steps.at(-1)).toMatchObject({ settings: { region: "lark" } });
  expect(places.at(-1)).toBe(LARK);
});

test("CH249 CH172 an app that is there gets a new secret, and stays the one that people write to", async () => {
  const place = await scene();
  const { feishu } = place;
  const { appId } = feishu.world;
  const kept: (string | undefined)[] = [];
  await login(place, (code) => void kept.push(feishu.registration.scan(code, "agree").clientId), { appId });
  expect(kept).toEqual([appId]);
});

test("CH249 CH61 in the program an app that is logged in anew is the same account: what was kept of its chats stays", async () => {
  const feishu = await startFeishu();
  onTestFinished(() => feishu[Symbol.asyncDispose]());
  feishu.registration.seconds = { expires: 60, interval: 0.05 };
  const anna = feishu.person("Anna");
  const { baseUrl, ...options } = feishu.settings;
  const talk = { enabled: true, kind: "feishu", baseUrl, options, operators: [anna.openId] };
  const gateway = await startGateway({ onTestFinished }, { config: { channels: { talk } } });
  gateway.model.replies(says("Hello."));
  const chat = feishu.dm(anna);
  feishu.write(anna, chat, "hello");
  await feishu.until(() => feishu.shown(chat).length === 2);
  await gateway.app.agent.idle();
  const kept = (): readonly string[] => readdirSync(join(gateway.home, "channels/talk/values"));
  const before = kept();
  expect(before).not.toEqual([]);
  const reading = await logIn(gateway, "talk", {});
  const [shown] = await reading.events(1);
  feishu.registration.scan(String(shown?.["data"]), "agree");
  expect((await reading.events(Infinity)).at(-1)).toMatchObject({ type: "done" });
  await feishu.until(() => feishu.gateway.opened > 1);
  expect(kept()).toEqual(expect.arrayContaining([...before]));
});

test("CH172 a platform that breaks, is slow or answers nonsense while the code is shown is asked again", async () => {
  const place = await scene();
  const { feishu } = place;
  const route = `POST ${PATH}`;
  const steps = await login(place, (code) => {
    feishu.fault(route, "garbage");
    feishu.fault(route, { status: 503, body: "no" });
    feishu.fault(route, "close-before");
    feishu.registration.scan(code, "agree");
  });
  expect(steps.map(({ type }) => type)).toEqual(["qr", "done"]);
  expect(asked(place, "poll")).toBe(4);
});

test("CH172 a network that is gone when another code is due ends nothing: the code that is shown still counts", async () => {
  const place = await scene({ expires: 2, interval: 0.1 });
  const { feishu, host } = place;
  let shown = 0;
  let isGone = false;
  const request: TestHost["request"] = (to, init, more) => {
    if (String(init.body).includes("action=begin") && shown === 1 && !isGone) {
      isGone = true;
      feishu.fault(`POST ${PATH}`, "close-before");
    }
    return host.request(to, init, more);
  };
  const codes: string[] = [];
  const steps = await login({ ...place, host: { ...host, request } }, (code) => {
    shown = codes.push(code);
    if (shown === 2) feishu.registration.scan(codes[0] ?? "", "agree");
  });
  expect([isGone, steps.map(({ type }) => type)]).toEqual([true, ["qr", "qr", "done"]]);
});

test("CH172 login/MAX_CODES three codes, each before the last one expires; then it says that nobody scanned them", async () => {
  const place = await scene({ expires: 0.4, interval: 0.05 });
  const codes: string[] = [];
  await expect(login(place, (code) => void codes.push(code))).rejects.toThrow(/Nobody has scanned 3 codes\. \S/);
  expect(new Set(codes).size).toBe(3);
  expect(asked(place, "begin")).toBe(3);
  // It wakes up for each question, each code and each end, now and then a millisecond early.
  expect(place.sleeps()).toBeLessThanOrEqual(2 * asked(place, "poll") + 6);
});

test("CH172 a code that was scanned when the next one is shown already still counts", async () => {
  const place = await scene({ expires: 2, interval: 0.05 });
  const { feishu } = place;
  const codes: string[] = [];
  const steps = await login(place, (code) => {
    codes.push(code);
    if (codes.length === 2) feishu.registration.scan(codes[0] ?? "", "agree");
  });
  expect(steps.map(({ type }) => type)).toEqual(["qr", "qr", "done"]);
});

test("CH172 a private Feishu is asked at its own address, and without one it says so", async () => {
  const place = await scene();
  const { feishu } = place;
  const settings = { region: "private", baseUrl: feishu.url };
  const steps = await login(place, (code) => void feishu.registration.scan(code, "agree"), settings);
  expect(steps.at(-1)).toMatchObject({ type: "done", settings: { region: "private" } });
  expect(new Set(place.places)).toEqual(new Set([feishu.url]));
  await expect(login(place, () => {}, { region: "private" })).rejects.toThrow(/baseUrl is missing\. \S/);
});
