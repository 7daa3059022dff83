/** "Test connection", step by step: address → TLS → key → list → model → one word. */
import { type Clock } from "@margay/core";
import { httpFetch, nearest } from "@margay/core/internal";
import type { Config, ProviderConfig } from "../../config/config.ts";
import type { Language } from "../../texts/text.ts";
import { probeModel } from "../../models/model-check.ts";
import { keysOf } from "../../models/choose-model.ts";
import { findPlugin, hasOtherCredentials } from "../../models/known-plugins.ts";
import { findVendor } from "../../models/catalog.ts";
import type { TestResult } from "../../protocol/test-result.ts";
import { runSteps, StepFault, type Step, type StepResult } from "../../host/api/test-steps.ts";
import { words } from "../../host/api/words.ts";
import { handshake, reach, reasonOf } from "../../models/connection.ts";
import { listModels, type ModelList } from "./model-list.ts";

export interface ProviderTest {
  /** Of the configuration with the draft in it. */
  readonly id: string;
  readonly config: Config;
  readonly model: string | undefined;
  readonly live: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly language: Language;
  readonly clock: Clock;
  readonly redact: (text: string) => string;
}

const CONNECT_MS = 10_000;
const LIST_MS = 20_000;

/** What the steps share. */
interface Tested extends ProviderTest {
  readonly vendor: ReturnType<typeof findVendor>;
  readonly configured: ProviderConfig;
  readonly url: URL | null;
  readonly key: string | undefined;
  readonly say: Say;
  list: ModelList;
}

type Say = (en: string, zh: string, values?: Readonly<Record<string, string | number>>) => string;

export async function testProvider(test: ProviderTest, signal: AbortSignal): Promise<TestResult> {
  const { id, config, env, language } = test;
  const vendor = findVendor(id);
  const configured: ProviderConfig = config.providers[id] ?? {};
  const key = keysOf(id, config, env)[0];
  const tested: Tested = {
    ...test,
    vendor,
    configured,
    url: URL.parse(configured.baseUrl ?? vendor?.baseUrl ?? ""),
    key,
    say: (en, zh, values = {}) => words(language, { en, "zh-CN": zh }, values),
    list: { status: "none" },
  };
  // A provider may quote the key it was sent; a draft's key is known to no redactor yet.
  const redact = (text: string): string =>
    test.redact(key === undefined || key.length < 4 ? text : text.replaceAll(key, "[redacted]"));
  const steps = STEPS.map(({ run, ...step }): Step => ({ ...step, run: (stop) => run(tested, stop) }));
  return runSteps(steps, { language, clock: test.clock, redact, signal });
}

type StepOf = Omit<Step, "run"> & {
  readonly run: (tested: Tested, stop: AbortSignal) => StepResult | Promise<StepResult>;
};

const STEPS: readonly StepOf[] = [
  { id: "address", title: { en: "Address is reached", "zh-CN": "连接到地址" }, run: reachAddress },
  { id: "tls", title: { en: "Certificate holds", "zh-CN": "证书有效" }, run: checkCertificate },
  { id: "key", title: { en: "A key is set", "zh-CN": "已设置密钥" }, run: lookForKey },
  {
    id: "models",
    title: { en: "The provider accepts the key and lists its models", "zh-CN": "提供方接受密钥并列出模型" },
    run: listItsModels,
  },
  { id: "model", title: { en: "The model is there", "zh-CN": "模型存在" }, run: findModel },
  { id: "live", title: { en: "The model answers", "zh-CN": "模型能够回答" }, run: askModel },
];

function reachAddress({ id, url, say }: Tested, stop: AbortSignal): StepResult | Promise<StepResult> {
  if (url === null && findPlugin(id) !== undefined) return { skipped: say("The plugin knows it.", "由插件决定。") };
  if (url === null)
    throw new StepFault(
      "provider.unreachable",
      say("It has no address.", "没有地址。"),
      say("Set its base URL.", "请设置接口地址。"),
    );
  return reach(url, within(stop, CONNECT_MS)).catch((error: unknown) => {
    throw new StepFault(
      "provider.unreachable",
      say("{host} was not reached: {reason}", "无法连接 {host}：{reason}", { host: url.host, reason: reasonOf(error) }),
      say("Check the address, the network and whether the server runs.", "请检查地址、网络以及服务器是否在运行。"),
    );
  });
}

function checkCertificate({ url, say }: Tested, stop: AbortSignal): StepResult | Promise<StepResult> {
  if (url?.protocol !== "https:") return { skipped: say("The address is plain http.", "地址为明文 http。") };
  return handshake(url, within(stop, CONNECT_MS)).catch((error: unknown) => {
    throw new StepFault(
      "provider.unreachable",
      say("The encrypted connection failed: {reason}", "加密连接失败：{reason}", { reason: reasonOf(error) }),
      say("Check the clock, and whether a proxy stands in between.", "请检查系统时间，以及中间是否有代理。"),
    );
  });
}

function lookForKey({ id, vendor, key, env, say }: Tested): StepResult {
  const needed = (vendor ?? findPlugin(id))?.keys ?? [];
  if (key !== undefined || hasOtherCredentials(id, env)) return undefined;
  if (needed.length === 0) return { skipped: say("It needs none.", "不需要密钥。") };
  throw new StepFault(
    "provider.auth",
    say("No key is set for {id}.", "{id} 尚未设置密钥。", { id }),
    say("Paste its key, or set {variable}.", "请粘贴密钥，或设置 {variable}。", { variable: needed[0] ?? "" }),
  );
}

async function listItsModels(tested: Tested, stop: AbortSignal): Promise<StepResult> {
  const { vendor, configured, url, key, say } = tested;
  if (url === null) return { skipped: say("It offers no list of models.", "该服务不提供模型列表。") };
  const list = await listModels(
    {
      api: configured.api ?? vendor?.api ?? "openai-chat",
      baseUrl: url.href,
      key,
      headers: configured.headers ?? {},
    },
    httpFetch(),
    within(stop, LIST_MS),
  ).catch((error: unknown) => {
    throw new StepFault("provider.unreachable", reasonOf(error));
  });
  tested.list = list;
  if (list.status === "refused") throw refusal(list.http, say);
  if (list.status === "none") return { skipped: say("It offers no list of models.", "该服务不提供模型列表。") };
  return say("{count} models", "{count} 个模型", { count: list.models.length });
}

function findModel({ id, model, list, say }: Tested): StepResult {
  if (model === undefined) return { skipped: say("No model was named.", "未指定模型。") };
  if (list.status !== "listed") return { skipped: say("There is no list to look in.", "没有可供查找的列表。") };
  if (list.models.includes(model)) return model;
  const near = nearest(model, list.models);
  throw new StepFault(
    "model.not-found",
    say("{id} has no model {model}.", "{id} 没有模型 {model}。", { id, model }),
    near === undefined
      ? say("Choose one of its list.", "请从列表中选择。")
      : say("Did you mean {near}?", "是否想用 {near}？", { near }),
  );
}

async function askModel(tested: Tested, stop: AbortSignal): Promise<StepResult> {
  const { id, vendor, list, live, config, env, home, say } = tested;
  const model = tested.model ?? vendor?.defaultModel ?? (list.status === "listed" ? list.models[0] : undefined);
  if (!live || model === undefined) return { skipped: say("Not asked for.", "未要求。") };
  const { ms, usage } = await probeModel(`${id}/${model}`, { config, env, home }, stop);
  return say("{ms} ms, {input} tokens in, {output} out", "{ms} 毫秒，输入 {input}、输出 {output} token", {
    ms,
    input: usage.input,
    output: usage.output,
  });
}

function refusal(status: number, say: Say): StepFault {
  if (status === 401 || status === 403)
    return new StepFault(
      "provider.auth",
      say("The key was refused ({status}).", "密钥被拒绝（{status}）。", { status }),
      say("Copy the key again from the provider's console.", "请从提供方控制台重新复制密钥。"),
    );
  if (status === 429)
    return new StepFault(
      "provider.rate-limited",
      say("The provider asks to wait (429).", "提供方要求等待（429）。"),
      say("Try again in a minute.", "请一分钟后重试。"),
    );
  return new StepFault(
    "provider.failed",
    say("The provider answered {status}.", "提供方返回 {status}。", { status }),
    say(
      "Check the base URL: it usually ends with the version, such as /v1.",
      "请检查接口地址，通常以版本结尾，例如 /v1。",
    ),
  );
}

/** A test that hangs is no help. */
function within(signal: AbortSignal, ms: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(ms)]);
}
