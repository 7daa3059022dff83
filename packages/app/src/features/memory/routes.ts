/** Files that shape the agent, their versions, and the search over memory and chats. */
import { createTokenCounter, sha256 } from "@margay/core/internal";
import { announce } from "../../host/live/announce.ts";
import { openJournalFacts } from "../../host/live/journal-facts.ts";
import { requireMatch, tagged, tagOf } from "../../host/api/etag.ts";
import { OPERATOR } from "../../host/operator.ts";
import { holdingsFor, personOf } from "../../host/sessions/access.ts";
import {
  isUntrusted,
  memoryFile,
  memoryFiles,
  modifiedAt,
  readMemoryFile,
  writeMemoryFile,
  type MemoryFile,
} from "./files.ts";
import { factsIn } from "./facts.ts";
import { searched } from "./search.ts";
import { describeLast, keepVersion, versionsOf, type Version } from "./versions.ts";
import { pageOf, timeKey } from "../../host/api/paging.ts";
import { refusal } from "../../host/api/refusal.ts";
import { route, type Call, type Reply, type Route } from "../../host/api/route.ts";
import { PageQuery } from "../../protocol/common.ts";
import {
  ConsolidateBody,
  ConsolidateResult,
  MemoryFacts,
  MemoryFileList,
  MemoryText,
  MemoryWrite,
  MemoryWritten,
  SearchQuery,
  SearchResult,
  VersionPage,
  VersionText,
} from "./schema.ts";
import { createWriteQueue } from "../../host/api/write-queue.ts";
import { TEXT } from "./api-texts.ts";

type AnyCall = Pick<Call<unknown, unknown>, "services" | "params" | "headers" | "credential" | "signal" | "language">;

export const MEMORY_ROUTES: readonly Route[] = [
  route({
    id: "listMemoryFiles",
    method: "GET",
    path: "/memory/files",
    scope: "read",
    ofPersons: true,
    summary: "The files that a person shares with the agent.",
    response: MemoryFileList,
    handle: async (call) => {
      const own = holdingsFor(call);
      const counter = createTokenCounter();
      const items = await Promise.all(
        memoryFiles(call).map(async (file) => {
          const text = await readMemoryFile(file, own, call.signal);
          return {
            name: file.name,
            hash: sha256(text),
            bytes: Buffer.byteLength(text),
            tokens: counter.text(text),
            modifiedAt: modifiedAt(file, own) ?? null,
            role: file.role,
            inPrompt: file.inPrompt,
            writable: true,
            label: labelOf(file, text),
          };
        }),
      );
      return { body: { items } };
    },
  }),
  route({
    id: "readMemoryFile",
    method: "GET",
    path: "/memory/files/{name}",
    scope: "read",
    ofPersons: true,
    summary: "One of the files; empty when it is not there yet.",
    response: MemoryText,
    errors: ["memory.not-found"],
    handle: async (call) => {
      const file = memoryFile(call);
      const text = await readMemoryFile(file, holdingsFor(call), call.signal);
      const hash = sha256(text);
      return tagged(call.headers, hash, { name: file.name, text, hash, label: labelOf(file, text) });
    },
  }),
  route({
    id: "writeMemoryFile",
    method: "PUT",
    path: "/memory/files/{name}",
    scope: "admin",
    ofPersons: true,
    summary: "Replaces one of the files; the version before is kept.",
    body: MemoryWrite,
    response: MemoryWritten,
    errors: ["memory.not-found", "precondition.required", "precondition.failed"],
    handle: async (call) => {
      const { text, note } = call.body;
      const file = memoryFile(call);
      return call.services.once(createWriteQueue)(() => write(call, file, text, note));
    },
  }),
  route({
    id: "listMemoryVersions",
    method: "GET",
    path: "/memory/files/{name}/versions",
    scope: "read",
    ofPersons: true,
    summary: "Earlier versions, the newest first; the last twenty are kept.",
    query: PageQuery,
    response: VersionPage,
    errors: ["memory.not-found"],
    handle: async (call) => {
      const { items, next } = pageOf(await versions(call), call.query, ({ v }) => timeKey(v));
      return { body: { items: items.map(({ text: _text, ...rest }) => rest), next } };
    },
  }),
  route({
    id: "readMemoryVersion",
    method: "GET",
    path: "/memory/files/{name}/versions/{v}",
    scope: "read",
    ofPersons: true,
    summary: "The text of an earlier version.",
    response: VersionText,
    errors: ["memory.not-found"],
    handle: async (call) => ({ body: await version(call) }),
  }),
  route({
    id: "restoreMemoryVersion",
    method: "POST",
    path: "/memory/files/{name}/versions/{v}/restore",
    scope: "admin",
    ofPersons: true,
    summary: "Makes an earlier version the present one; what is there now becomes a version.",
    response: MemoryWritten,
    errors: ["memory.not-found", "precondition.required", "precondition.failed"],
    handle: async (call) => {
      const { text, v } = await version(call);
      const file = memoryFile(call);
      return call.services.once(createWriteQueue)(() => write(call, file, text, `version ${v}`));
    },
  }),
  route({
    id: "listFacts",
    method: "GET",
    path: "/memory/facts",
    scope: "read",
    ofPersons: true,
    summary: "MEMORY.md line by line, with who put each line there.",
    response: MemoryFacts,
    handle: async (call) => {
      const { headers, signal } = call;
      const file = memoryFile({ ...call, params: { name: "MEMORY.md" } });
      const text = await readMemoryFile(file, holdingsFor(call), signal);
      const hash = sha256(text);
      // Who wrote a line may be learned later: the hash is of the text, so nothing is answered with 304.
      return tagged({ ...headers, "if-none-match": undefined }, hash, {
        hash,
        items: await factsIn(text, file, call),
      });
    },
  }),
  route({
    id: "searchMemory",
    method: "GET",
    path: "/memory/search",
    scope: "read",
    ofPersons: true,
    summary: "Facts, history and chats that hold all the words, the newest first per source.",
    query: SearchQuery,
    response: SearchResult,
    handle: async (call) => ({ body: { items: await searched(call) } }),
  }),
  route({
    id: "consolidateMemory",
    method: "POST",
    path: "/memory/consolidate",
    scope: "admin",
    summary: "Puts what was said in a chat into memory now, beside the conversation: `/compact` of that chat.",
    body: ConsolidateBody,
    status: 202,
    response: ConsolidateResult,
    errors: ["session.not-found", "session.busy"],
    handle: async ({ services, body, language }) => {
      const { agent, ids } = services.app;
      const key = (await services.once(openJournalFacts).of(body.session))?.key;
      const session = key === undefined ? undefined : await agent.sessions.find(key);
      if (key === undefined || session === undefined)
        throw refusal("session.not-found", language, {
          detail: TEXT.noSuchSession,
          remedy: TEXT.listsThem,
        });
      if (session.state.turn !== undefined)
        throw refusal("session.busy", language, {
          detail: TEXT.turnRunningIn,
          remedy: TEXT.waitForEnd,
        });
      await agent.bus.accept({
        key: ids.next("key"),
        origin: { channel: "web", chat: session.state.id },
        from: OPERATOR,
        parts: [{ type: "text", text: "/compact" }],
        sessionKey: key,
      });
      return { body: { session: session.state.id } };
    },
  }),
];

async function write(call: AnyCall, file: MemoryFile, text: string, note: string | undefined): Promise<Reply> {
  const { services, headers, credential, signal } = call;
  const { app } = services;
  const own = holdingsFor(call);
  const before = await readMemoryFile(file, own, signal);
  requireMatch(headers, sha256(before));
  if (text !== before) {
    keepVersion(file, before, own);
    const after = await writeMemoryFile(file, text, before, own, call);
    const by = credential?.name ?? "unknown";
    if (before !== "") describeLast(file, { by, ...(note !== undefined && { note }) }, own);
    if (file.audited)
      app.audit.record("memory.edited", { file: file.name, by, before: sha256(before), after: sha256(after) });
  }
  const hash = sha256(await readMemoryFile(file, own, signal));
  if (personOf(call) === undefined) announce(services, "system", file.name);
  return { body: { hash, effect: file.inPrompt ? "notice" : "none" }, headers: { etag: tagOf(hash) } };
}

async function versions(call: AnyCall): Promise<readonly Version[]> {
  const own = holdingsFor(call);
  const file = memoryFile(call);
  return versionsOf(file, await readMemoryFile(file, own, call.signal), own);
}

async function version(call: AnyCall): Promise<Version> {
  const { v = "" } = call.params;
  const found = (await versions(call)).find((one) => String(one.v) === v);
  if (found !== undefined) return found;
  throw refusal("memory.not-found", call.language, {
    detail: TEXT.noVersionFile,
    values: { v: v.slice(0, 20) },
  });
}

function labelOf(file: MemoryFile, text: string): { readonly integrity: "trusted" | "untrusted" } {
  return { integrity: isUntrusted(file, text) ? "untrusted" : "trusted" };
}
