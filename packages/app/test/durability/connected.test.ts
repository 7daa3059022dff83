import fc from "fast-check";
import type { CrashPoint } from "@margay/core/internal/testing";
import { expect, test } from "vitest";
import { connectedLife } from "./connected.ts";
import { killedGateway, type Running } from "./killed-gateway.ts";
import { inPairs, pointText } from "./kill-points.ts";

const LIVES = 5;
const KILLS_PER_LIFE = 10;
/** `MARGAY_KILL_SEED=N` repeats the points of a run; what the client is doing when they come is up to the machine. */
const SEED = Number(process.env["MARGAY_KILL_SEED"] ?? Math.floor(Math.random() * 1_000_000));

test("R400 R256 killed at 50 random commits while a client is connected: it goes on with nothing lost and nothing twice", async () => {
  const undisturbed = await connectedLife([]);
  expect(undisturbed.broken).toEqual([]);
  const point: fc.Arbitrary<CrashPoint> = fc.record({
    commit: fc.integer({ min: 1, max: undisturbed.commits }), // counted anew in each process
    when: fc.constantFrom("before", "torn", "after"),
  });
  const life = fc.array(point, { minLength: KILLS_PER_LIFE, maxLength: KILLS_PER_LIFE });
  const lives = fc.sample(life, { seed: SEED, numRuns: LIVES });
  let killed = 0;
  const broken: string[] = [];
  await inPairs(lives, async (points) => {
    const verdict = await connectedLife(points);
    killed += verdict.killed;
    if (verdict.broken.length > 0) broken.push(`${points.map(pointText).join(", ")}: ${verdict.broken.join("; ")}`);
  });
  process.stdout.write(`${killed} kills with a client connected, MARGAY_KILL_SEED=${SEED}\n`);
  expect(broken, `MARGAY_KILL_SEED=${SEED}`).toEqual([]);
  expect(killed).toBe(LIVES * KILLS_PER_LIFE);
}, 600_000);

for (const commit of [1, 2])
  test(`R256 killed after commit ${commit} of a conversation that came by HTTP: the same request makes no second one`, async (t) => {
    const place = await killedGateway();
    t.onTestFinished(place.close);
    const create = ({ url, token }: Running): Promise<Response> =>
      fetch(`${url}/api/v1/sessions`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          "idempotency-key": "made-once",
        },
        body: JSON.stringify({ message: { parts: [{ type: "text", text: "hello" }] } }),
      });
    const dying = await place.start({ commit, when: "after" });
    if (dying === undefined) throw new Error("there was nothing to die of yet");
    await expect(create(dying)).rejects.toThrow("fetch failed");
    const running = await place.start();
    if (running === undefined) throw new Error("nobody killed it");
    const answer = await create(running);
    const { id, sent } = (await answer.json()) as { readonly id: string; readonly sent: { readonly status: string } };
    expect([answer.status, sent.status]).toEqual([201, commit === 1 ? "accepted" : "duplicate"]);
    const again = await create(running);
    expect([again.headers.get("idempotent-replay"), ((await again.json()) as { id: string }).id]).toEqual(["true", id]);
    expect([...place.journals().keys()]).toEqual([`${id}.journal`]);
  });
