// [live] Whether the platforms themselves know us: with the settings of real accounts in the environment, and skipped without. Nothing is sent.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog, systemClock } from "@margay/core/internal";
import { expect, test } from "vitest";
import { OUR_CHANNELS } from "../../src/config/channel-ids.ts";
import { probeChannel } from "../../src/features/channels/list.ts";
import type { ChannelConfig } from "../../src/features/channels/kinds.ts";

for (const { kind, name } of OUR_CHANNELS) {
  /** `channels.NAME` of a configuration, as JSON. */
  const given = process.env[`MARGAY_LIVE_${kind.toUpperCase()}`];
  test.skipIf(given === undefined)(`CH105 [live] ${name} says who we are there`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "margay-live-"));
    t.onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const settings = JSON.parse(given ?? "{}") as Partial<ChannelConfig>;
    const deps = { home: folder, folder: join(folder, "channels"), clock: systemClock(), log: silentLog };
    const account = await probeChannel(kind, { ...settings, enabled: true }, deps, AbortSignal.timeout(60_000));
    expect(account).toMatch(/\S/);
  });
}
