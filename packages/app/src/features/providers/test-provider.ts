/** "Test connection", step by step: address → TLS → key → list → model → one word. */
import { type Clock } from "@margay/core";
import { httpFetch, nearest } from "@margay/core/internal";
import type { Config, ProviderConfig } from "../../config/config.ts";
import type { Language } from "../../texts/text.ts";
import { probeModel } from "../../models/model-check.ts";
import { keysOf } from "../../models/choose-model.ts";
import { findPlugin, hasOtherCredentials } from "../../models/known-plugins.ts";
import type { Vendor } from "../../models/vendor.ts";
import { vendorHere } from "../../models/vendors-here.ts";
import type { TestResult } from "../../protocol/test-result.ts";
import { runSteps, StepFault, type Step, type StepResult } from "../../host/api/test-steps.ts";
import { sayer, type Sayer } from "../../host/api/words.ts";
import { handshake, reach, reasonOf } from "../../models/connection.ts";
import { listModels, type ModelList } from "../../models/model-list.ts";
import { TEXT } from "./api-texts.ts";

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
  readonly vendor: Vendor | undefined;
  readonly configured: ProviderConfig;
  readonly url: URL | null;
  readonly key: string | undefined;
  readonly say: Sayer;
  list: ModelList;
}

export async function testProvider(test: ProviderTest, signal: AbortSignal): Promise<TestResult> {
  const { id, config, env, language } = test;
  const vendor = vendorHere(id, env);
  const configured: ProviderConfig = config.providers[id] ?? {};
  const key = keysOf(id, config, env)[0];
  const tested: Tested = {
    ...test,
    vendor,
    configured,
    url: URL.parse(configured.baseUrl ?? vendor?.baseUrl ?? ""),
    key,
    say: sayer(language),
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
  { id: "address", title: TEXT.addressReached, run: reachAddress },
  { id: "tls", title: TEXT.certificateHolds, run: checkCertificate },
  { id: "key", title: TEXT.keySet, run: lookForKey },
  {
    id: "models",
    title: TEXT.providerAcceptsKey,
    run: listItsModels,
  },
  { id: "model", title: TEXT.theModelIs, run: findModel },
  { id: "live", title: TEXT.modelAnswers, run: askModel },
];

function reachAddress({ id, url, say }: Tested, stop: AbortSignal): StepResult | Promise<StepResult> {
  if (url === null && findPlugin(id) !== undefined) return { skipped: say(TEXT.pluginKnows) };
  if (url === null) throw new StepFault("provider.unreachable", say(TEXT.hasNoAddress), say(TEXT.setBaseUrl));
  return reach(url, within(stop, CONNECT_MS)).catch((error: unknown) => {
    throw new StepFault(
      "provider.unreachable",
      say(TEXT.wasNotReached2, { host: url.host, reason: reasonOf(error) }),
      say(TEXT.checkAddressNetwork),
    );
  });
}

function checkCertificate({ url, say }: Tested, stop: AbortSignal): StepResult | Promise<StepResult> {
  if (url?.protocol !== "https:") return { skipped: say(TEXT.addressPlainHttp) };
  return handshake(url, within(stop, CONNECT_MS)).catch((error: unknown) => {
    throw new StepFault(
      "provider.unreachable",
      say(TEXT.encryptedConnectionFailed, { reason: reasonOf(error) }),
      say(TEXT.checkClockAnd),
    );
  });
}

function lookForKey({ id, vendor, key, env, say }: Tested): StepResult {
  const needed = (vendor ?? findPlugin(id))?.keys ?? [];
  if (key !== undefined || hasOtherCredentials(id, env)) return undefined;
  if (needed.length === 0) return { skipped: say(TEXT.needsNone) };
  throw new StepFault("provider.auth", say(TEXT.noKeySet, { id }), say(TEXT.pasteKeyOr, { variable: needed[0] ?? "" }));
}

async function listItsModels(tested: Tested, stop: AbortSignal): Promise<StepResult> {
  const { vendor, configured, url, key, say } = tested;
  if (url === null) return { skipped: say(TEXT.offersNoList) };
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
  if (list.status === "none") return { skipped: say(TEXT.offersNoList) };
  return say(TEXT.models, { count: list.models.length });
}

function findModel({ id, model, list, say }: Tested): StepResult {
  if (model === undefined) return { skipped: say(TEXT.noModelNamed) };
  if (list.status !== "listed") return { skipped: say(TEXT.noListLook) };
  if (list.models.includes(model)) return model;
  const near = nearest(model, list.models);
  throw new StepFault(
    "model.not-found",
    say(TEXT.hasNoModel, { id, model }),
    near === undefined ? say(TEXT.chooseOneList) : say(TEXT.didYouMean, { near }),
  );
}

async function askModel(tested: Tested, stop: AbortSignal): Promise<StepResult> {
  const { id, vendor, list, live, config, env, home, say } = tested;
  const model = tested.model ?? vendor?.defaultModel ?? (list.status === "listed" ? list.models[0] : undefined);
  if (!live || model === undefined) return { skipped: say(TEXT.askedFor) };
  const { ms, usage } = await probeModel(`${id}/${model}`, { config, env, home }, stop);
  return say(TEXT.msTokensIn, {
    ms,
    input: usage.input,
    output: usage.output,
  });
}

function refusal(status: number, say: Sayer): StepFault {
  if (status === 401 || status === 403)
    return new StepFault("provider.auth", say(TEXT.keyRefused, { status }), say(TEXT.copyKeyAgain));
  if (status === 429) return new StepFault("provider.rate-limited", say(TEXT.providerAsksWait), say(TEXT.tryAgainIn));
  return new StepFault("provider.failed", say(TEXT.providerAnswered, { status }), say(TEXT.checkBaseUrl));
}

/** A test that hangs is no help. */
function within(signal: AbortSignal, ms: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(ms)]);
}
