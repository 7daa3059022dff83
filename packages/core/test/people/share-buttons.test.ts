// A yes for always, below buttons.
import { expect, onTestFinished, test } from "vitest";
import type { CallId, SessionId } from "../../src/contract/base.ts";
import type { Share } from "../../src/contract/grant.ts";
import { callsTool, recordingChannel, says } from "../../src/testing.ts";
import { defineTool } from "../../src/tools/define.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { startAgent } from "../support/agent.ts";
import { realContext } from "../support/real-context.ts";

test("PE45 PE92 the question has a button for always where all it was made of has a name; the press shares it, its message says so, and nobody else's press does", async () => {
  const channel = recordingChannel("talk", { buttons: true, edit: true });
  const shares: Share[] = [];
  const note = defineTool<{ readonly query: string }>({
    name: "recall",
    description: "Finds a line.",
    input: { properties: { query: { type: "string" } }, required: ["query"] },
    effect: "read",
    execute: ({ query }) => Promise.resolve(query === "key" ? "memory:1: the key is with Mia" : "Nothing found."),
  });
  const tools = createRegistry([note]);
  const zones: Readonly<Record<string, string>> = { bob: "Asia/Tokyo", eva: "America/New_York" };
  const { agent, model, clock } = await startAgent(
    { onTestFinished },
    {
      people: {
        ...{ speaker: ({ id }) => ({ role: "member", audience: id, name: id }), group: () => undefined },
        ...{ room: () => ({ tools, context: realContext(tools) }), join: () => true },
        ...{ roleOf: () => "member", isIn: () => false, isAlone: () => false, usualAt: () => undefined },
        settingsOf: (person) => ({ timeZone: zones[person] ?? "UTC" }),
        persons: () => ["eva", "bob"].map((person) => ({ person, name: person })),
        contact: (person) => Promise.resolve({ channel: "talk", chat: person }),
        audienceAt: ({ chat }) => Promise.resolve(chat),
        shares: {
          list: (of) => shares.filter((each) => each.of === of),
          save: async (given) => void shares.push(...given.map((each) => ({ ...each, id: each.hash, at: 0 }))),
          remove: () => Promise.resolve(undefined),
        },
      },
      tools,
      channels: [channel],
    },
  );
  const stop = new AbortController();
  const work = agent.run(stop.signal);
  onTestFinished(async () => {
    stop.abort(new Error("enough"));
    await work;
  });
  for (const id of ["eva", "bob"]) {
    model.replies(says("hello"));
    const from = { id, kind: "person" } as const;
    const origin = { channel: "talk", chat: id };
    await agent.bus.accept({ key: id, origin, from, parts: [{ type: "text", text: "hi" }], chat: "private" });
    await agent.idle();
  }
  const eva = await agent.sessions.find("talk:eva");
  const asks = async (call: string, query: string): Promise<readonly string[]> => {
    model.replies(callsTool("recall", { query }), says(`${call}: with Mia`));
    const session = eva?.state.id ?? ("" as SessionId);
    await agent.askPerson({ session, call: call as CallId, person: "bob", question: `${query}?`, signal: stop.signal });
    await agent.idle();
    return channel.sent.findLast(({ kind }) => kind === "approval")?.actions?.map(({ label }) => label) ?? [];
  };
  expect(await asks("c1", "car")).toEqual(["Allow once", "Deny"]);
  expect(await asks("c2", "key")).toEqual(["Allow once", "Always from these", "Deny"]);
  const token = channel.sent.at(-1)?.actions?.find(({ style }) => style === "plain")?.token ?? "";
  const press = (id: string): ReturnType<typeof channel.press> =>
    channel.press(token, { key: `p-${id}`, chat: "bob", from: { id, kind: "person" } });
  expect((await press("eva")).status).toBe("not-yours");
  expect(shares).toEqual([]);
  expect(await press("bob")).toEqual({
    ...{ status: "done", text: "Allowed, and from these always. /shared lists that and takes it back." },
  });
  await agent.idle();
  expect(shares).toMatchObject([{ of: "bob", reader: "eva", shown: "memory:1 the key is with Mia" }]);
  expect(channel.edits.at(-1)?.message.parts).toMatchObject([
    { text: expect.stringMatching(/Allowed from these always by bob, \d\d:\d\d\.$/) },
  ]);
  const hours = { hour: "2-digit", minute: "2-digit", timeZone: "Asia/Tokyo" } as const;
  const line = `Allowed from these always by bob, ${new Intl.DateTimeFormat("en-GB", hours).format(clock.now())}.`;
  expect(JSON.stringify(channel.edits.at(-1)?.message.parts)).toContain(line);
  expect(await press("bob")).toEqual({ status: "already", text: line });
  const before = channel.texts("approval").length;
  await asks("c3", "key");
  expect(channel.texts("approval")).toHaveLength(before);
  expect(channel.texts("message")).toEqual(["bob answers: c2: with Mia", "bob answers: c3: with Mia"]);
});
