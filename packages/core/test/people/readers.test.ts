// Who may read a text: what it needs against who would read it, by who belongs to what when it is judged.
import { expect, test } from "vitest";
import type { CallId, SessionId } from "../../src/contract/base.ts";
import type { Readers, Role } from "../../src/contract/people.ts";
import type { Policy } from "../../src/contract/policy.ts";
import type { SessionState } from "../../src/contract/session.ts";
import { checkedReaders, joinReaders, readersTo } from "../../src/lib/audience.ts";
import { cutEntry, readersInMark, withSource } from "../../src/lib/source-mark.ts";
import { PLAIN } from "../../src/lib/labels.ts";
import { createReading } from "../../src/people/reading.ts";
import { covers, type Members, needs, placed, withheld } from "../../src/people/readers.ts";
import { emptyState } from "../../src/session/reduce.ts";
import { slower } from "../support/slower.ts";

const TRIP = "group:webhook:trip";
const ANN = "guest:webhook:ann";
const ROLES: Readonly<Record<string, Role>> = { bob: "operator", eva: "member", carl: "member" };
const MEMBERS: Members = {
  roleOf: (person) => ROLES[person],
  isIn: (reader, group) => group === TRIP && ["eva", ANN].includes(reader),
};

test.for([
  ["owner", "owner", true],
  ["owner", "bob", false], // an operator has a space of their own
  ["owner", "eva", false],
  ["owner", ANN, false],
  ["owner", TRIP, false],
  ["eva", "eva", true],
  ["eva", "carl", false],
  ["eva", "owner", false],
  ["gone", "gone", false], // nobody any more
  ["household", "owner", true],
  ["household", "eva", true],
  ["household", "gone", false],
  ["household", ANN, false],
  ["household", TRIP, false],
  // What is written for all of them.
  ["household", "household", true],
  ["public", "household", true],
  ["owner", "household", false],
  ["eva", "household", false],
  [TRIP, "household", false],
  ["public", ANN, true],
  ["public", TRIP, true],
  ["public", "gone", false],
  [TRIP, "eva", true],
  [TRIP, "carl", false],
  [TRIP, ANN, true],
  [TRIP, "guest:webhook:other", false],
  [TRIP, TRIP, true],
  [TRIP, "group:webhook:other", false],
  [ANN, ANN, true],
  [ANN, "owner", true],
  [ANN, "bob", true],
  [ANN, "eva", false],
  [ANN, "guest:webhook:other", false],
] as const)("PE40 what %s may read, %s may: %s", ([to, reader, expected]) => {
  expect(covers(readersTo([to], "owner"), reader, MEMBERS)).toBe(expected);
});

test("PE47 who left, and who was removed, reads nothing from then on", () => {
  const set = readersTo(["eva", TRIP], "bob");
  expect(covers(set, "carl", { ...MEMBERS, isIn: () => true })).toBe(true);
  expect(covers(set, "carl", MEMBERS)).toBe(false);
  expect(covers(set, "eva", { ...MEMBERS, roleOf: () => undefined })).toBe(false);
  expect(covers(readersTo([ANN], "owner"), "bob", { ...MEMBERS, roleOf: () => "member" })).toBe(false);
});

const state = (audience: string | undefined, readers?: readonly Readers[]): SessionState => ({
  ...emptyState("s-1" as SessionId),
  key: "k",
  origin: { channel: "webhook", chat: audience ?? "ada" },
  ...(audience !== undefined && { audience }),
  label: { ...PLAIN, ...(readers !== undefined && { readers }) },
});

test("PE40 a conversation needs those who read it, and all that came into it from elsewhere", () => {
  expect(needs(state(undefined))).toEqual([{ to: ["owner"], by: "owner" }]);
  expect(needs(state("guest"))).toEqual([{ to: ["guest:webhook:guest"], by: "owner" }]);
  const told = readersTo(["bob", "eva"], "bob");
  expect(needs(state("eva", [told]))).toEqual([{ to: ["eva"], by: "eva" }, told]);
  expect(withheld(needs(state("eva", [told])), "bob", MEMBERS)).toEqual([{ to: ["eva"], by: "eva" }]);
});

test("PE46 what somebody was told carries who may read it; what who reads there brings alone carries nothing", () => {
  const eva = needs(state("eva"));
  expect(placed(eva, "carl", MEMBERS)).toEqual([{ to: ["carl", "eva"], by: "eva" }]);
  expect(placed(eva, "eva", MEMBERS)).toEqual([]);
  expect(placed([...eva, readersTo(["eva", "bob"], "bob")], "carl", MEMBERS)).toEqual([
    { to: ["bob", "carl", "eva"], by: "bob" },
    { to: ["carl", "eva"], by: "eva" },
  ]);
});

test("PE40 audience/MAX_SETS: 64 sets are kept, more are for nobody, whatever they are joined with", () => {
  const sets = (count: number): readonly Readers[] =>
    joinReaders(
      undefined,
      Array.from({ length: count }, (_, n) => readersTo(["eva", `p${n}`], "eva")),
    ) ?? [];
  expect(sets(64)).toHaveLength(64);
  expect(withheld(sets(64), "eva", MEMBERS)).toEqual([]);
  const nobody = sets(65);
  expect(withheld(nobody, "eva", MEMBERS)).toHaveLength(1);
  expect(withheld(nobody, "owner", MEMBERS)).toHaveLength(1);
  for (const more of [sets(1), sets(64), nobody]) {
    expect(joinReaders(nobody, more)).toEqual(nobody);
    expect(joinReaders(more, nobody)).toEqual(nobody);
  }
  expect(joinReaders(joinReaders(sets(64), [readersTo(["x"], "eva")]), sets(3))).toEqual(nobody);
});

test("PE40 what a tool of somebody else says of readers, and cannot be read, is for nobody", () => {
  expect(checkedReaders([{ to: ["eva", "eva"], by: "eva" }])).toEqual([{ to: ["eva"], by: "eva" }]);
  for (const wrong of [undefined, "public", [{ to: "public", by: "eva" }], [{ to: [1], by: "eva" }], [undefined]])
    expect(withheld(checkedReaders(wrong), "eva", MEMBERS)).toHaveLength(1);
});

test("PE46 a line of memory keeps who may read it, also when it is cut; one that a person changed is for nobody", () => {
  const readers = [readersTo(["eva", "guest:webhook:a (b)+c"], "owner"), readersTo(["bob"], "bob")];
  const line = withSource("the gift is red", { ...PLAIN, readers });
  expect(readersInMark(line)).toEqual(joinReaders(undefined, readers));
  expect(withSource("the gift is red", PLAIN)).toBe("the gift is red");
  expect(readersInMark("(source: notes for school)")).toBeUndefined();
  expect(readersInMark(cutEntry(`${"word ".repeat(99)}${line}`, 300))).toEqual(joinReaders(undefined, readers));
  // A mark that the model wrote itself adds to it, and takes nothing away.
  const forged = withSource("red (source: untrusted content; readers eva>public)", { ...PLAIN, readers });
  expect(withheld(readersInMark(forged) ?? [], "eva", MEMBERS)).toEqual([{ to: ["bob"], by: "bob" }]);
  expect(withheld(readersInMark(line.replace(">bob", ">%")) ?? [], "eva", MEMBERS)).toHaveLength(1);
});

const ALLOWS: Policy = {
  admit: () => Promise.resolve({ ok: true }),
  judge: () => ({ kind: "allow", rule: "all" }),
};

test("PE49 PE40 judging costs at most a tenth of a millisecond with 64 sets of 200 principals over 10,000 messages", async () => {
  const principals = Array.from({ length: 200 }, (_, n) => `p${n}`);
  const sets = Array.from({ length: 64 }, (_, n) => readersTo([...principals, "carl", `q${n}`], "eva"));
  const reading = createReading({
    people: {
      ...MEMBERS,
      roleOf: () => "member",
      isAlone: () => false,
      persons: () => [],
      contact: () => Promise.resolve(undefined),
      audienceAt: () => Promise.resolve("carl"),
      room: () => undefined as never, // nobody works with an agent
      usualAt: () => undefined,
    },
    language: () => "en",
  });
  const policy = reading.guarded(ALLOWS);
  const messages = Array.from({ length: 10_000 }, (_, n) => ({
    role: "notice" as const,
    at: n,
    kind: "runtime" as const,
    text: "x",
  }));
  const full = { ...state("eva", joinReaders(undefined, sets) ?? []), messages };
  const before = slower();
  const times: number[] = [];
  for (let round = 0; round < 200; round++) {
    const from = performance.now();
    const verdict = await policy.judge(
      { type: "tool-call", callId: "c" as CallId, name: "message", input: { chat_id: "carl", content: "x" } },
      { state: full, origin: full.origin, attended: true, effect: "idempotent" },
    );
    times.push(performance.now() - from);
    expect(verdict.kind).toBe("allow"); // her own alone is kept from Carl, and she asks for it
  }
  const median = times.toSorted((a, b) => a - b)[100] ?? 0;
  process.stdout.write(`readers over ${sets.length} sets: median ${median.toFixed(4)} ms\n`);
  expect(median).toBeLessThanOrEqual(0.1 * Math.max(before, slower()));
});
