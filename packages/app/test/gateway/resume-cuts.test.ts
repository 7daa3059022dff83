import fc from "fast-check";
import { expect, test } from "vitest";
import { begin, follow, script, whole } from "./following.ts";
import { connect } from "./frames.ts";
import { openPage } from "./page.ts";
import { startGateway, type TestGateway } from "./support.ts";

/** `MARGAY_RESUME_RUNS=1000` for that many, however long they take; else what fits the time. */
const RUNS = process.env["MARGAY_RESUME_RUNS"];
const TIME_MS = 20_000;

interface Cuts {
  /** Rounds of calls of each session. */
  readonly rounds: readonly [number, number];
  /** Each socket is cut after that many frames; the one after the last of them stays. */
  readonly after: readonly number[];
}

const cuts: fc.Arbitrary<Cuts> = fc.record({
  rounds: fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 })),
  after: fc.array(fc.integer({ min: 1, max: 25 }), { maxLength: 12 }),
});

test("R400 two sessions on one socket with random cuts: no commit is missing, none comes twice", async (t) => {
  const limits = { sendsPerMinute: 100_000, requestsPerMinute: 1_000_000 };
  const gateway = await startGateway(t, { config: { gateway: { limits } } });
  const token = gateway.token("owner");
  const end = RUNS === undefined ? performance.now() + TIME_MS : Infinity;
  let run = 0;
  await fc.assert(
    fc.asyncProperty(cuts, async (one) => {
      if (performance.now() < end) await resumes(gateway, token, (run += 1), one);
    }),
    { numRuns: Number(RUNS ?? 1000) },
  );
  expect(run).toBeGreaterThan(RUNS === undefined ? 5 : Number(RUNS) - 1);
}, 3_600_000);

async function resumes(gateway: TestGateway, token: string, run: number, { rounds, after }: Cuts): Promise<void> {
  for (const [side, name] of (["left", "right"] as const).entries())
    gateway.model.route(
      (request) => JSON.stringify(request.messages).includes(`${name} ${run}.`),
      ...script(rounds[side] ?? 1),
    );
  const sessions = await Promise.all([begin(gateway, `left ${run}.`), begin(gateway, `right ${run}.`)]);
  const pages = sessions.map(openPage);
  const isOver = (): boolean => pages.every((page) => page.view.items.some(({ kind }) => kind === "turn-end"));
  for (const frames of after) {
    if (isOver()) break;
    const tab = await connect(gateway, { token });
    follow(tab, pages);
    const until = tab.frames.length + frames;
    for (const page of pages)
      tab.send({ id: `s${page.view.session}`, type: "subscribe", session: page.view.session, after: page.view.seq });
    await Promise.race([
      tab.until(() => tab.frames.length >= until || isOver()),
      // Nothing more comes when both turns have ended.
      gateway.app.agent.idle().then(async () => {
        await expect.poll(isOver, { interval: 5 }).toBe(true);
      }),
    ]);
    tab.socket.removeAllListeners("message");
    tab.socket.terminate();
  }
  await gateway.app.agent.idle();
  const tab = await connect(gateway, { token });
  follow(tab, pages);
  for (const page of pages) await tab.ask({ type: "subscribe", session: page.view.session, after: page.view.seq });
  for (const page of pages) {
    const { lastSeq } = (await gateway.api(`/sessions/${page.view.session}`)).body;
    await expect.poll(() => page.view.seq, { interval: 5 }).toBe(lastSeq);
    expect(page.view.items).toEqual(await whole(gateway, page.view.session));
  }
  tab.socket.terminate();
}
