// A message that waits is changed where it stands: its words, and whether it joins the turn that runs.
import { callsTool, says } from "../../src/testing.ts";
import { expect, test } from "vitest";
import { startAgent, tool } from "../support/agent.ts";

const ORIGIN = { channel: "api", chat: "chat" };
const USER = { id: "user", kind: "person" } as const;

test("R70 a waiting message is rewritten in its place, keeps its files, and waits for the turn after when it is told to", async (t) => {
  const running = Promise.withResolvers<void>();
  const release = Promise.withResolvers<string>();
  const { agent, model } = await startAgent(t, {
    tools: [tool("wait", "read", () => (running.resolve(), release.promise))],
  });
  model.replies(callsTool("wait"), says("done"), says("later"));
  const first = agent.send("api:chat", "start", { origin: ORIGIN });
  await running.promise;
  const session = await agent.sessions.open("api:chat", ORIGIN);
  const blob = await agent.blobs.put(Buffer.from("picture"));
  const picture = { type: "media", mediaType: "image/png", blob, name: "a.png" } as const;
  for (const text of ["one", "two"])
    await agent.bus.accept({
      ...{ key: text, origin: ORIGIN, from: USER, sessionKey: "api:chat", attended: true },
      parts: [{ type: "text", text }, ...(text === "one" ? [picture] : [])],
    });
  const [one = "", two = ""] = session.state.pending.map(({ message }) => message.id);
  expect(await agent.rewrite("api:chat", one, { text: "one, better", mode: "queue" }, USER)).toBe(true);
  expect(await agent.rewrite("api:chat", two, { mode: "queue" }, USER)).toBe(true);
  expect(await agent.rewrite("api:chat", two, { mode: "steer" }, USER)).toBe(true);
  expect(session.state.pending).toMatchObject([
    { mode: "queue", message: { id: one, parts: [{ text: "one, better" }, { name: "a.png" }] } },
    { message: { id: two, parts: [{ text: "two" }] } },
  ]);
  expect(session.state.pending[1]).not.toHaveProperty("mode");
  expect(await agent.rewrite("api:chat", two, { text: "of a stranger" }, { id: "eva", kind: "person" })).toBe(false);
  expect(await agent.rewrite("api:chat", "nothing", { text: "x" }, USER)).toBe(false);
  expect(await agent.rewrite("api:nowhere", one, { text: "x" }, USER)).toBe(false);
  release.resolve("waited");
  expect((await first.finished).text).toBe("done");
  await agent.idle();
  // In the turn after, since the first of them waits for it.
  expect(JSON.stringify(model.requests[1]?.body)).not.toContain("one, better");
  expect(JSON.stringify(model.requests[2]?.body)).toContain("one, better");
  expect(await agent.rewrite("api:chat", one, { text: "too late" }, USER)).toBe(false);
});
