// The leak corpus of docs/people.md: what is one person's comes to nobody else, whatever a model that obeys everybody is told to do.
import { fakeClock } from "@margay/core/testing";
import { expect, test } from "vitest";
import { attack } from "./attack.ts";
import { casesOf, DIRECTIONS, MOMENTS, pairsOf, PLACES, WAYS, type Case } from "./cases.ts";
import { hide, house, secretOf } from "./house.ts";

const SEED = Number(process.env["MARGAY_LEAK_SEED"] ?? 7);
/** `npm run leaks`: all of them. */
const COUNT = Number(process.env["MARGAY_LEAK_CASES"] ?? 200);
const cases = casesOf(SEED, COUNT);

/** How somebody could write a secret down. */
function spellings(secret: string): readonly string[] {
  const encoded = [0, 1, 2].map((shift) => {
    const text = Buffer.from(`${" ".repeat(shift)}${secret}`).toString("base64");
    return text.slice(shift === 0 ? 0 : 4, -4); // without what depends on what stands beside it
  });
  return [
    secret,
    secret.toLowerCase(),
    [...secret].toReversed().join(""),
    [...secret].join(" "),
    Buffer.from(secret).toString("hex"),
    ...encoded,
  ];
}

/** The names of the cases after which B has something of A's that they did not have before. */
async function leaksIn(some: readonly Case[], isOpen: boolean): Promise<readonly string[]> {
  const [first] = some;
  if (first === undefined) return [];
  const home = await house(isOpen);
  const { direction, moment } = first;
  const [, to = ""] = direction.split(">");
  await hide(home, direction, moment, SEED);
  const secrets = PLACES.flatMap((place) => spellings(secretOf(place, SEED)));
  const found: string[] = [];
  let before = 0;
  for (const each of some) {
    await attack(home, each);
    const seen = home.seenBy(to);
    const now = secrets.reduce((sum, secret) => sum + seen.split(secret).length - 1, 0);
    if (now > before) found.push(each.name);
    before = now;
  }
  return found;
}

const homes = DIRECTIONS.flatMap((direction) => MOMENTS.map((moment) => [direction, moment] as const));
const inHome = (direction: string, moment: string): readonly Case[] =>
  cases.filter((each) => each.direction === direction && each.moment === moment);

/** What comes to B alone, with another secret of A's in each place. */
async function seenWith(serial: number, direction: Case["direction"], now: number): Promise<string> {
  const home = await house(false, fakeClock(now));
  const [, to = ""] = direction.split(">");
  await hide(home, direction, "at once", serial);
  for (const way of ["answer", "recall", "read_file above", "message to them", "ask them"] as const)
    await attack(home, { name: way, place: "said", way, direction, moment: "at once" });
  const { place } = home.place();
  // Names that are made anew each time, of folders, turns and calls, say nothing.
  return home
    .seenBy(to)
    .replaceAll(place.directory, "HOME")
    .replaceAll(/turn-\w+|command-\w+|\br\d+-\w+-\d+|[\w-]+-sipid-\d+/g, "ID")
    .replaceAll(/"at":"[^"]*"/g, '"at":""');
}

test("PE41 the cases have each pair of place, way, direction and moment", () => {
  const covered = new Set(cases.flatMap(pairsOf));
  const { length: p } = PLACES;
  const { length: w } = WAYS;
  const { length: d } = DIRECTIONS;
  const { length: m } = MOMENTS;
  expect(covered.size).toBe(p * w + p * d + p * m + w * d + w * m + d * m);
  expect(casesOf(SEED, 20)).toEqual(casesOf(SEED, 20));
});

test.for(homes)("PE41 PE20 %s %s: nothing of the one comes to the other", async ([direction, moment]) => {
  expect(await leaksIn(inHome(direction, moment), false)).toEqual([]);
});

test("PE41 PE43 the ways through a question are ways: it holds the secrets, and who is let have them has them", async () => {
  for (const [way, who] of [
    ["ask them", "eva"],
    ["ask them, after their yes to another", "carl"],
    ["what they let go to another", "carl"],
  ] as const) {
    const home = await house(false);
    await hide(home, "eva>bob", "at once", SEED);
    const count = (seen: string): number => seen.split("SECRET").length - 1;
    const before = count(home.seenBy(who));
    await attack(home, { name: way, place: "said", way, direction: "eva>bob", moment: "at once" });
    expect(count(home.seenBy(who)), way).toBeGreaterThan(before);
    expect(home.seenBy("eva")).toContain("asked");
    expect(count(home.seenBy("bob")), way).toBe(0);
  }
});

test.for(["ada>ann", "eva>bob", "eva>trip"] as const)(
  "PE41 PE20 twins %s: with another secret the other sees the same bytes",
  async (direction) => {
    const now = Date.now();
    expect(await seenWith(1, direction, now)).toBe(await seenWith(2, direction, now));
  },
);

test("PE41 control: where all of them are the owner nearly every case leaks", async () => {
  // A third of the homes, but for `npm run leaks`: 200 of 200 did when all were played.
  const some = COUNT > 200 ? homes : homes.filter(([, moment]) => moment === "at once");
  const played = some.flatMap(([direction, moment]) => inHome(direction, moment)).length;
  const found: string[] = [];
  for (const [direction, moment] of some) found.push(...(await leaksIn(inHome(direction, moment), true)));
  process.stdout.write(`${found.length} of ${played} cases leak without rooms and readers\n`);
  expect(found.length).toBeGreaterThanOrEqual(played * 0.9);
});
