/** Whether something that nobody asked for can be sent to a chat at all. */
import type { Address } from "@margay/core";
import { addressIn } from "@margay/core/internal";
import type { Translate } from "../texts/translate.ts";
import { isKnownChannel, kindOf, ourKinds } from "../config/channel-ids.ts";
import { findPluginKind } from "../models/channel-kinds.ts";
import type { Config } from "../config/config.ts";

/** Where a person is at the machine itself, or where no person is. */
const OURS: ReadonlySet<string> = new Set([
  "cli",
  "web",
  "api",
  "cron",
  "heartbeat",
  "greeting",
  "subagent",
  "hook",
  "system",
  "direct",
]);

export function isOurs(channel: string): boolean {
  return OURS.has(channel);
}

/** Of a setting, which was checked to be one. */
export function addressOf(text: string): Address {
  return addressIn(text) ?? { channel: text, chat: "" };
}

/** Why nothing can be sent there, and what to do; undefined: it can. @param home The state directory: what its plugins can do. */
export function targetFault(
  { channel }: Pick<Address, "channel">,
  configured: Config["channelsById"],
  t: Translate,
  home: string,
): string | undefined {
  if (isOurs(channel)) return undefined;
  if (!isKnownChannel(channel, configured)) return t("target.unknown", { channel, names: ourKinds().join(", ") });
  if (configured[channel]?.enabled !== true) return t("target.off", { channel });
  const kind = findPluginKind(kindOf(channel, configured), { home });
  return kind?.manifest.can.window?.unsolicited === false ? t("target.answersOnly", { channel }) : undefined;
}
