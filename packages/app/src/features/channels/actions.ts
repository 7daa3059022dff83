/** Replies that wait or were given up on, and what a person makes of one: for routes and for commands. */
import { z } from "zod";
import { announce } from "../../host/live/announce.ts";
import { createOutboxIndex, type OutboxItem } from "../../host/live/outbox-index.ts";
import { Problem } from "../../host/api/problem.ts";
import type { Services } from "../../host/api/services.ts";
import { told } from "../../host/api/words.ts";
import { operation } from "../../host/control/operation.ts";
import type { ChannelView, OutboxEntry } from "./schema.ts";
import type { TestResult } from "../../protocol/test-result.ts";
import { testChannel } from "./test-channel.ts";
import { channelViews } from "./view.ts";
import { TEXT } from "./api-texts.ts";

const One = z.strictObject({ reply: z.string() });

export const CHANNEL_OPERATIONS = {
  "channels.test": operation(
    z.strictObject({ id: z.string(), to: z.string().optional(), language: z.enum(["en", "zh-CN"]) }),
    async ({ id, to, language }, { services, signal }): Promise<TestResult | undefined> => {
      const config = services.app.inside.loaded().config.channelsById[id];
      return config && testChannel(id, config, to, { services, language }, signal);
    },
  ),
  "channels.status": operation(
    z.strictObject({ language: z.enum(["en", "zh-CN"]) }),
    ({ language }, { services }): Promise<readonly ChannelView[]> => channelViews(services, language),
  ),
  "channels.outbox": operation(z.strictObject({}), async (_none, { services }): Promise<readonly OutboxEntry[]> =>
    (await services.once(createOutboxIndex).list()).map((item) => entryOf(item, false)),
  ),
  /** @returns whether it has left; else it waits for its platform. */
  "channels.send": operation(One, async ({ reply }, { app, services }): Promise<{ readonly sent: boolean }> => {
    await sendReply(services, reply);
    await app.agent.idle();
    return { sent: (await services.once(createOutboxIndex).find(reply)) === undefined };
  }),
  "channels.drop": operation(One, async ({ reply }, { services }): Promise<object> => {
    await dropReply(services, reply);
    return {};
  }),
} as const;

/** Now, and before it what waits in its chat; also one that was given up on, and one that may be there already. */
export async function sendReply(services: Services, reply: string): Promise<OutboxItem> {
  const { agent } = services.app;
  const item = await itemOf(services, reply);
  const session = await agent.sessions.find(item.key);
  if (session === undefined) throw noReply(reply);
  if (item.state === "failed") await session.commit(item.queued);
  else if (!(await agent.hurry(item.key, reply))) throw noReply(reply); // it was delivered meanwhile
  announce(services, "channels", item.to.channel);
  return (await services.once(createOutboxIndex).find(reply)) ?? { ...item, state: "pending" };
}

/** What waited for other settings of a channel is looked at now. */
export async function hurryReplies(services: Services, channel: string): Promise<void> {
  const waiting = (await services.once(createOutboxIndex).list()).filter(({ to }) => to.channel === channel);
  for (const { key, reply, state } of waiting) if (state === "pending") await services.app.agent.hurry(key, reply);
}

export async function dropReply(services: Services, reply: string): Promise<void> {
  const { agent } = services.app;
  const item = await itemOf(services, reply);
  const session = await agent.sessions.find(item.key);
  if (session === undefined || item.state === "failed") throw noReply(reply);
  await session.commit({
    type: "reply.failed",
    reply,
    kind: "dropped",
    sent: item.attempts === 0 && item.state !== "uncertain" ? "no" : "maybe",
    error: { code: "channel.failed", message: "Dropped by a person.", retryable: false },
    attempt: item.attempts,
  });
  agent.wake(item.key);
  announce(services, "channels", item.to.channel);
}

async function itemOf(services: Services, reply: string): Promise<OutboxItem> {
  const item = await services.once(createOutboxIndex).find(reply);
  if (item === undefined) throw noReply(reply);
  return item;
}

function noReply(reply: string): Problem {
  return new Problem(
    "request.not-found",
    told({ detail: TEXT.noReplyWaits, remedy: TEXT.listsThem }, { reply: reply.slice(0, 64) }),
  );
}

/** @param isHidden its text is another person's. */
export function entryOf({ key: _key, queued: _queued, ...entry }: OutboxItem, isHidden: boolean): OutboxEntry {
  return isHidden ? { ...entry, text: "" } : entry;
}
