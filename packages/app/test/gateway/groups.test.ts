// A group as its owner sees it over the API: its conversation with what was heard as a note, and the days in a list of their own.
import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { operations } from "./operations.ts";
import { startGateway } from "./support.ts";

test("PE50 what a group said to each other stands in no list of conversations, and where it was given to the model", async (t) => {
  const webhook = { enabled: true, secret: "webhook-secret", allowFrom: ["eva"], chats: { trip: { groups: "named" } } };
  const gateway = await startGateway(t, { config: { channels: { webhook } } });
  const operate = operations(gateway);
  gateway.model.replies(says("In the box."));
  for (const [key, text, addressed] of [
    ["1", "the keys are in the box", undefined],
    ["2", "where are the keys?", "named"],
  ] as const)
    await gateway.app.agent.bus.accept({
      key,
      origin: { channel: "webhook", chat: "trip" },
      from: { id: "eva", kind: "person" },
      parts: [{ type: "text", text }],
      chat: "group",
      ...(addressed !== undefined && { addressed }),
    });
  await gateway.app.agent.idle();
  const sessions = async (query: Readonly<Record<string, string>>): Promise<readonly { id: string; key: string }[]> =>
    (await operate("listSessions", { query })).body.items;
  const items = async ({ id }: { readonly id: string }): Promise<readonly object[]> =>
    (await operate("listMessages", { params: { id } })).body.items;
  const [conversation, ...others] = await sessions({});
  const [day, ...otherDays] = await sessions({ source: "heard" });
  expect([others, otherDays]).toEqual([[], []]);
  if (conversation === undefined || day === undefined) throw new Error("one of them is in no list");
  expect([conversation.key, day.key]).toEqual(["webhook:trip", expect.stringMatching(/^heard:webhook:trip:/)]);
  const [note, asked] = await items(conversation);
  expect(note).toMatchObject({
    kind: "notice",
    text: "Said in this group before, and not to you:\n[guest eva] the keys are in the box",
  });
  expect(asked).toMatchObject({ kind: "user", parts: [{ text: "[guest eva] where are the keys?" }] });
  expect(await items(day)).toMatchObject([
    { kind: "user", from: { name: "guest eva" }, parts: [{ text: "the keys are in the box" }], state: "placed" },
  ]);
});
