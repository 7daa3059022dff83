// What is given up, malformed or gone in the midst of it, and leaves the rest as it was.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { systemIds, type CallId, type SessionId, type TurnId } from "@margay/core/internal";
import { fakeClock, says } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { eventsOf } from "../../src/host/sessions/access.ts";
import { createOverlay } from "../../src/host/live/overlay.ts";
import { createReplays } from "../../src/host/http/replays.ts";
import { createSessionQueue } from "../../src/features/openai-api/queue.ts";
import { WORKSPACE_ROUTES } from "../../src/features/workspace/routes.ts";
import { connect } from "./frames.ts";
import { operations } from "./operations.ts";
import { startGateway } from "./support.ts";

describe("the queue of a session of /v1", () => {
  test("who gives up while waiting lets the next one in when the first is done, no earlier, and is not counted", async () => {
    const queue = createSessionQueue();
    const never = new AbortController().signal;
    const leave = await queue.enter("a", never, 2);
    const impatient = new AbortController();
    const second = queue.enter("a", impatient.signal, 2);
    const order: string[] = [];
    const third = queue.enter("a", never, 2).then((left) => {
      order.push("third");
      return left;
    });
    await expect(queue.enter("a", never, 2)).rejects.toMatchObject({ code: "queue.full" });
    impatient.abort(new Error("the client has gone"));
    await expect(second).rejects.toThrow("the client has gone");
    await expect(queue.enter("a", never, 1)).rejects.toMatchObject({ code: "queue.full" }); // the third waits
    (await queue.enter("b", never, 2))(); // others do not wait
    order.push("first leaves");
    leave();
    (await third)();
    expect(order).toEqual(["first leaves", "third"]);
    await new Promise((resolve) => setImmediate(resolve)); // what is empty is forgotten in the same tick
    (await queue.enter("a", never, 0))();
  });

  test("a session that is never at rest refuses nobody, as long as few wait at once", async () => {
    const queue = createSessionQueue();
    const never = new AbortController().signal;
    let leave = await queue.enter("a", never, 2);
    for (let n = 0; n < 10; n++) {
      const next = queue.enter("a", never, 2);
      leave();
      leave(); // twice is once
      leave = await next;
    }
    const waits = [queue.enter("a", never, 2), queue.enter("a", never, 2)];
    await expect(queue.enter("a", never, 2)).rejects.toMatchObject({ code: "queue.full" });
    leave();
    for (const each of waits) (await each)();
  });

  test("a client that hangs up while another one's turn runs is never asked about, and the one behind it is", async (t) => {
    const gateway = await startGateway(t);
    const held = stalls({ rest: says("first") });
    gateway.model.replies(held, says("third"));
    const token = gateway.token("owner");
    const ask = (content: string, signal?: AbortSignal): Promise<Response> =>
      fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "margay-session": "one" },
        body: JSON.stringify({ model: "margay", messages: [{ role: "user", content }] }),
        ...(signal !== undefined && { signal }),
      });
    const first = ask("question one");
    await gateway.model.received(1);
    const hangsUp = new AbortController();
    const second = ask("question two", hangsUp.signal);
    const third = ask("question three");
    hangsUp.abort(new Error("hung up"));
    await expect(second).rejects.toThrow("hung up");
    held.release();
    expect(await (await first).text()).toContain("first");
    expect(await (await third).text()).toContain("third");
    expect(JSON.stringify(gateway.model.requests.map(({ body }) => body["messages"]))).not.toContain("question two");
  });

  test("a client that hangs up while its session answers somebody else is never asked about, and the next one is", async (t) => {
    const gateway = await startGateway(t);
    const held = stalls({ rest: says("elsewhere") });
    gateway.model.replies(says("first"), held, says("third"));
    const token = gateway.token("owner");
    const ask = (content: string, signal?: AbortSignal): Promise<Response> =>
      fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "margay-session": "one" },
        body: JSON.stringify({ model: "margay", messages: [{ role: "user", content }] }),
        ...(signal !== undefined && { signal }),
      });
    expect(await (await ask("question one")).text()).toContain("first");
    const [{ key } = { key: "" }] = await gateway.app.agent.sessions.list();
    const elsewhere = gateway.app.agent.send(key, "a word of the operator").finished;
    await gateway.model.received(2);
    const hangsUp = new AbortController();
    const second = ask("question two", hangsUp.signal);
    await gateway.api("/sessions"); // as a rule it has arrived when what was sent behind it is answered
    hangsUp.abort(new Error("hung up"));
    await expect(second).rejects.toThrow("hung up");
    const third = ask("question three");
    held.release();
    await elsewhere;
    expect(await (await third).text()).toContain("third");
    expect(JSON.stringify(gateway.model.requests.map(({ body }) => body["messages"]))).not.toContain("question two");
  });
});

test("who comes while a tool runs gets what it has printed, and nothing once that is void", () => {
  const overlay = createOverlay();
  const [turn, call] = ["turn-1" as TurnId, "call-1" as CallId];
  expect(overlay.partial).toBeUndefined();
  overlay.live({ type: "tool.progress", turn, call, text: "10 %" });
  expect(overlay.partial).toMatchObject({ turn, parts: [], calls: [{ call, output: "10 %" }] });
  overlay.live({ type: "text.restarted", turn });
  expect(overlay.partial).toBeUndefined();
});

test("who comes while the model says nothing is told for how long, also when the request was asked again meanwhile", () => {
  const overlay = createOverlay();
  const turn = "turn-1" as TurnId;
  const waited = { turn, parts: [], calls: [], waitedMs: 20_000 };
  overlay.live({ type: "model.waiting", turn, waitedMs: 20_000 });
  expect(overlay.partial).toEqual(waited);
  overlay.live({ type: "text.restarted", turn });
  expect(overlay.partial).toEqual(waited);
  overlay.live({ type: "text.delta", turn, index: 0, text: "at last" });
  expect(overlay.partial).toMatchObject({ parts: [{ text: "at last" }], waitedMs: 20_000 });
  overlay.live({ type: "text.delta", turn: "turn-2" as TurnId, index: 0, text: "another turn" });
  expect(overlay.partial).not.toHaveProperty("waitedMs");
});

test("with an Idempotency-Key nothing is made while that cannot be written down, and the same key works once it can", async () => {
  const home = mkdtempSync(join(tmpdir(), "margay-replays-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const disk = join(home, "disk");
  symlinkSync(disk, join(home, "gateway")); // not mounted yet
  const [route] = WORKSPACE_ROUTES;
  if (route === undefined) throw new Error("there is no route");
  const logged: string[] = [];
  const log = { error: (event: string) => void logged.push(event) };
  const open = () => createReplays({ home, clock: fakeClock(), ids: systemIds(), log });
  let made = 0;
  const ask = (replays = first) =>
    replays.answer({ route, key: "k", owner: "ada", target: "/", body: new Uint8Array() }, () => {
      made += 1;
      return Promise.resolve({ body: { made } });
    });
  const first = open();
  await expect(ask()).rejects.toMatchObject({ code: "journal.failed" });
  expect([made, logged]).toEqual([0, ["replays.failed"]]);
  mkdirSync(disk);
  expect(await ask()).toEqual({ body: { made: 1 } });
  const again = { body: { made: 1 }, headers: { "idempotent-replay": "true" } };
  expect(await ask()).toEqual(again);
  expect(await ask(open())).toEqual(again); // it was written
});

test("a conversation put in the trash while it answers is stopped there, and is whole when it comes back", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const held = stalls();
  gateway.model.replies(held);
  const message = { parts: [{ type: "text", text: "a long question" }] };
  const { id } = (await operate("createSession", { body: { message } })).body;
  await gateway.model.received(1);
  expect((await operate("deleteSession", { params: { id } })).status).toBe(204);
  await gateway.app.agent.idle();
  expect((await operate("listSessions", { query: { trashed: "true" } })).body.items).toMatchObject([{ id }]);
  expect((await operate("restoreSession", { params: { id } })).status).toBe(200);
  const { items } = (await gateway.api(`/sessions/${id}/turns`)).body;
  expect(items).toMatchObject([{ reason: "cancelled" }]);
  expect(gateway.model.requests).toHaveLength(1);
});

test("a file that is no conversation is refused with the line that cannot be read, and nothing is made", async (t) => {
  const gateway = await startGateway(t);
  const good = '{"seq":1,"at":1,"records":[]}';
  const refused = async (raw: string, format = "margay"): Promise<string> => {
    const { status, body } = await operations(gateway)("importSession", { raw, query: { format } });
    expect([status, body.code]).toEqual([422, "import.invalid"]);
    return String(body.detail);
  };
  expect(await refused(`${good}\n{"seq":2,`)).toMatch(/^Line 2 cannot be read: ./);
  expect(await refused(`${good}\n\n${good}\n`)).toBe("Line 2 cannot be read: it is no commit");
  expect(await refused('{"seq":1,"at":1,"records":{}}')).toBe("Line 1 cannot be read: it is no commit");
  expect(await refused(" \n")).toBe("The file is empty.");
  expect((await gateway.api("/sessions")).body.items).toEqual([]);
});

test("the field of a frame that is not known is named by its path, however deep", async (t) => {
  const gateway = await startGateway(t);
  const tab = await connect(gateway);
  const { body } = await gateway.api("/sessions", { method: "POST", body: {} });
  const parts = [{ type: "text", text: "hi", bold: true }];
  const { error } = await tab.ask({ type: "message.send", session: body.id, key: "k", parts });
  expect(error.errors).toMatchObject([{ path: "/parts/0/bold", message: "This field is not known." }]);
  expect(error.detail).toContain("/parts/0/bold: This field is not known.");
});

test("what is shown of a session in use is kept when six hundred others come", async (t) => {
  const gateway = await startGateway(t);
  const { agent } = gateway.app;
  const { hub } = eventsOf(gateway.gateway.services);
  const open = (n: number) => agent.sessions.open(`web:${n}`, { channel: "web", chat: String(n) });
  const sessions = []; // in use: somebody holds them
  for (let n = 0; n < 600; n++) sessions.push(await open(n));
  expect(sessions.filter(({ state }) => hub.shown(state.id) === undefined)).toEqual([]);
});

test("SS15 what is shown of sessions that nobody holds any more is forgotten when many others come", async (t) => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void; // what the flag adds
  const gateway = await startGateway(t);
  const { agent } = gateway.app;
  const { hub } = eventsOf(gateway.gateway.services);
  const open = async (n: number): Promise<SessionId> =>
    (await agent.sessions.open(`web:${n}`, { channel: "web", chat: String(n) })).state.id;
  const ids: SessionId[] = [];
  for (let n = 0; n < 400; n++) ids.push(await open(n));
  const kept = (): number => ids.slice(0, 400).filter((id) => hub.shown(id) !== undefined).length;
  expect(kept()).toBe(400);
  // What was opened last may be held a moment longer, by whoever writes its files.
  await expect
    .poll(
      async () => {
        collect();
        for (let n = 0; n < 100; n++) ids.push(await open(ids.length));
        return kept();
      },
      { timeout: 60_000 },
    )
    .toBeLessThan(40);
});

test("what is asked of a conversation that is not there is not done, and makes none", async (t) => {
  const gateway = await startGateway(t);
  const by = { id: "user", kind: "person" } as const;
  expect(await gateway.app.agent.control("web:nowhere", { type: "stop", withdraw: true }, by)).toMatchObject({
    done: false,
  });
  expect(await gateway.app.agent.sessions.list()).toEqual([]);
});
