/**
 * Login by a scan: Feishu makes an app for who scans (RFC 8628, device authorization, at `/oauth/v1/app/registration`), or gives
 * a new secret for the one there is.
 */
import { gzipSync } from "node:zlib";
import type { ChannelHost, ChannelOptions, LoginStep } from "@margay/core/plugin";
import { isRecord, parsed, textOf, type Wire } from "./json.ts";
import { accountsOf } from "./settings.ts";

/** One that is shown. */
interface Code {
  readonly device: string;
  readonly url: string;
  readonly until: number;
  /** Another one is shown from then on; this one is still asked for as long as it holds. */
  renewAt: number;
  /** Where it is asked for: at Lark when who scanned belongs there. */
  accounts: string;
  everyMs: number;
  askAt: number;
}

const PATH = "/oauth/v1/app/registration";
const LARK = "https://accounts.larksuite.com";
const CALL_MS = 15_000;
const ANSWER_BYTES = 262_144;
/** Nobody is there. */
const MAX_CODES = 3;
const RENEW_MS = 30_000;
/** Where the platform does not say. */
const LIFETIME_S = 600;
const EVERY_S = 5;
/** RFC 8628, 3.5. */
const SLOWER_MS = 5000;

/** What the guide lets people put into the console: groups are heard, names shown, what was taken back is not answered, buttons work. */
const ADDONS = {
  scopes: {
    tenant: [
      "im:message",
      "im:message:send_as_bot",
      "im:message.p2p_msg:readonly",
      "im:message.group_at_msg:readonly",
      "im:message.group_msg",
      "im:resource",
      "contact:user.base:readonly",
      "im:chat:readonly",
      "cardkit:card:write",
    ],
  },
  events: { items: { tenant: ["im.message.receive_v1", "im.message.recalled_v1"] } },
  callbacks: { items: ["card.action.trigger"] },
};

/** @throws a fault; the reason of the signal. */
export async function* login(
  options: ChannelOptions,
  host: ChannelHost,
  signal: AbortSignal,
): AsyncGenerator<LoginStep> {
  const { clock } = host;
  let codes: readonly Code[] = [];
  let shown = 0;
  for (;;) {
    codes = codes.filter(({ until }) => until > clock.now());
    const newest = codes.at(-1);
    if (shown < MAX_CODES && (newest === undefined || newest.renewAt <= clock.now())) {
      const code = await begin(options, host, signal);
      if (typeof code !== "string") {
        codes = [...codes, code];
        shown += 1;
        yield { type: "qr", data: code.url, expiresAt: code.until };
      } else if (newest === undefined)
        throw host.fault("again", `Feishu cannot be reached: ${code}. Look at the network, and begin again.`);
      else newest.renewAt = clock.now() + newest.everyMs; // somebody may be scanning it
    } else if (newest === undefined)
      throw host.fault("refused", `Nobody has scanned ${MAX_CODES} codes. Begin again with the phone at hand.`);
    for (const code of codes.filter(({ askAt }) => askAt <= clock.now())) {
      const answer = await poll(code, host, signal);
      const settings = settingsIn(answer, options);
      if (settings !== undefined) {
        yield { type: "done", account: settings.appId, settings };
        return;
      }
      if (refusalIn(answer, host) === "gone") codes = codes.filter((one) => one !== code);
      if (isOfLark(answer) && !code.accounts.startsWith(LARK) && options.settings["baseUrl"] === undefined) {
        code.accounts = LARK;
        code.askAt = clock.now();
        yield { type: "scanned" };
      }
    }
    if (codes.length === 0) continue;
    const next = codes.flatMap(({ askAt, until }) => [askAt, until]);
    // Those before it have been renewed.
    const renewAt = shown < MAX_CODES ? codes.at(-1)?.renewAt : undefined;
    await clock.sleep(Math.max(0, Math.min(...next, renewAt ?? Infinity) - clock.now()), signal);
  }
}

/** @returns a code; or why there is no answer. @throws a fault; the reason of the signal. */
async function begin(options: ChannelOptions, host: ChannelHost, signal: AbortSignal): Promise<Code | string> {
  const accounts = accountsOf(options, host);
  const answer = await ask(
    accounts,
    { action: "begin", archetype: "PersonalAgent", auth_method: "client_secret", request_user_info: "open_id" },
    host,
    signal,
  );
  if (typeof answer === "string") return answer;
  const device = textOf(answer["device_code"]);
  const url = URL.parse(textOf(answer["verification_uri_complete"]) ?? "");
  if (device === undefined || url === null || !/^https?:$/.test(url.protocol))
    throw host.fault("refused", `Feishu shows no code: ${errorIn(answer) ?? "no address"}. Make the app by hand.`);
  const now = host.clock.now();
  const lifeMs = secondsIn(answer, ["expires_in", "expire_in"], LIFETIME_S) * 1000;
  const everyMs = secondsIn(answer, ["interval"], EVERY_S) * 1000;
  return {
    device,
    url: addressed(url, options),
    until: now + lifeMs,
    renewAt: now + lifeMs - Math.min(RENEW_MS, lifeMs / 4),
    accounts,
    everyMs,
    askAt: now + everyMs,
  };
}

/** The page behind it shows what the app may do, and asks whether it shall. */
function addressed(url: URL, { settings }: ChannelOptions): string {
  const { searchParams } = url;
  searchParams.set("from", "sdk");
  searchParams.set("source", "margay");
  searchParams.set("tp", "sdk");
  searchParams.set("name", "margay");
  searchParams.set("addons", gzipSync(JSON.stringify(ADDONS)).toString("base64url"));
  // The one there is gets a new secret: who writes to it goes on writing to it.
  if (typeof settings["appId"] === "string") searchParams.set("clientID", settings["appId"]);
  return url.href;
}

/** Empty: it is asked again later, as nothing came that says otherwise. */
async function poll(code: Code, host: ChannelHost, signal: AbortSignal): Promise<Wire> {
  const answer = await ask(code.accounts, { action: "poll", device_code: code.device }, host, signal);
  if (typeof answer !== "string" && answer["error"] === "slow_down") code.everyMs += SLOWER_MS;
  code.askAt = host.clock.now() + code.everyMs;
  return typeof answer === "string" ? {} : answer;
}

/** @returns the answer, which is one too where its status is 400; or why there is none. @throws the reason of the signal. */
async function ask(
  accounts: string,
  fields: Readonly<Record<string, string>>,
  host: ChannelHost,
  signal: AbortSignal,
): Promise<Wire | string> {
  const init = { method: "POST", body: new URLSearchParams(fields) };
  const answer = await host.request(`${accounts}${PATH}`, init, { ms: CALL_MS, maxBytes: ANSWER_BYTES, signal });
  if (!(answer instanceof Response)) return answer.failed;
  const body = parsed(await answer.text());
  return body === undefined || answer.status >= 500 ? `status ${answer.status}` : body;
}

function settingsIn(answer: Wire, { settings }: ChannelOptions) {
  const appId = textOf(answer["client_id"]);
  const appSecret = textOf(answer["client_secret"]);
  if (appId === undefined || appSecret === undefined) return undefined;
  const region = settings["region"] === "private" ? "private" : isOfLark(answer) ? "lark" : "feishu";
  return { appId, appSecret, region };
}

/** Of whoever has scanned. */
function isOfLark({ user_info: user }: Wire): boolean {
  return isRecord(user) && user["tenant_brand"] === "lark";
}

/** `gone`: the code is none any more. @throws a fault: it is over. */
function refusalIn(answer: Wire, host: ChannelHost): "gone" | undefined {
  const { error } = answer;
  if (error === undefined || error === "authorization_pending" || error === "slow_down") return undefined;
  if (error === "expired_token") return "gone";
  if (error === "access_denied")
    throw host.fault("refused", "It was refused on the phone. Begin again and agree there, or make the app by hand.");
  throw host.fault(
    "refused",
    `Feishu ended the login: ${errorIn(answer) ?? "?"}. Begin again, or make the app by hand.`,
  );
}

function errorIn({ error, error_description: description }: Wire): string | undefined {
  const texts = [textOf(error), textOf(description)].filter((text) => text !== undefined);
  return texts.length === 0 ? undefined : texts.join(", ");
}

function secondsIn(answer: Wire, names: readonly string[], usual: number): number {
  const [given] = names.map((name) => answer[name]).filter((value) => typeof value === "number" && value > 0);
  return typeof given === "number" ? given : usual;
}
