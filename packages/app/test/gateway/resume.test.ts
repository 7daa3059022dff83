import { mkdirSync, renameSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { callsTool, fakeClock, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { begin, follow, script, whole } from "./following.ts";
import { connect, isEnd, type Frame } from "./frames.ts";
import { openPage } from "./page.ts";
import { startGateway } from "./support.ts";

test("R400 R272 a page that loses its socket at any frame of a turn and comes back sees what it would have seen", async (t) => {
  const limits = { sendsPerMinute: 10_000, requestsPerMinute: 100_000 }; // a send for each place of the cut
  const gateway = await startGateway(t, { config: { gateway: { limits } } });
  const token = gateway.token("owner");
  const { body } = await gateway.api("/sessions", { method: "POST", body: {} });
  let cut = 1;
  for (let ended = false; !ended && cut <= 60; cut++) {
    gateway.model.replies(...script(5));
    const session = cut === 1 ? body.id : (await gateway.api("/sessions", { method: "POST", body: {} })).body.id;
    const page = openPage(session);
    const first = await connect(gateway, { token });
    await first.ask({ type: "subscribe", session, after: 0 });
    follow(first, [page]);
    const before = first.frames.length;
    first.send({ id: "m", type: "message.send", session, key: "k", parts: [{ type: "text", text: "go" }] });
    // The socket is cut with the n-th frame of the turn.
    await first.until(() => first.frames.length >= before + cut || first.frames.some(isEnd));
    ended = first.frames.some(isEnd);
    first.socket.removeAllListeners("message");
    first.socket.terminate();
    const second = await connect(gateway, { token });
    follow(second, [page]);
    const back = await second.ask({ type: "subscribe", session, after: page.view.seq });
    expect(back.result.from).toBe("replay");
    await gateway.app.agent.idle();
    const { lastSeq } = (await gateway.api(`/sessions/${session}`)).body;
    await expect.poll(() => page.view.seq, { interval: 5 }).toBe(lastSeq);
    expect(page.view.items).toEqual(await whole(gateway, session));
    expect([page.view.turn, page.overlay]).toEqual([undefined, ""]);
    second.socket.terminate();
  }
  expect(cut).toBeGreaterThan(30);
});

test("a page that was away for too long starts from a snapshot, and reads the rest in pages", async (t) => {
  const gateway = await startGateway(t);
  const session = await begin(gateway, "first");
  await gateway.app.agent.idle();
  const key = (await gateway.api(`/sessions/${session}`)).body.key;
  const open = await gateway.app.agent.sessions.find(key);
  const note = { role: "notice", at: 1, kind: "runtime", text: "tick" } as const;
  if (open === undefined) throw new Error("not there");
  await Promise.all(Array.from({ length: 2100 }, () => open.commit({ type: "notice.added", notice: note })));
  const tab = await connect(gateway);
  expect((await tab.ask({ type: "subscribe", session, after: 3 })).result.from).toBe("snapshot");
  const { items, more, detail, seq } = await tab.until(({ type }) => type === "snapshot");
  expect([items.length, more, detail.lastSeq]).toEqual([50, true, seq]);
  expect((await tab.ask({ type: "subscribe", session, after: seq - 100 })).result.from).toBe("replay");
  expect((await tab.ask({ type: "subscribe", session, after: seq + 5 })).result.from).toBe("snapshot");
  const before = (await gateway.api(`/sessions/${session}/messages?before=${items[0].id}&limit=200`)).body;
  expect([before.items.length, before.prev !== null]).toEqual([200, true]);
  const middle = before.items[100];
  const around = (await gateway.api(`/sessions/${session}/messages?around=${middle.id}&limit=10`)).body;
  expect(around.items.map(({ id }: Frame) => id)).toContain(middle.id);
  const after = (await gateway.api(`/sessions/${session}/messages?after=${middle.id}&limit=10`)).body;
  expect(after.items[0]).toEqual(before.items[101]);
});

test("UI2 a client that reads nothing holds up neither the turn nor other clients, and catches up", async (t) => {
  const gateway = await startGateway(t);
  const token = gateway.token("owner");
  const big = "x".repeat(60_000);
  gateway.model.replies(
    ...Array.from({ length: 40 }, () => callsTool("list_dir", { path: "." }, { text: big })),
    says(big, { chunks: 50 }),
  );
  const { body } = await gateway.api("/sessions", { method: "POST", body: {} });
  const session = body.id as string;
  const [slow, quick] = [await connect(gateway, { token }), await connect(gateway, { token })];
  const page = openPage(session);
  follow(slow, [page]);
  await Promise.all([slow, quick].map((tab) => tab.ask({ type: "subscribe", session, after: 0 })));
  slow.socket.pause();
  await quick.ask({ type: "message.send", session, key: "k", parts: [{ type: "text", text: "go" }] });
  await quick.until(isEnd);
  const { lastSeq } = (await gateway.api(`/sessions/${session}`)).body;
  expect(page.view.seq).toBeLessThan(lastSeq);
  slow.socket.resume();
  await gateway.app.agent.idle();
  await expect.poll(() => page.view.seq).toBe((await gateway.api(`/sessions/${session}`)).body.lastSeq);
  expect(page.view.items).toEqual(await whole(gateway, session));
});

test("who has to catch up from a journal that cannot be read is cut off, and goes on from where it was on a new line", async (t) => {
  const gateway = await startGateway(t);
  const token = gateway.token("owner");
  const big = "x".repeat(150_000); // more than what the system takes for a socket
  gateway.model.replies(
    ...Array.from({ length: 100 }, () => callsTool("list_dir", { path: "." }, { text: big })),
    says("done"),
  );
  const { body } = await gateway.api("/sessions", { method: "POST", body: {} });
  const session = body.id as string;
  const [slow, quick] = [await connect(gateway, { token }), await connect(gateway, { token })];
  const page = openPage(session);
  follow(slow, [page]);
  await Promise.all([slow, quick].map((tab) => tab.ask({ type: "subscribe", session, after: 0 })));
  slow.socket.pause();
  const journal = join(gateway.home, "sessions", `${session}.journal`);
  renameSync(journal, `${journal}.away`); // what is open goes on
  mkdirSync(journal); // reading it fails, as on a broken disk
  await quick.ask({ type: "message.send", session, key: "k", parts: [{ type: "text", text: "go" }] });
  await quick.until(isEnd);
  await gateway.app.agent.idle();
  slow.socket.resume();
  expect((await slow.closed).code).toBe(1013);
  rmdirSync(journal);
  renameSync(`${journal}.away`, journal);
  const again = await connect(gateway, { token });
  follow(again, [page]);
  await again.ask({ type: "subscribe", session, after: page.view.seq });
  await expect.poll(() => page.view.seq).toBe((await gateway.api(`/sessions/${session}`)).body.lastSeq);
  expect(page.view.items).toEqual(await whole(gateway, session));
});

test("a gateway ends beside a journal that cannot be read", async (t) => {
  const gateway = await startGateway(t);
  const { body } = await gateway.api("/sessions", {
    method: "POST",
    body: { message: { parts: [{ type: "text", text: "hi" }] } },
  });
  await gateway.app.agent.idle();
  const journal = join(gateway.home, "sessions", `${body.id}.journal`);
  renameSync(journal, `${journal}.away`);
  mkdirSync(journal);
  await gateway.stop();
});

test("a client that takes nothing for 30 s is let go; the others are not", async (t) => {
  const clock = fakeClock();
  const gateway = await startGateway(t, { clock });
  const token = gateway.token("owner");
  const big = "x".repeat(100_000);
  const { body } = await gateway.api("/sessions", { method: "POST", body: {} });
  const session = body.id as string;
  gateway.model.replies(
    ...Array.from({ length: 45 }, () => callsTool("list_dir", { path: "." }, { text: big })),
    says("done"),
  );
  const [slow, quick] = [await connect(gateway, { token }), await connect(gateway, { token })];
  await Promise.all([slow, quick].map((tab) => tab.ask({ type: "subscribe", session, after: 0 })));
  slow.socket.pause();
  await quick.ask({ type: "message.send", session, key: "k", parts: [{ type: "text", text: "go" }] });
  await quick.until(isEnd);
  await gateway.app.agent.idle();
  await clock.advance(30_000);
  slow.socket.resume();
  expect((await slow.closed).code).toBe(1006); // cut: a close frame would have waited behind what it did not read
  expect((await quick.ask({ type: "ping", t: 1 })).t).toBe(1);
});
