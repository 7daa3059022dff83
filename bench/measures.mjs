/** The measures of the kit: each takes an adapter and its place and returns figures. */
import { directive } from "../packages/core/src/testing/mock-llm/directive.ts";
import { now, runToExit } from "./lib/proc.mjs";
import { median } from "./lib/stage.mjs";

/** A prompt whose directive makes the mock call one of the adapter's tools. */
export function prompt(adapter, ctx, { tool, ...fields }) {
  const t = tool && adapter.tools[tool];
  const args = t && JSON.stringify(t.args).replaceAll("{{workspace}}", ctx.workspace).replaceAll('"{{n}}"', "{{n}}");
  return `Please do the next step. ${directive({ ...(t ? { tool: t.name, args } : {}), ...fields })}`;
}

let serial = 0;
export const fresh = (name) => `${name}-${++serial}`;
const main = (records) => records.filter((r) => !r.aux);
/** Time between the end of each answer and the arrival of the next request: the peer's own time. */
const gaps = (records) => records.slice(1).map((r, i) => r.bodyAt - records[i].endAt);

function check(records, expected, what) {
  const missing = records.find((r) => r.missing);
  if (missing) throw new Error(`${what}: the scripted tool is not offered (offered: ${missing.tools.join(",")})`);
  if (records.length < expected) throw new Error(`${what}: ${records.length} requests of ${expected} came`);
}

/** `chunks` of a streamed answer; `sessions` beside each other. */
export function createMeasures({ mock, chunks, sessions }) {
  async function timedTurn(server, session, text) {
    await mock.reset();
    const before = server.usage();
    const startedAt = now();
    const extra = await server.turn(session, text);
    const endedAt = now();
    const after = server.usage();
    const records = main(await mock.stats());
    return {
      startedAt,
      endedAt,
      ms: endedAt - startedAt,
      cpuMs: extra.cpuMs ?? after.cpuMs - before.cpuMs,
      rssMB: after.rssMB,
      records,
      extra,
    };
  }

  return {
    /** One prompt from a fresh process: to the first LLM request, and to exit. */
    async cold(a, ctx) {
      await mock.reset();
      const r = await runToExit(a.oneShot(ctx, prompt(a, ctx, { chunks: 5, id: fresh("cold") })), {
        timeout: 120_000,
        doneWhen: a.doneWhen,
      });
      const all = await mock.stats();
      const first = main(all)[0];
      if (!first) throw new Error(`no request; exit ${r.code}; ${r.stdout.slice(-300)} ${r.stderr.slice(-600)}`);
      return {
        firstRequestMs: first.at - r.startedAt,
        firstAnyMs: all[0].at - r.startedAt,
        exitMs: r.ms,
        afterAnswerMs: r.endedAt - first.endAt,
        peakMB: r.peakMB,
        cpuMs: r.cpuMs,
      };
    },

    /** In one live process: 20 tool rounds, a long streamed answer, 8 calls at once. */
    async turns(a, ctx) {
      const out = {};
      const opened = now();
      const server = await a.serve(ctx);
      try {
        const cold = await timedTurn(
          server,
          "warm",
          prompt(a, ctx, { tools: 20, tool: "read", chunks: 5, id: fresh("warm") }),
        );
        check(cold.records, 21, "rounds");
        Object.assign(out, { readyMs: cold.records[0].bodyAt - opened, roundColdMs: median(gaps(cold.records)) });

        const turns = [];
        for (let i = 0; i < 2; i++)
          turns.push(
            await timedTurn(
              server,
              fresh("rounds"),
              prompt(a, ctx, { tools: 20, tool: "read", chunks: 5, id: fresh("rounds") }),
            ),
          );
        turns.forEach((t) => check(t.records, 21, "rounds"));
        Object.assign(out, {
          roundMs: median(turns.flatMap((t) => gaps(t.records))),
          turnMs: median(turns.map((t) => t.ms)),
          roundCpuMs: median(turns.map((t) => t.cpuMs / 20)),
          startMs: median(turns.map((t) => t.records[0].bodyAt - t.startedAt)),
          requestBytes: turns[0].records.at(-1).bytes,
        });

        // Twice: the first finds the code cold. The second is reported.
        for (const key of ["streamCold", "stream"]) {
          const t = await timedTurn(server, fresh("stream"), prompt(a, ctx, { chunks: chunks, id: fresh("stream") }));
          check(t.records, 1, "stream");
          const seconds = (t.endedAt - t.records[0].firstByteAt) / 1000;
          Object.assign(out, {
            [`${key}PerS`]: chunks / seconds,
            [`${key}Ms`]: seconds * 1000,
            [`${key}CpuMs`]: t.cpuMs,
          });
        }

        const parallel = await timedTurn(
          server,
          fresh("parallel"),
          prompt(a, ctx, { tools: 1, parallel: 8, tool: "wait", chunks: 2, id: fresh("parallel") }),
        );
        check(parallel.records, 2, "parallel");
        Object.assign(out, { parallelMs: gaps(parallel.records)[0], rssMB: server.usage().rssMB });
      } finally {
        await server.close();
      }
      return out;
    },

    /** Many live sessions, each with a 5-round turn and 100 ms of model latency. */
    async concurrency(a, ctx) {
      if (!a.multi) return undefined;
      const server = await a.serve(ctx, { many: true });
      try {
        const ids = Array.from({ length: sessions }, (_, i) => fresh(`c${i}`));
        await server.turn(fresh("warm"), prompt(a, ctx, { tools: 2, tool: "read", chunks: 2, id: fresh("warm") }));
        const before = server.usage();
        const openedAt = now();
        const queue = [...ids];
        const opener = async () => {
          for (let id = queue.shift(); id; id = queue.shift()) await server.turn(id, prompt(a, ctx, { chunks: 2, id }));
        };
        await Promise.all(Array.from({ length: 5 }, opener));
        const openMs = now() - openedAt;
        await mock.reset();
        const startedAt = now();
        const cpu = server.usage().cpuMs;
        await Promise.all(
          ids.map((id) => server.turn(id, prompt(a, ctx, { tools: 5, tool: "read", chunks: 5, delay: 100, id }))),
        );
        const wallMs = now() - startedAt;
        const after = server.usage();
        const records = main(await mock.stats());
        check(records, sessions * 6, "concurrency");
        return {
          wallMs,
          idealMs: 600,
          openMs,
          cpuMs: after.cpuMs - cpu,
          rssBeforeMB: before.rssMB,
          rssAfterMB: after.rssMB,
          rssPerSessionMB: (after.rssMB - before.rssMB) / sessions,
          requests: records.length,
        };
      } finally {
        await server.close();
      }
    },

    /** What a default session sends, how it grows in 30 turns, and how much of it a prompt cache can reuse. */
    async tokens(a, ctx) {
      const server = await a.serve(ctx);
      try {
        await mock.reset();
        const id = fresh("tokens");
        for (let i = 0; i < 30; i++)
          await server.turn("tokens", prompt(a, ctx, { tools: 1, tool: "read", chunks: 20, id }));
        const all = await mock.stats();
        const records = main(all);
        check(records, 60, "tokens");
        const shares = records.slice(1).map((r) => r.prefixShare);
        const out = {
          systemBytes: records[0].systemBytes,
          toolsBytes: records[0].toolsBytes,
          toolCount: records[0].tools.length,
          firstBytes: records[0].bytes,
          lastBytes: records.at(-1).bytes,
          lastMessages: records.at(-1).messages,
          totalBytes: records.reduce((n, r) => n + r.bytes, 0),
          auxRequests: all.length - records.length,
          auxBytes: all.filter((r) => r.aux).reduce((n, r) => n + r.bytes, 0),
          requests: records.length,
          prefixMedian: median(shares),
          prefixMin: Math.min(...shares),
          perTurnBytes: (records.at(-1).bytes - records[0].bytes) / 29.5,
          /** Of all bytes sent after the first request, those a perfect prefix cache would have to read afresh. */
          freshBytes: records.slice(1).reduce((n, r, i) => n + r.bytes - r.prefixShare * records[i].bytes, 0),
        };
        out.firstBody = await mock.body(all.findIndex((r) => !r.aux));
        if (a.multi) {
          const other = fresh("other");
          await server.turn(other, prompt(a, ctx, { chunks: 2, id: other }));
          out.fixedShareOtherSession = main(await mock.stats()).find((r) => r.id === other).fixedShare;
        }
        return out;
      } finally {
        await server.close();
      }
    },

    /** A history of about 2,000 messages: prompt to first request, warm, and cold where a session can be resumed. */
    async long(a, ctx) {
      const server = await a.serve(ctx);
      const out = {};
      const first = async (session, fields = {}) => {
        await mock.reset();
        const startedAt = now();
        const t = server.turn(session, prompt(a, ctx, { chunks: 2, id: "long", ...fields }));
        await t;
        const r = main(await mock.stats())[0];
        return { ms: r.bodyAt - startedAt, turnMs: now() - startedAt, messages: r.messages, bytes: r.bytes };
      };
      try {
        await server.turn("short", prompt(a, ctx, { tools: 2, tool: "read", chunks: 2, id: "long" }));
        const short = [];
        for (let i = 0; i < 5; i++) short.push((await first("short")).ms);
        const seededAt = now();
        if (server.seed) await server.seed("long", 1000);
        else
          for (let i = 0; i < 22 && now() - seededAt < 240_000; i++)
            await server.turn(
              "long",
              prompt(a, ctx, { tools: 10, parallel: 8, tool: "read", chunks: 20, id: "long", record: 0 }),
            );
        out.seedMs = now() - seededAt;
        await first("long");
        const long = [];
        for (let i = 0; i < 5; i++) long.push(await first("long"));
        const rounds = await timedTurn(
          server,
          "long",
          prompt(a, ctx, { tools: 10, tool: "read", chunks: 2, id: "long" }),
        );
        Object.assign(out, {
          shortMs: median(short),
          longMs: median(long.map((l) => l.ms)),
          longMinMs: Math.min(...long.map((l) => l.ms)),
          messages: long.at(-1).messages,
          bytes: long.at(-1).bytes,
          longRoundMs: median(gaps(rounds.records)),
          rssMB: server.usage().rssMB,
        });
        out.resume = await server.sessionId?.("long");
      } finally {
        await server.close();
      }
      if (out.resume) {
        const cold = [];
        for (let i = 0; i < 3; i++) {
          await mock.reset();
          const r = await runToExit(
            a.oneShot(ctx, prompt(a, ctx, { chunks: 2, id: "long" }), { session: out.resume }),
            {
              doneWhen: a.doneWhen,
            },
          );
          const request = main(await mock.stats())[0];
          if (request) cold.push({ ms: request.at - r.startedAt, messages: request.messages });
        }
        Object.assign(out, { resumeMs: median(cold.map((c) => c.ms)), resumeMessages: cold.at(-1)?.messages });
      }
      return out;
    },
  };
}
