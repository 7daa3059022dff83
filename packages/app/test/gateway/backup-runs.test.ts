// Backups of the whole home over HTTP: what is known of them, and one that is made now.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { expectScopes, operations, operationsBelow } from "./operations.ts";
import { startGateway } from "./support.ts";

const LONG = { timeout: 60_000, interval: 50 };
const backup = { target: "../kept", passphrase: "four unrelated words here" };

test("R283 every route of backups asks for a credential of its scope, and only the owner makes one", async (t) => {
  const gateway = await startGateway(t, { config: { backup } });
  await expectScopes(gateway, operationsBelow("/backup"));
  const refused = await operations(gateway)("makeBackup", { token: gateway.token("admin") });
  expect(refused.body.code).toBe("auth.scope");
});

test(
  "BK6 a backup that is asked for is made once, and what came of it is said without its passphrase",
  LONG,
  async (t) => {
    const gateway = await startGateway(t, { config: { backup } });
    const operate = operations(gateway);
    expect((await operate("getBackup")).body).toEqual({
      target: backup.target,
      schedule: "off",
      drillDays: 7,
      ready: true,
    });
    const [first, second] = await Promise.all([operate("makeBackup"), operate("makeBackup")]);
    for (const { status, body } of [first, second]) expect([status, body.run.state]).toEqual([202, "running"]);
    const state = async (): Promise<string> => (await operate("getBackup")).body.run.state;
    await vi.waitUntil(async () => (await state()) !== "running", LONG);
    const { body } = await operate("getBackup");
    expect(body).toMatchObject({
      run: { state: "done", files: expect.any(Number) },
      last: { bytes: expect.any(Number) },
    });
    expect(readdirSync(join(gateway.home, "../kept/snapshots"))).toHaveLength(1);
    expect(JSON.stringify(body)).not.toContain(backup.passphrase);
  },
);

test("BK6 without a target it fails in words", LONG, async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  expect((await operate("getBackup")).body).toMatchObject({ ready: false, target: null });
  await operate("makeBackup");
  const run = async () => (await operate("getBackup")).body.run;
  await vi.waitUntil(async () => (await run()).state === "failed", LONG);
  expect((await run()).error).toContain("backup.target");
});
