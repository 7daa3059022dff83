/** The settings of one app, as `channel.json` describes them. */
import type { ChannelHost, ChannelOptions } from "@margay/core/plugin";

export interface Settings {
  /** Of the bot: for all that is asked and said. */
  readonly token: string;
  /** How it is told what happens: over a socket of ours, or by calls of Slack. */
  readonly mode: "socket" | "http";
  /** Of the app: for the socket alone. */
  readonly appToken: string;
  /** Of the app: what Slack signs its calls with. */
  readonly signingSecret: string;
  /** Where Slack is, without a slash at its end. */
  readonly baseUrl: string;
  /** The host that is not Slack's and may have files and sockets; absent: Slack's own alone. */
  readonly ownHost: string | undefined;
  readonly replyInThread: "auto" | "always" | "never";
}

const SLACK = "https://slack.com";

/** @throws a fault `config`. */
export function settingsOf({ id, settings }: ChannelOptions, host: ChannelHost): Settings {
  const wrong = (what: string, cure: string): Error =>
    host.fault("config", `channels.${id}: ${what} ${cure}`, { sent: "no" });
  const token = textIn(settings["token"]);
  const appToken = textIn(settings["appToken"]);
  // Each becomes a header, and one is easily taken for the other.
  if (!/^xox[a-z](?:\.xox[a-z])?-[\w.-]+$/.test(token))
    throw wrong(
      "the token is none of a bot.",
      "Copy the one that begins with xoxb- from the page OAuth & Permissions.",
    );
  const mode = settings["mode"] === "http" ? "http" : "socket";
  const signingSecret = textIn(settings["signingSecret"]);
  if (mode === "http" && !/^[\da-f]{32,}$/i.test(signingSecret))
    throw wrong(
      "options.signingSecret is none.",
      "Copy the Signing Secret (32 characters, digits and a to f) from the page Basic Information, App Credentials.",
    );
  if (mode === "socket" && !/^xapp-[\w.-]+$/.test(appToken))
    throw wrong(
      "options.appToken is no token of an app.",
      "Copy the one that begins with xapp- from the page Basic Information, App-Level Tokens.",
    );
  const given = textIn(settings["baseUrl"]);
  const url = URL.parse(given === "" ? SLACK : given);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw wrong("baseUrl is no address.", "Write it out, with https://.");
  if (url.protocol === "http:" && !isNear(url.hostname))
    throw wrong("baseUrl sends the token in the clear over the network.", "Use https://.");
  const replyInThread = settings["replyInThread"];
  return {
    token,
    mode,
    appToken,
    signingSecret,
    baseUrl: `${url.origin}${url.pathname}`.replace(/\/+$/, ""),
    ownHost: given === "" ? undefined : url.host,
    replyInThread: replyInThread === "always" || replyInThread === "never" ? replyInThread : "auto",
  };
}

/** Whether bytes and tokens may go there: to Slack encrypted, or to where the settings say. */
export function isSlacks(url: URL, { ownHost, baseUrl }: Settings): boolean {
  if (ownHost !== undefined) {
    const isSecure = baseUrl.startsWith("https:");
    return url.host === ownHost && (isSecure ? ["https:", "wss:"] : ["http:", "ws:"]).includes(url.protocol);
  }
  return ["https:", "wss:"].includes(url.protocol) && url.port === "" && /(?:^|\.)slack\.com$/.test(url.hostname);
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

/** On this machine or in its own network: a name without a dot is one of a container. */
function isNear(host: string): boolean {
  return !/[.:]/.test(host) || host === "[::1]" || /^(?:127|10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+$/.test(host);
}
