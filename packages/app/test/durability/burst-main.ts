/**
 * `npm run burst [-- N] [--chats C]`: N messages (10,000 unless told) arrive at C chats (100) of the webhook as fast as they are
 * taken, and each of them is answered once. Exit code 1 when one is not.
 */
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ACCOUNTS, busyWorld, leftToDo } from "./busy-world.ts";
import { answerText, errandText } from "./errands.ts";

/** What one account writes: more in a minute would not be read. */
const PER_ACCOUNT = 18;
/** Requests that wait for their 202 at a time. */
const AT_ONCE = 50;
const LOOK_MS = 1000;
/** Nothing new has left for so long: nothing will. */
const STUCK_MS = 120_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { chats: { type: "string", default: "100" } },
});
const count = Number(positionals[0] ?? 10_000);
const ids = Array.from({ length: count }, (_, index) => `r${index}x0z`);
const world = await busyWorld();
// A chat that grows is consolidated now and then, and its next request begins anew.
for (const _ of ids) world.model.expectNewEpoch("a consolidation");
let later = 0;
try {
  const running = await world.start();
  if (running === undefined) throw new Error("it did not start");
  const startedAt = performance.now();
  const queue = ids.entries();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const [index, id] of queue)
        while ((await post(index, id)) !== 202) {
          later += 1;
          await wait(100); // it said that there is no room now
        }
    }),
  );
  const takenMs = performance.now() - startedAt;
  let last = performance.now();
  for (let seen = -1; (await leftToDo(world, running)).length > 0;) {
    if (world.delivered.length !== seen) last = performance.now();
    seen = world.delivered.length;
    if (performance.now() - last > STUCK_MS) throw new Error(`stuck after ${seen} of ${count} answers`);
    await wait(LOOK_MS);
  }
  const texts = new Map(world.delivered.map(({ reply, text }) => [reply, text])); // each key once
  const times = new Map<string, number>();
  for (const text of texts.values())
    for (const [, id = ""] of text.matchAll(/Answer (\w+)\./g)) times.set(id, (times.get(id) ?? 0) + 1);
  const missing = ids.filter((id) => !times.has(id));
  const twice = [...times].filter(([, each]) => each > 1).map(([id]) => id);
  const seconds = (ms: number): string => (ms / 1000).toFixed(1);
  process.stdout.write(
    `${count} messages in ${values.chats} chats: taken in ${seconds(takenMs)} s (${later} times told to come later), all answered after ` +
      `${seconds(performance.now() - startedAt)} s; ${texts.size} replies left, ${missing.length} answers missing, ${twice.length} twice\n`,
  );
  for (const id of [...missing, ...twice].slice(0, 20)) process.stdout.write(`  ${answerText(id)}\n`);
  if (missing.length + twice.length > 0 || world.model.violations.length > 0) process.exitCode = 1;
  for (const line of world.model.violations.slice(0, 20)) process.stdout.write(`  ${line}\n`);
} finally {
  await world.close();
}

/** A channel listens a moment after the gateway does. */
function post(index: number, id: string): Promise<number> {
  const chat = `burst-${index % Number(values.chats)}`;
  const account = ACCOUNTS[Math.floor(index / PER_ACCOUNT) % ACCOUNTS.length];
  return world.post(id, chat, errandText({ kind: "talk", id }), account).catch(() => 503);
}
