/** What the gateway keeps about sessions: one hub, views, the list, marks and topics. Made once per gateway. */
import type { JournalRecord, JsonObject } from "@margay/core";
import { bySomeKind, isAside, type SomeKinds } from "@margay/core/internal";
import type { App } from "../../app.ts";
import { createHub, type Hub } from "./hub.ts";
import { createIndex, type SessionIndex } from "../sessions/index-sessions.ts";
import { openMarks, type Marks } from "../sessions/marks.ts";
import { nameConversations } from "../sessions/titles.ts";
import { createReader, type Reader } from "./reader.ts";
import { createTopics, type Topic, type Topics } from "./topics.ts";

export interface Events {
  readonly hub: Hub;
  readonly reader: Reader;
  readonly index: SessionIndex;
  readonly marks: Marks;
  readonly topics: Topics;
}

/** For `services.once`. */
export function createEvents(app: App): Events {
  const { feed, readCommits, sessionIds, journals } = app.inside;
  const { clock, log } = app;
  const hub = createHub(feed);
  const marks = openMarks(app.loaded.places.docs);
  const index = createIndex({ hub, marks, sessionIds, journals, readCommits, clock, log });
  const topics = createTopics();
  const events: Events = { hub, marks, index, topics, reader: createReader({ hub, readCommits, clock }) };
  nameConversations({ app, ...events });
  publishChanges(app, events);
  return events;
}

/** The list of sessions and what waits for a person, as topics. */
function publishChanges(app: App, { index, topics, hub }: Events): void {
  index.watch((change) => {
    if ("removed" in change) topics.publish("sessions", { removed: change.removed });
    else if (!isAside(change.changed)) {
      topics.publish("sessions", { changed: change.changed.id });
      if (change.changed.key.startsWith("cron:")) topics.publish("cron", { session: change.changed.id });
      if (change.changed.parent !== undefined) topics.publish("tasks", { changed: change.changed.id });
    }
  });
  app.schedule.cron?.watch((job) => topics.publish("cron", { job }));
  app.inside.hold.listen(() => {
    for (const topic of ["system", "cron"] as const) topics.publish(topic, { changed: "schedule" });
  });
  app.inside.watchMcp((server) => topics.publish("mcp", { changed: server }));
  app.inside.platforms.watch((id) => topics.publish("channels", { changed: id }));
  hub.followAll((id, { records }) => {
    for (const record of records) {
      const news = bySomeKind(NEWS, record);
      if (news !== undefined) topics.publish(news.topic, { session: id, ...news.data });
    }
  });
}

interface News {
  readonly topic: Topic;
  readonly data: JsonObject;
}

const NEWS: SomeKinds<JournalRecord, [], News | undefined> = {
  "call.judged": ({ verdict, call }) =>
    verdict === "ask" ? { topic: "approvals", data: { call, state: "pending" } } : undefined,
  "call.asked": ({ call }) => ({ topic: "approvals", data: { call, state: "pending" } }),
  "release.asked": ({ id: call }) => ({ topic: "approvals", data: { call, state: "pending" } }),
  "release.answered": ({ release: call }) => ({ topic: "approvals", data: { call, state: "settled" } }),
  "release.closed": ({ release: call }) => ({ topic: "approvals", data: { call, state: "settled" } }),
  "approval.resolved": ({ call }) => ({ topic: "approvals", data: { call, state: "settled" } }),
  // A delivery does not say where to: one of a page makes a list load once more than it must.
  "reply.failed": ({ reply }) => ({ topic: "channels", data: { reply } }),
  "reply.held": ({ reply }) => ({ topic: "channels", data: { reply } }),
  "reply.delivered": ({ reply }) => ({ topic: "channels", data: { reply } }),
  "reply.queued": ({ reply, to }) => (isJournal(to.channel) ? undefined : { topic: "channels", data: { reply } }),
  "turn.ended": ({ usage }) => ({ topic: "usage", data: { usage: { ...usage } } }),
  "usage.counted": ({ usage }) => ({ topic: "usage", data: { usage: { ...usage } } }),
};

/** Its readers read the journal: nothing is delivered. */
function isJournal(channel: string): boolean {
  return channel === "web" || channel === "api";
}
