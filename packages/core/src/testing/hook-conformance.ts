// What every hook plugin must do, asked of its package in a process behind the fence.
import assert from "node:assert/strict";
import type { JsonObject, Millis } from "../contract/base.ts";
import type { HookEvent, HookPoint } from "../hooks/hook-plugin.ts";
import { isRecord } from "../lib/is-record.ts";
import type { Register } from "./conformance.ts";
import { behindFence, readPackage, samePackage } from "./plugin/package.ts";
import type { PluginProcess } from "../machine/plugins/plugin-process.ts";

/** An event, and what the hook says to it. */
export interface HookCase {
  readonly event: Pick<HookEvent, "point" | "record"> & Partial<HookEvent>;
  /** What its note or its reason holds. */
  readonly says: "nothing" | { readonly note: RegExp } | { readonly deny: RegExp };
}
export interface HookSuite {
  /** Of the package, built: as `npm pack` finds it. */
  readonly folder: string;
  /** At least one event for each point at which it stands. */
  readonly cases: readonly HookCase[];
}

const CHAT_ONE = { channel: "web", chat: "one" };
/** As margay waits. */
const DEADLINE_MS: Millis = 2000;
const MAY_DENY: ReadonlySet<string> = new Set(["call.before", "reply.out"]);

/**
 * Registers the tests of hook/1.
 * @param register `test` of any framework. @param suite The package, and events with what the hook says to them.
 */
export function hookConformance(register: Register, { folder, cases }: HookSuite): void {
  const test: Register = (name, run) => register(`hook: ${name}`, run);
  const asked = <T>(body: (process: PluginProcess) => Promise<T>): Promise<T> =>
    behindFence(readPackage(folder, "hook/1"), body);
  samePackage(test, folder, "hook/1");

  test("it stands at points of the contract, and each has a case here", () =>
    asked(async ({ offer }) => {
      const points = pointsOf(offer["points"]);
      assert.ok(points.length > 0, "`on` has a point");
      for (const point of points) {
        assert.ok(isPoint(point), `${point} is a point`);
        assert.ok(
          cases.some(({ event }) => event.point === point),
          `${point} has a case`,
        );
      }
      await Promise.resolve();
    }));

  test("it answers each event of its points, with fields and without, in time and as the point allows", () =>
    asked(async (process) => {
      for (const point of pointsOf(process.offer["points"]).filter(isPoint)) {
        const record = SAMPLES[point];
        await answerTo(process, { point, record });
        await answerTo(process, { point, record: { ...record, later: "a field of a margay to come" }, turn: "turn-1" });
      }
    }));

  for (const [index, { event, says }] of cases.entries())
    test(`it says what its case says: ${index + 1}, ${event.point}`, () =>
      asked(async (process) => {
        const answer = await answerTo(process, event);
        if (says === "nothing") assert.deepEqual(answer, {});
        else if ("note" in says) assert.match(String(answer["note"]), says.note);
        else {
          assert.equal(answer["deny"], true);
          assert.match(String(answer["reason"]), says.deny);
        }
      }));

  test("events at once get the answers that they get alone", () =>
    asked(async (process) => {
      const said = await Promise.all(cases.map(({ event }) => answerTo(process, event)));
      for (const [index, answer] of said.entries()) {
        const { says } = cases[index] ?? {};
        const kind = "deny" in answer ? "deny" : "note" in answer ? "note" : "nothing";
        assert.equal(kind, typeof says === "object" ? Object.keys(says)[0] : says);
      }
    }));
}

function pointsOf(points: unknown): readonly string[] {
  assert.ok(Array.isArray(points), "`on` is an object");
  return points.map(String);
}

function isPoint(point: string): point is HookPoint {
  return Object.hasOwn(SAMPLES, point);
}

/** @returns what it said, looked at; `{}` is nothing. */
async function answerTo(process: PluginProcess, event: HookCase["event"]): Promise<JsonObject> {
  const whole = { session: "session-1", origin: CHAT_ONE, ...event };
  const answer: unknown = await process.hook(whole as JsonObject, AbortSignal.timeout(DEADLINE_MS)); // of JSON
  if (answer === undefined || answer === null) return {};
  assert.ok(isRecord(answer), `${event.point}: an answer is an object or undefined`);
  const { note, deny, reason } = answer;
  if (deny === undefined) {
    assert.ok(typeof note === "string" && event.point !== "reply.out", `${event.point}: it gives a note or denies`);
    assert.ok(note.length <= 2000, "a note has at most 2000 characters");
  } else {
    assert.ok(deny === true && note === undefined && MAY_DENY.has(event.point), `${event.point} may not deny so`);
    assert.ok(typeof reason === "string" && reason.length <= 500, "a denial has a reason of at most 500 characters");
  }
  return answer as JsonObject; // came as JSON
}

const MESSAGE = {
  ...{ role: "user", id: "message-1", at: 1000, from: { id: "person", kind: "person" } },
  parts: [{ type: "text", text: "hello" }],
};
/** One record of each point, as margay tells it. */
const SAMPLES: Readonly<Record<HookPoint, JsonObject>> = {
  "message.in": { type: "message.received", message: MESSAGE },
  "turn.start": { type: "turn.started", turn: "turn-1", replyTo: CHAT_ONE, attended: true, message: "message-1" },
  "call.before": { type: "call.proposed", call: "call-1", name: "list_dir", input: { path: "." }, effect: "read" },
  "call.after": {
    type: "tool.finished",
    message: { role: "tool", at: 1000, callId: "call-1", name: "list_dir", status: "ok", parts: [] },
  },
  "turn.end": {
    ...{ type: "turn.ended", turn: "turn-1", reason: "done", text: "hello", durationMs: 20 },
    usage: { input: 10, output: 2, cacheRead: 0, cacheWrite: 0 },
  },
  "reply.out": {
    ...{ type: "reply.queued", reply: "reply-1", to: CHAT_ONE, kind: "reply" },
    parts: [{ type: "text", text: "hello" }],
  },
};
