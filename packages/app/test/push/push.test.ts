// What waits, told to browsers that nobody looks at: encrypted, signed, once, and taken back.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionId } from "@margay/core/internal";
import { expect, test } from "vitest";
import { openPush } from "../../src/features/push/store.ts";
import { connect } from "../gateway/frames.ts";
import { expectScopes, operationsBelow } from "../gateway/operations.ts";
import { handed, pushPlace } from "./place.ts";
import { startPushService } from "./push-service.ts";

test("every route of devices asks for a credential of its scope", async (t) => {
  await expectScopes((await pushPlace(t)).gateway, operationsBelow("/push"));
});

test("W§13.14 what begins to wait while nobody looks is told once: a count and where it is, no word of it", async (t) => {
  const place = await pushPlace(t);
  const { service, gateway } = place;
  const phone = await place.device();
  await place.passes();
  expect(service.asked).toBe(0);
  const first = await place.asks();
  await place
    .until(phone.told)
    .toEqual([{ count: 1, to: `/?p=approvals/${first.session}/${first.call}`, quiet: false, language: "en" }]);
  const second = await place.asks();
  await place.asks();
  await place.until(phone.told).toHaveLength(2);
  expect(phone.told()[1]).toMatchObject({
    count: 3,
    to: `/?p=approvals/${second.session}/${second.call}`,
    quiet: false,
  });
  const [message] = phone.subscribed.messages;
  expect(message?.headers).toMatchObject({ ttl: "86400", urgency: "high", topic: "waits" });
  expect(message?.body.toString("latin1")).not.toContain("approvals");
  expect(service.faults).toEqual([]);
  const kept = join(gateway.home, "push.json");
  expect(readFileSync(kept, "utf8")).not.toContain("canary");
  expect(statSync(kept).mode & 0o777).toBe(0o600);
});

test("W§13.14 what is answered elsewhere is taken back without a sound; what is answered at once was never told", async (t) => {
  const place = await pushPlace(t);
  const phone = await place.device();
  await place.passes();
  const [first, second] = [await place.asks(), await place.asks()];
  await place.until(phone.told).toMatchObject([{ count: 2 }]);
  await place.answer(first);
  await place.gateway.app.agent.idle();
  await place.passes();
  // The turn of the answered one ended, and nobody saw that: it waits in its place.
  await place.until(phone.told).toHaveLength(2);
  const tab = await connect(place.gateway);
  await tab.ask({ type: "page.set", visible: true });
  await place.until(phone.told).toHaveLength(3);
  expect(phone.told()[2]).toMatchObject({ count: 1, quiet: true });
  await place.answer(second);
  await place.until(phone.told).toHaveLength(4);
  expect(phone.told()[3]).toMatchObject({ count: 0, quiet: true });
  expect(phone.subscribed.messages[3]?.headers).toMatchObject({ urgency: "low" });
});

test("W§13.14 nothing is told while somebody looks at a page, and what was seen there is not told later", async (t) => {
  const place = await pushPlace(t);
  const phone = await place.device();
  const tab = await connect(place.gateway);
  await tab.ask({ type: "page.set", visible: true });
  await place.passes();
  await place.asks();
  await place.passes();
  await tab.ask({ type: "page.set", visible: false });
  await place.passes();
  expect(phone.told()).toEqual([]);
  const unseen = await place.asks();
  await place.until(phone.told).toMatchObject([{ count: 2, to: `/?p=approvals/${unseen.session}/${unseen.call}` }]);
});

test("W§13.14 a turn that ended unseen and an unseen notification are told, and opened where they are", async (t) => {
  const place = await pushPlace(t);
  const { gateway } = place;
  const phone = await place.device();
  await place.passes();
  const { body } = await gateway.api("/sessions", {
    method: "POST",
    body: { message: { parts: [{ type: "text", text: "hello" }] } },
  });
  await gateway.app.agent.idle();
  await place.until(phone.told).toMatchObject([{ count: 1, to: `/s/${body.id}` }]);
  await gateway.app.inside.notifications.add({ id: "n1", kind: "result", session: "heartbeat" });
  await place.until(phone.told).toHaveLength(2);
  expect(phone.told()[1]).toMatchObject({ count: 2, to: "/?p=notifications" });
});

test("W§13.14 in the quiet hours a notice makes no sound", async (t) => {
  const place = await pushPlace(t, { config: { greeting: { quietHours: "11-14" }, timeZone: "UTC" } });
  const phone = await place.device();
  await place.passes();
  await place.asks();
  await place.until(phone.told).toMatchObject([{ count: 1, quiet: true }]);
});

test("W§13.14 a subscription ends with its login, and with its address: 404 and 410 remove it", async (t) => {
  const place = await pushPlace(t);
  const { gateway, service } = place;
  const [phone, desk, old] = [await place.device(), await place.device(), await place.device()];
  await place.passes();
  const listed = async (): Promise<readonly string[]> =>
    ((await gateway.api("/push")).body.items as readonly { id: string }[]).map(({ id }) => id);
  expect(await listed()).toEqual([old.id, desk.id, phone.id]);
  await phone.browser.api("/auth/logout", { method: "POST" });
  expect(await listed()).toEqual([old.id, desk.id]);
  expect(readFileSync(join(gateway.home, "push.json"), "utf8")).not.toContain(phone.subscribed.endpoint);
  service.answers({ status: 410 }, { status: 404 });
  await place.asks();
  await place.until(listed).toEqual([]);
  expect(service.asked).toBe(2);
  expect(phone.told()).toEqual([]);
});

test("W§13.14 push/tell/MAX_ATTEMPTS: a service that is busy is asked again, as late as it says, 12 times at most", async (t) => {
  const place = await pushPlace(t);
  const { service, gateway, clock } = place;
  const note = (id: string): Promise<void> => gateway.app.inside.notifications.add({ id, kind: "result", session: id });
  const phone = await place.device();
  await place.passes();
  service.answers({ status: 429, headers: { "retry-after": "600" } }, { status: 503 });
  await note("first");
  await place.until(() => service.asked).toBe(1);
  await place.passes(500_000);
  expect(service.asked).toBe(1);
  expect((await phone.browser.api("/push")).body.items).toMatchObject([{ unsent: true, current: true }]);
  await place.passes(110_000);
  await place.until(() => service.asked).toBe(3);
  await place.until(phone.told).toMatchObject([{ count: 1, quiet: false }]);
  service.answers(...Array.from({ length: 20 }, () => ({ status: 500 })));
  await note("second");
  const refusals = (): number => gateway.logs.filter(({ event }) => event === "push.unsent").length;
  for (let tries = 1; tries <= 12; tries++) {
    await place.until(refusals).toBe(2 + tries);
    await clock.advance(Math.min(3_600_000, 5_000 * 2 ** (tries - 1)));
  }
  await place.passes();
  expect(service.asked).toBe(15);
  expect((await phone.browser.api("/push")).body.items).toMatchObject([{ unsent: false }]);
});

test("W§13.14 a restart says nothing twice, and what had not left is said then, without a sound", async (t) => {
  const service = await startPushService(t);
  const place = await pushPlace(t, {}, service);
  const phone = await place.device();
  await place.passes();
  await place.asks();
  await place.until(phone.told).toHaveLength(1);
  service.answers({ status: 503 });
  await place.asks();
  await place.until(() => service.asked).toBe(2);
  await place.gateway.stop();
  const kept = ["push.json", "auth.json"].map((name) => [name, readFileSync(join(place.gateway.home, name))] as const);
  const again = await pushPlace(
    t,
    { prepare: ({ home }) => kept.forEach(([name, bytes]) => writeFileSync(join(home, name), bytes, { mode: 0o600 })) },
    service,
  );
  await again.passes();
  await place.until(phone.told).toHaveLength(2);
  expect(phone.told()[1]).toMatchObject({ quiet: true });
  expect((await again.gateway.api("/push")).body.items).toMatchObject([{ id: phone.id, unsent: false }]);
});

test("W§13.14 what was sent is not sent again while the disk takes nothing, and is noted when it does", async (t) => {
  const place = await pushPlace(t);
  const { docs } = place.gateway.app.loaded.places;
  const write = docs.write.bind(docs);
  const phone = await place.device();
  await place.passes();
  let refused = 0;
  let isFull = true;
  const isOwed = (body: string): boolean => body.includes('"owed"');
  const onlyOwed: typeof docs.write = (name, body, rev) => {
    if (name !== "push.json" || !isFull || isOwed(body)) return write(name, body, rev);
    refused += 1;
    return Promise.reject(new Error("ENOSPC"));
  };
  Object.assign(docs, { write: onlyOwed });
  await place.asks();
  await place.until(phone.told).toHaveLength(1);
  await place.until(() => refused).toBeGreaterThan(2);
  expect(phone.told()).toHaveLength(1);
  isFull = false;
  await place.until(() => isOwed(readFileSync(join(place.gateway.home, "push.json"), "utf8"))).toBe(false);
  expect(phone.told()).toHaveLength(1);
});

test("W§13.14 what another one notes at the moment at which something is told stays", async (t) => {
  const { gateway } = await pushPlace(t);
  const { docs } = gateway.app.loaded.places;
  const stores = [openPush(gateway.app), openPush(gateway.app)] as const;
  const done = { session: "web-1" as SessionId, seq: 7 };
  const write = docs.write.bind(docs);
  const faster: typeof docs.write = async (...doc) => {
    Object.assign(docs, { write });
    await stores[1].tell("owner", ({ reader, devices }) => ({ reader: { ...reader, done: [done] }, devices }));
    return await write(...doc);
  };
  Object.assign(docs, { write: faster });
  await stores[0].tell("owner", ({ reader, devices }) => ({ reader: { ...reader, told: ["a"] }, devices }));
  expect(openPush(gateway.app).reader("owner")).toEqual({ told: ["a"], done: [done] });
});

test("W§13.14 SSRF: an address in the network is not asked, of the owner's exceptions those of a person are none", async (t) => {
  const place = await pushPlace(t, { config: { people: { eva: { name: "Eva" } } } });
  const { gateway, service } = place;
  const phone = await place.device("eva");
  const inside = service.subscribe("x");
  const refused = async (endpoint: string): Promise<number> =>
    (await phone.browser.api("/push", { method: "POST", body: handed({ ...inside, endpoint }) })).status;
  expect(await refused("http://push.example.net/x")).toBe(422);
  expect(await refused("file:///etc/passwd")).toBe(422);
  await place.passes();
  await place.asks(phone.browser);
  await place
    .until(() => gateway.logs.filter(({ event }) => event === "push.unsent"))
    .toMatchObject([{ service: "localhost", why: expect.stringContaining("localhost") }]);
  expect(service.asked).toBe(0);
});

test("W§13.14 a person is told of what is theirs, and nobody else of that; a token is no device", async (t) => {
  const place = await pushPlace(t, { config: { people: { eva: { name: "Eva" } } } });
  const { gateway } = place;
  const [owner, eva] = [await place.device(), await place.device("eva")];
  await place.passes();
  const theirs = (await eva.browser.api("/push")).body.items;
  expect(theirs).toMatchObject([{ id: eva.id }]);
  const taken = await eva.browser.api(`/push/${owner.id}`, { method: "DELETE" });
  expect([taken.status, taken.body.code]).toEqual([404, "request.not-found"]);
  await gateway.api("/sessions", { method: "POST", body: { message: { parts: [{ type: "text", text: "hello" }] } } });
  await gateway.app.agent.idle();
  await place.until(owner.told).toHaveLength(1);
  expect(gateway.logs.filter(({ event }) => event === "push.unsent")).toEqual([]);
  const token = await gateway.api("/push", { method: "POST", body: handed(owner.subscribed) });
  expect([token.status, token.body.code]).toEqual([403, "auth.scope"]);
});

test("push/store/MAX_OF_A_PERSON: of 21 devices the oldest goes; an address that comes again is the same device", async (t) => {
  const place = await pushPlace(t);
  const devices = [];
  for (let n = 0; n < 20; n++) devices.push(await place.device());
  const ids = async (): Promise<readonly string[]> =>
    (await place.gateway.api("/push")).body.items.map(({ id }: { id: string }) => id);
  expect(await ids()).toHaveLength(20);
  const [first] = devices;
  await first?.browser.api("/push", { method: "POST", body: handed(first.subscribed) });
  expect(await ids()).toHaveLength(20);
  const last = await place.device();
  expect(await ids()).toHaveLength(20);
  expect((await ids())[0]).toBe(last.id);
  expect(await ids()).not.toContain(devices[1]?.id);
  expect(await ids()).toContain(first?.id);
});

test("push/schema/MAX_ENDPOINT_CHARS: an address has 2,000 characters at most, and keys are keys", async (t) => {
  const place = await pushPlace(t);
  const { browser, subscribed } = await place.device();
  const sends = async (given: object): Promise<number> =>
    (await browser.api("/push", { method: "POST", body: { ...handed(subscribed), ...given } })).status;
  const long = (chars: number): string => `https://push.example.net/`.padEnd(chars, "x");
  expect(await sends({ endpoint: long(2_000) })).toBe(201);
  expect(await sends({ endpoint: long(2_001) })).toBe(422);
  expect(await sends({ keys: { ...subscribed.keys, auth: "AAAA" } })).toBe(422);
});

test("push/tell/MAX_DONE: of more than 50 conversations that ended unseen the latest 50 are told", async (t) => {
  const place = await pushPlace(t);
  const phone = await place.device();
  await place.passes();
  for (let n = 0; n < 51; n++)
    await place.gateway.api("/sessions", {
      method: "POST",
      body: { message: { parts: [{ type: "text", text: "hello" }] } },
    });
  await place.gateway.app.agent.idle();
  await place.until(() => phone.told().at(-1)?.count).toBe(50);
});
