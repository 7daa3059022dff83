// The audit log over HTTP: read, proven, exported, never changed.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { auditOf } from "../../src/host/audit-log.ts";
import { expectScopes, operations, operationsBelow } from "./operations.ts";
import { startGateway, type TestGateway } from "./support.ts";

async function work(gateway: TestGateway): Promise<void> {
  gateway.model.replies(callsTool("list_dir", { path: "." }), callsTool("read_file", { path: "none" }), says("Done."));
  await gateway.app.agent.send("web:one", "look around").finished;
}

function logOf({ home }: TestGateway): string {
  const directory = join(home, "audit");
  const [name = ""] = readdirSync(directory).filter((one) => one.endsWith(".jsonl"));
  return join(directory, name);
}

test("R283 every route of the audit asks for a credential of its scope, and none changes it", async (t) => {
  const gateway = await startGateway(t);
  await expectScopes(gateway, operationsBelow("/audit"));
  for (const method of ["DELETE", "PUT", "PATCH", "POST"])
    expect((await gateway.api("/audit", { method, body: {} })).body.code).toBe("request.method");
});

test("R262 R265 calls, turns and events are listed, the newest first, and filtered", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  await work(gateway);
  gateway.app.audit.record("settings.changed", { key: "model" });
  const { items } = (await operate("listAudit")).body;
  const own = items.filter(
    ({ kind, name }: { kind: string; name?: string }) => kind !== "event" || name === "settings.changed",
  );
  expect(own.map(({ kind, tool }: { kind: string; tool?: string }) => tool ?? kind)).toEqual([
    "event",
    "turn",
    "read_file",
    "list_dir",
  ]);
  expect(own[2]).toMatchObject({
    key: "web:one",
    decision: "allow",
    rule: "other",
    by: "policy",
    status: "error",
    text: '{"path":"none"}',
    argsHash: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(own[1]).toMatchObject({ reason: "done", text: "look around", reply: "Done." });
  const kinds = async (query: Record<string, string>): Promise<readonly string[]> =>
    (await operate("listAudit", { query })).body.items.map(
      ({ tool, kind }: { tool?: string; kind: string }) => tool ?? kind,
    );
  expect(await kinds({ tool: "list_dir" })).toEqual(["list_dir"]);
  expect(await kinds({ kind: "turn" })).toEqual(["turn"]);
  expect(await kinds({ decision: "deny" })).toEqual([]);
  expect(await kinds({ by: "policy" })).toEqual(["read_file", "list_dir"]);
  expect(await kinds({ session: own[1].session, kind: "call" })).toEqual(["read_file", "list_dir"]);
  expect(await kinds({ to: "1000" })).toEqual([]);
  expect((await operate("listAudit", { query: { kind: "other" } })).body.code).toBe("request.invalid");
});

test("pages follow each other without a gap", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  await work(gateway);
  await gateway.app.audit.flush();
  const all = (await operate("listAudit")).body.items.map(({ n }: { n: number }) => n);
  const seen: number[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page = await operate("listAudit", { query: { limit: 2, ...(cursor !== "" && { cursor }) } });
    seen.push(...page.body.items.map(({ n }: { n: number }) => n));
    cursor = page.body.next;
  }
  expect(seen).toEqual(all);
});

test("R264 the chain is proven, and a changed byte is found at its entry", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  await work(gateway);
  const whole = (await operate("verifyAudit")).body;
  expect(whole).toMatchObject({ ok: true, last: whole.entries });
  expect(whole.entries).toBeGreaterThanOrEqual(3);
  expect(whole.anchoredAt).toBeLessThanOrEqual(Date.now());

  const path = logOf(gateway);
  writeFileSync(path, readFileSync(path, "utf8").replace('"tool":"list_dir"', '"tool":"list_dig"'));
  const broken = (await operate("verifyAudit")).body;
  expect(broken).toMatchObject({ ok: false, broken: { reason: "edited", n: broken.entries + 1 } });
  expect(JSON.stringify(broken)).not.toContain(gateway.home);
});

test("R264 the export is what was written, with the verdict in its last line, also of a broken chain", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  await work(gateway);
  const { headers, body } = await operate("exportAudit");
  expect(headers.get("margay-audit")).toBe("intact");
  const path = logOf(gateway);
  const text = readFileSync(path, "utf8");
  expect(body.startsWith(text)).toBe(true);
  expect(JSON.parse(body.slice(text.length))).toMatchObject({ verified: { ok: true } });

  const lines = text.split("\n");
  writeFileSync(path, [lines[0], ...lines.slice(2)].join("\n"));
  const broken = await operate("exportAudit");
  expect([broken.status, broken.headers.get("margay-audit")]).toEqual([200, "broken at 2"]);
  expect(broken.body).toContain('"reason":"missing"');
});

test("SC48 the route tells what the terminal tells: a log that was put back, a day that is gone", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const directory = join(gateway.home, "audit");
  const putBack = (from: string): void => {
    rmSync(directory, { recursive: true });
    cpSync(from, directory, { recursive: true });
  };
  await work(gateway);
  expect((await operate("verifyAudit")).body).toMatchObject({ ok: true });
  cpSync(directory, `${directory}-before`, { recursive: true });
  await work(gateway);
  expect((await operate("verifyAudit")).body).toMatchObject({ ok: true });
  cpSync(directory, `${directory}-after`, { recursive: true });

  putBack(`${directory}-before`);
  const behind = (await operate("verifyAudit")).body;
  expect(behind).toMatchObject({ ok: false, last: behind.entries, broken: { reason: "truncated" } });
  expect(behind.broken.detail).toMatch(/^What happened in web:one at \S+ is in its journal and not in the log/);

  putBack(`${directory}-after`);
  rmSync(logOf(gateway));
  expect((await operate("verifyAudit")).body.broken).toMatchObject({ reason: "truncated", file: "YYYY-MM-DD.jsonl" });
  putBack(`${directory}-after`);
  expect((await operate("verifyAudit")).body).toMatchObject({ ok: true });
});

test("SC48 no false alarm in the midst of work, seen from another process", async (t) => {
  const gateway = await startGateway(t);
  let working = true;
  const talk = async (chat: string): Promise<void> => {
    for (let turn = 0; turn < 10; turn++) {
      gateway.model.replies(says("Done."));
      await gateway.app.agent.send(chat, "hello").finished;
    }
  };
  const talking = Promise.all(["web:a", "web:b", "web:c"].map(talk)).finally(() => {
    working = false;
  });
  const reports: unknown[] = [];
  while (working) reports.push((await auditOf({ home: gateway.home }).verify()).broken);
  await talking;
  expect(reports.length).toBeGreaterThan(0);
  expect(reports.filter((broken) => broken !== undefined)).toEqual([]);
});
