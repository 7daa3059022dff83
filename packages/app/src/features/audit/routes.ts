/** The audit log: read, proven, exported. There is no route that edits or deletes any of it. */
import { createReadStream, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import type { Audit } from "@margay/core/internal";
import type { z } from "zod";
import { cursorOf, cursorText } from "../../host/api/paging.ts";
import { route, type Route } from "../../host/api/route.ts";
import { AuditPage, AuditQuery, AuditReportSchema, type AuditEntrySchema } from "./schema.ts";
import type { Services } from "../../host/api/services.ts";

type Entry = Awaited<ReturnType<Audit["list"]>>[number];

export const AUDIT_ROUTES: readonly Route[] = [
  route({
    id: "listAudit",
    method: "GET",
    path: "/audit",
    scope: "read",
    summary: "Entries of the audit log, the newest first.",
    query: AuditQuery,
    response: AuditPage,
    handle: async ({ services, query }) => {
      const { limit, cursor, session, ...filter } = query;
      const { audit } = services.app;
      await audit.flush();
      const before = cursor === undefined ? undefined : Number(cursorText(cursor, /^\d{1,15}$/));
      const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
      const found = await audit.list({
        ...given,
        ...(session !== undefined && { session: session as never }), // compared with what the log holds
        ...(before !== undefined && { before }),
        limit: limit + 1,
      });
      const shown = found.slice(0, limit);
      const last = shown.at(-1);
      const next = last === undefined || found.length <= limit ? null : cursorOf(String(last.n));
      return { body: { items: shown.map(entryView), next } };
    },
  }),
  route({
    id: "verifyAudit",
    method: "POST",
    path: "/audit/verify",
    scope: "read",
    summary: "Proves the whole chain, from the first entry to the signed head.",
    response: AuditReportSchema,
    timeoutMs: 120_000,
    handle: async ({ services }) => ({ body: await reportOf(services) }),
  }),
  route({
    id: "exportAudit",
    method: "GET",
    path: "/audit/export",
    scope: "read",
    summary: "All entries as they were written, one JSON line each, and a last line with the verdict on the chain.",
    timeoutMs: null,
    handle: async ({ services }) => {
      const report = await reportOf(services);
      const lines = Readable.from(exported(services, `${JSON.stringify({ verified: report })}\n`));
      return {
        raw: Readable.toWeb(lines) as NodeReadableStream<Uint8Array> as ReadableStream<Uint8Array>, // buffers
        headers: {
          "content-type": "application/x-ndjson",
          "content-disposition": "attachment; filename=audit.jsonl",
          "margay-audit": report.ok ? "intact" : `broken at ${report.broken?.n ?? 0}`,
        },
      };
    },
  }),
];

async function* exported({ app }: Services, verdict: string): AsyncIterable<Buffer> {
  const directory = directoryOf(app);
  const files = readdirSync(directory).filter((name) => /^\d{4}-\d\d-\d\d\.jsonl$/.test(name));
  for (const name of files.toSorted()) yield* createReadStream(join(directory, name)) as AsyncIterable<Buffer>; // no encoding: buffers
  yield Buffer.from(verdict);
}

async function reportOf({ app }: Services): Promise<z.input<typeof AuditReportSchema>> {
  const { ok, entries, head, broken } = await app.audit.verify();
  const anchoredAt = statSync(join(directoryOf(app), "head.json"), { throwIfNoEntry: false })?.mtimeMs;
  return {
    ok,
    entries,
    last: head.n,
    head: head.hash,
    ...(anchoredAt !== undefined && { anchoredAt: Math.floor(anchoredAt) }),
    ...(broken !== undefined && {
      broken: { n: broken.n, reason: broken.reason, file: broken.file, line: broken.line, detail: broken.message },
    }),
  };
}

function directoryOf(app: Services["app"]): string {
  return join(app.loaded.places.home, "audit");
}

function entryView(entry: Entry): z.input<typeof AuditEntrySchema> {
  const { n, at, prev, hash } = entry;
  const chain = { n, at, prev, hash };
  switch (entry.kind) {
    case "call":
      return {
        ...chain,
        kind: "call",
        session: entry.session,
        key: entry.sessionKey,
        turn: entry.turn,
        call: entry.call,
        tool: entry.tool,
        decision: entry.decision,
        rule: entry.rule,
        by: entry.by,
        ...(entry.label !== undefined && { label: entry.label }),
        status: entry.status,
        ms: Math.round(entry.durationMs),
        attempts: entry.attempts,
        argsHash: entry.argumentsHash,
        text: JSON.stringify(entry.arguments),
        result: entry.result,
      };
    case "turn":
      return {
        ...chain,
        kind: "turn",
        session: entry.session,
        key: entry.sessionKey,
        turn: entry.turn,
        reason: entry.reason,
        ms: Math.round(entry.durationMs),
        usage: entry.usage,
        text: entry.user,
        reply: entry.reply,
        ...(entry.error !== undefined && { error: entry.error }),
      };
    case "event":
      return {
        ...chain,
        kind: "event",
        ...(entry.session !== undefined && { session: entry.session }),
        ...(entry.sessionKey !== undefined && { key: entry.sessionKey }),
        name: entry.name,
        text: entry.name,
        data: JSON.parse(JSON.stringify(entry.data)) as object as never,
      }; // made of JSON
  }
}
