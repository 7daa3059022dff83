/** One message → one of the inbox, and what is said to its sender. */
import type { ChannelHost, ChannelInbox, InboundMessage } from "@margay/core/plugin";
import type { Link } from "./link.ts";
import { NS } from "./names.ts";
import type { Incoming } from "./read.ts";

/** One account of the configuration, at work. */
export interface Account {
  readonly id: string;
  readonly host: ChannelHost;
  /** Says to a sender what the channel may tell. */
  answer(to: string, text: string, key: string, signal: AbortSignal): Promise<void>;
}

/**
 * @param edits the key of the one that it corrects
 * @throws a fault: it is to be offered again; what `inbox.accept` throws.
 */
export async function takeMessage(
  message: Incoming,
  edits: string | undefined,
  account: Account,
  link: Link,
  inbox: ChannelInbox,
  signal: AbortSignal,
): Promise<void> {
  const { key, chat, kind, from, addressed, sentAt, quotes, text, named } = message;
  const offered: InboundMessage = {
    key,
    origin: { channel: account.id, chat },
    from: { ...from, kind: "person" },
    chat: kind,
    parts: [{ type: "text", text }],
    ...(addressed !== undefined && { addressed }),
    ...(quotes !== undefined && { quotes }),
    ...(named !== undefined && { handle: { data: named } }),
    ...(sentAt !== undefined && { sentAt }),
  };
  const accepted = edits === undefined ? await inbox.accept(offered) : await inbox.edited({ ...offered, edits });
  if (accepted.status === "refused") {
    const say = (answer: string): Promise<void> => account.answer(chat, answer, key, signal);
    await account.host.refused(accepted, { chat: kind, where: "on the server", say, signal });
  } else if (message.receipt !== undefined) await confirm(message.receipt, link);
}

/** Best effort: it came all the same. A stranger is not told that somebody is here. */
async function confirm({ to, id }: NonNullable<Incoming["receipt"]>, link: Link): Promise<void> {
  const { xml } = link;
  await link.write(xml("message", { to }, xml("received", { xmlns: NS.receipts, id }))).catch(() => {});
}
