/** The settings of one app, as `channel.json` describes them. */
import type { ChannelHost, ChannelOptions } from "@margay/core/plugin";

export interface Settings {
  readonly appId: string;
  readonly appSecret: string;
  /** How it is told what happens: over a connection of ours, or by calls of Feishu. */
  readonly mode: "socket" | "http";
  /** Of its calls: encrypts and signs them. */
  readonly encryptKey: string;
  /** Of its calls: in the one that looks for the address, which is not signed. */
  readonly verificationToken: string;
  /** Where the open platform is, without a slash at its end. */
  readonly baseUrl: string;
}

const PLATFORMS = { feishu: "https://open.feishu.cn", lark: "https://open.larksuite.com", private: undefined } as const;
const ACCOUNTS = {
  feishu: "https://accounts.feishu.cn",
  lark: "https://accounts.larksuite.com",
  private: undefined,
} as const;

/** @throws a fault `config`. */
export function settingsOf({ id, settings }: ChannelOptions, host: ChannelHost): Settings {
  const wrong = (what: string, cure: string): Error =>
    host.fault("config", `channels.${id}: ${what} ${cure}`, { sent: "no" });
  const appId = String(settings["appId"] ?? "").trim();
  if (!/^cli_[\da-f]{16}$/i.test(appId))
    throw wrong("appId is none.", "Copy the App ID (cli_ and 16 characters) from the page Credentials & Basic Info.");
  const appSecret = String(settings["appSecret"] ?? "").trim();
  if (appSecret === "") throw wrong("appSecret is missing.", "Copy it from the page Credentials & Basic Info.");
  const baseUrl = addressOf({ id, settings }, PLATFORMS, host);
  const mode = settings["mode"] === "http" ? "http" : "socket";
  const [encryptKey = "", verificationToken = ""] = ["encryptKey", "verificationToken"].map((name) =>
    String(settings[name] ?? "").trim(),
  );
  if (mode === "http" && encryptKey === "")
    throw wrong(
      "encryptKey is missing.",
      "Make one on the page Events & Callbacks, tab Encryption Strategy: it signs.",
    );
  if (mode === "http" && verificationToken === "")
    throw wrong("verificationToken is missing.", "Copy it from the page Events & Callbacks, tab Encryption Strategy.");
  const all = { appId, appSecret, mode, encryptKey, verificationToken } as const;
  return { ...all, baseUrl };
}

/** Where the accounts are, to which an app belongs that a scan makes. @throws a fault `config`. */
export function accountsOf(options: ChannelOptions, host: ChannelHost): string {
  return addressOf(options, ACCOUNTS, host);
}

/** @returns what is set, else that of the region; without a slash at its end. @throws a fault `config`. */
function addressOf(
  { id, settings }: ChannelOptions,
  places: Readonly<Record<keyof typeof PLATFORMS, string | undefined>>,
  host: ChannelHost,
): string {
  const wrong = (what: string, cure: string): Error =>
    host.fault("config", `channels.${id}: ${what} ${cure}`, { sent: "no" });
  const region = String(settings["region"] ?? "feishu");
  if (!isRegion(region)) throw wrong(`region ${region} is none.`, "Use feishu, lark or private.");
  const given = settings["baseUrl"];
  const base = typeof given === "string" && given.trim() !== "" ? given.trim() : places[region];
  if (base === undefined)
    throw wrong("baseUrl is missing.", "Where Feishu runs privately it is the address of the open platform there.");
  const url = URL.parse(base);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw wrong("baseUrl is no address.", "Write it out, with https://.");
  if (url.protocol === "http:" && !isNear(url.hostname))
    throw wrong("baseUrl sends the secret in the clear over the network.", "Use https://.");
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

function isRegion(name: string): name is keyof typeof PLATFORMS {
  return Object.hasOwn(PLATFORMS, name);
}

/** On this machine or in its own network: a name without a dot is one of a container. */
function isNear(host: string): boolean {
  return !/[.:]/.test(host) || host === "[::1]" || /^(?:127|10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+$/.test(host);
}
