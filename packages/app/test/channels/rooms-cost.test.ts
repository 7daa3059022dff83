// What rooms cost while nobody is in them: memory, and files that stay open.
import { readdirSync, readlinkSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { running, type Running } from "./running.ts";
import { postSigned } from "./support.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function used(): number {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}

/** Persons whose index is open in this process. */
function openRooms({ place: { home } }: Running): number {
  const rooms = readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const [, room] = readlinkSync(`/proc/self/fd/${fd}`).split(`${home}/rooms/`);
      return room === undefined ? [] : [room.split("/")[0]];
    } catch {
      return []; // closed meanwhile
    }
  });
  return new Set(rooms).size;
}

async function looks({ app, model, port }: Running, who: string): Promise<void> {
  model.replies(callsTool("recall", { query: "cellar" }), says("nothing"));
  await postSigned(port, {
    id: `c-${who}-${model.requests.length}`,
    chat: who,
    sender: who,
    text: "look",
    private: true,
  });
  await app.agent.idle();
}

test("PE32 rooms that nobody is in are bounded: 50 take little memory, and past 64 the one that was used longest ago is closed", async () => {
  const persons = Array.from({ length: 80 }, (_, n) => `p${n}`);
  const people = Object.fromEntries(persons.map((person) => [person, { ids: [`webhook:${person}`] }]));
  const place = await running({ operators: ["ada"] }, { config: { people }, rules: "off" });
  await looks(place, "ada");
  await looks(place, "p0"); // what is loaded once
  const before = used();
  for (const person of persons.slice(1, 51)) await looks(place, person);
  expect(openRooms(place)).toBe(51);
  expect(used() - before).toBeLessThan(40); // 11.5 on two busy cores, with what the mock model keeps of their requests
  for (const person of persons.slice(51)) await looks(place, person);
  expect(openRooms(place)).toBeLessThanOrEqual(64);
});
