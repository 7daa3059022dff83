/** What went wrong with Feishu, in the words of the host: whether it is tried again, and what a person can do. */
import type { ChannelHost } from "@margay/core/plugin";
import { NoAnswer, Refusal } from "./errors.ts";

/** Not in the chat, no bot in it, out of reach, may not speak, the chat or the topic is gone, the message taken back. */
const GONE = [
  230_002, 230_011, 230_013, 230_018, 230_019, 230_029, 230_034, 230_035, 230_038, 230_050, 230_053, 230_110, 232_009,
];
/** The App ID, the secret. */
const LOGIN = [10_003, 10_014, 10_015, 514];
const BOT_IS_OFF = 230_006;
const NO_SCOPE = [99_991_672, 99_991_679, 230_027];
const APP_LIMIT = 99_991_400;
const QUOTA = 99_991_403;
/** 5 in a second, of all bots in a chat. */
const CHAT_LIMIT = 230_020;
/** The same key, a moment ago. */
const ON_ITS_WAY = 230_049;
const BAD_CARD = 230_099;
const TOO_MANY_CONNECTIONS = 1_000_040_350;

/** What is no error of Feishu comes back as it is. */
export function faultOf(error: unknown, host: ChannelHost): unknown {
  if (error instanceof NoAnswer)
    return host.fault("again", `Feishu cannot be reached: ${error.message}. It is tried again.`, {
      cause: error,
      sent: error.sent,
    });
  return error instanceof Refusal ? refusalOf(error, host) : error;
}

/** Whether a chat is none of ours any more. */
export function isGone(error: unknown): error is Refusal {
  return error instanceof Refusal && GONE.includes(error.code);
}

/** A fault of ours: only another secret cures it. */
export function isAuth(error: unknown): error is Error {
  return error instanceof Error && "kind" in error && error.kind === "auth";
}

export function isBadCard(error: unknown): error is Refusal {
  return error instanceof Refusal && error.code === BAD_CARD;
}

/** Too much, too often, or an error of its own: later it may do. */
export function isLimit({ status, code }: Refusal): boolean {
  return status === 429 || status >= 500 || [APP_LIMIT, QUOTA, CHAT_LIMIT].includes(code);
}

/** Names the permissions that are missing; undefined: it is something else. */
export function missingScopes(error: unknown): string | undefined {
  if (!(error instanceof Refusal) || !NO_SCOPE.includes(error.code)) return undefined;
  const { scopes, message } = error;
  const named =
    scopes.length > 0 ? scopes : [...message.matchAll(/\b[a-z]+:[a-z_.]+(?::[a-z_.]+)*/g)].map(([name]) => name);
  return [...new Set(named)].join(", ") || message;
}

function refusalOf(error: Refusal, host: ChannelHost): Error {
  const { status, code, message, retryAfterMs } = error;
  const no = { cause: error, sent: "no" } as const;
  const named = code === 0 ? message : `${message} (${code})`;
  const scopes = missingScopes(error);
  if (scopes !== undefined)
    return host.fault(
      "auth",
      `The app lacks a permission: ${scopes}. Add it on the page Permissions & Scopes, publish a version, and test the channel.`,
      no,
    );
  if (LOGIN.includes(code))
    return host.fault("auth", `Feishu does not know this app: ${named}. Copy App ID and App Secret again.`, no);
  if (code === BOT_IS_OFF || code === 403)
    return host.fault(
      "auth",
      `The app may not do this: ${named}. Add the feature Bot, choose the long connection for its events, and publish a version.`,
      no,
    );
  if (isGone(error))
    return host.fault(
      "gone",
      `Feishu does not let us write there: ${named}. The bot has to be in the chat, and whom it writes to within its availability.`,
      { ...no, answered: true },
    );
  if (code === BAD_CARD)
    return host.fault("markup", `Feishu does not draw this card: ${named}. It is sent as plain text.`, no);
  if (code === CHAT_LIMIT)
    return host.fault("slow-down", `Feishu takes five messages in a second: ${named}. It is sent after that.`, {
      ...no,
      scope: "chat",
      retryAfterMs: retryAfterMs ?? 1000,
    });
  if (code === QUOTA)
    return host.fault("slow-down", `The calls of this month are used up: ${named}. Look at the plan of the tenant.`, {
      ...no,
      scope: "channel",
      retryAfterMs: 3_600_000,
    });
  if (code === APP_LIMIT || status === 429)
    return host.fault("slow-down", `Feishu asks to wait: ${named}. It is sent after that.`, {
      ...no,
      scope: "channel",
      retryAfterMs: retryAfterMs ?? 1000,
    });
  if (code === TOO_MANY_CONNECTIONS)
    return host.fault(
      "again",
      `The app has as many connections as Feishu allows: ${named}. End other programs of it.`,
      no,
    );
  // A server that failed may have done it before.
  if (status >= 500 || code === ON_ITS_WAY || code === 1 || code === 1_000_040_343)
    return host.fault("again", `Feishu has an error of its own: ${named}. It is tried again.`, {
      cause: error,
      sent: "maybe",
    });
  return host.fault("refused", `Feishu refused it: ${named}. Change what is sent.`, { ...no, answered: true });
}
