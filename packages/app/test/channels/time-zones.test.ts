// `people.NAME.timeZone`: what a time means that a person says, and what they and their model are told, also over a change of the clock.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@margay/core";
import { systemClock } from "@margay/core/internal";
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { running, type Running, startedAgain } from "./running.ts";
import { postSigned } from "./support.ts";

const SHARE = 20_000;
const people = {
  eva: { ids: ["webhook:eva"], timeZone: "Asia/Tokyo", tokensPerDay: SHARE, heartbeat: true },
  bob: { ids: ["webhook:bob"], tokensPerDay: SHARE },
};

interface House extends Running {
  /** One message in a private chat. @returns the requests that it made, and what was said in any chat. */
  write(sender: string, text: string): Promise<{ readonly asked: string; readonly said: string }>;
  pass(ms: number): void;
  /** The next process. */
  again(): Promise<House>;
}

/** At home it is UTC. */
async function house(now: string, more: JsonObject = {}): Promise<House> {
  let ahead = Date.parse(now) - Date.now();
  const clock = { ...systemClock(), now: () => Date.now() + ahead };
  const config = { timeZone: "UTC", people, ...more };
  const first = await running({ operators: ["ada"] }, { config, clock, rules: "off" });
  let serial = 0;
  const of = (place: Running): House => ({
    ...place,
    pass: (ms) => void (ahead += ms),
    again: async () => of(await startedAgain(place, clock)),
    write: async (sender, text) => {
      const { app, model, port, receiver } = place;
      const before = [model.requests.length, receiver.received.length];
      const body = { id: `z${++serial}`, chat: sender, sender, text, private: true };
      expect((await postSigned(port, body, { late: -Math.floor(ahead / 1000) })).status).toBe(202);
      await app.agent.idle();
      return {
        asked: JSON.stringify(model.requests.slice(before[0]).map(({ body: asked }) => asked)),
        said: receiver.received
          .slice(before[1])
          .map(({ body: sent }) => String(sent["text"]))
          .join("\n"),
      };
    },
  });
  return of(first);
}

const EVENING = "2027-01-15T20:30:00Z"; // 05:30 of the next day in Tokyo

test("PE21 the model of a person's room is told their time, behind a prefix that knows none; the owner's is told the home's", async () => {
  const place = await house(EVENING);
  const { app, model } = place;
  model.replies(says("hi"), says("hi"), says("hi"), says("hi"));
  expect((await place.write("eva", "hello")).asked).toContain("time=2027-01-16T05:30+09:00 Saturday");
  expect((await place.write("bob", "hello")).asked).toContain("time=2027-01-15T20:30+00:00 Friday");
  expect((await place.write("ada", "hello")).asked).toContain("time=2027-01-15T20:30+00:00 Friday");
  const hash = async (chat: string): Promise<string | undefined> =>
    (await app.agent.sessions.find(`webhook:${chat}`))?.state.prefix?.hash;
  const before = await hash("eva");
  const { config } = app.loaded;
  const moved = { ...config.people, eva: { ...config.people["eva"], timeZone: "Europe/Berlin" } };
  app.configure({ ...app.loaded, config: { ...config, people: moved as never } });
  expect((await place.write("eva", "hello again")).asked).toContain("time=2027-01-15T21:30+01:00 Friday");
  expect(await hash("eva")).toBe(before);
  expect(before).toBeTypeOf("string");
});

test("PE26 the times of a person's jobs are theirs, where they are meant and where they are told; the owner's are the home's", async () => {
  const { tokensPerDay: _share, ...eva } = people.eva;
  const place = await house(EVENING, { people: { eva } });
  const { model, app } = place;
  const add = async (who: string, when: object): Promise<string> => {
    model.replies(callsTool("cron", { action: "add", message: "water the plants", ...when }), says("I will."));
    return (await place.write(who, "remind me")).asked;
  };
  expect(await add("eva", { cron_expr: "0 8 * * *" })).toContain("next run 2027-01-16 08:00:00 Asia/Tokyo");
  expect(await add("eva", { at: "2027-03-01T08:00" })).toContain("once at 2027-03-01 08:00:00 Asia/Tokyo");
  expect(await add("eva", { every_seconds: 3600 })).toContain("next run 2027-01-16 06:30:");
  expect(await add("eva", { cron_expr: "0 8 * * *", tz: "Europe/Paris" })).toContain("08:00:00 Europe/Paris");
  expect(await add("ada", { cron_expr: "0 8 * * *" })).toContain("next run 2027-01-16 08:00:00 UTC");
  const listed = (await place.write("eva", "/cron")).said;
  expect(listed.match(/next \S+ \S+ \S+/g)?.map((one) => one.split(" ")[3])).toEqual([
    "Asia/Tokyo,",
    "Asia/Tokyo,",
    "Asia/Tokyo,",
    "Europe/Paris,",
  ]);
  expect((await place.write("ada", "/cron")).said).toContain("08:00:00 UTC");
  const job = (await app.schedule.cron?.list())?.find(({ by, trigger }) => by === "eva" && trigger.kind === "every");
  model.replies(says("They want water."));
  const before = model.requests.length;
  await app.schedule.cron?.runNow(job?.id ?? "", AbortSignal.timeout(30_000));
  await app.agent.idle();
  const run = JSON.stringify(model.requests.slice(before).map(({ body }) => body));
  expect(run).toContain("Asia/Tokyo");
  expect(run).not.toContain(" UTC");
  // Whoever edits it: it is hers.
  const changed = { message: "water them", cron_expr: "0 9 * * *", to: job?.to ?? { channel: "", chat: "" } };
  expect((await app.schedule.cron?.change(job?.id ?? "", changed))?.trigger).toMatchObject({ timeZone: "Asia/Tokyo" });
});

test("PE26 eight o'clock stays eight o'clock when the clocks of a person's zone change", async () => {
  const place = await house("2027-03-27T20:00:00Z", {
    people: { eva: { ids: ["webhook:eva"], timeZone: "Europe/Berlin" } },
  });
  place.model.replies(callsTool("cron", { action: "add", message: "tea", cron_expr: "0 8 * * *" }), says("I will."));
  await place.write("eva", "tea at eight");
  const next = async (): Promise<string> =>
    new Date((await place.app.schedule.cron?.list())?.[0]?.nextAt ?? 0).toISOString();
  expect(await next()).toBe("2027-03-28T06:00:00.000Z"); // the night before, at one, it was set forward
  place.model.replies(callsTool("cron", { action: "add", message: "tea", at: "2027-03-27T23:00" }), says("I will."));
  expect((await place.write("eva", "tea at eleven")).asked).toContain("2027-03-27 23:00:00 Europe/Berlin");
  const at = (await place.app.schedule.cron?.list())?.map(({ trigger }) => trigger).find(({ kind }) => kind === "at");
  expect(at).toMatchObject({ atMs: Date.parse("2027-03-27T22:00:00Z") });
});

test("PE87 the heartbeat of a person says what time it is for them", async () => {
  const place = await house(EVENING);
  const space = join(place.place.home, "spaces", "p-eva");
  mkdirSync(space, { recursive: true });
  for (const file of [join(space, "HEARTBEAT.md"), join(place.place.home, "workspace", "HEARTBEAT.md")])
    writeFileSync(file, "- [ ] water the plants\n");
  const asked = async (person?: string): Promise<string> => {
    place.model.replies(callsTool("heartbeat", { action: "skip" }));
    const before = place.model.requests.length;
    await place.app.schedule.heartbeat.checkNow(AbortSignal.timeout(30_000), person);
    return JSON.stringify(place.model.requests.slice(before).map(({ body }) => body));
  };
  expect(await asked("eva")).toMatch(/It is 2027-01-16 05:30:\d\d Asia\/Tokyo/);
  expect(await asked()).toMatch(/It is 2027-01-15 20:30:\d\d UTC/);
});

test("PE25 what is remembered of a person's conversation is dated in their time", async () => {
  const place = await house(EVENING);
  place.model.replies(says("hi"));
  await place.write("eva", "hello");
  place.model.replies(callsTool("save_memory", { history_entry: "Eva said hello.", memory_update: "" }));
  const { asked } = await place.write("eva", "/new");
  expect(asked).toContain("[2027-01-16 05:30]");
  const history = join(place.place.home, "spaces", "p-eva", "memory", "HISTORY.md");
  expect(readFileSync(history, "utf8")).toContain("[2027-01-16 05:30] Eva said hello.");
});

test("PE7 PE8 a person's day is one of their zone: it begins at their midnight, also before the month of the home", async () => {
  const spends = says("a long answer", { usage: { input: SHARE, output: 1 } });
  const first = await house("2027-02-28T14:30:00Z"); // 23:30 in Tokyo
  const TOLD = "What you may use of me today is used up; I answer again tomorrow.";
  first.model.replies(spends, spends);
  for (const who of ["eva", "bob"]) {
    expect((await first.write(who, "hello")).said).toBe("a long answer");
    expect((await first.write(who, "hello")).said).toBe(TOLD);
  }
  first.pass(3_600_000);
  first.model.replies(spends);
  expect((await first.write("eva", "a new day")).said).toBe("a long answer");
  expect((await first.write("bob", "the same day")).said).toBe("");
  expect((await first.write("eva", "more")).said).toBe(TOLD);
  first.pass(9 * 3_600_000); // the first of March at home, and the same day in Tokyo
  const next = await first.again();
  expect((await next.write("eva", "and now?")).said).toBe("");
  next.model.replies(spends);
  expect((await next.write("bob", "a new day")).said).toBe("a long answer");
});
