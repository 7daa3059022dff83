/** An address of ours → where that is at Slack. */
import type { Address } from "@margay/core/plugin";
import type { Account } from "./account.ts";
import { isRecord, needed } from "./json.ts";
import type { Place } from "./places.ts";

/** A person is written to in the private chat with them. @throws a fault; Refusal, NoAnswer. */
export async function placeOf(
  { chat, thread }: Address,
  { api, host }: Pick<Account, "api" | "host">,
  signal: AbortSignal,
): Promise<Place> {
  if (!/^[CDGUW][A-Z0-9]{5,}$/.test(chat) || (thread !== undefined && !/^\d+\.\d{6}$/.test(thread)))
    throw host.fault("gone", `${chat} is no chat of Slack. Write to its id, as C0123456789.`, { sent: "no" });
  return { channel: /^[UW]/.test(chat) ? await privateChat(chat, api, signal) : chat, thread };
}

/** Of a person with us. @throws Refusal, NoAnswer; the reason of the signal. */
export async function privateChat(user: string, api: Account["api"], signal: AbortSignal): Promise<string> {
  const { body } = await api.call("conversations.open", { users: user }, signal);
  const { id } = isRecord(body["channel"]) ? body["channel"] : {};
  return needed(id, "channel.id");
}

const MESSAGE = /^([A-Z0-9]+):(\d+\.\d{6})$/;

/** Whether it is `channel:ts` of one. */
export function isMessage(id: string): boolean {
  return MESSAGE.test(id);
}

/** @throws TypeError for what is no message. */
export function addressOf(id: string): { readonly channel: string; readonly ts: string } {
  const [, channel, ts] = MESSAGE.exec(id) ?? [];
  return { channel: needed(channel, "channel"), ts: needed(ts, "ts") };
}
