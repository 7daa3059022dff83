/** What is said of settings before anybody relies on them. */
import assert from "node:assert/strict";
import type { Json } from "../../contract/base.ts";
import type { Case } from "./cases.ts";
import { type House, type Margay } from "./house.ts";

export function settings(test: Case): void {
  test(
    "CH171 CH95 the test of the settings says who we are; a wrong token and no network are said, without a secret",
    async (house) => {
      const { peer } = house;
      const margay = await house.start();
      assert.match((await probed(house, margay, peer.settings)) ?? "", /\w/);
      const secrets = Object.entries(peer.settings).filter(
        ([name]) => /token|password|secret/i.test(name) && peer.unasked?.includes(name) !== true,
      );
      assert.ok(secrets.length > 0);
      for (const [name, value] of secrets) {
        const wrong = `${String(value).slice(0, -3)}zzz`;
        const error = await failure(probed(house, margay, { ...peer.settings, [name]: wrong }));
        assert.match(error, /\.\s+\S/, "what happened. What to do.");
        assert.ok(!error.includes(wrong), error);
      }
      await peer.down();
      try {
        const error = await failure(probed(house, margay, peer.settings));
        for (const [, value] of secrets) assert.ok(!error.includes(String(value)), error);
      } finally {
        await peer.up();
      }
    },
    { needs: ["probe"] },
  );
}

async function probed(
  { peer }: House,
  { host }: Margay,
  given: Readonly<Record<string, Json>>,
): Promise<string | undefined> {
  const late = AbortSignal.timeout(15_000);
  return peer.plugin.probe?.({ id: peer.id, settings: given }, host, late);
}

async function failure(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    (value) => assert.fail(`nothing failed: ${String(value)}`),
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}
