// CH32: what is one conversation, by the settings: a thread, a chat, or a person of a group.
import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { running, type Running } from "./running.ts";
import { postSigned } from "./support.ts";

interface Said {
  readonly chat?: string;
  readonly thread?: string;
  readonly sender?: string;
}

const GROUP = { operators: ["ada"], allowFrom: ["ben"], groups: "all", chats: { trip: {} } } as const;

async function talk(place: Running) {
  const { app, model, receiver, port } = place;
  let number = 0;
  return {
    /** @returns where the answer went, and what of the texts before the model saw. */
    say: async (text: string, { chat = "trip", thread, sender = "ada" }: Said = {}) => {
      number += 1;
      model.replies(says(`Answer to ${text}.`));
      await postSigned(port, {
        ...{ id: `m${number}`, chat, sender, text, ...(chat === "trip" ? { group: true } : { private: true }) },
        ...(thread !== undefined && { thread }),
      });
      await receiver.took(number);
      await app.agent.idle();
      const seen = JSON.stringify(model.requests.at(-1)?.messages);
      const body = receiver.received.at(-1)?.body;
      return { to: [body?.["chat"], body?.["thread"]], saw: (other: string) => seen.includes(`Answer to ${other}.`) };
    },
    keys: async () => (await app.agent.sessions.list()).map(({ key }) => key).toSorted(),
    /** The same process with other settings. */
    set: (session: "perThread" | "perChat" | "perSender", chats: object = GROUP.chats) => {
      const { config } = app.loaded;
      const { webhook } = config.channelsById;
      if (webhook === undefined) throw new Error("the channel is configured above");
      const channelsById = { webhook: { ...webhook, session, chats: chats as typeof webhook.chats } };
      app.configure({ ...app.loaded, config: { ...config, channelsById } });
    },
  };
}

test("CH32 each thread is a conversation, unless perChat makes one of a chat: its answers still go to their threads", async () => {
  const { say, keys, set } = await talk(await running(GROUP, { rules: "off" }));
  await say("one", { thread: "a" });
  const apart = await say("two", { thread: "b" });
  expect([apart.to, apart.saw("one")]).toEqual([["trip", "b"], false]);
  set("perChat");
  const first = await say("three", { thread: "a" });
  expect([first.to, first.saw("one")]).toEqual([["trip", "a"], false]);
  const second = await say("four", { thread: "b" });
  expect([second.to, second.saw("three")]).toEqual([["trip", "b"], true]);
  expect(await keys()).toEqual(["webhook:trip", "webhook:trip:a", "webhook:trip:b"]);
});

test("CH32 a change begins new conversations and loses none: back again, each goes on where it was", async () => {
  const { say, keys, set } = await talk(await running(GROUP, { rules: "off" }));
  await say("one", { thread: "a" });
  set("perSender");
  expect((await say("two", { thread: "a" })).saw("one")).toBe(false);
  set("perThread");
  expect((await say("three", { thread: "a" })).saw("one")).toBe(true);
  set("perThread", { trip: { session: "perSender" } }); // of one group alone
  expect((await say("four", { thread: "a" })).saw("two")).toBe(true);
  expect(await keys()).toEqual(["webhook:trip:a", "webhook:trip:from:ada"]);
});

test("CH32 PE20 with perSender each person of a group has a conversation of their own, whose room is the group's all the same", async () => {
  const place = await running({ ...GROUP, session: "perSender" }, { rules: "off" });
  const { say, keys } = await talk(place);
  const { find } = place.app.agent.sessions;
  await say("one", { sender: "ada" });
  expect((await say("two", { sender: "ben" })).saw("one")).toBe(false);
  expect((await say("three", { sender: "ada", thread: "b" })).saw("one")).toBe(true);
  expect(await keys()).toEqual(["webhook:trip:from:ada", "webhook:trip:from:ben"]);
  for (const key of await keys()) expect((await find(key))?.state.audience, key).toBe("group:webhook:trip");
  await say("four", { chat: "ada" });
  expect(await keys()).toContain("webhook:ada"); // in private there is one person
});
