/** A group that became a supergroup has another number there, and stays the chat it was here: with its session and rights. */
import type { ChannelHost } from "@margay/core/plugin";

type State = Pick<ChannelHost, "state" | "log">;

export async function rememberMove({ state, log }: State, from: string, to: string): Promise<void> {
  if (state.value(`moved-${from}`) === to) return;
  await state.setValue(`was-${to}`, from);
  await state.setValue(`moved-${from}`, to);
  log.info("telegram.chat-moved", { from, to });
}

/** The number there. @param chat ours */
export function platformChat({ state }: State, chat: string): string {
  return textOr(isNumber(chat) ? state.value(`moved-${chat}`) : undefined, chat);
}

/** Ours. @param chat the number there */
export function ownChat({ state }: State, chat: string): string {
  return textOr(state.value(`was-${chat}`), chat);
}

export function isNumber(chat: string): boolean {
  return /^-?\d{1,20}$/.test(chat);
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}
