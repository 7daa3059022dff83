// What commands left behind and was kept aside, over HTTP; and what a turn's changes say of what runs when started.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Sender } from "@margay/core";
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { expectScopes, operations, type Operate } from "./operations.ts";
import { startGateway, type TestGateway } from "./support.ts";

async function leaves(t: Parameters<typeof startGateway>[0], command: string): Promise<TestGateway> {
  const gateway = await startGateway(t, { config: { tools: {} } });
  gateway.model.replies(callsTool("exec", { command }), says("Made."));
  await gateway.app.agent.send("web:one", "make it", { origin: { channel: "web", chat: "one" } }).finished;
  return gateway;
}

async function only(operate: Operate): Promise<{ readonly id: string; readonly sha256: string }> {
  const { items } = (await operate("listQuarantine")).body;
  expect(items).toHaveLength(1);
  return items[0];
}

test("R283 SC33 the routes of what was kept aside ask for a credential of their scope", async (t) => {
  await expectScopes(await startGateway(t), ["listQuarantine", "restoreQuarantined", "deleteQuarantined"]);
});

test("SC33 who may only read, or only chat, takes nothing back and removes nothing", async (t) => {
  const gateway = await leaves(t, "echo 'export A=1' > .envrc");
  const operate = operations(gateway);
  const { id, sha256 } = await only(operate);
  for (const token of [gateway.token("read"), gateway.token("chat"), null]) {
    const restored = await operate("restoreQuarantined", { params: { id }, body: { sha256 }, token });
    const deleted = await operate("deleteQuarantined", { params: { id }, token });
    const status = token === null ? 401 : 403;
    expect([restored.status, deleted.status]).toEqual([status, status]);
  }
  expect(await only(operate)).toMatchObject({ id });
  expect(existsSync(join(gateway.workspace, ".envrc"))).toBe(false);
});

test("SC33 neither a program with a token, nor a job, nor a subagent takes anything back by what it says", async (t) => {
  const gateway = await leaves(t, "echo 'export A=1' > .envrc");
  const operate = operations(gateway);
  const { id } = await only(operate);
  const SENDERS: readonly Sender[] = [
    { id: "api:other", kind: "person" },
    { id: "cron", kind: "schedule" },
    { id: "user", kind: "agent" },
    { id: "user", kind: "schedule" },
  ];
  for (const [at, from] of SENDERS.entries())
    for (const text of [`/quarantine ${id}`, `/quarantine restore ${id}`, `/quarantine delete ${id}`]) {
      gateway.model.replies(says("An answer."));
      const origin = { channel: "web", chat: "one" };
      const message = { key: `${at} ${text}`, origin, from, sessionKey: `web:${at}` };
      await gateway.app.agent.bus.accept({ ...message, parts: [{ type: "text", text }] });
      await gateway.app.agent.idle();
    }
  expect(await only(operate)).toMatchObject({ id });
  expect(existsSync(join(gateway.workspace, ".envrc"))).toBe(false);
});

test("SC33 what was kept aside is listed with what is in it, and put back as it was shown", async (t) => {
  const gateway = await leaves(t, "echo 'export A=1' > .envrc");
  const operate = operations(gateway);
  const { items } = (await operate("listQuarantine")).body;
  const sha256 = expect.stringMatching(/^[0-9a-f]{64}$/);
  const known = { id: expect.any(String), at: expect.any(Number), sha256, path: ".envrc", why: ".envrc" };
  expect(items).toEqual([{ ...known, kind: "file", bytes: 11, text: "export A=1\n" }]);
  const [shown] = items;
  const restore = (id: string, hash: string): ReturnType<Operate> =>
    operate("restoreQuarantined", { params: { id }, body: { sha256: hash } });

  expect((await restore(shown.id, "0".repeat(64))).body).toMatchObject({ status: 409, code: "quarantine.changed" });
  expect((await restore("ffffffff", shown.sha256)).body).toMatchObject({ status: 404, code: "quarantine.not-found" });
  expect((await restore(shown.id, "short")).body.code).toBe("request.invalid");
  writeFileSync(join(gateway.workspace, ".envrc"), "mine\n");
  expect((await restore(shown.id, shown.sha256)).body).toMatchObject({
    status: 409,
    code: "quarantine.occupied",
    detail: "Something else is at .envrc by now, so nothing was changed.",
    remedy: "Move that away, then take it back.",
  });
  writeFileSync(join(gateway.workspace, ".envrc"), ""); // any file
  expect((await restore(shown.id, shown.sha256)).status).toBe(409);
  expect(readFileSync(join(gateway.workspace, ".envrc"), "utf8")).toBe("");
});

test("SC33 what is put back stays where it is, also beside a command, and what is removed is gone", async (t) => {
  const gateway = await leaves(t, "echo one > .envrc; echo two > .vimrc");
  const operate = operations(gateway);
  const { items } = (await operate("listQuarantine")).body;
  const of = (path: string): { readonly id: string; readonly sha256: string } =>
    items.find((item: { readonly path: string }) => item.path === path);
  gateway.model.replies(
    callsTool("exec", { command: "touch began; while [ ! -e go ]; do sleep 0.02; done; ls -a" }),
    says("Ended."),
  );
  const { finished } = gateway.app.agent.send("web:one", "wait", { origin: { channel: "web", chat: "one" } });
  await expect.poll(() => existsSync(join(gateway.workspace, "began"))).toBe(true);
  const { id, sha256 } = of(".envrc");
  const done = await operate("restoreQuarantined", { params: { id }, body: { sha256 } });
  expect([done.status, done.body]).toEqual([200, { path: ".envrc" }]);
  writeFileSync(join(gateway.workspace, "go"), "");
  await finished;
  expect(readFileSync(join(gateway.workspace, ".envrc"), "utf8")).toBe("one\n");
  expect((await operate("deleteQuarantined", { params: { id: of(".vimrc").id } })).status).toBe(204);
  expect((await operate("deleteQuarantined", { params: { id: of(".vimrc").id } })).body.code).toBe(
    "quarantine.not-found",
  );
  expect((await operate("listQuarantine")).body).toEqual({ items: [] });
});

test("SC33 a secret that was left behind is not shown", async (t) => {
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const gateway = await leaves(t, `echo 'token=${secret}' > .npmrc`);
  const { items } = (await operations(gateway)("listQuarantine")).body;
  expect(items).toMatchObject([{ path: ".npmrc", text: expect.stringContaining("token=") }]);
  expect(JSON.stringify(items)).not.toContain(secret);
});

test("SC34 a turn's changes say what runs when somebody starts it", async (t) => {
  const gateway = await leaves(t, "printf 'all:\\n\\techo hello\\n' > Makefile; echo plain > notes.txt");
  const id = (await gateway.app.agent.sessions.find("web:one"))?.state.id ?? "";
  const { preview } = (await operations(gateway)("undoTurn", { params: { id }, body: { dryRun: true } })).body;
  expect(preview.files).toEqual([
    { path: "Makefile", action: "delete", kind: "file", starts: true },
    { path: "notes.txt", action: "delete", kind: "file" },
  ]);
});
